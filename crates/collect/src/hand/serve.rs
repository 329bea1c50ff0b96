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
            // Without a connection, the next receive ends the hand.
            let _ = send(self.connection, &encode(&response), &attached);
        }
    }

    fn answer(&mut self, request: Request, mut descriptors: Vec<OwnedFd>) -> Result<Response, Failure> {
        let process = self.descriptors.get(Descriptor::Process);
        Ok(match request {
            Request::Enter(_) | Request::OpenPlace { .. } => return Err((Step::UnknownRequest, Errno::INVAL)),
            Request::InstallLibrary => Response::Path(library::install()?),
            Request::ShareLibrary => Response::Path(library::share()?),
            Request::CreateFolder { name } => self.files.create_folder(&name)?,
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
                let mut on_piece = |bytes| respond_blocking(self.connection, &Response::Bytes(bytes));
                self.attach_socket.command(&words, limits, &mut on_piece)?
            }
        })
    }
}

fn failed((step, errno): Failure) -> Response {
    Response::Failed { step, errno: errno.raw_os_error() }
}

/// Sends a piece of a response, and waits until whittle has read enough of the earlier pieces. False: the connection
/// was closed.
fn respond_blocking(connection: &OwnedFd, response: &Response) -> bool {
    let packet = encode(response);
    loop {
        match send(connection, &packet, &[]) {
            Err(Errno::AGAIN) if wait(connection, PollFlags::OUT, None).is_ok() => {}
            sent => return sent.is_ok(),
        }
    }
}

fn respond(connection: &OwnedFd, response: &Response) {
    // Without a connection, the next receive ends the hand.
    let _ = send(connection, &encode(response), &[]);
}
