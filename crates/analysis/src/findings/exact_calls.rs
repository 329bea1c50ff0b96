//! Figures from the kernel's exact counts of system calls, by file.

use super::figures::{Known, ratio};
use crate::Profile;
use rustc_hash::FxHashSet;
use whittle_model::{FileIndex, FileKind, Table};

const READS: [&str; 6] = ["read", "readv", "recvfrom", "recvmsg", "recvmmsg", "preadv"];
const WRITES: [&str; 4] = ["write", "pwrite64", "writev", "pwritev"];

/// The candidate's calls for each call that reads from a socket in the same threads; all of the calls where none does.
pub(super) fn calls_per_socket_read(known: &Known<'_>, names: &[String]) -> Option<f64> {
    let calls = known.calls?;
    let (own, _) = calls.of(names);
    let (table, files) = (&known.profile.tables().syscalls, &known.profile.tables().files);
    let is_read = |row: &usize| {
        let is_socket = files.kind[table.file[*row].row()] == FileKind::Socket;
        is_socket && READS.contains(&table.name[*row].as_str()) && calls.threads.contains(&table.thread[*row])
    };
    let reads: u64 = (0..table.len()).filter(is_read).map(|row| table.calls_count[row]).sum();
    // The exact counts are of the whole experiment.
    let part = known.work.seconds() * 1e9 / known.profile.manifest().duration_ns.max(1) as f64;
    Some(own / (reads as f64 * part).max(1.0))
}

/// Writes to the files that calls of these names are made for, and their bytes, for each of these calls.
pub(super) fn writes_per_call(profile: &Profile, names: &[String]) -> Option<(f64, f64)> {
    let table = &profile.tables().syscalls;
    let is_named = |row: &usize| names.contains(&table.name[*row]);
    let calls: u64 = (0..table.len()).filter(is_named).map(|row| table.calls_count[row]).sum();
    let files: FxHashSet<FileIndex> =
        (0..table.len()).filter(is_named).map(|row| table.file[row]).filter(|file| file.row() != 0).collect();
    let is_write = |row: &usize| files.contains(&table.file[*row]) && WRITES.contains(&table.name[*row].as_str());
    let (writes, bytes) = (0..table.len()).filter(is_write).fold((0, 0), |(writes, bytes): (u64, u64), row| {
        (writes + table.calls_count[row], bytes.saturating_add(table.bytes[row]))
    });
    Some((ratio(writes as f64, calls as f64)?, ratio(bytes as f64, calls as f64)?))
}
