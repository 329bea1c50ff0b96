//! Launches a program and observes it from its first moment. A Java program is started with the profiler inside.

use crate::Error;
use crate::engine::Subject;
use crate::launch_gate::Gate;
use crate::process::Process;
use crate::program_output::{CapturedOutput, MetricPattern};
use rustix::process::{Pid, WaitId, WaitIdOptions};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use whittle_model::{ExitStatus, ResourceUse};

/// Flags that give compiled code exact line numbers. Without these flags, a sample in compiled code shows the line of
/// the next safepoint.
const EXACT_LINE_FLAGS: [&str; 2] = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"];

/// A program that whittle started.
#[derive(Debug)]
pub(crate) struct Launched {
    child: Child,
    pub(crate) process: Process,
    /// The program's output, if whittle reads it.
    pub(crate) output: Option<CapturedOutput>,
}

/// How a program ended, and its resource use.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    pub(crate) exit: ExitStatus,
    /// Values that the kernel reports only at the end: peak memory, switches, faults.
    pub(crate) resources: ResourceUse,
}

/// The kind of program that `command` starts. Only a `java` launcher accepts JVM options.
pub(crate) fn subject(command: &[OsString]) -> Subject {
    let program = command.first().map(OsString::as_os_str).unwrap_or_default();
    if Path::new(program).file_name() == Some(OsStr::new("java")) { Subject::Java } else { Subject::Native }
}

/// Options for a `java` launcher, in addition to the user's options.
#[derive(Debug)]
pub(crate) struct JavaOptions<'a> {
    pub(crate) library: &'a Path,
    pub(crate) agent_options: &'a str,
    /// Options with which the JVM writes its own log and accepts whittle's agent.
    pub(crate) own_options: Vec<String>,
    /// Whether compiled code gets exact line numbers.
    pub(crate) has_exact_lines: bool,
}

impl JavaOptions<'_> {
    fn words(&self) -> Vec<OsString> {
        let mut agent = OsString::from("-agentpath:");
        agent.push(self.library);
        agent.push("=");
        agent.push(self.agent_options);
        let flags = if self.has_exact_lines { EXACT_LINE_FLAGS.as_slice() } else { &[] };
        let own = self.own_options.iter().map(OsString::from);
        flags.iter().map(OsString::from).chain(own).chain([agent]).collect()
    }
}

/// Starts `command`. `before_start` runs when the process exists but does not execute the program yet.
pub(crate) fn launch(
    command: &[OsString],
    (java, metric): (Option<&JavaOptions<'_>>, Option<&MetricPattern>),
    before_start: impl FnOnce(Process) -> Result<(), Error>,
) -> Result<Launched, Error> {
    let program = command.first().map(OsString::as_os_str).unwrap_or_default();
    let mut launcher = Command::new(program);
    launcher.args(java.map(JavaOptions::words).unwrap_or_default()).args(command.get(1..).unwrap_or_default());
    let cannot = |source| Error::CannotLaunch { program: program.to_string_lossy().into_owned(), source };
    let output = metric.map(|metric| CapturedOutput::start(metric, &mut launcher)).transpose().map_err(cannot)?;
    let (mut gate, of_child) = Gate::new().map_err(cannot)?;
    // SAFETY: between fork and exec the closure makes plain system calls on descriptors that it owns.
    unsafe { launcher.pre_exec(move || of_child.wait()) };
    // The call that starts the program returns only after `exec`, so it needs a separate thread.
    let starting = std::thread::spawn(move || launcher.spawn());
    let prepared = gate.process(&starting).map_or(Ok(()), before_start);
    gate.open(prepared.is_ok());
    let child = starting.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()));
    prepared?;
    let child = child.map_err(cannot)?;
    let process = Process(child.id());
    Ok(Launched { child, process, output })
}

impl Launched {
    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.child.id()).ok()?)
    }

    /// True when the program has ended. Its values in `/proc` remain readable until [`bury`](Self::bury).
    pub(crate) fn has_ended(&self) -> bool {
        let Some(pid) = self.pid() else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(rustix::process::waitid(WaitId::Pid(pid), options), Ok(None))
    }

    /// Passes a signal on to the program.
    pub(crate) fn signal(&self, number: i32) {
        // SAFETY: kill takes two integers; our child's ID is not reused before its exit status is taken.
        let _ = unsafe { libc::kill(self.child.id() as i32, number) };
    }

    /// Waits for the end of the program and takes its exit status and resource use.
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
