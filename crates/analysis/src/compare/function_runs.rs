//! What each function cost in each run of a comparison: what statistics of runs are made from.

use crate::functions_by_part::Parts;
use crate::verify::{FunctionRun, FunctionRuns};
use crate::{AnalysisError, Flavour, Profile, Query};
use whittle_model::ThreadIndex;

impl Profile {
    /// Exclusive CPU time and samples of each function in each run, the baseline's runs first, each side's in the order in
    /// which they were given; missing: nothing is compared.
    ///
    /// # Errors
    /// A filter that names what is not there.
    pub fn function_runs(&self, query: &Query) -> Result<Option<FunctionRuns>, AnalysisError> {
        let Some(compared) = self.compared() else { return Ok(None) };
        let of = |thread: ThreadIndex, _| compared.run_of_thread.get(thread.row()).map(|run| *run as usize);
        let parts = Parts { count: compared.runs.len(), of: &of };
        let functions = self.functions_by_part(query, Flavour::Exclusive, &parts)?.into_iter();
        Ok(Some(FunctionRuns {
            sides: compared.runs.iter().map(|run| run.side).collect(),
            units: compared.runs.iter().map(|run| run.units).collect(),
            cpu_ns: compared.runs.iter().map(|run| run.cpu_ns).collect(),
            functions: functions
                .map(|function| FunctionRun {
                    name: function.name,
                    kind: function.kind,
                    cost_ns: function.cost_ns,
                    samples: function.samples,
                })
                .collect(),
        }))
    }
}
