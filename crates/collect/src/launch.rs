//! Launching a Java program with the profiler inside from its first moment.

use crate::Error;
use crate::process::Process;
use rustix::process::{Pid, WaitId, WaitIdOptions};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Child, Command};
use whittle_model::{ExitStatus, ResourceUse};

/// Flags that give compiled code exact line numbers. Without them a sample in compiled code shows the
/// line of the next safepoint.
const EXACT_LINE_FLAGS: [&str; 2] = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"];

/// A program that we started.
#[derive(Debug)]
pub(crate) struct Launched {
    child: Child,
    pub(crate) process: Process,
}

/// How a program ended and what it used.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    pub(crate) exit: ExitStatus,
    /// Only what the kernel tells at the end: peak memory, switches, faults.
    pub(crate) resources: ResourceUse,
}

/// Checks that the first word of `command` is a `java` launcher, the only program that takes our options.
pub(crate) fn check_is_java(command: &[OsString]) -> Result<(), Error> {
    let program = command.first().map(OsString::as_os_str).unwrap_or_default();
    if Path::new(program).file_name() == Some(OsStr::new("java")) {
        return Ok(());
    }
    Err(Error::NotJava { program: program.to_string_lossy().into_owned() })
}

/// Starts `command`, whose first word is a `java` launcher, with the agent inside.
pub(crate) fn launch(
    command: &[OsString],
    library: &Path,
    agent_options: &str,
    has_exact_lines: bool,
) -> Result<Launched, Error> {
    let program = command.first().map(OsString::as_os_str).unwrap_or_default();
    let mut agent = OsString::from("-agentpath:");
    agent.push(library);
    agent.push("=");
    agent.push(agent_options);
    let mut launcher = Command::new(program);
    if has_exact_lines {
        launcher.args(EXACT_LINE_FLAGS);
    }
    let child = launcher.arg(agent).args(&command[1..]).spawn();
    let child =
        child.map_err(|source| Error::CannotLaunch { program: program.to_string_lossy().into_owned(), source })?;
    let process = Process(child.id());
    Ok(Launched { child, process })
}

impl Launched {
    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.child.id()).ok()?)
    }

    /// True once the program has ended. It stays readable in `/proc` until [`bury`](Self::bury).
    pub(crate) fn has_ended(&self) -> bool {
        let Some(pid) = self.pid() else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(rustix::process::waitid(WaitId::Pid(pid), options), Ok(None))
    }

    /// Passes a signal on to the program.
    pub(crate) fn signal(&self, number: i32) {
        // SAFETY: kill takes two integers; our child's id is not reused before it is buried.
        let _ = unsafe { libc::kill(self.child.id() as i32, number) };
    }

    /// Waits for the end of the program and takes its exit status and figures.
    pub(crate) fn bury(self) -> Option<Ended> {
        let mut status = 0;
        // SAFETY: an all-zero rusage is a valid value of that plain C struct.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to live values of the types that wait4 writes.
        let waited = unsafe { libc::wait4(self.child.id() as i32, &raw mut status, 0, &raw mut usage) };
        if waited < 0 {
            return None;
        }
        let exit = if libc::WIFSIGNALED(status) {
            ExitStatus::Signal(libc::WTERMSIG(status))
        } else {
            ExitStatus::Code(libc::WEXITSTATUS(status))
        };
        let count = |value: libc::c_long| u64::try_from(value).ok();
        let resources = ResourceUse {
            // The kernel counts in KiB here.
            peak_rss_bytes: count(usage.ru_maxrss).map(|kib| kib * 1024),
            voluntary_switches: count(usage.ru_nvcsw),
            involuntary_switches: count(usage.ru_nivcsw),
            ..ResourceUse::default()
        };
        Some(Ended { exit, resources })
    }
}
