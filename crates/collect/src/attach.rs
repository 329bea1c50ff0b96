//! Attaching to a JVM: which processes are JVMs, whether whittle can attach to them, and the attach commands.
//!
//! A process without privileges, a [hand](crate::hand), talks to the JVM. No JDK is needed. SIGQUIT kills a process that
//! does not handle the signal, so whittle sends it only to processes that handle it.

use crate::Error;
use crate::hand::{AnswerLimits, AttachHand, Connected, Identity, SOCKET_TIMEOUT, TargetFile, World, path_of_mapped};
use crate::process::{Process, Status};
use crate::process_memory::{command_line, environment, mapped_libraries, mapped_place, maps};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use whittle_model::redact_command;
use whittle_native::{ElfBytes, ElfFile, mapped_range};

/// Limits for loading the agent. Loading reads all symbols of libjvm. The response has one or two lines.
const LOAD_LIMITS: AnswerLimits = AnswerLimits { timeout: Duration::from_secs(30), max_bytes: 64 << 10 };

/// Limits for a thread dump, which the JVM writes at its next safepoint. They are sufficient for about ten thousand
/// threads.
const DUMP_LIMITS: AnswerLimits = AnswerLimits { timeout: Duration::from_secs(20), max_bytes: 64 << 20 };

/// Limits for a short diagnostic command.
const COMMAND_LIMITS: AnswerLimits = AnswerLimits { timeout: Duration::from_secs(10), max_bytes: 256 << 10 };

/// The library of HotSpot JVMs. OpenJ9 also has a library with this name. Whittle recognises OpenJ9 by a second
/// library.
const HOTSPOT: &str = "/libjvm.so";
const OPENJ9: &str = "/libj9vm29.so";
/// The kernel adds the word if the file was deleted, for example by a package upgrade.
const HOTSPOT_DELETED: &str = "/libjvm.so (deleted)";

/// The C library musl: the loader of Alpine Linux, and the library of Void Linux. The library of glibc is `libc.so.6`, and its
/// `libc.so` is a text for the linker, which no process maps.
const MUSL_LOADER: &str = "/ld-musl-";
const MUSL_LIBRARY: &str = "/libc.so";

/// Names that every HotSpot exports since JDK 6: the entry point of launchers, and the table of its structures, which
/// debuggers and async-profiler use.
const EXPORTS: [&[u8]; 2] = [b"\0JNI_CreateJavaVM\0", b"\0gHotSpotVMStructs\0"];
/// Maximum size of the exported names. HotSpot has 60 KiB.
const MAX_NAMES_BYTES: u64 = 4 << 20;

/// Maximum length of a command line, or of a response, in a message.
const MAX_SHOWN_CHARACTERS: usize = 200;

/// JVM flags that forbid attaching.
const FORBIDDING_FLAGS: &[&str] = &["-XX:+DisableAttachMechanism"];

/// True if the libraries of the process show that it is a HotSpot JVM.
pub(crate) fn is_jvm(process: Process) -> bool {
    mapped_libraries(process).is_ok_and(|libraries| libraries.iter().any(|path| path.ends_with(HOTSPOT)))
}

/// Where a JVM finds the profiler's library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Library {
    /// The path, as the JVM sees it.
    File(PathBuf),
    /// The JVM's `/tmp` has no executable files.
    Memory,
}

