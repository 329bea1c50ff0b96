//! The messages between whittle and a hand.
//!
//! Each request has one response. Only the response to [`Request::Command`] comes in pieces. A message is one packet
//! of a socket pair, in the format of the crate `postcard`. Whittle treats each response as untrusted input: the
//! observed program might control the hand.

use crate::process::User;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Maximum number of file bytes in one response.
pub(super) const MAX_DATA_BYTES: usize = 64 << 10;
/// Maximum size of a packet: data, or names of a folder.
pub(super) const MAX_PACKET_BYTES: usize = MAX_DATA_BYTES + 1024;
/// Maximum number of descriptors in one packet.
pub(super) const MAX_DESCRIPTORS: usize = 7;

/// The folder that the process and whittle share.
pub(super) const TEMPORARY: &str = "/tmp";

/// The failed step, with its reason.
pub(super) type Failure = (Step, Errno);

/// How a hand becomes the user of the observed process. All ids are ids of whittle's user namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// User, group and other groups to take. Missing: the hand keeps whittle's user, groups and capabilities.
    pub(super) user: Option<User>,
    /// The descriptors of the same packet, in their order.
    pub(super) descriptors: Vec<Descriptor>,
}

/// What a descriptor refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Descriptor {
    /// The observed process (a pidfd).
    Process,
    /// The root directory of the process.
    Root,
    PidNamespace,
    MountNamespace,
    NetworkNamespace,
    IpcNamespace,
    UserNamespace,
}

/// A request of whittle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Request {
    /// The first request. Its response is [`Response::Done`], possibly after [`Response::Forked`].
    Enter(Entry),
    /// Puts a file for the JVM below `/tmp`. The response is its path.
    Install(Installed),
    /// Keeps the profiler's library in memory for the JVM. The response is its path. If the JVM has loaded the library
    /// already, the packet has a path descriptor of the loaded file. After this, only [`Request::Command`] is possible,
    /// because the hand's filter forbids the system calls of other requests.
    ShareLibrary,
    /// Creates a folder in `/tmp` that only the user can enter.
    CreateFolder { name: String },
    /// Creates an empty file in a folder in `/tmp`, and locks it (POSIX lock) until the hand ends.
    CreateLocked { folder: String, file: String },
    /// Adds bytes, at most [`MAX_DATA_BYTES`], to the end of a file in a folder in `/tmp`. The file can be new.
    Append { folder: String, file: String, bytes: Vec<u8> },
    /// Removes these files from a folder in `/tmp`, and then the folder.
    RemoveFolder { name: String, files: Vec<String> },
    /// Opens a regular file. The response is a [`Response::File`].
    Open { path: String },
    /// Creates a path descriptor of what the path refers to. The file itself is not opened. The response is
    /// [`Response::Done`], and its packet contains the descriptor. Only a hand with whittle's own rights does this.
    OpenPlace { path: String },
    /// Opens the file of the packet's descriptor. The response is a [`Response::File`].
    OpenDescriptor,
    /// The present size of an open file.
    Size { file: u32 },
    /// At most `length` bytes. Fewer bytes mean that the file ends there.
    Read { file: u32, offset: u64, length: u32 },
    /// Closes an open file.
    Close { file: u32 },
    /// The sorted names in a folder that begin with `prefix`, without `.` and `..`, from the position `skip` on. The folder
    /// is read only for position 0. An empty response ends the list.
    Names { path: String, prefix: String, skip: u32 },
    /// What a path refers to. Links are followed.
    Kind { path: String },
    /// Connects to the attach socket of the JVM with this process id in its pid namespace.
    Connect { pid: u32 },
    /// Requests the JVM to open its attach socket, and waits for it.
    OpenSocket { pid: u32, milliseconds: u32 },
    /// Sends a command on the connected attach socket. The response comes in pieces.
    Command { words: Vec<String>, limits: AnswerLimits },
}

/// A file that whittle contains, and that the JVM loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Installed {
    /// async-profiler's library.
    Profiler,
    /// The Java agent that changes classes.
    AgentJar,
    /// The library with the native methods of the Java agent.
    Hook,
}

/// The limits of a JVM's response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnswerLimits {
    /// Maximum time of the whole exchange.
    pub(crate) timeout: Duration,
    /// Maximum size of a response. The rest of a longer response is not read.
    pub(crate) max_bytes: u64,
}

/// A response of a hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Response {
    Done,
    /// The hand continues in a new process with this id, because only new processes can enter a pid namespace.
    Forked {
        pid: u32,
    },
    Path(String),
    File {
        file: u32,
        /// True if the file belongs to the user of the process.
        is_own: bool,
    },
    Size(u64),
    Bytes(Vec<u8>),
    Names(Vec<String>),
    Kind(Kind),
    /// The JVM has no socket, or nothing listens to it.
    NoSocket,
    /// Another process listens to the socket.
    OtherListener,
    /// A file of another user has the name of the JVM's socket or of the request for it.
    Occupied {
        path: String,
        owner: u32,
    },
    /// The JVM did not open its socket in time.
    NotOpened,
    /// The process has ended.
    ProcessEnded,
    /// A step failed with a number of `errno`.
    Failed {
        step: Step,
        errno: i32,
    },
}

