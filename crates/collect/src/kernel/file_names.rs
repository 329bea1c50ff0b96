//! Names of the files that descriptors refer to: paths, or the two ends of sockets.
//!
//! Descriptors are reused. So whittle looks up a name as soon as the kernel side reports a file, and compares the
//! inode. If the file was already closed, its name is only the last part of its path, which the kernel side read.

use super::layout::FileSeen;
use crate::process::Process;
use rustc_hash::FxHashMap;
use std::fs;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};
use whittle_model::{FileIdentity, FileIndex, FileKind, TableBuilder};

/// Shortest time between two readings of the kernel's table of sockets. The table is long on busy machines.
const SOCKET_TABLE_PAUSE: Duration = Duration::from_millis(200);

/// Maximum number of searches for the ends of a socket. After this number, the ends remain unknown.
const MAX_TRIES: u32 = 5;

/// Maximum number of bytes of a table that are read.
const MAX_TABLE_BYTES: usize = 16 << 20;

/// The files of a collection.
#[derive(Debug, Default)]
pub(crate) struct FileNames {
    sockets: FxHashMap<u64, String>,
    sockets_read: Option<Instant>,
    /// Sockets with unknown ends.
    unknown_sockets: FxHashMap<(u64, u32), (Process, u32)>,
}

impl FileNames {
    /// The row of a file that the kernel side reported.
    pub(crate) fn add(&mut self, seen: &FileSeen, builder: &mut TableBuilder) {
        let process = Process(seen.head.process_id);
        let kind = file_kind(seen.file_kind);
        let path = match kind {
            FileKind::Socket => self.socket(process, seen.inode, seen.device),
            _ => linked_path(process, seen).unwrap_or_else(|| seen.name()),
        };
        builder.file(identity(seen.device, seen.inode, kind), &path);
    }

    /// Tries again to find the ends of sockets. A client's socket has no ends before it is connected.
    pub(crate) fn retry(&mut self, builder: &mut TableBuilder) {
        let Some((process, _)) = self.unknown_sockets.values().next().copied() else { return };
        if !self.read_sockets(process) {
            return;
        }
        let Self { sockets, unknown_sockets, .. } = self;
        unknown_sockets.retain(|(inode, device), (_, tries)| {
            *tries += 1;
            let Some(ends) = sockets.get(inode) else { return *tries < MAX_TRIES };
            builder.file(identity(*device, *inode, FileKind::Socket), ends);
            false
        });
    }

    fn socket(&mut self, process: Process, inode: u64, device: u32) -> String {
        if !self.sockets.contains_key(&inode) {
            self.read_sockets(process);
        }
        let ends = self.sockets.get(&inode).cloned();
        if ends.is_none() {
            self.unknown_sockets.insert((inode, device), (process, 0));
        }
        ends.unwrap_or_default()
    }

    /// Reads the sockets of the process's network. Returns false if the sockets were read a moment ago.
    fn read_sockets(&mut self, process: Process) -> bool {
        if self.sockets_read.is_some_and(|read| read.elapsed() < SOCKET_TABLE_PAUSE) {
            return false;
        }
        // Only current sockets are kept, because a machine has many sockets and reuses inodes.
        self.sockets.clear();
        for protocol in ["tcp", "tcp6", "udp", "udp6"] {
            let text = read_table(process, protocol);
            let name = protocol.trim_end_matches('6');
            self.sockets.extend(table_lines(&text).filter_map(|line| internet_socket(name, line)));
        }
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

/// Reads a table of `/proc/PID/net`. Names of sockets can contain any bytes.
fn read_table(process: Process, name: &str) -> String {
    let mut bytes = Vec::new();
    let file = fs::File::open(process.path(&format!("net/{name}")));
    // After an error, the lines so far are used.
    let _ = file.and_then(|file| file.take(MAX_TABLE_BYTES as u64).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The lines of a table, without its heading.
fn table_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().skip(1)
}

/// Parses a line of `/proc/net/tcp` or a similar file. It contains both addresses in hexadecimal, and the inode as
/// tenth field.
fn internet_socket(protocol: &str, line: &str) -> Option<(u64, String)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (local, remote) = (address(fields.get(1)?)?, address(fields.get(2)?)?);
    let inode = fields.get(9)?.parse().ok().filter(|inode| *inode > 0)?;
    let ends = match remote.port() {
        0 => format!("{protocol} {local}"),
        _ => format!("{protocol} {local}->{remote}"),
    };
    Some((inode, ends))
}

/// Parses `0100007F:1F90` as 127.0.0.1:8080. Each group of eight digits is a number in the machine's byte order.
fn address(text: &str) -> Option<SocketAddr> {
    let (digits, port) = text.split_once(':')?;
    let groups = digits.as_bytes().chunks(8).map(|group| {
        let group = std::str::from_utf8(group).ok()?;
        u32::from_str_radix(group, 16).ok().map(u32::to_ne_bytes)
    });
    let bytes = groups.collect::<Option<Vec<_>>>()?.concat();
    let host = match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(bytes) => IpAddr::V4(Ipv4Addr::from(bytes)),
        Err(_) => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes.as_slice()).ok()?)).to_canonical(),
    };
    Some(SocketAddr::new(host, u16::from_str_radix(port, 16).ok()?))
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
    fn sockets_are_named_by_their_ends() {
        let line = "  1: 0100007F:1F90 0100007F:1267 01 00000000:00000000 00:00000000 00000000  0  0 4711 1 0";
        let (inode, ends) = internet_socket("tcp", line).unwrap();
        assert_eq!((inode, ends.as_str()), (4711, "tcp 127.0.0.1:8080->127.0.0.1:4711"));
        let listening = line.replace("0100007F:1267", "00000000:0000");
        assert_eq!(internet_socket("tcp", &listening).unwrap().1, "tcp 127.0.0.1:8080");
        let mapped = "0000000000000000FFFF00000100007F:0050";
        assert_eq!(address(mapped).unwrap().to_string(), "127.0.0.1:80");
        let unix = "00000000: 00000002 00000000 00010000 0001 01 99 /run/a.sock";
        assert_eq!(unix_socket(unix).unwrap(), (99, "unix /run/a.sock".to_owned()));
    }

    #[test]
    fn damaged_lines_are_passed_over() {
        for line in ["", "1: x y", "  1: 0100007F 0100007F:1267 01", "1: 01:1 02:2 3 4 5 6 7 8 x"] {
            assert_eq!(internet_socket("tcp", line), None, "{line}");
        }
        for line in ["", "1: 2 3", "1: 2 3 4 5 6 inode /run/a.sock"] {
            assert_eq!(unix_socket(line), None, "{line}");
        }
    }

    #[test]
    fn a_connected_socket_of_our_own_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let inode = {
            use std::os::fd::AsRawFd;
            use std::os::unix::fs::MetadataExt;
            fs::metadata(format!("/proc/self/fd/{}", client.as_raw_fd())).unwrap().ino()
        };
        let ends = FileNames::default().socket(Process(std::process::id()), inode, 0);
        let expected = format!("tcp {}->{}", client.local_addr().unwrap(), client.peer_addr().unwrap());
        assert_eq!(ends, expected);
    }
}
