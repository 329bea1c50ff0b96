//! Which tool's file the bytes are, by what is in them. Unpacked and parsed once, within a limit.

use crate::foreign::{Json, inflate, is_gzip, parse_json, parsed_bytes};
use crate::{ChunkExtent, ImportError, chunk_extent, firefox, otlp, perf_data, pprof, speedscope};
use std::borrow::Cow;

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// A JFR recording.
    Jfr,
    /// A profile of pprof, packed or not.
    Pprof,
    /// Profiles of OpenTelemetry, packed or not.
    Otlp,
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
            Self::Otlp => "OpenTelemetry profiles",
            Self::PerfData => "perf.data",
            Self::Firefox => "Firefox Profiler",
            Self::Speedscope => "speedscope",
            Self::Collapsed => "collapsed stacks",
        }
    }
}

/// A file of another profiler: unpacked, its JSON parsed, its format told.
#[derive(Debug)]
pub struct OpenedFile<'a> {
    bytes: Cow<'a, [u8]>,
    is_complete: bool,
    json: Option<Result<(Json, bool), String>>,
    format: FileFormat,
}

impl<'a> OpenedFile<'a> {
    /// Opens a whole file, packed or not; what is nothing else counts as text. `max_bytes` is what the file may take
    /// when it is unpacked and parsed; whatever a packed file says of itself, no more is taken.
    ///
    /// # Errors
    /// [`ImportError::TooLarge`].
    pub fn open(bytes: &'a [u8], max_bytes: usize) -> Result<Self, ImportError> {
        let is_packed = is_gzip(bytes);
        let (bytes, is_complete) = if is_packed { unpacked(bytes, max_bytes)? } else { (Cow::Borrowed(bytes), true) };
        // A line feed and a brace can be the start of a message, too.
        let is_otlp = otlp::is_otlp(&bytes);
        let is_object = !is_otlp && bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        let needed = parsed_bytes(&bytes);
        if is_object && needed > max_bytes {
            return Err(ImportError::TooLarge { max_bytes, needed: Some(needed) });
        }
        let json = is_object.then(|| parse_json(&bytes));
        // A profile of pprof is usually packed, so a damaged one is more likely than text.
        let format = match format_of_content(&bytes, json.as_ref()) {
            FileFormat::Collapsed | FileFormat::Pprof if is_otlp => FileFormat::Otlp,
            FileFormat::Collapsed if is_packed && std::str::from_utf8(&bytes).is_err() => FileFormat::Pprof,
            format => format,
        };
        Ok(Self { bytes, is_complete, json, format })
    }

    /// What it is, by its content.
    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// The content, unpacked.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// False if the packed file is cut or damaged.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The content as JSON, and whether its end is there.
    ///
    /// # Errors
    /// [`ImportError::NotJson`].
    pub(crate) fn json(&self) -> Result<(&Json, bool), ImportError> {
        match &self.json {
            Some(Ok((json, is_complete))) => Ok((json, *is_complete && self.is_complete)),
            Some(Err(problem)) => Err(ImportError::NotJson { problem: problem.clone() }),
            None => Err(ImportError::NotJson { problem: "no object at its start".to_owned() }),
        }
    }
}

fn unpacked(bytes: &[u8], max_bytes: usize) -> Result<(Cow<'static, [u8]>, bool), ImportError> {
    let content = inflate(bytes, max_bytes);
    if content.is_too_long {
        return Err(ImportError::TooLarge { max_bytes, needed: None });
    }
    Ok((Cow::Owned(content.bytes), content.is_complete))
}

fn format_of_content(bytes: &[u8], json: Option<&Result<(Json, bool), String>>) -> FileFormat {
    if matches!(chunk_extent(bytes), ChunkExtent::Finished(_) | ChunkExtent::Unfinished) {
        FileFormat::Jfr
    } else if perf_data::is_perf_data(bytes) {
        FileFormat::PerfData
    } else if let Some(json) = json {
        json.as_ref().map_or(FileFormat::Collapsed, |(file, _)| format_of_json(file))
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
            assert_eq!(OpenedFile::open(bytes, 100_000).unwrap().format(), format);
        }
    }
}
