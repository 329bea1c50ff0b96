//! Why nothing could be imported.

use thiserror::Error;

/// An input that cannot be read at all. What is damaged in part is counted instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ImportError {
    /// No chunk of a recording was found.
    #[error(
        "wanted a JFR recording, found none in {byte_count} bytes: no chunk begins with \"FLR\" and has its metadata; \
         if the program still runs or was killed, its recorder may not have written anything yet"
    )]
    NotJfr {
        /// Length of the input.
        byte_count: u64,
    },
    /// No line is a collapsed stack.
    #[error("wanted collapsed stacks (\"main;parse 42\" a line), found none in {line_count} lines")]
    NotCollapsed {
        /// Lines of the input that are not empty.
        line_count: u64,
    },
    /// A gzip or protobuf file without samples of pprof.
    #[error("wanted a profile of pprof, found no sample types or no samples in {byte_count} bytes (unpacked)")]
    NotPprof {
        /// Length of the input, unpacked.
        byte_count: usize,
    },
    /// Bytes without profiles of OpenTelemetry.
    #[error("wanted profiles of OpenTelemetry (OTLP, v1development), found {found} in {byte_count} bytes (unpacked)")]
    NotOtlp {
        /// What there is instead.
        found: &'static str,
        /// Length of the input, unpacked.
        byte_count: usize,
    },
    /// Profiles of OpenTelemetry whose numbers mean one thing in one version of the format and another in the next.
    #[error(
        "{byte_count} bytes of OpenTelemetry profiles fit two versions of the format with different values, \
         and do not say which it is; a sender of version 1.10 or newer, or one that writes attributes, is understood"
    )]
    AmbiguousOtlp {
        /// Length of the input, unpacked.
        byte_count: usize,
    },
    /// A text that is no JSON from its start on.
    #[error("wanted JSON of the Firefox Profiler or of speedscope: {problem}")]
    NotJson {
        /// What the parser says.
        problem: String,
    },
    /// JSON without speedscope's profiles.
    #[error("wanted a file of speedscope with at least one profile, found none in {byte_count} bytes of JSON")]
    NotSpeedscope {
        /// Length of the input.
        byte_count: usize,
    },
    /// JSON without threads of the Firefox Profiler.
    #[error("wanted a processed profile of the Firefox Profiler, found no thread with samples in {byte_count} bytes of JSON{}", gecko_hint(*.is_gecko))]
    NotFirefox {
        /// Length of the input.
        byte_count: usize,
        /// True if it is a profile as the browser itself saves it, before it is processed.
        is_gecko: bool,
    },
    /// A file that would take more memory than it may.
    #[error(
        "wanted a file that takes at most {max_bytes} bytes of memory, found one that takes more {}; \
         --max-memory allows more",
        .needed.map_or_else(|| "when it is unpacked".to_owned(), |bytes| format!("as JSON, up to {bytes}"))
    )]
    TooLarge {
        /// The limit.
        max_bytes: usize,
        /// What it takes at most. Missing: packed, so that nobody knows.
        needed: Option<usize>,
    },
    /// A file of perf without samples.
    #[error("wanted a perf.data file, found {found} in {byte_count} bytes")]
    NotPerfData {
        /// What there is instead.
        found: &'static str,
        /// Length of the input.
        byte_count: usize,
    },
}

/// What to do about a profile that is not processed.
fn gecko_hint(is_gecko: bool) -> &'static str {
    if is_gecko {
        "; it is a profile as Firefox records it: open it in profiler.firefox.com and save it there"
    } else {
        ""
    }
}
