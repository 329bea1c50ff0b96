//! The cost of each function in each run of a comparison: the input of the statistics.

use crate::verify::{FunctionRun, FunctionRuns};
use whittle_model::ThreadIndex;
use whittle_profile::AnalysisError;
use whittle_profile::metrics::Flavour;
use whittle_profile::query::Query;
use whittle_profile::{Parts, Profile};

/// Exclusive CPU time and samples of each function in each run: the baseline's runs first, each side in the order of
/// the input. `None`: the profile is not a comparison.
///
/// # Errors
/// A filter that names something that does not exist.
pub fn function_runs(profile: &Profile, query: &Query) -> Result<Option<FunctionRuns>, AnalysisError> {
    let Some(compared) = profile.compared() else { return Ok(None) };
    let of = |thread: ThreadIndex, _| compared.run_of_thread.get(thread.row()).map(|run| *run as usize);
    let parts = Parts { count: compared.runs.len(), of: &of };
    let functions = profile.functions_by_part(query, Flavour::Exclusive, &parts)?.into_iter();
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