/// A JVM to which whittle can attach.
#[derive(Debug)]
pub(crate) struct Jvm {
    pub(crate) process: Process,
    status: Status,
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
        let libraries = match mapped_libraries(process) {
            Ok(libraries) => libraries,
            Err(_) if status.user.uid != own_uid => {
                return Err(Error::OtherUser { pid, owner_uid: status.user.uid, own_uid });
            }
            Err(error) => return Err(Error::io("read", &process.path("maps"))(error)),
        };
        let has = |name: &str| libraries.iter().any(|path| path.ends_with(name));
        if has(OPENJ9) {
            return Err(Error::OpenJ9 { pid });
        }
        if !has(HOTSPOT) {
            return Err(Error::NotAJvm { pid, command: command_for_message(process) });
        }
        if matches!(status.state, 'T' | 't') {
            return Err(Error::Stopped { pid, state: status.state });
        }
        Ok(Self { process, status })
    }

    /// Checks that the process has HotSpot's library, and not only a file with its name. Any user can start a program
    /// that looks like a JVM.
    pub(crate) fn prove(&self, world: &Arc<World>) -> Result<(), Error> {
        let pid = self.process.0;
        let maps = maps(self.process).map_err(Error::io("read", &self.process.path("maps")))?;
        let mapping = maps.lines().find(|line| line.ends_with(HOTSPOT) || line.ends_with(HOTSPOT_DELETED));
        let library = mapping.map_or(HOTSPOT, |line| &line[line.find('/').unwrap_or(0)..]).to_owned();
        let opened = mapping.and_then(|line| open_mapped(world, self.process, line).ok());
        let is_own_user = self.status.user.uid == rustix::process::geteuid().as_raw();
        match opened.map(is_hotspot) {
            Some(true) => Ok(()),
            // The file was replaced, and whittle is not allowed to read what is mapped. The program is the user's own.
            None if is_own_user => Ok(()),
            _ => world.check(pid).and(Err(Error::NotHotSpot { pid, library })),
        }
    }

    /// Loads a native agent with `options`, or calls it again with these options. Returns the agent's return value. Nothing
    /// is loaded if the process is not `identity` any more: the library can belong to the earlier user.
    pub(crate) fn load_agent(
        &self,
        library: &Library,
        options: &str,
        identity: Option<&Identity>,
    ) -> Result<i32, Error> {
        let hand = self.connect(identity)?;
        let path = match library {
            Library::File(path) => path.clone(),
            Library::Memory => self.path_in_memory(&hand)?,
        };
        let answer = command(&hand, ["load", &path.to_string_lossy(), "true", options], LOAD_LIMITS)?;
        parse_load_answer(&answer).map_err(|answer| self.refused("load", answer))
    }

    /// Loads a Java agent with `options`, or calls it again with these options. Nothing is loaded if the process is not
    /// `identity` any more.
    pub(crate) fn load_java_agent(&self, jar: &Path, options: &str, identity: Option<&Identity>) -> Result<(), Error> {
        let argument = format!("{}={options}", jar.display());
        let answer = command(&self.connect(identity)?, ["load", "instrument", "false", &argument], LOAD_LIMITS)?;
        match parse_load_answer(&answer) {
            Ok(0) => Ok(()),
            Ok(code) => Err(self.refused("load instrument", format!("return code {code}"))),
            Err(answer) => Err(self.refused("load instrument", answer)),
        }
    }

    /// The path of the profiler's library in memory. It is the same file each time.
    fn path_in_memory(&self, hand: &AttachHand) -> Result<PathBuf, Error> {
        let Some(loaded) = library_in_memory(self.process) else { return hand.share_library(None) };
        match mapped_place(self.process, &loaded.mapping) {
            Ok(place) => hand.share_library(Some(&place)),
            // Without the right to do this, the earlier path is sufficient for glibc.
            Err(_) => Ok(PathBuf::from(loaded.path)),
        }
    }

    /// Fails if this JVM cannot load the profiler's library from memory a second time, for example to stop the profiler.
    pub(crate) fn check_memory(&self) -> Result<(), Error> {
        let maps = maps(self.process).map_err(Error::io("read", &self.process.path("maps")))?;
        let any = maps.lines().find(|line| line.contains(HOTSPOT)).and_then(|line| mapped_range(line.as_bytes()));
        let can_open = any.is_some_and(|mapping| mapped_place(self.process, &mapping).is_ok());
        if uses_musl(&maps) && !can_open { Err(Error::NotExecutableForMusl { pid: self.process.0 }) } else { Ok(()) }
    }

    /// The stacks of all Java threads as text, as `jstack` prints them. The JVM stops all Java threads for this. The
    /// text is cut at a length that is sufficient for about ten thousand threads.
    pub(crate) fn thread_dump(&self, identity: Option<&Identity>) -> Result<String, Error> {
        self.text_of(["threaddump", "", "", ""], (DUMP_LIMITS, identity))
    }

    /// Executes a diagnostic command, as `jcmd` does, and returns its text.
    pub(crate) fn diagnostic_command(&self, text: &str, identity: Option<&Identity>) -> Result<String, Error> {
        self.text_of(["jcmd", text, "", ""], (COMMAND_LIMITS, identity))
    }

    /// The text that the JVM returns for a command.
    fn text_of(
        &self,
        words: [&str; 4],
        (limits, identity): (AnswerLimits, Option<&Identity>),
    ) -> Result<String, Error> {
        let answer = command(&self.connect(identity)?, words, limits)?;
        let (status, text) = answer.split_once('\n').unwrap_or((&answer, ""));
        if status.trim() == "0" { Ok(text.to_owned()) } else { Err(self.refused(words[0], text.trim().to_owned())) }
    }

    fn refused(&self, command: &str, answer: String) -> Error {
        // Whoever listens to the socket can respond with any text.
        let answer = answer.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
        let answer = answer.take(MAX_SHOWN_CHARACTERS).collect();
        Error::AttachRefused { pid: self.process.0, command: command.to_owned(), answer }
    }

    /// Connects to the JVM. If its socket does not exist yet, whittle requests it.
    fn connect(&self, identity: Option<&Identity>) -> Result<AttachHand, Error> {
        let pid = self.process.0;
        let hand = AttachHand::new(self.process, self.status.namespaced_pid, identity)?;
        let mut connected = hand.connect()?;
        if connected == Connected::NoSocket {
            self.check_may_signal()?;
            connected = hand.request_socket()?;
        }
        match connected {
            Connected::Yes => Ok(hand),
            Connected::OtherListener => Err(Error::OtherJvmsSocket { pid, socket: hand.socket_path() }),
            Connected::Occupied { path, owner } => Err(Error::AttachOccupied { pid, path, owner }),
            Connected::Ended => Err(Error::NoSuchProcess { pid }),
            Connected::NoSocket | Connected::NotOpened => {
                Err(Error::AttachTimeout { pid, seconds: SOCKET_TIMEOUT.as_secs() })
            }
        }
    }

    /// Checks that SIGQUIT makes the JVM open its socket, and does not end it.
    fn check_may_signal(&self) -> Result<(), Error> {
        let pid = self.process.0;
        if let Some(flag) = self.forbidding_flag() {
            return Err(Error::AttachDisabled { pid, flag });
        }
        if self.process.status()?.catches_sigquit() { Ok(()) } else { Err(Error::AttachWouldKill { pid }) }
    }

    fn forbidding_flag(&self) -> Option<&'static str> {
        let command = command_line(self.process);
        // An environment variable can also contain flags. If the environment cannot be read, the time limit ends the
        // wait.
        let environment = environment(self.process);
        let variables = environment.iter().filter(|variable| variable.contains("JAVA") || variable.contains("JDK"));
        let words: Vec<&str> = variables.flat_map(|variable| variable.split([' ', '='])).collect();
        let is_given = |flag: &str| command.iter().any(|word| word == flag) || words.contains(&flag);
        FORBIDDING_FLAGS.iter().copied().find(|flag| is_given(flag))
    }
}

