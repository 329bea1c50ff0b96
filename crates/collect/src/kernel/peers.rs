//! Peers of sockets of TCP and UDP. The kernel side tells these sockets apart by their peers (`sockets.h`).

use super::layout::{FileSeen, PEER_CLIENTS, PEER_LISTENS, PEER_MARK, PEER_UDP};
use crate::process::Process;
use std::fs::File;
use std::io::Read;
use std::net::{Ipv6Addr, SocketAddr};

/// Maximum number of bytes of a table that are read.
const MAX_TABLE_BYTES: u64 = 16 << 20;

/// The state of a socket that listens, in `/proc/net/tcp`: the kernel's `TCP_LISTEN`.
const LISTENS: &str = "0A";

/// The name of a socket's peer, such as `tcp 10.0.0.7:5432`. `None`: the socket is not a socket of TCP or UDP.
pub(super) fn peer_name(seen: &FileSeen) -> Option<String> {
    // The flags and the port are below the mark.
    if seen.device & 0xfff0_0000 != PEER_MARK {
        return None;
    }
    let port = seen.device as u16;
    let protocol = if seen.device & PEER_UDP == 0 { "tcp" } else { "udp" };
    if seen.device & PEER_CLIENTS != 0 {
        return Some(format!("{protocol} clients of port {port}"));
    }
    if seen.device & PEER_LISTENS != 0 {
        return Some(format!("{protocol} listening on port {port}"));
    }
    if port == 0 {
        return Some(format!("{protocol} not connected"));
    }
    let mut address = [0; 16];
    address[..8].copy_from_slice(&seen.remote[0].to_ne_bytes());
    address[8..].copy_from_slice(&seen.remote[1].to_ne_bytes());
    Some(format!("{protocol} {}", SocketAddr::new(Ipv6Addr::from(address).to_canonical(), port)))
}

/// The ports of TCP on which a program of the process's network listens now.
pub(crate) fn listening_ports(process: Process) -> Vec<u16> {
    let tables = ["tcp", "tcp6"].map(|name| read_table(process, name));
    let lines = tables.iter().flat_map(|table| table_lines(table));
    lines.filter_map(listening_port).collect()
}

/// Reads a table of `/proc/PID/net`. Names of sockets can contain any bytes.
pub(super) fn read_table(process: Process, name: &str) -> String {
    let mut bytes = Vec::new();
    let file = File::open(process.path(&format!("net/{name}")));
    // After an error, the lines so far are used.
    let _ = file.and_then(|file| file.take(MAX_TABLE_BYTES).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The lines of a table, without its heading.
pub(super) fn table_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().skip(1)
}

/// The local port in a line of `/proc/net/tcp`, if the socket listens. The second field is the local address and port, in
/// hexadecimal, and the fourth field is the state.
fn listening_port(line: &str) -> Option<u16> {
    let mut fields = line.split_whitespace();
    let (_, port) = fields.nth(1)?.split_once(':')?;
    (fields.nth(1)? == LISTENS).then(|| u16::from_str_radix(port, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::Head;

    fn seen(device: u32, address: [u8; 16]) -> FileSeen {
        let half = |at: usize| u64::from_ne_bytes(address[at..at + 8].try_into().unwrap());
        let (head, name) = (Head::default(), [0; 64]);
        FileSeen { head, inode: 1, device, file_kind: 3, descriptor: 4, reserved: 0, remote: [half(0), half(8)], name }
    }

    #[test]
    fn sockets_are_named_by_their_peers() {
        let mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 7];
        let of = |flags: u32, port: u32, address| peer_name(&seen(PEER_MARK | flags | port, address)).unwrap();
        assert_eq!(of(0, 5432, mapped), "tcp 10.0.0.7:5432");
        assert_eq!(of(PEER_UDP, 53, Ipv6Addr::LOCALHOST.octets()), "udp [::1]:53");
        assert_eq!(of(PEER_CLIENTS, 65535, mapped), "tcp clients of port 65535");
        assert_eq!(of(PEER_LISTENS, 8080, mapped), "tcp listening on port 8080");
        assert_eq!(of(PEER_UDP, 0, mapped), "udp not connected");
        assert_eq!(peer_name(&seen(8, mapped)), None);
    }

    #[test]
    fn ports_of_listening_sockets_are_found() {
        let line = "  1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0  0 4711 1 0";
        assert_eq!(listening_port(line), Some(8080));
        assert_eq!(listening_port(&line.replace(" 0A ", " 01 ")), None);
        for damaged in ["", "1: x y", "  1: 0100007F 0100007F:1267 0A", "1: 01:12345 02:2 0A", "1: 01:z 2 0A"] {
            assert_eq!(listening_port(damaged), None, "{damaged}");
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(listening_ports(Process(std::process::id())).contains(&port));
    }
}
