//! Computes each function's cost in each profiled run, with all experiments in one comparison.

use std::path::{Path, PathBuf};
use whittle_profile::compare::{Rename, Run};
use whittle_profile::{Query, Side};
use whittle_terminal::Failure;
use whittle_verdict::verify::FunctionRuns;

/// Functions by run, with the baseline's runs first. `experiments` contains side, path and units of work of each
/// experiment. Missing: a side has no experiment.
pub(crate) fn function_runs(
    experiments: &[(Side, PathBuf, Option<f64>)],
    renames: &[Rename],
) -> Result<Option<FunctionRuns>, Failure> {
    let of = |side: Side| experiments.iter().filter(move |(of, ..)| *of == side);
    if Side::BOTH.into_iter().any(|side| of(side).next().is_none()) {
        return Ok(None);
    }
    let read = |side: Side| of(side).map(|(_, path, _)| read(path)).collect::<Result<Vec<Run>, Failure>>();
    let compared = whittle_profile::compare::compare(read(Side::Baseline)?, read(Side::Candidate)?, (None, renames))?;
    let mut runs = whittle_verdict::verify::function_runs(&compared, &Query::default())?;
    // Units from the program's output or the command line replace the units in the experiments.
    if let Some(runs) = &mut runs {
        runs.units = Side::BOTH.into_iter().flat_map(of).map(|(.., units)| *units).collect();
    }
    Ok(runs)
}

fn read(path: &Path) -> Result<Run, Failure> {
    let experiment = whittle_experiment::read(path)?;
    Ok(Run { name: path.display().to_string(), manifest: experiment.manifest, tables: experiment.tables })
}
