//! The HotSpot attach protocol. It needs no JDK.
//!
//! The JVM opens a Unix socket `/tmp/.java_pid<pid>` in its own mount namespace. To request a missing socket, whittle
//! creates a file `.attach_pid<pid>` in the JVM's working directory (or in its `/tmp`) and sends SIGQUIT. A command on
//! the socket is `1\0<name>\0<arg>\0<arg>\0<arg>\0`. The response is a status line, then text. Source: HotSpot's
//! `attachListener_posix.cpp`.
//!
//! SIGQUIT kills a process that does not handle the signal, so whittle sends it only to processes that handle it.

use crate::Error;
use crate::process::{Process, Status};
use crate::target_folder::TemporaryFolder;
use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid};
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// The time in which a JVM must open its socket. The JVM opens the socket at its next safepoint, normally within
/// milliseconds. A busy machine or a long garbage collection can delay it.
const SOCKET_TIMEOUT: Duration = Duration::from_secs(10);

/// The limits of a response: time and size.
#[derive(Debug, Clone, Copy)]
struct AnswerLimits {
    /// Maximum pause without data.
    timeout: Duration,
    /// Maximum size of a response. The rest of a longer response is not read.
    max_bytes: u64,
}

/// Limits for loading the agent. Loading reads all symbols of libjvm. The response has one or two lines.
const LOAD_LIMITS: AnswerLimits = AnswerLimits { timeout: Duration::from_secs(30), max_bytes: 64 << 10 };

/// Limits for a thread dump, which the JVM writes at its next safepoint. They are sufficient for about ten thousand
/// threads.
const DUMP_LIMITS: AnswerLimits = AnswerLimits { timeout: Duration::from_secs(10), max_bytes: 64 << 20 };

/// The library of HotSpot JVMs. OpenJ9 also has a library with this name. Whittle recognises OpenJ9 by a second
/// library.
const HOTSPOT: &str = "/libjvm.so";
const OPENJ9: &str = "/libj9vm29.so";

/// JVM flags that forbid attaching.
const FORBIDDING_FLAGS: &[&str] = &["-XX:+DisableAttachMechanism"];

/// True if the libraries of the process show that it is a HotSpot JVM.
pub(crate) fn is_jvm(process: Process) -> bool {
    process.mapped_libraries().is_ok_and(|libraries| libraries.iter().any(|path| path.ends_with(HOTSPOT)))
}

/// A JVM to which whittle can attach.
#[derive(Debug)]
pub(crate) struct Jvm {
    pub(crate) process: Process,
    status: Status,
    temporary_folder: TemporaryFolder,
}

impl Jvm {
    /// Checks that `process` is a JVM, and that whittle can attach to it. This method changes nothing.
    pub(crate) fn find(process: Process) -> Result<Self, Error> {
        let pid = process.0;
        let status = process.status()?;
        if !process.is_alive() {
            return Err(Error::NoSuchProcess { pid });
        }
        let own_uid = rustix::process::geteuid().as_raw();
        let libraries = match process.mapped_libraries() {
            Ok(libraries) => libraries,
            Err(_) if status.uid != own_uid => return Err(Error::OtherUser { pid, owner_uid: status.uid, own_uid }),
            Err(error) => return Err(Error::io("read", &process.path("maps"))(error)),
        };
        let has = |name: &str| libraries.iter().any(|path| path.ends_with(name));
        if has(OPENJ9) || !has(HOTSPOT) {
            return Err(Error::NotAJvm { pid, command: process.command_line().join(" ") });
        }
        if matches!(status.state, 'T' | 't') {
            return Err(Error::Stopped { pid, state: status.state });
        }
        let temporary_folder = TemporaryFolder::of_process(&process.path("root"))?;
        Ok(Self { process, status, temporary_folder })
    }

    /// The folder that the JVM and whittle share.
    pub(crate) fn temporary_folder(&self) -> &TemporaryFolder {
        &self.temporary_folder
    }

    /// The process id in the JVM's pid namespace.
    pub(crate) fn namespaced_pid(&self) -> u32 {
        self.status.namespaced_pid
    }

    /// Effective user id and group id of the JVM.
    pub(crate) fn owner(&self) -> (u32, u32) {
        (self.status.uid, self.status.gid)
    }

    /// Loads a native agent with `options`, or calls it again with these options. Returns the agent's return value.
    pub(crate) fn load_agent(&self, library: &Path, options: &str) -> Result<i32, Error> {
        let library = library.to_string_lossy();
        let answer = self.command("load", [&library, "true", options], LOAD_LIMITS)?;
        parse_load_answer(&answer).map_err(|answer| self.refused("load", answer))
    }

