//! Adds up the kernel's exact counts of system calls.

use rustc_hash::FxHashSet;
use whittle_model::{FileIndex, FileKind, Table, ThreadIndex};
use whittle_profile::Profile;

const READS: [&str; 6] = ["read", "readv", "recvfrom", "recvmsg", "recvmmsg", "preadv"];
const WRITES: [&str; 4] = ["write", "pwrite64", "writev", "pwritev"];

/// Number of system calls with which these threads read from sockets, over the whole experiment.
pub(super) fn socket_reads(profile: &Profile, threads: &FxHashSet<ThreadIndex>) -> u64 {
    let (table, files) = (&profile.tables().syscalls, &profile.tables().files);
    let is_read = |row: &usize| {
        let is_socket = files.kind[table.file[*row].row()] == FileKind::Socket;
        is_socket && READS.contains(&table.name[*row].as_str()) && threads.contains(&table.thread[*row])
    };
    (0..table.len()).filter(is_read).map(|row| table.calls_count[row]).sum()
}

/// Calls with given names, and the writes to the files of these calls.
pub(super) struct Writes {
    /// Number of the calls.
    pub(super) calls_count: u64,
    /// Number of the writes.
    pub(super) writes_count: u64,
    /// Bytes of the writes.
    pub(super) bytes: u64,
}

impl Writes {
    /// The sums for calls with these names, over the whole experiment.
    pub(super) fn of_calls(profile: &Profile, names: &[String]) -> Self {
        let table = &profile.tables().syscalls;
        let is_named = |row: &usize| names.contains(&table.name[*row]);
        let calls_count = (0..table.len()).filter(is_named).map(|row| table.calls_count[row]).sum();
        let files: FxHashSet<FileIndex> =
            (0..table.len()).filter(is_named).map(|row| table.file[row]).filter(|file| file.row() != 0).collect();
        let is_write = |row: &usize| files.contains(&table.file[*row]) && WRITES.contains(&table.name[*row].as_str());
        let mut writes = Self { calls_count, writes_count: 0, bytes: 0 };
        for row in (0..table.len()).filter(is_write) {
            writes.writes_count += table.calls_count[row];
            writes.bytes = writes.bytes.saturating_add(table.bytes[row]);
        }
        writes
    }
}
