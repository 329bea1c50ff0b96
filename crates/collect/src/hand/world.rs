//! The world of an observed process: its files and its JVM, reached through hands.

use super::messages::{AnswerLimits, Descriptor, Installed, Kind, MAX_DATA_BYTES, Request, Response, Step, TEMPORARY};
use super::{Hand, HandError, REQUEST_TIMEOUT};
use crate::Error;
use crate::process::{LinkedFile, Process, User};
use crate::process_owner::accountable_user;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, PidfdFlags};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use whittle_native::ReadAt;

/// Maximum time for a JVM to open its socket. The JVM opens the socket at its next safepoint, normally within
/// milliseconds. A busy machine or a long garbage collection can delay the safepoint.
pub(crate) const SOCKET_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of names of a folder. A folder of a hostile program can have any number.
const MAX_NAMES: u32 = 20_000;

/// Time for whittle's own work and for the messages, in addition to the time of the observed process.
const SLACK: Duration = Duration::from_secs(3);

/// The files of a process, as its user sees them. They stay accessible after the process has ended.
#[derive(Debug)]
pub(crate) struct World {
    pub(super) hand: Hand,
    has_our_files: bool,
    /// The process. Missing: the world is whittle's own.
    identity: Option<Identity>,
    /// No other world has this number. It is not 0.
    number: u64,
}

/// What two processes have in common if one hand can work for both: user, groups, namespaces and root directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    user: User,
    /// Mount namespace, user namespace, root directory.
    files: [LinkedFile; 3],
}

impl Place {
    /// The place of a process.
    pub(crate) fn of(process: Process) -> Result<Self, Error> {
        let file = |name| process.linked_file(name).map_err(Error::io("read", &process.path(name)));
        Ok(Self { user: process.status()?.user, files: [file("ns/mnt")?, file("ns/user")?, file("root")?] })
    }
}

/// A process as whittle knows it. Another process can get its id, and the process can execute a program of another user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pid: u32,
    start_ticks: u64,
    /// A process can change its user. In this case, the hand of the earlier user has other rights.
    place: Place,
}

impl Identity {
    /// The process that has this id now.
    fn of(process: Process) -> Result<Self, Error> {
        let start_ticks = process.stat().ok_or(Error::NoSuchProcess { pid: process.0 })?.start_ticks;
        Ok(Self { pid: process.0, start_ticks, place: Place::of(process)? })
    }
}

/// The worlds in use. Users of one process share its world.
static WORLDS: Mutex<Vec<(Identity, Weak<World>)>> = Mutex::new(Vec::new());

impl World {
    /// The world of a process.
    pub(crate) fn of(process: Process) -> Result<Arc<Self>, Error> {
        let identity = Identity::of(process)?;
        let mut worlds = WORLDS.lock().unwrap_or_else(PoisonError::into_inner);
        worlds.retain(|(_, world)| world.upgrade().is_some_and(|world| !world.is_lost()));
        let known = worlds.iter().find(|(known, _)| *known == identity);
        if let Some(world) = known.and_then(|(_, world)| world.upgrade()) {
            return Ok(world);
        }
        drop(worlds);
        // The mutex is free during these steps, because a hostile process can delay them. Two worlds of one process do
        // no harm.
        let has_our_files = is_our_namespace(&open(process, "ns/mnt", OFlags::RDONLY)?, "ns/mnt");
        let hand = reach(process, Scope::Files, Some(&identity))?;
        let world = Arc::new(Self { hand, has_our_files, identity: Some(identity.clone()), number: next_number() });
        WORLDS.lock().unwrap_or_else(PoisonError::into_inner).push((identity, Arc::downgrade(&world)));
        Ok(world)
    }

    /// The world of whittle and of a program that whittle is about to start. Its hand keeps whittle's rights.
    pub(crate) fn own() -> Result<Arc<Self>, Error> {
        Self::with_own_rights(None)
    }

    /// The same, to read files in `/proc` of processes of `user`. This user is accountable if the hand does not
    /// respond.
    pub(crate) fn own_for(user: u32) -> Result<Arc<Self>, Error> {
        Self::with_own_rights(Some(user))
    }

    fn with_own_rights(owner: Option<u32>) -> Result<Arc<Self>, Error> {
        let pid = std::process::id();
        let hand = Hand::start(pid, None, owner, &[]).map_err(|error| error.into_error(pid, "enter", "/"))?;
        Ok(Arc::new(Self { hand, has_our_files: true, identity: None, number: next_number() }))
    }

