//! The HotSpot attach protocol, as a hand speaks it.
//!
//! The JVM opens a Unix socket `/tmp/.java_pid<pid>`. To request the socket, a client creates a file `.attach_pid<pid>`
//! in the JVM's `/tmp` or working directory, and sends SIGQUIT to the JVM. A command on the socket is
//! `1\0<name>\0<arg>\0<arg>\0<arg>\0`. The response is a status line, then text. Source: HotSpot's
//! `attachListener_posix.cpp`.

use super::messages::{AnswerLimits, Failure, MAX_DATA_BYTES, Response, Step, TEMPORARY};
use super::socket::wait;
use rustix::event::PollFlags;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType};
use rustix::process::{Pid, Signal};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// Pause between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(10);
/// Maximum time to wait for a listener with a full queue.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The connection to the JVM. The JVM closes it after one command.
#[derive(Debug, Default)]
pub(super) struct AttachSocket(Option<OwnedFd>);

/// Id and user of the process that listens. The id is 0 if the process is in another pid namespace. (The type in rustix
/// cannot be 0.)
fn peer(socket: &OwnedFd) -> Result<(u32, libc::uid_t), Errno> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut size = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `size` bytes to `peer`, a live struct of this size.
    let result = unsafe {
        let peer = (&raw mut peer).cast();
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, peer, &raw mut size)
    };
    let failed = || Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO);
    if result == 0 { Ok((peer.pid.unsigned_abs(), peer.uid)) } else { Err(failed()) }
}

impl AttachSocket {
    /// Connects if the JVM has opened its socket.
    pub(super) fn connect(&mut self, pid: u32) -> Result<Response, Failure> {
        let failed = |errno| (Step::ConnectSocket, errno);
        let address = SocketAddrUnix::new(socket_path(pid)).map_err(failed)?;
        let deadline = Instant::now() + CONNECT_TIMEOUT;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(failed)?;
        loop {
            match rustix::net::connect(&socket, &address) {
                Ok(()) => break,
                Err(Errno::NOENT | Errno::CONNREFUSED) => return Ok(Response::NoSocket),
                // The listener's queue is full.
                Err(Errno::AGAIN) if Instant::now() < deadline => std::thread::sleep(PAUSE),
                Err(errno) => return occupied(socket_path(pid)).ok_or(failed(errno)),
            }
        }
        self.check_listener(socket, pid)
    }

    /// Checks which process listens. If two containers share a `/tmp`, the processes with id 1 in both containers have
    /// the same socket name. The kernel reports the id of the process that began to listen. After this process has
    /// ended, a JVM of another user can get the id, so the user is compared, too.
    fn check_listener(&mut self, socket: OwnedFd, pid: u32) -> Result<Response, Failure> {
        let peer = peer(&socket).map_err(|errno| (Step::ConnectSocket, errno))?;
        if peer != (pid, rustix::process::geteuid().as_raw()) {
            return Ok(occupied(socket_path(pid)).unwrap_or(Response::OtherListener));
        }
        self.0 = Some(socket);
        Ok(Response::Done)
    }

    /// Requests the socket, waits until the JVM has opened it, and connects.
    pub(super) fn request(
        &mut self,
        pid: u32,
        milliseconds: u32,
        process: Option<&OwnedFd>,
    ) -> Result<Response, Failure> {
        let file = match create_request_file(pid)? {
            RequestFile::Created(file) => file,
            RequestFile::Occupied(response) => return Ok(response),
        };
        let connected = self.signal_and_wait(pid, milliseconds, process);
        // The JVM also removes the file, so the file might not exist.
        let _ = rustix::fs::unlink(file);
        connected
    }

    fn signal_and_wait(&mut self, pid: u32, milliseconds: u32, process: Option<&OwnedFd>) -> Result<Response, Failure> {
        match send_quit(pid, process) {
            Ok(()) => {}
            Err(Errno::SRCH) => return Ok(Response::ProcessEnded),
            Err(errno) => return Err((Step::SendSignal, errno)),
        }
        let deadline = Instant::now() + Duration::from_millis(u64::from(milliseconds));
        while Instant::now() < deadline {
            match self.connect(pid)? {
                Response::NoSocket => {}
                response => return Ok(response),
            }
            if has_ended(pid, process) {
                return Ok(Response::ProcessEnded);
            }
            std::thread::sleep(PAUSE);
        }
        // The JVM cannot replace a file of another user in /tmp.
        Ok(occupied(socket_path(pid)).unwrap_or(Response::NotOpened))
    }

