//! Other profilers in a JVM. Two profilers would compete for the signal SIGPROF and for the perf events, so whittle
//! refuses to collect.

use crate::Error;
use crate::attach::Library;
use crate::hand::path_of_mapped;
use crate::process::Process;
use crate::process_memory::mapped_libraries;
use crate::running::jvm_options;
use std::ffi::OsString;
use std::path::Path;

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
/// A library in `LD_PRELOAD` is loaded into whittle as well. Whittle has no handler for SIGPROF, so a handler in whittle's
/// own process is the library's.
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
    if handles_sigprof() {
        let preloaded = std::env::var_os("LD_PRELOAD").unwrap_or_default();
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