    /// The world of a hand of the fuzzer.
    #[cfg(feature = "fuzzing")]
    pub(super) fn of_hand(hand: Hand) -> Self {
        Self { hand, has_our_files: false, identity: None, number: next_number() }
    }

    /// A number that no other world has. It is not 0.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The process. Missing: the world is whittle's own.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// True if whittle sees the same files under the same names.
    pub(crate) fn has_our_files(&self) -> bool {
        self.has_our_files
    }

    /// Puts a file where the JVM of this process can load it. Returns the file's path, as the JVM sees it.
    pub(crate) fn install(&self, file: Installed) -> Result<PathBuf, Error> {
        match self.hand.call(&Request::Install(file), REQUEST_TIMEOUT) {
            Ok(Response::Path(path)) if is_plain(&path) => Ok(PathBuf::from(path)),
            Err(HandError::Failed(Step::NotExecutable, _)) => Err(Error::NotExecutable { folder: TEMPORARY.into() }),
            response => Err(self.wrong("put a file for the JVM into this folder", "/tmp", response)),
        }
    }

    /// Creates a folder in `/tmp` that only the process's user can enter.
    pub(crate) fn create_folder(&self, name: &str) -> Result<(), Error> {
        match self.hand.call(&Request::CreateFolder { name: name.to_owned() }, REQUEST_TIMEOUT) {
            Ok(Response::Done) => Ok(()),
            response => Err(self.wrong("create", &format!("/tmp/{name}"), response)),
        }
    }

    /// Creates an empty file in a folder in `/tmp`. It stays locked as long as this world and whittle live.
    pub(crate) fn create_locked(&self, folder: &str, file: &str) -> Result<(), Error> {
        let request = Request::CreateLocked { folder: folder.to_owned(), file: file.to_owned() };
        match self.hand.call(&request, REQUEST_TIMEOUT) {
            Ok(Response::Done) => Ok(()),
            response => Err(self.wrong("create and lock", &format!("/tmp/{folder}/{file}"), response)),
        }
    }

    /// Writes a new file in a folder in `/tmp`.
    pub(crate) fn write(&self, folder: &str, file: &str, bytes: &[u8]) -> Result<(), Error> {
        for piece in bytes.chunks(MAX_DATA_BYTES) {
            let (folder, file) = (folder.to_owned(), file.to_owned());
            let path = format!("/tmp/{folder}/{file}");
            match self.hand.call(&Request::Append { folder, file, bytes: piece.to_vec() }, REQUEST_TIMEOUT) {
                Ok(Response::Done) => {}
                response => return Err(self.wrong("write", &path, response)),
            }
        }
        Ok(())
    }

    /// Removes these files from a folder in `/tmp`, and then the folder.
    pub(crate) fn remove_folder(&self, name: &str, files: &[&str]) -> Result<(), Error> {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        match self.hand.call(&Request::RemoveFolder { name: name.to_owned(), files }, REQUEST_TIMEOUT) {
            Ok(Response::Done) => Ok(()),
            response => Err(self.wrong("remove", &format!("/tmp/{name}"), response)),
        }
    }

    /// Opens a regular file by its absolute path.
    pub(crate) fn open(self: &Arc<Self>, path: &str) -> io::Result<TargetFile> {
        match self.hand.call(&Request::Open { path: path.to_owned() }, REQUEST_TIMEOUT).map_err(io_error)? {
            Response::File { file, is_own } => Ok(TargetFile { world: Arc::clone(self), file, is_own }),
            response => Err(wrong_response(&response)),
        }
    }

    /// All bytes of a file, at most `limit`. This also reads files of `/proc`, which do not state their size.
    pub(crate) fn read_all(self: &Arc<Self>, path: &str, limit: usize) -> io::Result<Vec<u8>> {
        let file = self.open(path)?;
        let mut bytes = Vec::new();
        while bytes.len() < limit {
            let begin = bytes.len();
            bytes.resize(limit.min(begin + MAX_DATA_BYTES), 0);
            let count = file.read_at(&mut bytes[begin..], begin as u64)?;
            bytes.truncate(begin + count);
            if count == 0 {
                break;
            }
        }
        Ok(bytes)
    }

    /// A path descriptor of what a path refers to. Only a hand with whittle's own rights gets this request, because
    /// whittle itself uses the descriptor.
    pub(crate) fn place(&self, path: &str) -> io::Result<OwnedFd> {
        self.hand.call_for_place(path, REQUEST_TIMEOUT).map_err(io_error)
    }

