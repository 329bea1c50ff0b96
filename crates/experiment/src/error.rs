//! Errors that occur when whittle reads or writes an experiment.

use std::path::PathBuf;
use thiserror::Error;
use whittle_model::{BrokenPromise, FORMAT_VERSION};

/// Why an experiment could not be read or written.
#[derive(Debug, Error)]
pub enum Error {
    /// The path does not contain an experiment.
    #[error("{} is not an experiment: it has no manifest.json", path.display())]
    NotAnExperiment {
        /// The requested directory.
        path: PathBuf,
    },
    /// The path does not exist.
    #[error("{} does not exist; `ls -d *.whittle` lists the experiments here", path.display())]
    Absent {
        /// The requested path.
        path: PathBuf,
    },
    /// The path exists already.
    #[error("{} exists already", path.display())]
    Exists {
        /// The requested path.
        path: PathBuf,
    },
    /// The path exists but is not an experiment. Whittle does not replace the path.
    #[error("{} exists but is not an experiment, so whittle does not replace it; choose another name", path.display())]
    ExistsOther {
        /// The requested path.
        path: PathBuf,
    },
    /// A newer version of whittle wrote the experiment.
    #[error("{} has format version {found}, but this whittle reads only versions up to {FORMAT_VERSION}; use {written_by}, which wrote the experiment, or a newer version", path.display())]
    NewerFormat {
        /// The experiment.
        path: PathBuf,
        /// The experiment's format version.
        found: u64,
        /// The program that wrote the experiment, from the manifest.
        written_by: String,
    },
    /// The manifest is unreadable.
    #[error("{}: the manifest is damaged: {reason}", path.display())]
    BadManifest {
        /// The manifest file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// A table file is unreadable.
    #[error("{}: the table is damaged: {reason}", path.display())]
    BadTable {
        /// The table file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// The tables need more memory than tables of this file size can need. A tiny file can contain billions of rows.
    #[error(
        "{}: the experiment's tables need more than {allowed_bytes} bytes of memory, the limit for files of this size",
        path.display()
    )]
    TooLarge {
        /// The table file that exceeds the limit.
        path: PathBuf,
        /// The limit in bytes.
        allowed_bytes: u64,
    },
    /// No table of the experiment is readable.
    #[error("{}: no table could be read: {reason}", path.display())]
    NothingReadable {
        /// The experiment.
        path: PathBuf,
        /// Why the first table is unreadable.
        reason: String,
    },
    /// The tables contradict each other.
    #[error("{}: the tables contradict each other: {broken}", path.display())]
    Invalid {
        /// The experiment.
        path: PathBuf,
        /// The first broken rule.
        broken: BrokenPromise,
    },
    /// The operating system reported an error.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl Error {
    /// Returns a function for `map_err`. The function adds `action` and `path` to the system's error.
    pub(crate) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