/// Sends a command with three arguments to the connected JVM.
fn command(hand: &AttachHand, words: [&str; 4], limits: AnswerLimits) -> Result<String, Error> {
    let answer = hand.command(&words, limits)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The profiler's library in the memory of a JVM that has loaded it from memory.
pub(crate) struct LoadedLibrary {
    /// The path from which the JVM has loaded the library. The file exists only as long as the hand of that time.
    pub(crate) path: String,
    /// A mapping of the file.
    mapping: Range<u64>,
}

/// The profiler's library, if the JVM has loaded it from memory.
pub(crate) fn library_in_memory(process: Process) -> Option<LoadedLibrary> {
    maps(process).ok()?.lines().find_map(|line| {
        let name = line[line.find('/')?..].trim_end_matches(" (deleted)");
        Some(LoadedLibrary { path: path_of_mapped(name)?, mapping: mapped_range(line.as_bytes())? })
    })
}

/// The start of the command line, without values that look like secrets. A command line can have megabytes.
fn command_for_message(process: Process) -> String {
    let command = redact_command(&command_line(process)).join(" ");
    let start: String = command.chars().take(MAX_SHOWN_CHARACTERS).collect();
    if start.len() < command.len() { start + "…" } else { command }
}

/// True if the text of `/proc/PID/maps` contains the C library musl.
fn uses_musl(maps: &str) -> bool {
    let lines = maps.lines().map(|line| line.trim_end_matches(" (deleted)"));
    lines.into_iter().any(|line| line.contains(MUSL_LOADER) || line.ends_with(MUSL_LIBRARY))
}

/// Opens the file of a line of `/proc/PID/maps`.
fn open_mapped(world: &Arc<World>, process: Process, line: &str) -> io::Result<TargetFile> {
    let range = mapped_range(line.as_bytes()).ok_or(io::ErrorKind::InvalidData)?;
    let place = mapped_place(process, &range);
    let path = &line[line.find('/').ok_or(io::ErrorKind::NotFound)?..];
    place.and_then(|place| world.open_place(&place)).or_else(|_| world.open(path))
}

/// True if the file is a library that exports the functions and structures of HotSpot.
fn is_hotspot(file: TargetFile) -> bool {
    let elf = ElfFile::open(ElfBytes::File(Box::new(file)));
    let names = elf.and_then(|elf| elf.section(".dynstr", MAX_NAMES_BYTES)).map(|section| section.bytes);
    names.is_some_and(|names| EXPORTS.iter().all(|export| memmem(&names, export)))
}

fn memmem(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
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
    fn musl_is_recognised_by_its_loader_or_its_library() {
        let line = |path: &str| format!("7f2a30d9d000-7f2a30dea000 r-xp 00014000 fe:00 1836 {path}\n7ffc5 [stack]\n");
        for path in ["/lib/ld-musl-x86_64.so.1", "/usr/lib/libc.so", "/usr/lib/libc.so (deleted)"] {
            assert!(uses_musl(&line(path)), "{path}");
        }
        for path in ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/opt/app/mylibc.so"] {
            assert!(!uses_musl(&line(path)), "{path}");
        }
    }

    #[test]
    fn a_process_without_jvm_is_refused() {
        let error = Jvm::find(Process(std::process::id())).unwrap_err().to_string();
        assert!(error.contains("is not a HotSpot JVM"), "{error}");
        let error = Jvm::find(Process(0x3fff_ffff)).unwrap_err().to_string();
        assert!(error.contains("no process has the id"), "{error}");
    }
}