    /// Opens the regular file of a path descriptor.
    pub(crate) fn open_place(self: &Arc<Self>, place: &OwnedFd) -> io::Result<TargetFile> {
        let response = self.hand.call_with(&Request::OpenDescriptor, &[place.as_fd()], REQUEST_TIMEOUT);
        match response.map_err(io_error)? {
            Response::File { file, is_own } => Ok(TargetFile { world: Arc::clone(self), file, is_own }),
            response => Err(wrong_response(&response)),
        }
    }

    /// True if the hand was lost. In this case, all files of this world are inaccessible.
    pub(crate) fn is_lost(&self) -> bool {
        self.hand.is_lost()
    }

    /// Fails if the hand was lost, with the reason.
    pub(crate) fn check(&self, pid: u32) -> Result<(), Error> {
        let lost = self.hand.lock().lost.clone();
        lost.map_or(Ok(()), |reason| Err(Error::HandLost { pid, reason }))
    }

    /// What an absolute path refers to. Links are followed.
    pub(crate) fn kind(&self, path: &str) -> Kind {
        match self.hand.call(&Request::Kind { path: path.to_owned() }, REQUEST_TIMEOUT) {
            Ok(Response::Kind(kind)) => kind,
            _ => Kind::Missing,
        }
    }

    /// The names in a folder that begin with `prefix`, sorted. Empty if the folder cannot be read.
    pub(crate) fn names_in(&self, path: &str, prefix: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        while let Ok(skip) = u32::try_from(names.len())
            && skip < MAX_NAMES
        {
            match self
                .hand
                .call(&Request::Names { path: path.to_owned(), prefix: prefix.to_owned(), skip }, REQUEST_TIMEOUT)
            {
                Ok(Response::Names(more)) if !more.is_empty() => names.extend(more),
                _ => break,
            }
        }
        names
    }

    fn wrong(&self, action: &'static str, path: &str, response: Result<Response, HandError>) -> Error {
        match response {
            Ok(response) => Error::Io { action, path: path.into(), source: wrong_response(&response) },
            Err(error) => error.into_error(self.hand.pid, action, path),
        }
    }
}

fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A file of an observed process, opened by its hand.
#[derive(Debug)]
pub(crate) struct TargetFile {
    world: Arc<World>,
    file: u32,
    is_own: bool,
}

impl TargetFile {
    /// The user who is accountable for the process. Missing: whittle itself.
    pub(crate) fn owner(&self) -> Option<u32> {
        self.world.hand.lock().owner
    }

    /// True if the file belongs to the user of the process.
    pub(crate) fn is_own(&self) -> bool {
        self.is_own
    }

    /// The bytes from the start of the file, at most `limit`.
    pub(crate) fn read_start(&self, limit: u64) -> io::Result<Vec<u8>> {
        let size = usize::try_from(self.size()?.min(limit)).map_err(io::Error::other)?;
        let mut bytes = vec![0; size];
        let count = self.read_at(&mut bytes, 0)?;
        bytes.truncate(count);
        Ok(bytes)
    }
}

impl ReadAt for TargetFile {
    fn size(&self) -> io::Result<u64> {
        match self.world.hand.call(&Request::Size { file: self.file }, REQUEST_TIMEOUT).map_err(io_error)? {
            Response::Size(size) => Ok(size),
            response => Err(wrong_response(&response)),
        }
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let length = u32::try_from((buffer.len() - filled).min(MAX_DATA_BYTES)).unwrap_or(u32::MAX);
            let request = Request::Read { file: self.file, offset: position + filled as u64, length };
            let bytes = match self.world.hand.call(&request, REQUEST_TIMEOUT).map_err(io_error)? {
                Response::Bytes(bytes) if bytes.len() <= length as usize => bytes,
                response => return Err(wrong_response(&response)),
            };
            if bytes.is_empty() {
                break;
            }
            buffer[filled..filled + bytes.len()].copy_from_slice(&bytes);
            filled += bytes.len();
        }
        Ok(filled)
    }
}

impl Drop for TargetFile {
    fn drop(&mut self) {
        // If this fails, the hand is lost, and the file is closed with it.
        let _ = self.world.hand.call(&Request::Close { file: self.file }, REQUEST_TIMEOUT);
    }
}

