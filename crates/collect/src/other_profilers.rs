//! Other profilers in a JVM. Two profilers would compete for the signal SIGPROF and for the perf events, so whittle
//! refuses to collect.

use crate::Error;
use crate::attach::Library;
use crate::hand::path_of_mapped;
use crate::process::Process;
use crate::process_memory::mapped_libraries;
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

/// Checks the command and the environment of a JVM that whittle is about to start.
///
/// A library in `LD_PRELOAD` is loaded into whittle as well. Whittle has no handler for SIGPROF, so a handler in whittle's
/// own process is the library's.
///
/// # Errors
/// An option loads another async-profiler, or a preloaded library handles SIGPROF.
pub(crate) fn check_launch(command: &[OsString]) -> Result<(), Error> {
    let words = command.iter().map(|word| word.to_string_lossy().into_owned());
    let of_variables = OPTION_VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
    if let Some(option) = words.chain(of_variables).find_map(|text| loaded_async_profiler(&text)) {
        return Err(Error::OtherProfilerAtStart { option });
    }
    if Process(std::process::id()).status()?.catches_sigprof() {
        let libraries = std::env::var("LD_PRELOAD").unwrap_or_default();
        return Err(Error::PreloadedSigprof { libraries });
    }
    Ok(())
}

/// The option in the text that loads an async-profiler.
fn loaded_async_profiler(text: &str) -> Option<String> {
    let is_loading = |word: &&str| LOADING_OPTIONS.iter().any(|option| word.starts_with(option));
    let library = |word: &str| word.split('=').next().unwrap_or_default().to_owned();
    text.split_whitespace().filter(is_loading).map(library).find(|word| is_async_profiler(word))
}

fn is_async_profiler(path: &str) -> bool {
    path.to_ascii_lowercase().replace('-', "").contains("asyncprofiler")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_async_profiler_is_found_in_options() {
        let found = loaded_async_profiler;
        let option = "-agentpath:/opt/async-profiler/lib/libasyncProfiler.so";
        assert_eq!(found(&format!("-Xmx1g {option}=start,event=cpu -ea")).as_deref(), Some(option));
        assert_eq!(found("-agentlib:asyncProfiler=start").as_deref(), Some("-agentlib:asyncProfiler"));
        assert_eq!(found("-agentlib:jdwp=transport=dt_socket,server=y"), None);
        // Only the name of the library counts, not its options.
        assert_eq!(found("-agentpath:/opt/other.so=asyncProfiler"), None);
        assert_eq!(found("-Dlibrary=-agentpath:libasyncProfiler.so"), None);
    }
}