    /// The stacks of all Java threads as text, as `jstack` prints them. The JVM stops all Java threads for this. The
    /// text is cut at a length that is sufficient for about ten thousand threads.
    pub(crate) fn thread_dump(&self) -> Result<String, Error> {
        let answer = self.command("threaddump", ["", "", ""], DUMP_LIMITS)?;
        let (status, text) = answer.split_once('\n').unwrap_or((&answer, ""));
        if status.trim() == "0" { Ok(text.to_owned()) } else { Err(self.refused("threaddump", text.trim().to_owned())) }
    }

    fn refused(&self, command: &str, answer: String) -> Error {
        Error::AttachRefused { pid: self.process.0, command: command.to_owned(), answer }
    }

    fn command(&self, name: &str, arguments: [&str; 3], limits: AnswerLimits) -> Result<String, Error> {
        self.open_socket_if_closed()?;
        let mut request = Vec::from(*b"1\0");
        for part in [name].iter().chain(&arguments) {
            request.extend_from_slice(part.as_bytes());
            request.push(0);
        }
        let mut stream = self.connect()?;
        let mut answer = Vec::new();
        let exchange = stream
            .set_read_timeout(Some(limits.timeout))
            .and_then(|()| stream.write_all(&request))
            .and_then(|()| Read::take(&mut stream, limits.max_bytes).read_to_end(&mut answer));
        exchange.map_err(Error::io("talk to the JVM through", &self.temporary_folder.path(&self.socket_name())))?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    fn socket_name(&self) -> String {
        format!(".java_pid{}", self.namespaced_pid())
    }

    fn is_socket_open(&self) -> bool {
        self.temporary_folder.has(&self.socket_name()) && self.connect().is_ok()
    }

    fn open_socket_if_closed(&self) -> Result<(), Error> {
        if self.is_socket_open() {
            return Ok(());
        }
        let pid = self.process.0;
        if let Some(flag) = self.forbidding_flag() {
            return Err(Error::AttachDisabled { pid, flag });
        }
        if !self.process.status()?.catches_sigquit() {
            return Err(Error::AttachWouldKill { pid });
        }
        let (folder, name) = self.create_request_file()?;
        let opened = self.ask_for_socket();
        // The JVM also removes the file, so the file might not exist.
        let _ = rustix::fs::unlinkat(&folder, &name, AtFlags::empty());
        opened
    }

    fn forbidding_flag(&self) -> Option<&'static str> {
        let command = self.process.command_line();
        // An environment variable can also contain flags. If the environment cannot be read, the time limit ends the
        // wait.
        let environment = fs::read(self.process.path("environ")).unwrap_or_default();
        let environment = String::from_utf8_lossy(&environment).into_owned();
        let variables =
            environment.split('\0').filter(|variable| variable.contains("JAVA") || variable.contains("JDK"));
        let words: Vec<&str> = variables.flat_map(|variable| variable.split([' ', '='])).collect();
        let is_given = |flag: &str| command.iter().any(|word| word == flag) || words.contains(&flag);
        FORBIDDING_FLAGS.iter().copied().find(|flag| is_given(flag))
    }

    /// Creates the file `.attach_pid<pid>`. The JVM's user owns the file, because the JVM requires this. Returns the
    /// file's folder and name.
    fn create_request_file(&self) -> Result<(OwnedFd, String), Error> {
        let name = format!(".attach_pid{}", self.namespaced_pid());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let working_directory = rustix::fs::open(self.process.path("cwd"), flags, Mode::empty());
        let temporary_folder = || self.temporary_folder.descriptor().try_clone();
        let create = |folder: OwnedFd| create_owned(&folder, &name, self.owner()).map(|()| folder);
        let created = working_directory.map_err(io::Error::from).and_then(create);
        let created = created.or_else(|_| temporary_folder().and_then(create));
        let folder = created.map_err(Error::io("create", &self.temporary_folder.path(&name)))?;
        Ok((folder, name))
    }

