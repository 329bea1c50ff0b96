//! A hand: a process without privileges that does all work in the world of an observed process.
//!
//! Whittle often runs as root, and the observed program might be hostile. The program controls its files, sockets,
//! mounts and namespaces. So whittle never creates, changes or follows a path of that program with whittle's own
//! rights. A hand does this: a child process that has become the program's user, in the program's namespaces, without
//! capabilities. If the program misleads a hand, the hand can only do what the program's user can do anyway.
//!
//! ```text
//! whittle (root)                            a hand (the program's user, its namespaces)
//!   Hand ── Request ───────────────────────> serve ── files, library, attach_socket ──> /tmp, jars, the JVM
//!        <─────────────────────── Response ──
//! ```
//!
//! Some hands keep whittle's rights and namespaces (`World::own`). They read command lines, environments, mappings and
//! memory of processes from `/proc`, because the program can delay such a read. They also prepare programs that whittle
//! itself starts.
//!
//! A hand can hang, because the program can mount file systems that never respond. The program's user can also stop or
//! kill a hand. So each request has a deadline. If a hand misses a deadline, whittle kills the hand, and all later
//! requests fail.

mod attach_socket;
mod deadline;
mod enter;
mod files;
mod filter;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod library;
mod memory;
mod messages;
mod program;
mod serve;
mod socket;
#[cfg(test)]
mod tests;
mod world;

pub use deadline::end_all_within;
pub(crate) use library::path_of_mapped;
pub(crate) use messages::{AnswerLimits, Installed, Kind};
pub(crate) use world::{AttachHand, Connected, Identity, Place, SOCKET_TIMEOUT, TargetFile, World};

use crate::Error;
use crate::process::User;
use deadline::Patience;
use messages::{Descriptor, Entry, Request, Response, Step, decode, encode, error_of};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Maximum time for a hand to enter the namespaces, and the default for a request. These requests take milliseconds
/// even on a busy machine. Only file systems that do not respond take longer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of killed hands for the processes of one user that cannot end, because they wait for a file system that
/// does not respond. Other users are not affected.
const MAX_UNFINISHED: usize = 8;

/// How many times whittle checks whether a killed hand has ended. The pause between two checks is a millisecond.
const REAP_ATTEMPTS: u32 = 20;

/// A running hand, as whittle sees it.
#[derive(Debug)]
struct Hand {
    pid: u32,
    /// True if the hand has whittle's own rights.
    is_own: bool,
    connection: Mutex<Connection>,
}

/// Why a request has no response.
#[derive(Debug, Clone, PartialEq, Eq)]
enum HandError {
    /// A step failed in the hand.
    Failed(Step, Errno),
    /// The hand was lost, for this reason.
    Lost(String),
}

#[derive(Debug)]
struct Connection {
    socket: OwnedFd,
    worker: Worker,
    /// The user who is accountable for the observed process. Missing: whittle.
    owner: Option<u32>,
    /// Why the hand was lost.
    lost: Option<String>,
    patience: Patience,
}

/// The process of a hand.
#[derive(Debug)]
enum Worker {
    Started(Child),
    /// A child of whittle that the started process created in another pid namespace.
    Forked(Pid),
    Ended,
}

