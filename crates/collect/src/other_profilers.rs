//! Other profilers in a JVM. Two profilers would compete for the signal SIGPROF and for the perf events, so whittle
//! refuses to collect.

use crate::Error;
use crate::attach::Library;
use crate::hand::path_of_mapped;
use crate::process::Process;
use crate::process_memory::mapped_libraries;
use crate::running::jvm_options;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Variables with further options for a JVM.
const OPTION_VARIABLES: [&str; 3] = ["JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"];

/// Options of a JVM that load a library.
const LOADING_OPTIONS: [&str; 2] = ["-agentpath:", "-agentlib:"];

/// Checks a running JVM: it has no other async-profiler, and does not handle SIGPROF itself. Each of the profiler's
/// engines replaces the handler.
///
/// # Errors
/// The JVM has one of these, or its libraries cannot be read.
pub(crate) fn check_running(process: Process, library: &Library) -> Result<(), Error> {
    let libraries = mapped_libraries(process).map_err(Error::io("read", &process.path("maps")))?;
    let is_ours = |path: &String| match library {
        Library::File(library) => Path::new(path) == library,
        Library::Memory => path_of_mapped(path).is_some(),
    };
    if let Some(library) = libraries.iter().find(|path| is_async_profiler(path) && !is_ours(path)) {
        return Err(Error::OtherProfiler { pid: process.0, library: library.clone() });
    }
    // After an earlier collection, the handler is the profiler's own.
    let is_loaded = libraries.iter().any(is_ours);
    if !is_loaded && process.status()?.catches_sigprof() {
        return Err(Error::OwnSigprof { pid: process.0 });
    }
    Ok(())
}

/// Checks the command and the environment of a JVM that whittle is about to start. Options in files (`@file`, the flags file)
/// are not read.
///
/// A library in `LD_PRELOAD` is loaded into whittle as well, or into another program if whittle is static. Neither has a handler
/// for SIGPROF itself, so a handler is the library's.
///
/// # Errors
/// An option loads another async-profiler, or a preloaded library handles SIGPROF.
pub(crate) fn check_launch(command: &[OsString]) -> Result<(), Error> {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(option) = jvm_options(&words).into_iter().find(|option| loads_async_profiler(option)) {
        return Err(Error::OtherProfilerAtStart { option: option.to_owned(), origin: "the command".to_owned() });
    }
    for name in OPTION_VARIABLES {
        let text = std::env::var(name).unwrap_or_default();
        if let Some(option) = text.split_whitespace().find(|option| loads_async_profiler(option)) {
            return Err(Error::OtherProfilerAtStart { option: option.to_owned(), origin: name.to_owned() });
        }
    }
    let preloaded = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    if handles_sigprof()
        || (cfg!(target_feature = "crt-static") && !preloaded.is_empty() && is_sigprof_handled_in(PROBE))
    {
        return Err(Error::PreloadedSigprof { preloaded: preloaded.to_string_lossy().into_owned() });
    }
    Ok(())
}

/// True if whittle's own process handles SIGPROF.
fn handles_sigprof() -> bool {
    // SAFETY: an all-zero sigaction is a valid value of that plain C struct.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live value of the type that the call writes, and a null action changes nothing.
    let result = unsafe { libc::sigaction(libc::SIGPROF, std::ptr::null(), &raw mut action) };
    result == 0 && action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN
}

/// A program that every system has. It answers only after the functions of preloaded libraries have run.
const PROBE: &str = "cat";
/// Without an answer, the libraries cannot be checked.
const PROBE_SECONDS: i64 = 5;

/// True if a program handles SIGPROF that returns what it reads, and runs with whittle's environment.
fn is_sigprof_handled_in(program: &str) -> bool {
    let started = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut probe) = started else { return false };
    let is_handled = answers(&mut probe) && Process(probe.id()).status().is_ok_and(|status| status.catches_sigprof());
    // The probe can have ended already.
    let _ = probe.kill();
    let _ = probe.wait();
    is_handled
}

fn answers(probe: &mut Child) -> bool {
    let (Some(input), Some(output)) = (&mut probe.stdin, &probe.stdout) else { return false };
    let limit = Timespec { tv_sec: PROBE_SECONDS, tv_nsec: 0 };
    let mut waits = [PollFd::new(output, PollFlags::IN)];
    input.write_all(b"\n").is_ok()
        && poll(&mut waits, Some(&limit)).is_ok()
        && waits[0].revents().contains(PollFlags::IN)
}

/// True for an option that loads a library with the name of async-profiler.
fn loads_async_profiler(option: &str) -> bool {
    let loaded = LOADING_OPTIONS.iter().find_map(|start| option.strip_prefix(start));
    loaded.and_then(|loaded| loaded.split('=').next()).is_some_and(is_async_profiler)
}

fn is_async_profiler(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.to_ascii_lowercase().replace('-', "").contains("asyncprofiler")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_loads_an_async_profiler_is_found() {
        assert!(loads_async_profiler("-agentpath:/opt/async-profiler/lib/libasyncProfiler.so=start,event=cpu"));
        assert!(
            loads_async_profiler("-agentlib:asyncProfiler=start") && loads_async_profiler("-agentlib:asyncProfiler")
        );
        assert!(!loads_async_profiler("-agentlib:jdwp=transport=dt_socket,server=y"));
        // Only the name of the library counts, not its folder and options.
        assert!(!loads_async_profiler("-agentpath:/opt/async-profiler/libother.so=asyncProfiler"));
        assert!(!loads_async_profiler("-Dlibrary=-agentpath:libasyncProfiler.so"));
    }

    #[test]
    fn a_program_without_a_preloaded_library_handles_no_sigprof() {
        assert!(!is_sigprof_handled_in(PROBE));
        assert!(!is_sigprof_handled_in("/no/such/program"));
        // A shell with a handler, which then answers.
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("handles");
        std::fs::write(&program, "#!/bin/sh\ntrap : PROF\nexec cat\n").unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert!(!is_sigprof_handled_in(program.to_str().unwrap()), "exec resets handlers");
        std::fs::write(&program, "#!/bin/sh\ntrap : PROF\nread line\necho\nread line\n").unwrap();
        assert!(is_sigprof_handled_in(program.to_str().unwrap()));
    }

    /// Another JVM, which the program starts, may have the other profiler.
    #[test]
    fn options_of_the_program_are_not_options_of_the_jvm() {
        let other = "-agentpath:/opt/libasyncProfiler.so";
        let launch = |words: &[&str]| check_launch(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(launch(&["java", "-cp", "a.jar", other, "Main"]).is_err());
        assert!(launch(&["java", "-cp", "a.jar", "Main", other]).is_ok());
        assert!(launch(&["java", "-jar", "benchmarks.jar", "-jvmArgs", other]).is_ok());
        assert!(launch(&["java", "-Xmx1g", "-jar", "benchmarks.jar", &format!("-jvmArgs={other}")]).is_ok());
    }
}