    fn ask_for_socket(&self) -> Result<(), Error> {
        let pid = self.process.0;
        let id = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
        let id = id.ok_or(Error::NoSuchProcess { pid })?;
        rustix::process::kill_process(id, rustix::process::Signal::QUIT).map_err(|_| Error::NoSuchProcess { pid })?;
        let deadline = Instant::now() + SOCKET_TIMEOUT;
        while Instant::now() < deadline {
            if self.is_socket_open() {
                return Ok(());
            }
            if !self.process.is_alive() {
                return Err(Error::NoSuchProcess { pid });
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(Error::AttachTimeout { pid, seconds: SOCKET_TIMEOUT.as_secs() })
    }

    fn connect(&self) -> Result<UnixStream, Error> {
        let own = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let folder = self.temporary_folder.descriptor();
        let name = self.socket_name();
        let connected = if self.owner() == own {
            connect_in(folder, &name)
        } else {
            folder.try_clone().and_then(|folder| connect_as(folder, name.clone(), self.owner()))
        };
        let stream = connected.map_err(Error::io("connect to", &self.temporary_folder.path(&name)))?;
        self.check_peer(&stream)?;
        Ok(stream)
    }

    /// Checks which process is at the other end of the socket. If two containers share a `/tmp`, the processes with id
    /// 1 in both containers have the same socket name.
    fn check_peer(&self, stream: &UnixStream) -> Result<(), Error> {
        let path = self.temporary_folder.path(&self.socket_name());
        let peer = rustix::net::sockopt::socket_peercred(stream).map_err(io::Error::from);
        let peer = peer.map_err(Error::io("ask for the owner of", &path))?;
        let peer_pid = peer.pid.as_raw_nonzero().get().unsigned_abs();
        if peer_pid == self.process.0 {
            return Ok(());
        }
        Err(Error::OtherJvmsSocket { pid: self.process.0, socket: path, peer_pid })
    }
}

/// Creates an empty file with this owner.
fn create_owned(folder: &OwnedFd, name: &str, (uid, gid): (u32, u32)) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o600))?;
    if uid != rustix::process::geteuid().as_raw() {
        rustix::fs::fchown(file, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?;
    }
    Ok(())
}

/// Connects to a socket in `folder`. A socket's path is limited to 107 bytes, and the path through `/proc/self/fd` is
/// always short.
fn connect_in(folder: &OwnedFd, name: &str) -> io::Result<UnixStream> {
    UnixStream::connect(format!("/proc/self/fd/{}/{name}", folder.as_raw_fd()))
}

/// Connects with the credentials of the JVM's user, because older JVMs accept only their own credentials.
///
/// On Linux, each thread has separate credentials. So a separate thread takes the user's credentials, connects and
/// ends.
fn connect_as(folder: OwnedFd, name: String, (uid, gid): (u32, u32)) -> io::Result<UnixStream> {
    let connecting = std::thread::spawn(move || -> io::Result<UnixStream> {
        let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
        rustix::thread::set_thread_res_gid(gid, gid, gid)?;
        rustix::thread::set_thread_res_uid(uid, uid, uid)?;
        connect_in(&folder, &name)
    });
    connecting.join().unwrap_or_else(|_| Err(io::Error::other("the connecting thread panicked")))
}

/// The agent's return value in the JVM's response to `load`. JDK 9 and later send `0\n` and then `return code: 0`. JDK
/// 8 sends a bare number. Any other text is the JVM's error message.
fn parse_load_answer(answer: &str) -> Result<i32, String> {
    let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty());
    let status = lines.next().unwrap_or("");
    let rest: Vec<&str> = lines.collect();
    if status != "0" {
        return Err(if rest.is_empty() { format!("status \"{status}\"") } else { rest.join(" ") });
    }
    let Some(last) = rest.last() else { return Err("no return code".to_owned()) };
    let number = last.strip_prefix("return code:").map_or(*last, str::trim);
    number.parse().map_err(|_| rest.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_load_are_understood() {
        assert_eq!(parse_load_answer("0\nreturn code: 0\n"), Ok(0));
        assert_eq!(parse_load_answer("0\n100\n"), Ok(100));
        let error = "0\nlib.so was not loaded.\nno such file\n";
        assert_eq!(parse_load_answer(error), Err("lib.so was not loaded. no such file".to_owned()));
        assert_eq!(parse_load_answer("101\nOperation not enabled"), Err("Operation not enabled".to_owned()));
        assert!(parse_load_answer("").is_err());
    }

    #[test]
    fn a_process_without_jvm_is_refused() {
        let error = Jvm::find(Process(std::process::id())).unwrap_err().to_string();
        assert!(error.contains("is not a HotSpot JVM"), "{error}");
        let error = Jvm::find(Process(0x3fff_ffff)).unwrap_err().to_string();
        assert!(error.contains("no process has the id"), "{error}");
    }
}
