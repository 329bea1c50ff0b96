//! Unreadable parts of an experiment.

use std::path::PathBuf;

/// An unreadable part of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// The problem and the effect of the problem.
    pub reason: String,
}
