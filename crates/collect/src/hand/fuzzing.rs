//! For the fuzzer: a hand that sends any packets, as a hand might do if the observed program controls it.

use super::messages::{AnswerLimits, Installed, MAX_PACKET_BYTES, Request, Response, decode, encode};
use super::world::{AttachHand, World};
use super::{Connection, Hand, Patience, Worker, socket};
use serde::{Deserialize, Serialize};
use std::fmt::{Debug, Display};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use whittle_native::ReadAt;

/// Limits of the requests.
const MAX_FILE_BYTES: u64 = 100_000;
const MAX_ANSWER_BYTES: u64 = 70_000;
/// Maximum number of packets. The buffer of a socket holds them.
const MAX_PACKETS: usize = 20;
/// Maximum length of a message for the user.
const MAX_MESSAGE_LENGTH: usize = 500;

/// Reads a packet as a request and as a response. If the packet is a message, the message can be written again, and is at
/// most one byte longer than the packet. The reason is that nanoseconds beyond a second of a duration are added to the
/// seconds, which can then need another byte.
pub(crate) fn read_packet(packet: &[u8]) {
    read::<Request>(packet);
    read::<Response>(packet);
}

fn read<T: Serialize + for<'de> Deserialize<'de> + PartialEq + Debug>(packet: &[u8]) {
    let Some(message) = decode::<T>(packet) else { return };
    let again = encode(&message);
    assert!(again.len() <= packet.len() + 1, "{} bytes of {}", again.len(), packet.len());
    assert_eq!(decode::<T>(&again), Some(message));
}

/// Sends requests to a hand that responds with the packets in `bytes`. Each packet begins with its length in two bytes.
/// The first byte selects the requests.
pub(crate) fn talk(bytes: &[u8]) {
    let Some((which, packets)) = bytes.split_first() else { return };
    let Some((hand, _end)) = hand(packets) else { return };
    match which % 3 {
        0 => read_files(&Arc::new(World::of_hand(hand))),
        1 => change_files(&World::of_hand(hand)),
        _ => attach(&AttachHand::of_hand(hand)),
    }
}

fn read_files(world: &Arc<World>) {
    let names = world.names_in("/tmp", "hsperfdata_");
    assert!(names.len() <= 2 * MAX_PACKET_BYTES, "{} names", names.len());
    let file = match world.open("/tmp/a") {
        Ok(file) => file,
        Err(error) => return check_message(&error),
    };
    match file.read_start(MAX_FILE_BYTES) {
        Ok(bytes) => assert!(bytes.len() as u64 <= MAX_FILE_BYTES),
        Err(error) => check_message(&error),
    }
    let mut buffer = [0; 1000];
    match file.read_at(&mut buffer, u64::MAX - 2000) {
        Ok(count) => assert!(count <= buffer.len()),
        Err(error) => check_message(&error),
    }
    let _any_kind = world.kind("/tmp/a");
}

fn change_files(world: &World) {
    match world.install(Installed::Profiler) {
        Ok(path) => assert!(path.starts_with("/tmp") && path.as_os_str().len() < 200, "{}", path.display()),
        Err(error) => check_message(&error),
    }
    world.create_folder("a").unwrap_or_else(|error| check_message(&error));
    world.remove_folder("a", &["b"]).unwrap_or_else(|error| check_message(&error));
    world.check(1).unwrap_or_else(|error| check_message(&error));
}

fn attach(hand: &AttachHand) {
    for connected in [hand.connect(), hand.request_socket()] {
        connected.map_or_else(|error| check_message(&error), drop);
    }
    match hand.share_library(None) {
        Ok(path) => assert!(path.starts_with("/proc") && path.as_os_str().len() < 200, "{}", path.display()),
        Err(error) => check_message(&error),
    }
    let limits = AnswerLimits { timeout: Duration::from_secs(1), max_bytes: MAX_ANSWER_BYTES };
    match hand.command(&["threaddump"], limits) {
        Ok(answer) => assert!(answer.len() as u64 <= MAX_ANSWER_BYTES),
        Err(error) => check_message(&error),
    }
}

fn check_message(error: &impl Display) {
    let message = error.to_string();
    assert!(message.len() <= MAX_MESSAGE_LENGTH, "{} bytes: {message:.100}", message.len());
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// A hand with these responses, and the other end of its connection.
fn hand(mut packets: &[u8]) -> Option<(Hand, OwnedFd)> {
    let (socket, end) = socket::pair().ok()?;
    for _ in 0..MAX_PACKETS {
        let Some((length, rest)) = packets.split_first_chunk() else { break };
        let (packet, rest) = rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len()));
        packets = rest;
        if socket::send(&end, packet, &[]).is_err() {
            break;
        }
    }
    // After the last packet, the connection has ended.
    rustix::net::shutdown(&end, rustix::net::Shutdown::Write).ok()?;
    let connection =
        Connection { socket, worker: Worker::Ended, owner: None, lost: None, patience: Patience::default() };
    Some((Hand { pid: 1, is_own: false, connection: Mutex::new(connection) }, end))
}
