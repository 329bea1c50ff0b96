//! async-profiler: the embedded library, and the options for starting it.

use crate::engine::{Engine, Subject};
use std::path::Path;

/// The library for this machine, fetched and checked by the build script.
pub(crate) const LIBRARY: &[u8] = include_bytes!(env!("ASYNC_PROFILER_LIBRARY"));

/// The version of async-profiler.
pub(crate) const VERSION: &str = env!("ASYNC_PROFILER_VERSION");

/// The end of the names of the library's files, with and without a path.
pub(crate) const LIBRARY_NAME: &str = concat!("libasyncProfiler-", env!("ASYNC_PROFILER_VERSION"), ".so");

/// The names of the programs that take samples.
pub(crate) fn collector_name(engine: Engine, subject: Subject) -> String {
    match (subject, engine) {
        (Subject::Native, _) => "BPF programs".to_owned(),
        (Subject::Java, Engine::Kernel) => format!("BPF programs and async-profiler {VERSION}"),
        (Subject::Java, _) => format!("async-profiler {VERSION}"),
    }
}

/// The maximum stack depth. async-profiler's default, 2048, cuts stacks of recursive programs. The memory that a stack
/// needs depends on its number of frames, not on this limit.
const MAX_DEPTH: u32 = 8192;

/// An interval that never ends in practice. With the kernel-driven engine, the profiler only answers signals. (The
/// profiler's timer counts the CPU time of all threads, so 100 s are over in 6 s on 16 CPUs.)
const NEVER_NS: u64 = 1_000_000_000_000_000;

/// How a recording is started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'a> {
    pub(crate) engine: Engine,
    pub(crate) interval_ns: u64,
    /// The other sampled events, with their names in the profiler's options, and the distances between samples.
    pub(crate) events: &'a [(&'static str, u64)],
    /// The time between two observations of a thread that finds its waits. Missing: waits are not observed.
    pub(crate) wall_interval_ns: Option<u64>,
    /// The recording's path as the JVM sees it.
    pub(crate) recording: &'a Path,
    /// The profiler ends automatically after this many seconds, if whittle cannot end it.
    pub(crate) timeout_seconds: Option<u64>,
    /// Path of the file for messages, as the JVM sees it. Messages are written to a file, because the program's output
    /// must not change.
    pub(crate) log: &'a Path,
}

impl Start<'_> {
    /// The agent's option text.
    ///
    /// `clock=monotonic` makes times comparable with the kernel's. `cstack=vmx` walks through the JVM's structures and
    /// gives more than 99.9 % rooted stacks. `chunktime=5s` is the smallest supported value. With it, the profiler
    /// finishes a part of the file every 5 s, so a killed JVM loses at most 5 s of data.
    pub(crate) fn options(&self) -> String {
        let (event, interval_ns) = match self.engine {
            Engine::Kernel => ("itimer", NEVER_NS),
            Engine::Cpu => ("cpu", self.interval_ns),
            Engine::Ctimer => ("ctimer", self.interval_ns),
        };
        let events: String = self.events.iter().map(|(name, distance)| format!(",{name}={distance}")).collect();
        let wall = self.wall_interval_ns.map_or_else(String::new, |interval_ns| format!(",wall={interval_ns}"));
        let timeout = self.timeout_seconds.map_or_else(String::new, |seconds| format!(",timeout={seconds}"));
        format!(
            "start,event={event},interval={interval_ns}{events}{wall},jfr,clock=monotonic,cstack=vmx,chunktime=5s,jstackdepth={MAX_DEPTH},file={},log={}{timeout}",
            self.recording.display(),
            self.log.display(),
        )
    }
}

/// The option text that ends a recording and finishes its file.
pub(crate) fn stop_options(recording: &Path, log: &Path) -> String {
    format!("stop,jfr,file={},log={}", recording.display(), log.display())
}

/// The last error in async-profiler's log, without its prefix.
pub(crate) fn last_error(log: &str) -> Option<String> {
    let error = log.lines().rev().find(|line| line.contains("[ERROR]")).or_else(|| log.lines().last())?;
    let text = error.trim_start_matches("[ERROR]").trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// True if the error means that no recording is running.
pub(crate) fn is_not_started(error: &str) -> bool {
    error.contains("not active")
}

/// True if the error means that this JVM cannot report allocations: before JDK 11, the profiler needs symbols of the JVM's
/// library, which many builds do not have.
pub(crate) fn cannot_report_allocations(error: &str) -> bool {
    error.contains("AllocTracer")
}

/// True if the error means that a recording is already running.
pub(crate) fn is_already_started(error: &str) -> bool {
    error.contains("already started")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_library_is_an_elf_file() {
        assert_eq!(&LIBRARY[..4], b"\x7fELF");
    }

    #[test]
    fn the_last_error_of_a_log_is_found() {
        let log = "[WARN] a\n[ERROR] Profiler already started\n[INFO] b\n";
        let error = last_error(log).unwrap();
        assert_eq!(error, "Profiler already started");
        assert!(is_already_started(&error));
        assert_eq!(last_error(""), None);
        assert!(is_not_started("Profiler is not active") && !is_not_started(&error));
    }
}
