//! What an evaluation gets, however the runs were made.

use super::functions::function_runs;
use std::path::PathBuf;
use whittle_analysis::Side;
use whittle_analysis::compare::Rename;
use whittle_analysis::verify::{Design, Doubt, DoubtKind, Measured, Run, VerificationView, verify};

/// Runs with all that is known of them.
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
        // Minutes of runs are not thrown away because one part of the answer is missing.
        let functions = function_runs(&self.experiments, renames).unwrap_or_else(|error| {
            doubts
                .push(Doubt { kind: DoubtKind::Other, text: format!("functions are not compared: {}", error.message) });
            None
        });
        verify(&self.design, Measured { runs: &self.runs, functions: functions.as_ref(), doubts: &doubts })
    }
}
