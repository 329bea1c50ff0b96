//! Errors of imports.

use thiserror::Error;

/// Why the whole input is unreadable. An unreadable part is counted as a loss instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ImportError {
    /// The input contains no chunk of a recording.
    #[error(
        "expected a JFR recording, found none in {byte_count} bytes: no chunk starts with \"FLR\" and has metadata; \
         if the program is still running or was killed, its recorder may not have written any data yet"
    )]
    NotJfr {
        /// Length of the input in bytes.
        byte_count: u64,
    },
    /// No line is a collapsed stack.
    #[error("expected collapsed stacks (lines such as \"main;parse 42\"), found none in {line_count} lines")]
    NotCollapsed {
        /// Number of lines of the input that are not empty.
        line_count: u64,
    },
    /// The gzip or protobuf file contains no pprof samples.
    #[error("expected a pprof profile, found no sample types or no samples in {byte_count} bytes (unpacked)")]
    NotPprof {
        /// Length of the input after decompression.
        byte_count: usize,
    },
    /// The bytes contain no OpenTelemetry profiles.
    #[error("expected OpenTelemetry profiles (OTLP, v1development), found {found} in {byte_count} bytes (unpacked)")]
    NotOtlp {
        /// What was found instead.
        found: &'static str,
        /// Length of the input after decompression.
        byte_count: usize,
    },
    /// The numbers of the OpenTelemetry profiles have different meanings in two versions of the format.
    #[error(
        "{byte_count} bytes of OpenTelemetry profiles fit two versions of the format, which give different values; \
         use a sender of version 1.10 or newer, or a sender that writes attributes"
    )]
    AmbiguousOtlp {
        /// Length of the input after decompression.
        byte_count: usize,
    },
    /// The text does not start as JSON.
    #[error("expected JSON of the Firefox Profiler or of speedscope: {problem}")]
    NotJson {
        /// The parser's message.
        problem: String,
    },
    /// The JSON contains no speedscope profiles.
    #[error("expected a speedscope file with at least one profile, found none in {byte_count} bytes of JSON")]
    NotSpeedscope {
        /// Length of the input in bytes.
        byte_count: usize,
    },
    /// The JSON contains no Firefox Profiler threads.
    #[error("expected a processed profile of the Firefox Profiler, found no thread with samples in {byte_count} bytes of JSON{}", gecko_hint(*.is_gecko))]
    NotFirefox {
        /// Length of the input in bytes.
        byte_count: usize,
        /// True if the file is an unprocessed profile that the browser saved.
        is_gecko: bool,
    },
    /// The compressed file contains almost only repetitions.
    #[error("the file unpacks to more than {max_bytes} bytes, which is 200 times its size: only repetitions do that")]
    OnlyRepetitions {
        /// The size at which unpacking was stopped.
        max_bytes: usize,
    },
    /// The file would need more memory than the limit.
    #[error(
        "expected a file that needs at most {max_bytes} bytes of memory; this file needs more {}",
        .needed.map_or_else(|| "when it is unpacked".to_owned(), |bytes| format!("when it is parsed, up to {bytes}"))
    )]
    TooLarge {
        /// The limit.
        max_bytes: usize,
        /// The maximum memory that the file can need. Missing: unknown, because the file is compressed.
        needed: Option<usize>,
    },
    /// The collapsed stacks have too many different frames on top of each other. Each of them takes memory.
    #[error("expected at most {max_count} different stacks, counting each frame on top of another; found more")]
    TooManyStacks {
        /// The limit.
        max_count: usize,
    },
    /// A chunk of a recording exceeds the limit. A file with holes can declare any size.
    #[error(
        "expected chunks with at most {max_bytes} bytes; the chunk at byte {position} of the recording has {byte_count}"
    )]
    ChunkTooLarge {
        /// Position of the chunk in the recording.
        position: u64,
        /// Size of the chunk, or of the rest of the file if the chunk is unfinished.
        byte_count: u64,
        /// The limit.
        max_bytes: u64,
    },
    /// The perf file contains no samples.
    #[error("expected a perf.data file, found {found} in {byte_count} bytes")]
    NotPerfData {
        /// What was found instead.
        found: &'static str,
        /// Length of the input in bytes.
        byte_count: usize,
    },
}

/// Tells the user how to convert an unprocessed profile.
fn gecko_hint(is_gecko: bool) -> &'static str {
    if is_gecko { "; this is an unprocessed profile: open it in profiler.firefox.com and save it there" } else { "" }
}
