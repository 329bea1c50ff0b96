//! Reads information about a process and its threads from `/proc`.

use crate::Error;
use rustix::fs::{AtFlags, CWD, FileType, StatxFlags};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use whittle_native::ProcessId;

/// Signal number. In the masks of `/proc/PID/status`, signal 1 is the lowest bit.
const SIGQUIT: u32 = 3;
const SIGPROF: u32 = 27;

/// Capability numbers from `linux/capability.h`.
const CAP_SYS_PTRACE: u32 = 19;
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// The first namespaces of every machine (PROC_PID_INIT_INO and PROC_USER_INIT_INO in the kernel's proc_ns.h).
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";
const FIRST_USER_NAMESPACE: &str = "user:[4026531837]";

/// A process, identified by its id in whittle's pid namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(pub(crate) u32);

/// Maximum number of ancestors of a process that are compared.
const MAX_GENERATIONS: usize = 100;

/// Maximum size of a text in `/proc`.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// A user with groups, as numbers of whittle's user namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct User {
    /// Effective user id.
    pub(crate) uid: u32,
    /// Effective group id.
    pub(crate) gid: u32,
    /// The other groups.
    pub(crate) groups: Vec<u32>,
}

/// The lines of `/proc/PID/status` that whittle uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    /// State as one letter: R running, S sleeping, T stopped, Z ended …
    pub(crate) state: char,
    /// Effective user and group, and the other groups.
    pub(crate) user: User,
    /// True if the real, effective, saved and file system ids are the same, for users and for groups.
    pub(crate) has_one_user: bool,
    /// The process id in the process's pid namespace.
    pub(crate) namespaced_pid: u32,
    /// Largest resident memory since the program began. Missing: the process has ended and has no memory.
    pub(crate) peak_resident_bytes: Option<u64>,
    caught_signals: u64,
    effective_capabilities: u64,
}

impl Status {
    /// True if the process handles SIGQUIT itself. Otherwise the signal would end the process.
    pub(crate) fn catches_sigquit(&self) -> bool {
        self.caught_signals & (1 << (SIGQUIT - 1)) != 0
    }

    /// True if the process handles SIGPROF, the profiler's signal.
    pub(crate) fn catches_sigprof(&self) -> bool {
        self.caught_signals & (1 << (SIGPROF - 1)) != 0
    }

    /// True if the process is allowed to open perf events with any value of `perf_event_paranoid`.
    pub(crate) fn has_perfmon(&self) -> bool {
        self.has_one_of(&[CAP_PERFMON, CAP_SYS_ADMIN])
    }

    /// True if the process is allowed to load BPF programs.
    pub(crate) fn has_bpf(&self) -> bool {
        self.has_one_of(&[CAP_BPF, CAP_SYS_ADMIN])
    }

    /// True if the process is allowed to read the memory of processes of other users.
    pub(crate) fn has_ptrace(&self) -> bool {
        self.has_one_of(&[CAP_SYS_PTRACE])
    }

    /// True if the process is allowed to enter the namespaces of other processes.
    pub(crate) fn has_admin(&self) -> bool {
        self.has_one_of(&[CAP_SYS_ADMIN])
    }

    fn has_one_of(&self, capabilities: &[u32]) -> bool {
        capabilities.iter().any(|capability| self.effective_capabilities & (1 << capability) != 0)
    }

    /// Parses the text of `/proc/PID/status`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let hexadecimal = |name| u64::from_str_radix(field(name)?.trim(), 16).ok();
        let effective_id = |name| field(name)?.split_whitespace().nth(1)?.parse().ok();
        Some(Self {
            state: field("State")?.trim().chars().next()?,
            user: User {
                uid: effective_id("Uid")?,
                gid: effective_id("Gid")?,
                groups: field("Groups")?.split_whitespace().filter_map(|group| group.parse().ok()).collect(),
            },
            has_one_user: is_one_id(field("Uid")?) && is_one_id(field("Gid")?),
            namespaced_pid: field("NSpid")?.split_whitespace().last()?.parse().ok()?,
            peak_resident_bytes: field("VmHWM").and_then(kibibytes),
            caught_signals: hexadecimal("SigCgt")?,
            effective_capabilities: hexadecimal("CapEff")?,
        })
    }
}

