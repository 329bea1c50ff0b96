//! The input of an evaluation. It has the same form for interleaved runs and for experiments.

use super::functions::function_runs;
use std::path::PathBuf;
use whittle_profile::Side;
use whittle_profile::compare::Rename;
use whittle_verdict::verify::{Design, Doubt, DoubtKind, Measured, Run, VerificationView, verify};

/// Runs with their design, warnings and experiments.
pub(super) struct Evidence {
    pub(super) design: Design,
    pub(super) runs: Vec<Run>,
    pub(super) doubts: Vec<Doubt>,
    /// Experiments of the profiled runs in their order, with their units of work.
    pub(super) experiments: Vec<(Side, PathBuf, Option<f64>)>,
}

impl Evidence {
    /// The verdict.
    pub(super) fn evaluate(&self, renames: &[Rename]) -> VerificationView {
        let mut doubts = self.doubts.clone();
        // If the functions cannot be compared, the results of the runs must not be lost.
        let functions = function_runs(&self.experiments, renames).unwrap_or_else(|error| {
            doubts
                .push(Doubt { kind: DoubtKind::Other, text: format!("functions are not compared: {}", error.message) });
            None
        });
        verify(&self.design, Measured { runs: &self.runs, functions: functions.as_ref(), doubts: &doubts })
    }
}
