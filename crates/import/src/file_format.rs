//! Which tool's file the bytes are, by what is in them.

use crate::foreign::{Json, inflate, is_gzip, parse_json};
use crate::{ChunkExtent, chunk_extent, firefox, perf_data, pprof, speedscope};

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// A JFR recording.
    Jfr,
    /// A profile of pprof, packed or not.
    Pprof,
    /// A `perf.data` file.
    PerfData,
    /// A profile of the Firefox Profiler, packed or not.
    Firefox,
    /// A file of speedscope, packed or not.
    Speedscope,
    /// Collapsed stacks, or anything else that is text.
    Collapsed,
}

impl FileFormat {
    /// The format in words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Jfr => "JFR recording",
            Self::Pprof => "pprof",
            Self::PerfData => "perf.data",
            Self::Firefox => "Firefox Profiler",
            Self::Speedscope => "speedscope",
            Self::Collapsed => "collapsed stacks",
        }
    }
}

/// The format of a whole file; unpacked first where it is packed. What is nothing else counts as text.
pub fn file_format(bytes: &[u8]) -> FileFormat {
    if is_gzip(bytes) {
        let content = inflate(bytes).bytes;
        // A profile of pprof is usually packed, so a damaged one is more likely than text.
        return match format_of_content(&content) {
            FileFormat::Collapsed if std::str::from_utf8(&content).is_err() => FileFormat::Pprof,
            format => format,
        };
    }
    format_of_content(bytes)
}

fn format_of_content(bytes: &[u8]) -> FileFormat {
    if matches!(chunk_extent(bytes), ChunkExtent::Finished(_) | ChunkExtent::Unfinished) {
        FileFormat::Jfr
    } else if perf_data::is_perf_data(bytes) {
        FileFormat::PerfData
    } else if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{') {
        parse_json(bytes).map_or(FileFormat::Collapsed, |(file, _)| format_of_json(&file))
    } else if pprof::is_pprof(bytes) {
        FileFormat::Pprof
    } else {
        FileFormat::Collapsed
    }
}

fn format_of_json(file: &Json) -> FileFormat {
    if speedscope::is_speedscope(file) {
        FileFormat::Speedscope
    } else if firefox::is_firefox(file) {
        FileFormat::Firefox
    } else {
        FileFormat::Collapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_content() {
        let cases: [(&[u8], FileFormat); 6] = [
            (b"main;work 42\n", FileFormat::Collapsed),
            (b"", FileFormat::Collapsed),
            (b"PERFILE2________", FileFormat::PerfData),
            (br#"{"meta": {"preprocessedProfileVersion": 55}, "threads": []}"#, FileFormat::Firefox),
            (br#"{"shared": {"frames": []}, "profiles": []}"#, FileFormat::Speedscope),
            (b"\x0a\x04\x08\x01\x10\x02\x32\x00", FileFormat::Pprof),
        ];
        for (bytes, format) in cases {
            assert_eq!(file_format(bytes), format);
        }
    }
}
