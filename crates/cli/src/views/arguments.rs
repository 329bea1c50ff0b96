//! The arguments that select what a view shows: one experiment, or a comparison with a baseline.

use super::subject::Subject;
use crate::arguments::comparison::AgainstArguments;
use clap::Args;
use std::path::PathBuf;

/// The experiments that a view shows, outside of `whittle compare`.
#[derive(Debug, Args)]
pub(crate) struct ShownArguments {
    /// The experiment's directory
    experiment: PathBuf,
    #[command(flatten)]
    against: AgainstArguments,
}

impl ShownArguments {
    /// The experiment, or a comparison if the command line has a baseline.
    pub(super) fn subject(&self) -> Subject {
        let AgainstArguments { baseline, and, measure } = &self.against;
        if baseline.is_empty() {
            return Subject::Experiment(self.experiment.clone());
        }
        let candidate = std::iter::once(&self.experiment).chain(and).cloned().collect();
        Subject::Comparison { baseline: baseline.clone(), candidate, measure: measure.clone() }
    }
}
