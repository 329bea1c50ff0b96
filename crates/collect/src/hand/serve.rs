//! The loop of a hand: the hand serves whittle's requests until whittle closes the connection.

use super::attach_socket::AttachSocket;
use super::enter::{Descriptors, enter};
use super::files::Files;
use super::library;
use super::messages::{Descriptor, Failure, Request, Response, Step, decode, encode};
use super::socket::{receive_descriptors, send, wait};
use rustix::event::PollFlags;
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A hand ends if one request takes longer than this, for example because a file system does not respond. Whittle stops
/// waiting much earlier.
const MAX_REQUEST_SECONDS: u32 = 120;

/// Serves one connection.
pub(super) fn serve(connection: &OwnedFd) {
    let Ok((packet, descriptors)) = receive_descriptors(connection, None) else { return };
    let Some(Request::Enter(entry)) = decode(&packet) else { return };
    let Some(mut descriptors) = Descriptors::new(&entry.descriptors, descriptors) else { return };
    let entered = enter(&entry, &descriptors, connection);
    descriptors.close_after_entry();
    let is_in = entered.is_ok();
    let is_own = entry.user.is_none();
    respond(connection, &entered.map_or_else(failed, |()| Response::Done));
    if is_in {
        Server { connection, is_own, descriptors, files: Files::default(), attach_socket: AttachSocket::default() }
            .run();
    }
}

struct Server<'c> {
    connection: &'c OwnedFd,
    /// True if this hand has whittle's own rights.
    is_own: bool,
    descriptors: Descriptors,
    files: Files,
    attach_socket: AttachSocket,
}

impl Server<'_> {
    fn run(mut self) {
        while let Ok((packet, descriptors)) = receive_descriptors(self.connection, None) {
            if packet.is_empty() {
                return;
            }
            // SAFETY: `alarm` has no memory effects; its signal ends the process.
            unsafe { libc::alarm(MAX_REQUEST_SECONDS) };
            let mut place = None;
            let response = match decode::<Request>(&packet) {
                Some(Request::OpenPlace { path }) if self.is_own => {
                    let opened = Files::open_place(&path).map(|opened| place = Some(opened));
                    opened.map_or_else(failed, |()| Response::Done)
                }
                Some(request) => self.answer(request, descriptors).unwrap_or_else(failed),
                None => failed((Step::UnknownRequest, Errno::INVAL)),
            };
            // SAFETY: as above. This ends the alarm.
            unsafe { libc::alarm(0) };
            let attached: Vec<BorrowedFd<'_>> = place.iter().map(OwnedFd::as_fd).collect();
            // The pieces of a long response can still fill the socket. Without a connection, the next receive ends the hand.
            respond_blocking(self.connection, &response, &attached);
        }
    }

    fn answer(&mut self, request: Request, mut descriptors: Vec<OwnedFd>) -> Result<Response, Failure> {
        let process = self.descriptors.get(Descriptor::Process);
        Ok(match request {
            Request::Enter(_) | Request::OpenPlace { .. } => return Err((Step::UnknownRequest, Errno::INVAL)),
            Request::Install(file) => Response::Path(library::install(file)?),
            Request::ShareLibrary => Response::Path(library::share(descriptors.pop())?),
            Request::CreateFolder { name } => self.files.create_folder(&name)?,
            Request::CreateLocked { folder, file } => self.files.create_locked(&folder, &file)?,
            Request::Append { folder, file, bytes } => self.files.append(&folder, &file, &bytes)?,
            Request::RemoveFolder { name, files } => self.files.remove_folder(&name, &files)?,
            Request::Open { path } => self.files.open(&path)?,
            Request::OpenDescriptor => {
                let place = descriptors.pop().ok_or((Step::UnknownRequest, Errno::BADF))?;
                self.files.open_descriptor(&place)?
            }
            Request::Size { file } => self.files.size(file)?,
            Request::Read { file, offset, length } => self.files.read(file, offset, length)?,
            Request::Close { file } => self.files.close(file),
            Request::Names { path, prefix, skip } => self.files.names(&path, &prefix, skip)?,
            Request::Kind { path } => Response::Kind(self.files.kind(&path)),
            Request::Connect { pid } => self.attach_socket.connect(pid)?,
            Request::OpenSocket { pid, milliseconds } => self.attach_socket.request(pid, milliseconds, process)?,
            Request::Command { words, limits } => {
                let mut on_piece = |bytes| respond_blocking(self.connection, &Response::Bytes(bytes), &[]);
                self.attach_socket.command(&words, limits, &mut on_piece)?
            }
        })
    }
}

fn failed((step, errno): Failure) -> Response {
    Response::Failed { step, errno: errno.raw_os_error() }
}

/// Sends a response or a piece of it, and waits until whittle has read enough of the earlier pieces. False: the connection
/// was closed.
fn respond_blocking(connection: &OwnedFd, response: &Response, descriptors: &[BorrowedFd<'_>]) -> bool {
    let packet = encode(response);
    loop {
        match send(connection, &packet, descriptors) {
            Err(Errno::AGAIN) if wait(connection, PollFlags::OUT, None).is_ok() => {}
            sent => return sent.is_ok(),
        }
    }
}

fn respond(connection: &OwnedFd, response: &Response) {
    // Without a connection, the next receive ends the hand.
    let _ = send(connection, &encode(response), &[]);
}

#[cfg(test)]
mod tests {
    use super::super::messages::AnswerLimits;
    use super::super::socket::{pair, receive};
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::time::{Duration, Instant};

    /// Whittle reads late. For one of these lengths, the last piece fills the socket.
    #[test]
    fn the_end_of_a_long_answer_arrives_although_the_socket_is_full() {
        let pid = std::process::id();
        let path = format!("/tmp/.java_pid{pid}");
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).unwrap();
        let lengths: Vec<usize> = (1..=24).map(|step| step * (16 << 10)).collect();
        let of_jvm = lengths.clone();
        let jvm = std::thread::spawn(move || {
            for length in of_jvm {
                let (mut socket, _) = listener.accept().unwrap();
                let _ = socket.read(&mut [0; 16]).unwrap();
                socket.write_all(&vec![b'x'; length]).unwrap();
            }
        });
        let (whittle, connection) = pair().unwrap();
        let hand = std::thread::spawn(move || {
            let descriptors = Descriptors::new(&[], Vec::new()).unwrap();
            let (files, attach_socket) = (Files::default(), AttachSocket::default());
            Server { connection: &connection, is_own: false, descriptors, files, attach_socket }.run();
        });
        let response = || {
            let packet = receive(&whittle, Some(Instant::now() + Duration::from_secs(10)));
            decode(&packet.expect("a response before the deadline"))
        };
        for length in lengths {
            let limits = AnswerLimits { timeout: Duration::from_secs(60), max_bytes: 1 << 30 };
            send(&whittle, &encode(&Request::Connect { pid }), &[]).unwrap();
            assert!(matches!(response(), Some(Response::Done)));
            let command = Request::Command { words: vec!["threaddump".to_owned()], limits };
            send(&whittle, &encode(&command), &[]).unwrap();
            std::thread::sleep(Duration::from_millis(50));
            let mut count = 0;
            while let Some(Response::Bytes(bytes)) = response() {
                count += bytes.len();
            }
            assert_eq!(count, length);
        }
        drop(whittle);
        jvm.join().unwrap();
        hand.join().unwrap();
        std::fs::remove_file(&path).unwrap();
    }
}