/// True if all ids of a line are the same.
fn is_one_id(line: &str) -> bool {
    let mut ids = line.split_whitespace();
    let first = ids.next();
    ids.all(|id| Some(id) == first)
}

/// The fields of `/proc/PID/stat` that whittle uses. They are values of the whole process, in the kernel's ticks and
/// pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) user_ticks: u64,
    pub(crate) system_ticks: u64,
    pub(crate) resident_pages: u64,
    /// Start of the process or thread, in ticks since boot. This value shows whether an id was reused.
    pub(crate) start_ticks: u64,
    pub(crate) thread_count: u32,
    /// The start of the program's code and of its stack. They change when a process executes another program. 0: whittle
    /// is not allowed to see them.
    pub(crate) program: (u64, u64),
}

impl Stat {
    /// Parses the text. Fields are counted after the name, which is in parentheses and can contain any text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        // The first field here is field 3 of proc(5), the state.
        let field = |number: usize| fields.get(number - 3)?.parse().ok();
        Some(Self {
            minor_faults: field(10)?,
            major_faults: field(12)?,
            user_ticks: field(14)?,
            system_ticks: field(15)?,
            resident_pages: field(24)?,
            start_ticks: field(22)?,
            thread_count: u32::try_from(field(20)?).ok()?,
            program: (field(26).unwrap_or(0), field(28).unwrap_or(0)),
        })
    }
}

impl Stat {
    /// Two values with the same identity are of the same process, and of the same program in it.
    pub(crate) fn identity(&self) -> (u64, (u64, u64)) {
        (self.start_ticks, self.program)
    }
}

/// Which file a link below `/proc/PID` refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkedFile {
    /// Major and minor number.
    pub(crate) device: (u32, u32),
    pub(crate) inode: u64,
    pub(crate) kind: FileType,
}

impl Process {
    /// The id for the crate `native`.
    pub(crate) fn id(self) -> ProcessId {
        ProcessId(self.0)
    }

    /// Path of a file below `/proc/PID`.
    pub(crate) fn path(self, name: &str) -> PathBuf {
        self.id().path(name)
    }

    /// True while the process exists and has not ended.
    pub(crate) fn is_alive(self) -> bool {
        let Ok(status) = self.status() else { return false };
        // The first thread can end before other threads.
        !is_over(status.state)
            || self.thread_ids().into_iter().any(|id| self.thread_state(id).is_some_and(|state| !is_over(state)))
    }

    /// True if `ancestor` started the process, or started a process that did.
    pub(crate) fn is_descendant_of(self, ancestor: Self) -> bool {
        let parents = std::iter::successors(self.parent(), |process| process.parent());
        parents.take(MAX_GENERATIONS).any(|process| process == ancestor)
    }

    fn parent(self) -> Option<Self> {
        let text = read_text(self.path("stat")).ok()?;
        text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok().map(Self)
    }

    fn thread_state(self, thread_id: u32) -> Option<char> {
        let text = read_text(self.path(&format!("task/{thread_id}/stat"))).ok()?;
        text.rsplit_once(')')?.1.trim_start().chars().next()
    }

