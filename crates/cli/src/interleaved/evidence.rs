//! The input of an evaluation. It has the same form for interleaved runs and for experiments.

use super::functions::function_runs;
use std::path::PathBuf;
use whittle_profile::Side;
use whittle_profile::compare::Rename;
use whittle_verdict::verify::{Design, Doubt, DoubtKind, Measured, Run, VerificationView, verify};

/// Runs with their design, warnings and experiments.
pub(crate) struct Evidence {
    pub(crate) design: Design,
    pub(crate) runs: Vec<Run>,
    pub(crate) doubts: Vec<Doubt>,
    /// Experiments of the profiled runs in their order, with their units of work.
    pub(crate) experiments: Vec<(Side, PathBuf, Option<f64>)>,
}

impl Evidence {
    /// The verdict.
    pub(crate) fn evaluate(&self, renames: &[Rename]) -> VerificationView {
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
