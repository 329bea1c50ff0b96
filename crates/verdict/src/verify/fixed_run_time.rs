//! Recognizes programs that run for a fixed time. A faster program then does more work, and its cost per run does not
//! show this.
//!
//! The time of a fixed amount of work varies with the machine: usually by 1 % or more, like CPU time. A timer in the
//! program stops each run after the same time, on both sides.

use crate::verify::Run;
use crate::verify::values::{Per, printed_names, timed};
use crate::verify::words::{nanos, percent};
use whittle_statistics::mean_and_variance;

/// Elapsed times of a timer vary less, measured as the standard deviation of logarithms over the runs of both sides.
const LARGEST_SPREAD: f64 = 0.01;
/// If no printed number shows that the work varies, only this small variation shows a timer.
const LARGEST_SPREAD_ALONE: f64 = 0.005;
/// A printed number shows that the work varies if its spread is this many times the spread of elapsed times.
const TIMES_SPREAD: f64 = 5.0;
/// With fewer runs, equal elapsed times can be due to chance.
const FEWEST_RUNS: usize = 4;

/// The warning that costs mislead. `None`: the run time is not fixed, or costs are per unit, and the units of work vary as
/// the work does.
pub(super) fn fixed_run_time(runs: &[Run], per: &Per) -> Option<String> {
    let timed: Vec<&Run> = timed(runs).into_iter().map(|run| &runs[run]).collect();
    let elapsed: Vec<f64> = timed.iter().map(|run| run.elapsed_ns as f64).collect();
    let (middle, elapsed_spread) = spread(&elapsed).filter(|_| timed.len() >= FEWEST_RUNS)?;
    // If only one side has units, costs are per run, and units that vary do not correct them.
    let has_units = matches!(per, Per::Unit(_));
    if elapsed_spread > LARGEST_SPREAD || has_units && have_different_units(&timed) {
        return None;
    }
    let varying = varying_number(&timed, elapsed_spread);
    if varying.is_none() && (has_units || elapsed_spread > LARGEST_SPREAD_ALONE) {
        return None;
    }
    let unit = if has_units { "unit, with the same number of units in every run," } else { "run" };
    let varies = varying.map(|(name, spread)| format!(" {name} varies by {}, so the work varies.", percent(spread)));
    Some(format!(
        "the program seems to fix its run time: every run takes about {} (standard deviation {}).{} The cost per {unit} \
         misleads, because a faster program does more work in this time. Read the units of work that each run did from \
         the output: --metric with a group that ends in _count",
        nanos(middle),
        percent(elapsed_spread),
        varies.unwrap_or_default(),
    ))
}

/// Whether the runs did different numbers of units. The cost per unit is then correct.
fn have_different_units(timed: &[&Run]) -> bool {
    let units: Vec<f64> = timed.iter().filter_map(|run| run.units).collect();
    units.windows(2).any(|pair| pair[0] != pair[1])
}

/// Whether a printed number counts work: a count or a rate. A latency can vary although the work is the same.
fn counts_work(name: &str) -> bool {
    name.ends_with("_count") || name.contains("_per_")
}

/// A printed number of work that varies much more than the elapsed time, with its spread.
fn varying_number<'a>(timed: &[&'a Run], elapsed_spread: f64) -> Option<(&'a str, f64)> {
    let names = printed_names(timed.iter().copied()).into_iter().filter(|name| counts_work(name));
    let values = |name: &str| -> Vec<f64> {
        timed.iter().flat_map(|run| &run.metrics).filter(|it| it.name == name).map(|it| it.value).collect()
    };
    let mut spreads = names.filter_map(|name| Some((name, spread(&values(name))?.1)));
    spreads.find(|(_, spread)| *spread > LARGEST_SPREAD.max(TIMES_SPREAD * elapsed_spread))
}

/// Geometric mean, and the standard deviation of the logarithms. `None`: a value has no logarithm.
fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    mean_and_variance(&logs).map(|(mean, variance)| (mean.exp(), variance.sqrt()))
}