    /// Reads `/proc/PID/status`.
    pub(crate) fn status(self) -> Result<Status, Error> {
        let path = self.path("status");
        match read_text(&path) {
            Ok(text) => Status::parse(&text).ok_or(Error::NoSuchProcess { pid: self.0 }),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Err(Error::Io { action: "read", path, source: error })
            }
            Err(_) => Err(Error::NoSuchProcess { pid: self.0 }),
        }
    }

    /// Reads `/proc/PID/stat`. None: the process has ended.
    pub(crate) fn stat(self) -> Option<Stat> {
        Stat::parse(&read_text(self.path("stat")).ok()?)
    }

    /// How far the process's CLOCK_MONOTONIC is ahead of the machine's, in nanoseconds: the offset of its time namespace.
    /// 0 if the kernel has no time namespaces.
    pub(crate) fn monotonic_offset_ns(self) -> i64 {
        let text = read_text(self.path("timens_offsets")).unwrap_or_default();
        parse_monotonic_offset(&text).unwrap_or_default()
    }

    /// True if the process executes a 32-bit program. The kernel's list of facts about the program (`auxv`) has pairs of
    /// words: a small number, and a value that is not 0. In a 32-bit program, the first eight bytes are both words.
    pub(crate) fn is_32_bit(self) -> bool {
        let facts = fs::read(self.path("auxv")).unwrap_or_default();
        facts.first_chunk().is_some_and(|first| u64::from_ne_bytes(*first) > u32::MAX.into())
    }

    /// True if the process's capabilities are valid on the whole machine, and not only in a user namespace. `None`: whittle is
    /// not allowed to see this.
    pub(crate) fn is_in_first_user_namespace(self) -> Option<bool> {
        let namespace = fs::read_link(self.path("ns/user")).ok()?;
        Some(namespace.as_os_str() == FIRST_USER_NAMESPACE)
    }

    /// True if the process's ids are those of the whole machine, and not only of a container.
    pub(crate) fn is_in_first_pid_namespace(self) -> bool {
        fs::read_link(self.path("ns/pid")).is_ok_and(|namespace| namespace.as_os_str() == FIRST_PID_NAMESPACE)
    }

    /// The file behind a link below `/proc/PID`. Its file system might never respond, so the kernel only uses what it
    /// already knows.
    pub(crate) fn linked_file(self, name: &str) -> io::Result<LinkedFile> {
        let wanted = StatxFlags::TYPE | StatxFlags::INO;
        let found = rustix::fs::statx(CWD, self.path(name), AtFlags::STATX_DONT_SYNC, wanted)?;
        Ok(LinkedFile {
            device: (found.stx_dev_major, found.stx_dev_minor),
            inode: found.stx_ino,
            kind: FileType::from_raw_mode(found.stx_mode.into()),
        })
    }

    /// The open files of the process that whittle is allowed to see.
    pub(crate) fn open_files(self) -> impl Iterator<Item = PathBuf> {
        let entries = fs::read_dir(self.path("fd")).into_iter().flatten().flatten();
        entries.filter_map(|entry| fs::read_link(entry.path()).ok())
    }

    /// Exact CPU time of all threads, including ended threads, from the scheduler. `None`: the process has ended.
    pub(crate) fn cpu_ns(self) -> Option<u64> {
        let pid = i32::try_from(self.0).ok()?;
        // The id of another process's CPU clock (MAKE_PROCESS_CPUCLOCK in the kernel's posix-timers.h) is the inverted
        // pid followed by three bits. The value 2 of these bits means the exact time of the scheduler.
        let clock = (!pid << 3) | 2;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a valid timespec to write to; an unknown clock id only gives an error.
        let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
        (result == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }

    /// The ids of the live threads.
    pub(crate) fn thread_ids(self) -> Vec<u32> {
        let Ok(entries) = fs::read_dir(self.path("task")) else { return Vec::new() };
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }

    /// Exact CPU time of one thread so far (`schedstat`, first field). None: the thread has ended.
    pub(crate) fn thread_cpu_ns(self, thread_id: u32) -> Option<u64> {
        let text = read_text(self.path(&format!("task/{thread_id}/schedstat"))).ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    /// User and system ticks of one thread so far. None: the thread has ended.
    pub(crate) fn thread_stat(self, thread_id: u32) -> Option<Stat> {
        Stat::parse(&read_text(self.path(&format!("task/{thread_id}/stat"))).ok()?)
    }

    /// The thread's id in the process's pid namespace. None: the thread has ended.
    pub(crate) fn namespaced_thread_id(self, thread_id: u32) -> Option<u32> {
        let text = read_text(self.path(&format!("task/{thread_id}/status"))).ok()?;
        Some(Status::parse(&text)?.namespaced_pid)
    }

    /// The present activity of a thread. `None`: the thread has ended, or whittle is not allowed to see its activity.
    pub(crate) fn thread_call(self, thread_id: u32) -> Option<ThreadCall> {
        ThreadCall::parse(&read_text(self.path(&format!("task/{thread_id}/syscall"))).ok()?)
    }

    /// The kernel's name of a thread, at most 15 characters. None: the thread has ended.
    pub(crate) fn thread_name(self, thread_id: u32) -> Option<String> {
        let text = read_text(self.path(&format!("task/{thread_id}/comm"))).ok()?;
        Some(text.trim_end().to_owned())
    }
}

/// Reads a file of `/proc` as text. Names of threads and files can contain any bytes. Bytes that are not UTF-8 become
/// replacement characters.
fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_TEXT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The content of `/proc/PID/task/TID/syscall`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadCall {
    /// The thread executes, or is ready to execute.
    Running,
    /// The thread waits inside a system call.
    Waiting { number: u32, first_argument: u64 },
}

impl ThreadCall {
    /// Parses `running`, `202 0x7f… 0x189 …`, or `-1 0x7f… …`. The last form, a wait outside of system calls, is not
    /// treated as a wait.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let first = words.next()?;
        if first == "running" {
            return Some(Self::Running);
        }
        let number = first.parse().ok()?;
        let first_argument = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        Some(Self::Waiting { number, first_argument })
    }
}

