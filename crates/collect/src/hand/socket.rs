//! Packets and descriptors on a socket pair, with a deadline.

use super::messages::{MAX_DESCRIPTORS, MAX_PACKET_BYTES};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Two connected sockets. A packet arrives as a whole or not at all.
pub(super) fn pair() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// Sends a packet. `WOULDBLOCK`: the receiver has not read earlier packets.
pub(super) fn send(socket: &OwnedFd, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> rustix::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(Errno::NOMEM);
    }
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    rustix::net::sendmsg(socket, &[IoSlice::new(bytes)], &mut ancillary, flags).map(drop)
}

/// Receives a packet without descriptors. `TIMEDOUT`: no packet arrived until the deadline.
///
/// Whittle receives packets of other users' hands in this way. If a hand sends descriptors, the kernel drops them. So
/// whittle never gets an open file of another user.
pub(super) fn receive(socket: &OwnedFd, deadline: Option<Instant>) -> rustix::io::Result<Vec<u8>> {
    wait(socket, PollFlags::IN, deadline)?;
    receive_with(socket, &mut RecvAncillaryBuffer::default())
}

/// Receives a packet and its descriptors. `TIMEDOUT`: no packet arrived until the deadline.
pub(super) fn receive_descriptors(
    socket: &OwnedFd,
    deadline: Option<Instant>,
) -> rustix::io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    wait(socket, PollFlags::IN, deadline)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let bytes = receive_with(socket, &mut ancillary)?;
    let descriptors = ancillary.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
        _ => Vec::new(),
    });
    Ok((bytes, descriptors.collect()))
}

/// The result is empty if the other end was closed.
fn receive_with(socket: &OwnedFd, ancillary: &mut RecvAncillaryBuffer<'_>) -> rustix::io::Result<Vec<u8>> {
    let mut bytes = vec![0; MAX_PACKET_BYTES];
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
    let received = rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], ancillary, flags)?;
    if received.flags.contains(ReturnFlags::TRUNC) {
        return Err(Errno::MSGSIZE);
    }
    bytes.truncate(received.bytes);
    Ok(bytes)
}

/// Waits until the descriptor is ready. `TIMEDOUT`: it was not ready until the deadline.
pub(super) fn wait(descriptor: impl AsFd, flags: PollFlags, deadline: Option<Instant>) -> rustix::io::Result<()> {
    loop {
        let rest = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match poll(&mut [PollFd::new(&descriptor, flags)], rest.map(timespec).as_ref()) {
            Ok(0) if rest == Some(Duration::ZERO) => return Err(Errno::TIMEDOUT),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs() as i64, tv_nsec: i64::from(duration.subsec_nanos()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_arrives_with_its_descriptors() {
        let (left, right) = pair().unwrap();
        let file = std::fs::File::open("/dev/null").unwrap();
        send(&left, b"one", &[file.as_fd()]).unwrap();
        send(&left, b"two", &[]).unwrap();
        let (bytes, descriptors) = receive_descriptors(&right, None).unwrap();
        assert_eq!((bytes.as_slice(), descriptors.len()), (b"one".as_slice(), 1));
        assert_eq!(receive(&right, None).unwrap(), b"two");
        assert_eq!(receive(&right, Some(Instant::now())).unwrap_err(), Errno::TIMEDOUT);
        drop(left);
        assert_eq!(receive(&right, None).unwrap(), b"");
    }

    #[test]
    fn a_packet_that_is_too_long_is_an_error() {
        let (left, right) = pair().unwrap();
        send(&left, &vec![1; MAX_PACKET_BYTES + 1], &[]).unwrap();
        assert_eq!(receive(&right, None).unwrap_err(), Errno::MSGSIZE);
    }
}
