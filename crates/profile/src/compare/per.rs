//! The default divisor of a comparison's values, and how many of these units each run has.

use crate::AnalysisError;
use crate::compare::Run;
use crate::sides::Per;

/// The default divisor: the first unit of work that all runs have, otherwise one second. If imported files do not
/// contain the elapsed time, the divisor is one run.
pub(super) fn usual_per(runs: &[&Run]) -> Per {
    let units = runs.first().map(|run| run.manifest.units_of_work.as_slice()).unwrap_or_default();
    let is_common = |name: &str| runs.iter().all(|run| run.units(name).is_some());
    let common = units.iter().find(|unit| is_common(&unit.name));
    let has_time = runs.iter().all(|run| run.manifest.duration_ns > 0);
    let usual = if has_time { Per::Second } else { Per::Run };
    common.map_or(usual, |unit| Per::Unit(unit.name.clone()))
}

/// How many `per` units a run has.
pub(super) fn amount(per: &Per, run: &Run) -> Result<f64, AnalysisError> {
    let amount = match per {
        Per::Unit(name) => run.units(name),
        Per::Second => Some(run.manifest.duration_ns as f64 / 1e9),
        Per::CpuSecond => Some(run.cpu_ns() / 1e9),
        Per::Run => Some(1.0),
    };
    let known = || run.manifest.units_of_work.iter().map(|unit| unit.name.clone()).collect();
    amount.filter(|amount| *amount > 0.0).ok_or_else(|| AnalysisError::UnknownAmount {
        run: run.name.clone(),
        per: per.words(),
        known: known(),
    })
}