impl Response {
    /// The kind of the response, without its content, which can be long.
    pub(super) fn name(&self) -> String {
        let text = format!("{self:?}");
        text.split(|character: char| !character.is_alphanumeric()).next().unwrap_or_default().to_owned()
    }
}

/// The error with a number that a hand sent. A hand can send any number, and most numbers mean no error.
pub(super) fn error_of(number: i32) -> Errno {
    const NUMBERS: std::ops::Range<i32> = 1..4096;
    if NUMBERS.contains(&number) { Errno::from_raw_os_error(number) } else { Errno::IO }
}

/// What a path refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    Missing,
    File,
    Folder,
    Other,
}

/// The step that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Step {
    UnknownRequest,
    EnterPidNamespace,
    EnterMountNamespace,
    EnterNetworkNamespace,
    EnterIpcNamespace,
    EnterUserNamespace,
    ChangeRoot,
    TakeGroups,
    TakeUser,
    DropCapabilities,
    OpenFolder,
    /// The folder for the library belongs to another user, or other users can write to it.
    ForeignFolder,
    /// The file system of the folder allows no executable files.
    NotExecutable,
    WriteFile,
    ShareLibrary,
    CreateFolder,
    LockFile,
    RemoveFolder,
    OpenFile,
    /// The path is not a regular file.
    NotRegular,
    ReadFile,
    CreateAttachFile,
    SendSignal,
    ConnectSocket,
    TalkToSocket,
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::UnknownRequest => "understand a request",
            Self::EnterPidNamespace => "enter the pid namespace",
            Self::EnterMountNamespace => "enter the mount namespace",
            Self::EnterNetworkNamespace => "enter the network namespace",
            Self::EnterIpcNamespace => "enter the IPC namespace",
            Self::EnterUserNamespace => "enter the user namespace",
            Self::ChangeRoot => "change to the root directory",
            Self::TakeGroups => "take the groups",
            Self::TakeUser => "take the user id",
            Self::DropCapabilities => "drop the capabilities",
            Self::OpenFolder => "open the folder",
            Self::ForeignFolder => "use a folder that belongs to another user or that other users can write to",
            Self::NotExecutable => "use a folder without executable files (its file system is mounted with noexec)",
            Self::ShareLibrary => "keep the profiler's library in memory",
            Self::WriteFile => "write a file for the JVM",
            Self::CreateFolder => "create the folder",
            Self::LockFile => "create and lock the file",
            Self::RemoveFolder => "remove the folder",
            Self::OpenFile => "open the file",
            Self::NotRegular => "read a file that is not a regular file",
            Self::ReadFile => "read the file",
            Self::CreateAttachFile => "create the file .attach_pid in /tmp",
            Self::SendSignal => "send SIGQUIT",
            Self::ConnectSocket => "connect to the attach socket",
            Self::TalkToSocket => "talk to the JVM",
        })
    }
}

/// The bytes of a message.
pub(super) fn encode(message: &impl Serialize) -> Vec<u8> {
    // Serialising these types into memory cannot fail. An empty packet would be refused by the receiver.
    postcard::to_allocvec(message).unwrap_or_default()
}

/// The message in a packet. None: the packet is not a message.
pub(super) fn decode<T: for<'de> Deserialize<'de>>(packet: &[u8]) -> Option<T> {
    let (message, rest) = postcard::take_from_bytes(packet).ok()?;
    rest.is_empty().then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let entry = Entry {
            user: Some(User { uid: 1000, gid: 1000, groups: vec![4, 27] }),
            descriptors: vec![Descriptor::Process, Descriptor::Root],
        };
        let command = Request::Command {
            words: vec!["load".to_owned()],
            limits: AnswerLimits { timeout: Duration::from_secs(30), max_bytes: 1 << 26 },
        };
        for request in [Request::Enter(entry), Request::Install(Installed::AgentJar), command] {
            assert_eq!(decode::<Request>(&encode(&request)), Some(request));
        }
        let response = Response::Bytes(vec![7; MAX_DATA_BYTES]);
        let packet = encode(&response);
        assert!(packet.len() <= MAX_PACKET_BYTES);
        assert_eq!(decode::<Response>(&packet), Some(response));
    }

    #[test]
    fn any_number_is_an_error() {
        assert_eq!(error_of(2), Errno::NOENT);
        for number in [0, -1, -2, 4096, i32::MAX, i32::MIN] {
            assert_eq!(error_of(number), Errno::IO, "{number}");
        }
        assert_eq!(Response::Bytes(vec![7; 100]).name(), "Bytes");
    }

    #[test]
    fn a_wrong_packet_is_refused() {
        assert_eq!(decode::<Response>(&[]), None);
        assert_eq!(decode::<Response>(&[200]), None);
        // `Bytes` with a stated length of 2^35 - 1 and no data.
        assert_eq!(decode::<Response>(&[5, 0xff, 0xff, 0xff, 0xff, 0x7f]), None);
        let mut packet = encode(&Response::Done);
        packet.push(0);
        assert_eq!(decode::<Response>(&packet), None, "bytes after the message");
    }
}