impl Hand {
    /// Starts a hand that becomes the user of process `pid`. `owner` is accountable for this process.
    fn start(
        pid: u32,
        user: Option<User>,
        owner: Option<u32>,
        descriptors: &[(Descriptor, BorrowedFd<'_>)],
    ) -> Result<Self, HandError> {
        if reap_unfinished(owner) >= MAX_UNFINISHED {
            let reason =
                "cannot start: too many earlier helper processes of this user wait for file systems".to_owned();
            return Err(HandError::Lost(reason));
        }
        let (child, socket) = program::start().map_err(|error| HandError::Lost(format!("cannot start: {error}")))?;
        note_hand(Pid::from_child(&child));
        let hand = Self {
            pid,
            is_own: user.is_none(),
            connection: Mutex::new(Connection {
                socket,
                worker: Worker::Started(child),
                owner,
                lost: None,
                patience: Patience::default(),
            }),
        };
        let entry = Entry { user, descriptors: descriptors.iter().map(|(name, _)| *name).collect() };
        let attached: Vec<BorrowedFd<'_>> = descriptors.iter().map(|(_, descriptor)| *descriptor).collect();
        let deadline = Instant::now() + REQUEST_TIMEOUT;
        let mut connection = hand.lock();
        connection.send(&Request::Enter(entry), &attached)?;
        let mut response = connection.receive(deadline)?;
        let must_fork = descriptors.iter().any(|(name, _)| *name == Descriptor::PidNamespace);
        match response {
            Response::Forked { pid } => {
                connection.follow_fork(pid)?;
                response = connection.receive(deadline)?;
            }
            // The first process was killed before its report. Whittle does not know the second process.
            Response::Done if must_fork => {
                connection.end_group();
                return Err(connection.refused(response));
            }
            _ => {}
        }
        match response {
            Response::Done => {
                drop(connection);
                Ok(hand)
            }
            response => Err(connection.refused(response)),
        }
    }

    /// Sends a request and returns its response.
    fn call(&self, request: &Request, timeout: Duration) -> Result<Response, HandError> {
        self.call_with(request, &[], timeout)
    }

    fn call_with(
        &self,
        request: &Request,
        descriptors: &[BorrowedFd<'_>],
        timeout: Duration,
    ) -> Result<Response, HandError> {
        let deadline = Instant::now() + timeout;
        let mut connection = self.lock();
        connection.send(request, descriptors)?;
        match connection.receive(deadline)? {
            failure @ Response::Failed { .. } => Err(connection.refused(failure)),
            response => Ok(response),
        }
    }

    /// Requests a path descriptor. Whittle accepts descriptors only from a hand with whittle's own rights.
    fn call_for_place(&self, path: &str, timeout: Duration) -> Result<OwnedFd, HandError> {
        let deadline = Instant::now() + timeout;
        let mut connection = self.lock();
        if !self.is_own {
            return Err(HandError::Failed(Step::OpenFile, Errno::PERM));
        }
        connection.send(&Request::OpenPlace { path: path.to_owned() }, &[])?;
        match connection.receive_with_descriptors(deadline)? {
            (Response::Done, mut descriptors) if descriptors.len() == 1 => Ok(descriptors.remove(0)),
            (response, _) => Err(connection.refused(response)),
        }
    }

    /// Sends a request with a response in pieces, and returns the bytes of all pieces.
    fn call_for_bytes(&self, request: &Request, timeout: Duration, max_bytes: u64) -> Result<Vec<u8>, HandError> {
        let deadline = Instant::now() + timeout;
        let mut connection = self.lock();
        connection.send(request, &[])?;
        let mut bytes = Vec::new();
        loop {
            match connection.receive(deadline)? {
                Response::Bytes(piece) if (bytes.len() + piece.len()) as u64 <= max_bytes => bytes.extend(piece),
                Response::Done => return Ok(bytes),
                response => return Err(connection.refused(response)),
            }
        }
    }

    /// True if the hand was lost. This does not wait for a running request, because the caller often has a lock that
    /// other threads need. A hand with a running request is not lost yet.
    fn is_lost(&self) -> bool {
        match self.connection.try_lock() {
            Ok(connection) => connection.lost.is_some(),
            Err(TryLockError::Poisoned(connection)) => connection.into_inner().lost.is_some(),
            Err(TryLockError::WouldBlock) => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HandError {
    fn into_error(self, pid: u32, action: &'static str, path: &str) -> Error {
        match self {
            Self::Failed(step, errno) => Error::Io {
                action,
                path: path.into(),
                source: io::Error::other(format!("cannot {step}: {}", io::Error::from(errno))),
            },
            Self::Lost(reason) => Error::HandLost { pid, reason },
        }
    }
}

impl Connection {
    fn send(&mut self, request: &Request, descriptors: &[BorrowedFd<'_>]) -> Result<(), HandError> {
        if let Some(reason) = &self.lost {
            return Err(HandError::Lost(reason.clone()));
        }
        let sent = socket::send(&self.socket, &encode(request), descriptors);
        sent.map_err(|errno| self.lose(format!("cannot be reached: {}", io::Error::from(errno))))
    }

    fn receive(&mut self, deadline: Instant) -> Result<Response, HandError> {
        let began = Instant::now();
        let received = deadline::wait(deadline, |until| socket::receive(&self.socket, Some(until)));
        self.understand(received, began)
    }

    fn receive_with_descriptors(&mut self, deadline: Instant) -> Result<(Response, Vec<OwnedFd>), HandError> {
        let began = Instant::now();
        let received = deadline::wait(deadline, |until| socket::receive_descriptors(&self.socket, Some(until)));
        let (packet, descriptors) =
            received.map_or_else(|errno| (Err(errno), Vec::new()), |(packet, found)| (Ok(packet), found));
        Ok((self.understand(packet, began)?, descriptors))
    }

    fn understand(&mut self, received: rustix::io::Result<Vec<u8>>, began: Instant) -> Result<Response, HandError> {
        let is_in_time = self.patience.take(began.elapsed());
        match received {
            Ok(_) if !is_in_time => {
                Err(self.lose("was slow too often; its files, or its file systems, are slow".to_owned()))
            }
            Ok(packet) if packet.is_empty() => Err(self.lose("was killed, or it crashed".to_owned())),
            Ok(packet) => decode(&packet).ok_or_else(|| self.lose("sent a wrong response".to_owned())),
            Err(Errno::TIMEDOUT) if deadline::is_ending() => {
                Err(self.lose("had not responded when whittle ended".to_owned()))
            }
            Err(Errno::TIMEDOUT) => {
                Err(self.lose("did not respond in time; its files, or its file systems, do not respond".to_owned()))
            }
            Err(errno) => Err(self.lose(format!("cannot be heard: {}", io::Error::from(errno)))),
        }
    }

    /// A failure, or a response that does not belong to the request.
    fn refused(&mut self, response: Response) -> HandError {
        match response {
            Response::Failed { step, errno } => HandError::Failed(step, error_of(errno)),
            response => self.lose(format!("sent an unexpected response ({})", response.name())),
        }
    }

    /// The started process has created the process that continues. Both are children of whittle.
    fn follow_fork(&mut self, pid: u32) -> Result<(), HandError> {
        let forked = i32::try_from(pid).ok().and_then(Pid::from_raw).filter(|pid| is_our_child(*pid));
        let Some(forked) = forked else { return Err(self.lose("reported a wrong process".to_owned())) };
        note_hand(forked);
        let first = std::mem::replace(&mut self.worker, Worker::Forked(forked));
        finish(first, self.owner);
        Ok(())
    }

    /// Kills the started process and the process that it created.
    fn end_group(&mut self) {
        let Worker::Started(child) = &self.worker else { return };
        let group = Pid::from_child(child);
        let _ = kill_process_group(group, Signal::KILL);
        for _ in 0..REAP_ATTEMPTS {
            if rustix::process::waitpgid(group, rustix::process::WaitOptions::NOHANG).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills the hand. All later requests fail with this reason.
    fn lose(&mut self, reason: String) -> HandError {
        self.lost = Some(reason.clone());
        finish(std::mem::replace(&mut self.worker, Worker::Ended), self.owner);
        HandError::Lost(reason)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        finish(std::mem::replace(&mut self.worker, Worker::Ended), self.owner);
    }
}

/// A forked hand reports its own process id. Whittle must not kill another process because of a wrong id.
fn is_our_child(pid: Pid) -> bool {
    let options = rustix::process::WaitIdOptions::EXITED
        | rustix::process::WaitIdOptions::NOHANG
        | rustix::process::WaitIdOptions::NOWAIT;
    rustix::process::waitid(rustix::process::WaitId::Pid(pid), options).is_ok()
}

/// Kills all hands. Call this when whittle ends without dropping its values, because a stopped hand would remain.
pub fn kill_all() {
    let hands = HANDS.lock().unwrap_or_else(PoisonError::into_inner);
    // A hand might have ended meanwhile. Its id cannot belong to another process before whittle takes its exit status.
    for pid in hands.iter() {
        let _ = kill_process(*pid, Signal::KILL);
    }
}

/// The hands with an exit status that whittle has not taken yet.
static HANDS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn note_hand(pid: Pid) {
    HANDS.lock().unwrap_or_else(PoisonError::into_inner).push(pid);
}

/// Killed hands that have not ended yet, with their accountable users. A process that waits for a file system can end much
/// later.
static UNFINISHED: Mutex<Vec<(Worker, Option<u32>)>> = Mutex::new(Vec::new());

/// Kills a hand, and takes its exit status if it ends soon.
fn finish(mut worker: Worker, owner: Option<u32>) {
    worker.kill();
    for _ in 0..REAP_ATTEMPTS {
        if worker.has_ended() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push((worker, owner));
}

/// Takes the exit status of hands that have ended. Returns how many hands of this user are left.
fn reap_unfinished(owner: Option<u32>) -> usize {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    unfinished.retain_mut(|(worker, _)| !worker.has_ended());
    unfinished.iter().filter(|(_, one)| *one == owner).count()
}

impl Worker {
    fn kill(&mut self) {
        // The process might have ended already.
        match self {
            Self::Started(child) => drop(child.kill()),
            Self::Forked(pid) => drop(kill_process(*pid, Signal::KILL)),
            Self::Ended => {}
        }
    }

    /// Takes the exit status if the hand has ended.
    fn has_ended(&mut self) -> bool {
        let mut hands = HANDS.lock().unwrap_or_else(PoisonError::into_inner);
        let pid = self.pid();
        let has_ended = match self {
            Self::Started(child) => !matches!(child.try_wait(), Ok(None)),
            Self::Forked(pid) => {
                !matches!(rustix::process::waitpid(Some(*pid), rustix::process::WaitOptions::NOHANG), Ok(None))
            }
            Self::Ended => true,
        };
        if has_ended {
            hands.retain(|hand| Some(*hand) != pid);
        }
        has_ended
    }

    fn pid(&self) -> Option<Pid> {
        match self {
            Self::Started(child) => Some(Pid::from_child(child)),
            Self::Forked(pid) => Some(*pid),
            Self::Ended => None,
        }
    }
}