/// Parses ` 4711 kB` as a number of bytes.
fn kibibytes(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// True for the states of processes and threads that have ended.
fn is_over(state: char) -> bool {
    matches!(state, 'Z' | 'X')
}

/// The line of `timens_offsets` for CLOCK_MONOTONIC: seconds, and nanoseconds, which are never negative.
fn parse_monotonic_offset(text: &str) -> Option<i64> {
    let mut words = text.lines().find_map(|line| line.strip_prefix("monotonic "))?.split_whitespace();
    let (seconds, nanoseconds): (i64, i64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_thread_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        let text = "7 (a) b (c) S 1 7 7 0 -1 4194304 11 22 33 44 55 66 0 0 20 0 5 0 9 1000 77 184467 400 500 600";
        let stat = Stat::parse(text).unwrap();
        assert_eq!((stat.minor_faults, stat.major_faults), (11, 33));
        assert_eq!((stat.user_ticks, stat.system_ticks), (55, 66));
        assert_eq!((stat.start_ticks, stat.resident_pages, stat.thread_count), (9, 77, 5));
        assert_eq!(stat.identity(), (9, (400, 600)));
    }

    /// The kernel cuts names after 15 bytes, also within a character.
    #[test]
    fn a_process_with_any_bytes_in_its_names_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let name = OsStr::from_bytes(b"four\xc3\xa4teenbyte\xc3\xa4\xff.so");
        let program = folder.path().join(name);
        fs::copy("/bin/sleep", &program).unwrap();
        let mut sleeper = std::process::Command::new(&program).arg("60").spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
        let process = Process(sleeper.id());
        let status = process.status();
        let (is_alive, thread_name) = (process.is_alive(), process.thread_name(sleeper.id()));
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert_eq!(status.unwrap().namespaced_pid, sleeper.id());
        assert!(is_alive);
        assert_eq!(thread_name.as_deref(), Some("fouräteenbyte\u{fffd}"));
    }

    #[test]
    fn a_link_of_proc_leads_to_its_file() {
        use std::os::fd::AsRawFd;
        use std::os::unix::fs::MetadataExt;
        let file = tempfile::tempfile().unwrap();
        let own = Process(std::process::id());
        let found = own.linked_file(&format!("fd/{}", file.as_raw_fd())).unwrap();
        assert_eq!((found.inode, found.kind), (file.metadata().unwrap().ino(), FileType::RegularFile));
        assert_eq!(own.linked_file("root").unwrap().kind, FileType::Directory);
        assert!(own.linked_file("fd/100000").is_err());
    }

    #[test]
    fn a_threads_call_is_its_number_and_first_argument() {
        assert_eq!(ThreadCall::parse("running\n"), Some(ThreadCall::Running));
        let waiting = ThreadCall::parse("0 0x1f 0x7ffd 0x1 0x0 0x0 0x0 0x7ffe 0x7f01\n");
        assert_eq!(waiting, Some(ThreadCall::Waiting { number: 0, first_argument: 31 }));
        assert_eq!(ThreadCall::parse("-1 0x7ffd 0x7f01\n"), None);
    }

    #[test]
    fn the_own_process_is_readable_and_uses_cpu() {
        let own = Process(std::process::id());
        let before = own.cpu_ns().unwrap();
        let mut sum = 0_u64;
        while own.cpu_ns().unwrap() < before + 20_000_000 {
            sum = sum.wrapping_add(std::hint::black_box(1));
        }
        assert!(own.is_alive());
        assert_eq!(own.status().unwrap().namespaced_pid, std::process::id());
    }
}
