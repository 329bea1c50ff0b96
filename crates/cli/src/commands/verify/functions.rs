//! What each function cost in each profiled run: all experiments as one comparison.

use crate::Failure;
use std::path::{Path, PathBuf};
use whittle_analysis::compare::{Rename, Run};
use whittle_analysis::verify::FunctionRuns;
use whittle_analysis::{Profile, Query, Side};

/// Functions by run, the baseline's runs first; each experiment comes with its side and its units of work. Missing: a side has no
/// experiment.
pub(super) fn function_runs(
    experiments: &[(Side, PathBuf, Option<f64>)],
    renames: &[Rename],
) -> Result<Option<FunctionRuns>, Failure> {
    let of = |side: Side| experiments.iter().filter(move |(of, ..)| *of == side);
    if Side::BOTH.into_iter().any(|side| of(side).next().is_none()) {
        return Ok(None);
    }
    let read = |side: Side| of(side).map(|(_, path, _)| read(path)).collect::<Result<Vec<Run>, Failure>>();
    let compared = Profile::compare(read(Side::Baseline)?, read(Side::Candidate)?, (None, renames))?;
    let mut runs = compared.function_runs(&Query::default())?;
    // What was printed or given counts here, whatever the experiments know.
    if let Some(runs) = &mut runs {
        runs.units = Side::BOTH.into_iter().flat_map(of).map(|(.., units)| *units).collect();
    }
    Ok(runs)
}

fn read(path: &Path) -> Result<Run, Failure> {
    let experiment = whittle_experiment::read(path)?;
    Ok(Run { name: path.display().to_string(), manifest: experiment.manifest, tables: experiment.tables })
}