/// A hand in the pid namespace of a JVM, for one or more attach commands.
#[derive(Debug)]
pub(crate) struct AttachHand {
    hand: Hand,
    /// The JVM's process id in its pid namespace.
    pid: u32,
}

/// The state of the connection to a JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Connected {
    Yes,
    /// The JVM has no socket yet.
    NoSocket,
    /// Another process listens to the JVM's socket.
    OtherListener,
    /// A file of another user is in the way.
    Occupied {
        path: PathBuf,
        owner: u32,
    },
    NotOpened,
    Ended,
}

impl AttachHand {
    /// Starts a hand for the JVM `process`, which has the id `pid` in its pid namespace. This fails if the process is
    /// different from `identity`.
    pub(crate) fn new(process: Process, pid: u32, identity: Option<&Identity>) -> Result<Self, Error> {
        Ok(Self { hand: reach(process, Scope::Attach, identity)?, pid })
    }

    /// The connection to a JVM through a hand of the fuzzer.
    #[cfg(feature = "fuzzing")]
    pub(super) fn of_hand(hand: Hand) -> Self {
        Self { hand, pid: 1 }
    }

    /// Connects to the socket, if the JVM has opened it.
    pub(crate) fn connect(&self) -> Result<Connected, Error> {
        self.connected(&Request::Connect { pid: self.pid }, REQUEST_TIMEOUT)
    }

    /// Requests the JVM to open its socket, and connects to it.
    pub(crate) fn request_socket(&self) -> Result<Connected, Error> {
        let milliseconds = SOCKET_TIMEOUT.as_millis() as u32;
        self.connected(&Request::OpenSocket { pid: self.pid, milliseconds }, SOCKET_TIMEOUT + SLACK)
    }

    fn connected(&self, request: &Request, timeout: Duration) -> Result<Connected, Error> {
        match self.hand.call(request, timeout) {
            Ok(Response::Done) => Ok(Connected::Yes),
            Ok(Response::NoSocket) => Ok(Connected::NoSocket),
            Ok(Response::OtherListener) => Ok(Connected::OtherListener),
            Ok(Response::Occupied { path, owner }) if has_plain_letters(&path) => {
                Ok(Connected::Occupied { path: PathBuf::from(path), owner })
            }
            Ok(Response::NotOpened) => Ok(Connected::NotOpened),
            Ok(Response::ProcessEnded) => Ok(Connected::Ended),
            Ok(response) => {
                Err(Error::Io { action: "connect to", path: self.socket_path(), source: wrong_response(&response) })
            }
            Err(error) => Err(error.into_error(self.hand.pid, "connect to", &self.socket_path().to_string_lossy())),
        }
    }

    /// Keeps the profiler's library in memory, or the file of the library that the JVM has `loaded` already. Returns the path
    /// for the JVM, which is valid as long as this hand exists. After this, the hand can only send commands.
    pub(crate) fn share_library(&self, loaded: Option<&OwnedFd>) -> Result<PathBuf, Error> {
        let loaded: Vec<BorrowedFd<'_>> = loaded.into_iter().map(OwnedFd::as_fd).collect();
        match self.hand.call_with(&Request::ShareLibrary, &loaded, REQUEST_TIMEOUT) {
            Ok(Response::Path(path)) if path.starts_with("/proc/") && has_plain_letters(&path) => {
                Ok(PathBuf::from(path))
            }
            Ok(response) => Err(Error::Io {
                action: "share",
                path: "the profiler's library".into(),
                source: wrong_response(&response),
            }),
            Err(error) => Err(error.into_error(self.hand.pid, "share", "the profiler's library")),
        }
    }

    /// Sends a command on the connection and returns the JVM's response.
    pub(crate) fn command(&self, words: &[&str], limits: AnswerLimits) -> Result<Vec<u8>, Error> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let answer =
            self.hand.call_for_bytes(&Request::Command { words, limits }, limits.timeout + SLACK, limits.max_bytes);
        let path = self.socket_path();
        answer.map_err(|error| error.into_error(self.hand.pid, "talk to the JVM through", &path.to_string_lossy()))
    }

    /// The socket, as the JVM sees it.
    pub(crate) fn socket_path(&self) -> PathBuf {
        Path::new("/tmp").join(format!(".java_pid{}", self.pid))
    }
}

/// Which namespaces a hand enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The namespaces of mounts and users, which are enough for files. The hand does not enter the pid namespace, so it
    /// continues when the processes of a container end, and can read the last data.
    Files,
    /// The namespaces of mounts, users, process ids, network and IPC.
    Attach,
}

