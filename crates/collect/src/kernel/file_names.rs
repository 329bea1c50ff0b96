//! Names of the files that descriptors refer to: paths, or the peers of sockets.
//!
//! Descriptors are reused. So whittle looks up a name as soon as the kernel side reports a file, and compares the
//! inode. If the file was already closed, its name is only the last part of its path, which the kernel side read.

use super::layout::FileSeen;
use super::peers::{peer_name, read_table, table_lines};
use crate::process::Process;
use rustc_hash::FxHashMap;
use std::fs;
use std::time::{Duration, Instant};
use whittle_model::{FileIdentity, FileIndex, FileKind, TableBuilder};

/// Shortest time between two readings of the kernel's table of sockets. The table is long on busy machines.
const SOCKET_TABLE_PAUSE: Duration = Duration::from_millis(200);

/// Maximum number of searches for the name of a Unix socket. After this number, the name remains unknown.
const MAX_TRIES: u32 = 5;

/// The files of a collection.
#[derive(Debug, Default)]
pub(crate) struct FileNames {
    /// The names of Unix sockets, by inode.
    sockets: FxHashMap<u64, String>,
    sockets_read: Option<Instant>,
    /// Sockets with unknown names.
    unknown_sockets: FxHashMap<(u64, u32), (Process, u32)>,
}

impl FileNames {
    /// The row of a file that the kernel side reported.
    pub(crate) fn add(&mut self, seen: &FileSeen, builder: &mut TableBuilder) {
        let process = Process(seen.head.process_id);
        let kind = file_kind(seen.file_kind);
        let path = match kind {
            FileKind::Socket => peer_name(seen).unwrap_or_else(|| self.unix_socket(process, seen.inode, seen.device)),
            _ => linked_path(process, seen).unwrap_or_else(|| seen.name()),
        };
        builder.file(identity(seen.device, seen.inode, kind), &path);
    }

    /// Tries again to find the names of sockets. A socket has no name before it is bound or connected.
    pub(crate) fn retry(&mut self, builder: &mut TableBuilder) {
        let Some((process, _)) = self.unknown_sockets.values().next().copied() else { return };
        if !self.read_sockets(process) {
            return;
        }
        let Self { sockets, unknown_sockets, .. } = self;
        unknown_sockets.retain(|(inode, device), (_, tries)| {
            *tries += 1;
            let Some(name) = sockets.get(inode) else { return *tries < MAX_TRIES };
            builder.file(identity(*device, *inode, FileKind::Socket), name);
            false
        });
    }

    fn unix_socket(&mut self, process: Process, inode: u64, device: u32) -> String {
        if !self.sockets.contains_key(&inode) {
            self.read_sockets(process);
        }
        let name = self.sockets.get(&inode).cloned();
        if name.is_none() {
            self.unknown_sockets.insert((inode, device), (process, 0));
        }
        name.unwrap_or_default()
    }

    /// Reads the Unix sockets of the process's network. Returns false if the sockets were read a moment ago.
    fn read_sockets(&mut self, process: Process) -> bool {
        if self.sockets_read.is_some_and(|read| read.elapsed() < SOCKET_TABLE_PAUSE) {
            return false;
        }
        // Only current sockets are kept, because a machine has many sockets and reuses inodes.
        self.sockets.clear();
        let text = read_table(process, "unix");
        for (inode, name) in table_lines(&text).filter_map(unix_socket) {
            // A name can contain a line end, so a program can make lines. Two names of one inode are both doubtful.
            self.sockets.entry(inode).and_modify(|name| *name = "unix (unknown name)".to_owned()).or_insert(name);
        }
        self.sockets_read = Some(Instant::now());
        true
    }
}

/// The row of the file with this identity. Row 0: the call had no descriptor.
pub(crate) fn file_row(device: u32, inode: u64, kind: u8, builder: &mut TableBuilder) -> FileIndex {
    match file_kind(u32::from(kind)) {
        FileKind::None => FileIndex::NONE,
        kind if inode == 0 => other_files(kind, builder),
        kind => builder.file(identity(device, inode, kind), ""),
    }
}

/// The row for files that are only distinguished by their kind, because a thread used too many files.
pub(crate) fn other_files(kind: FileKind, builder: &mut TableBuilder) -> FileIndex {
    match kind {
        FileKind::None => FileIndex::NONE,
        kind => builder.file(identity(0, 0, kind), "(other files)"),
    }
}

fn identity(device: u32, inode: u64, kind: FileKind) -> FileIdentity {
    FileIdentity { device: u64::from(device), inode, kind }
}

fn file_kind(kind: u32) -> FileKind {
    FileKind::ALL.get(kind as usize).copied().unwrap_or(FileKind::None)
}

/// The current name of the descriptor, if it still refers to the same file.
fn linked_path(process: Process, seen: &FileSeen) -> Option<String> {
    let link = format!("fd/{}", seen.descriptor);
    let file = process.linked_file(&link).ok()?;
    let path = fs::read_link(process.path(&link)).ok()?;
    // The device is not compared, because some file systems report different devices to programs and to the kernel.
    (file.inode == seen.inode).then(|| path.to_string_lossy().into_owned())
}

/// Parses a line of `/proc/net/unix`. The inode is the seventh field. If the socket has a path, the path follows.
fn unix_socket(line: &str) -> Option<(u64, String)> {
    let mut fields = line.split_whitespace();
    let inode = fields.nth(6)?.parse().ok()?;
    let path = fields.next().unwrap_or("(no name)");
    Some((inode, format!("unix {path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_sockets_have_the_name_in_the_kernels_table() {
        let line = "00000000: 00000002 00000000 00010000 0001 01 99 /run/a.sock";
        assert_eq!(unix_socket(line).unwrap(), (99, "unix /run/a.sock".to_owned()));
        for damaged in ["", "1: 2 3", "1: 2 3 4 5 6 inode /run/a.sock"] {
            assert_eq!(unix_socket(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn a_unix_socket_of_our_own_is_found() {
        let (one, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        let inode = {
            use std::os::fd::AsRawFd;
            use std::os::unix::fs::MetadataExt;
            fs::metadata(format!("/proc/self/fd/{}", one.as_raw_fd())).unwrap().ino()
        };
        let name = FileNames::default().unix_socket(Process(std::process::id()), inode, 0);
        assert_eq!(name, "unix (no name)");
    }
}
