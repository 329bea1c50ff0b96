//! The subject of a view: one experiment, or a comparison.

use crate::arguments::comparison::MeasureArguments;
use crate::experiments::{self, Comparison};
use std::path::PathBuf;
use whittle_profile::Profile;
use whittle_terminal::Failure;

/// One experiment, or both sides of a comparison.
pub(super) enum Subject {
    Experiment(PathBuf),
    Comparison { baseline: Vec<PathBuf>, candidate: Vec<PathBuf>, measure: MeasureArguments },
}

impl Subject {
    /// Reads the experiments.
    pub(super) fn load(&self) -> Result<Profile, Failure> {
        match self {
            Self::Experiment(experiment) => experiments::load(experiment),
            Self::Comparison { baseline, candidate, measure } => Comparison { baseline, candidate, measure }.load(),
        }
    }

    pub(super) fn is_comparison(&self) -> bool {
        matches!(self, Self::Comparison { .. })
    }
}