/// Starts a hand in the world of `process`, if the process is still `identity`.
fn reach(process: Process, scope: Scope, identity: Option<&Identity>) -> Result<Hand, Error> {
    let ended = Error::NoSuchProcess { pid: process.0 };
    let id = i32::try_from(process.0).ok().and_then(Pid::from_raw);
    let Some(id) = id else { return Err(ended) };
    // Kernels before 5.3 have no pidfd.
    let pidfd = rustix::process::pidfd_open(id, PidfdFlags::empty()).ok();
    let (status, stat) = (process.status()?, process.stat());
    let own_uid = rustix::process::geteuid();
    if !own_uid.is_root() && status.user.uid != own_uid.as_raw() {
        return Err(Error::OtherUser { pid: process.0, owner_uid: status.user.uid, own_uid: own_uid.as_raw() });
    }
    let mut descriptors = vec![(Descriptor::Root, open(process, "root", OFlags::PATH | OFlags::DIRECTORY)?)];
    for (name, descriptor) in namespaces(scope) {
        let namespace = open(process, name, OFlags::RDONLY)?;
        if !is_our_namespace(&namespace, name) {
            descriptors.push((*descriptor, namespace));
        }
    }
    // All descriptors belong to the same process: its id was not used again, and its user did not change.
    if process.stat().map(|stat| stat.start_ticks) != stat.map(|stat| stat.start_ticks) {
        return Err(ended);
    }
    let refused = |reason: &str| Err(Error::HandLost { pid: process.0, reason: format!("cannot start: {reason}") });
    let user = process.status()?.user;
    if user != status.user {
        return refused("the process changed its user");
    }
    if !status.has_one_user {
        return refused("the process has different real, effective and saved user ids");
    }
    if let Some(identity) = identity
        && Identity::of(process)? != *identity
    {
        return refused("the process is another one than before: it executed a program, or another process has its id");
    }
    descriptors.extend(pidfd.map(|pidfd| (Descriptor::Process, pidfd)));
    let borrowed: Vec<(Descriptor, BorrowedFd<'_>)> =
        descriptors.iter().map(|(name, descriptor)| (*name, descriptor.as_fd())).collect();
    let root = process.path("root");
    let owner = accountable_user(process, user.uid);
    Hand::start(process.0, Some(user), Some(owner), &borrowed)
        .map_err(|error| error.into_error(process.0, "enter", &root.to_string_lossy()))
}

fn namespaces(scope: Scope) -> &'static [(&'static str, Descriptor)] {
    const ALL: &[(&str, Descriptor)] = &[
        ("ns/mnt", Descriptor::MountNamespace),
        ("ns/user", Descriptor::UserNamespace),
        ("ns/pid", Descriptor::PidNamespace),
        ("ns/net", Descriptor::NetworkNamespace),
        ("ns/ipc", Descriptor::IpcNamespace),
    ];
    match scope {
        Scope::Files => &ALL[..2],
        Scope::Attach => ALL,
    }
}

fn open(process: Process, name: &str, flags: OFlags) -> Result<OwnedFd, Error> {
    let path = process.path(name);
    let opened = rustix::fs::open(&path, flags | OFlags::CLOEXEC, Mode::empty());
    opened.map_err(io::Error::from).map_err(Error::io("open", &path))
}

fn is_our_namespace(namespace: &OwnedFd, name: &str) -> bool {
    let id = |found: rustix::fs::Stat| (found.st_dev, found.st_ino);
    let theirs = rustix::fs::fstat(namespace).map(id);
    let ours = rustix::fs::stat(format!("/proc/self/{name}")).map(id);
    theirs.is_ok() && theirs == ours
}

/// True if the text can be a path in the profiler's options. A hostile hand could send any text.
fn is_plain(path: &str) -> bool {
    path.starts_with("/tmp/") && has_plain_letters(path)
}

fn has_plain_letters(path: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    path.len() < 200 && path.chars().all(is_plain)
}

fn io_error(error: HandError) -> io::Error {
    match error {
        HandError::Failed(_, errno) => errno.into(),
        HandError::Lost(reason) => io::Error::other(format!("whittle's helper process {reason}")),
    }
}

fn wrong_response(response: &Response) -> io::Error {
    io::Error::other(format!("unexpected response ({})", response.name()))
}