    /// Sends a command and passes the response on in pieces, as long as `on_piece` returns true. The limits apply to
    /// the whole exchange.
    pub(super) fn command(
        &mut self,
        words: &[String],
        limits: AnswerLimits,
        on_piece: &mut dyn FnMut(Vec<u8>) -> bool,
    ) -> Result<Response, Failure> {
        let failed = |errno| (Step::TalkToSocket, errno);
        let socket = self.0.take().ok_or(failed(Errno::NOTCONN))?;
        let deadline = Instant::now().checked_add(limits.timeout);
        send_all(&socket, &request_bytes(words), deadline).map_err(failed)?;
        let mut rest = limits.max_bytes;
        while rest > 0 {
            wait(&socket, PollFlags::IN, deadline).map_err(failed)?;
            let mut bytes = vec![0; MAX_DATA_BYTES.min(usize::try_from(rest).unwrap_or(MAX_DATA_BYTES))];
            let count = match rustix::net::recv(&socket, bytes.as_mut_slice(), RecvFlags::DONTWAIT) {
                Ok((0, _)) => break,
                Ok((count, _)) => count,
                Err(Errno::AGAIN | Errno::INTR) => continue,
                Err(errno) => return Err(failed(errno)),
            };
            bytes.truncate(count);
            rest -= count as u64;
            if !on_piece(bytes) {
                break;
            }
        }
        Ok(Response::Done)
    }
}

fn request_bytes(words: &[String]) -> Vec<u8> {
    let words = ["1"].into_iter().chain(words.iter().map(String::as_str));
    words.flat_map(|word| word.bytes().chain([0])).collect()
}

fn send_all(socket: &OwnedFd, mut bytes: &[u8], deadline: Option<Instant>) -> Result<(), Errno> {
    while !bytes.is_empty() {
        wait(socket, PollFlags::OUT, deadline)?;
        match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

fn socket_path(pid: u32) -> String {
    format!("{TEMPORARY}/.java_pid{pid}")
}

/// The file that requests the socket.
enum RequestFile {
    /// Its path.
    Created(String),
    Occupied(Response),
}

/// Creates the file `.attach_pid<pid>`. The JVM requires that its own user owns the file.
///
/// The JVM looks for the file in its working directory and then in `/tmp`. The hand uses the working directory only if
/// it cannot write to `/tmp`, or if a file with this name in `/tmp` belongs to another user.
fn create_request_file(pid: u32) -> Result<RequestFile, Failure> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mut first = None;
    for folder in [TEMPORARY, &format!("/proc/{pid}/cwd")] {
        let path = format!("{folder}/.attach_pid{pid}");
        let found = match rustix::fs::open(&path, flags, Mode::from_raw_mode(0o600)) {
            Ok(_) => return Ok(RequestFile::Created(path)),
            Err(Errno::EXIST) => match occupied(path.clone()) {
                None => return Ok(RequestFile::Created(path)),
                Some(response) => Ok(RequestFile::Occupied(response)),
            },
            Err(errno) => Err((Step::CreateAttachFile, errno)),
        };
        first.get_or_insert(found);
    }
    first.unwrap_or(Err((Step::CreateAttachFile, Errno::NOENT)))
}

/// Reports a file that belongs to another user. None: the file is missing, or belongs to this user.
fn occupied(path: String) -> Option<Response> {
    let owner = rustix::fs::lstat(&path).ok()?.st_uid;
    (owner != rustix::process::geteuid().as_raw()).then_some(Response::Occupied { path, owner })
}

/// Sends SIGQUIT to exactly this process. An old kernel has no pidfd.
fn send_quit(pid: u32, process: Option<&OwnedFd>) -> Result<(), Errno> {
    match process {
        Some(process) => rustix::process::pidfd_send_signal(process, Signal::QUIT),
        None => rustix::process::kill_process(id(pid)?, Signal::QUIT),
    }
}

fn has_ended(pid: u32, process: Option<&OwnedFd>) -> bool {
    match process {
        // A pidfd becomes readable when the process ends.
        Some(process) => wait(process, PollFlags::IN, Some(Instant::now())).is_ok(),
        None => id(pid).and_then(rustix::process::test_kill_process) == Err(Errno::SRCH),
    }
}

fn id(pid: u32) -> Result<Pid, Errno> {
    i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_own_user_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file").to_str().unwrap().to_owned();
        assert_eq!(occupied(path.clone()), None);
        std::fs::write(&path, "").unwrap();
        assert_eq!(occupied(path.clone()), None);
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
            assert_eq!(occupied(path.clone()), Some(Response::Occupied { path, owner: 65_534 }));
        }
    }

    #[test]
    fn a_request_has_a_version_and_words() {
        let words = ["load", "/tmp/lib.so", "true", ""].map(str::to_owned);
        assert_eq!(request_bytes(&words), b"1\0load\0/tmp/lib.so\0true\0\0");
    }
}
