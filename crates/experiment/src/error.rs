//! Why an experiment could not be read or written.

use std::path::PathBuf;
use thiserror::Error;
use whittle_model::{BrokenPromise, FORMAT_VERSION};

/// Why an experiment could not be read or written.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no experiment at this place.
    #[error("{} is not an experiment: it has no manifest.json; give the directory that `whittle collect` or `whittle import` wrote (NAME.whittle)", path.display())]
    NotAnExperiment {
        /// The directory that was asked for.
        path: PathBuf,
    },
    /// Nothing is at this place.
    #[error("{} does not exist; `ls -d *.whittle` lists the experiments here", path.display())]
    Absent {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The place is taken.
    #[error("{} exists already; choose another name, or --force to replace an experiment", path.display())]
    Exists {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The place is taken by something that is not an experiment, so it is not replaced.
    #[error("{} exists and is not an experiment, so it is not replaced; choose another name", path.display())]
    ExistsOther {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// A newer whittle wrote it.
    #[error("{} has format version {found}, this whittle reads up to {FORMAT_VERSION}; use the whittle that wrote it ({written_by}) or a newer one", path.display())]
    NewerFormat {
        /// The experiment.
        path: PathBuf,
        /// Its format version.
        found: u64,
        /// The program named in its manifest.
        written_by: String,
    },
    /// The manifest is damaged.
    #[error("{}: the manifest is damaged: {reason}", path.display())]
    BadManifest {
        /// The manifest file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A table file is damaged.
    #[error("{}: the table is damaged: {reason}", path.display())]
    BadTable {
        /// The table file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing of an experiment's tables could be read.
    #[error("{}: no table could be read: {reason}", path.display())]
    NothingReadable {
        /// The experiment.
        path: PathBuf,
        /// The first reason.
        reason: String,
    },
    /// The tables do not fit together.
    #[error("{}: the tables do not fit together: {broken}", path.display())]
    Invalid {
        /// The experiment.
        path: PathBuf,
        /// The first broken promise.
        broken: BrokenPromise,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
}

impl Error {
    /// Wraps the system's answer to `action` on `path`, for `map_err`.
    pub(crate) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
