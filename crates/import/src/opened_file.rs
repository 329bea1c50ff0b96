//! A file of another profiler after decompression, and the names of the formats.

use crate::ImportError;
use crate::foreign::Json;
use std::borrow::Cow;

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// A JFR recording.
    Jfr,
    /// A pprof profile, compressed or not.
    Pprof,
    /// OpenTelemetry profiles, compressed or not.
    Otlp,
    /// A `perf.data` file.
    PerfData,
    /// A Firefox Profiler profile, compressed or not.
    Firefox,
    /// A speedscope file, compressed or not.
    Speedscope,
    /// Collapsed stacks, or any other text.
    Collapsed,
}

impl FileFormat {
    /// The name of the format.
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

impl FileFormat {
    /// The name of a collector's engine: the format's title, or a shorter word.
    pub(crate) fn engine(self) -> &'static str {
        if self == Self::Collapsed { "collapsed" } else { self.title() }
    }
}

/// A file of another profiler: decompressed, with parsed JSON and detected format.
#[derive(Debug)]
pub struct OpenedFile<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    pub(crate) is_complete: bool,
    pub(crate) json: Option<Result<(Json, bool), String>>,
    pub(crate) format: FileFormat,
}

impl OpenedFile<'_> {
    /// The format, detected from the content.
    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// The decompressed content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// False if the compressed file is truncated or corrupt.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The content as JSON, and whether it is complete.
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
