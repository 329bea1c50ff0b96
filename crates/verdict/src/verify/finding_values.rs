//! The finding's cost in each profiled run. Looks for this cost below other callers if the calling method lost it.
//!
//! A change can rename, move, split or inline the finding's calling method. The calling method then costs less, and the
//! program does the same work. In this case, the pattern's cost is below other callers, which did not have it before:
//!
//! ```text
//!                    below the calling method   below other callers   the endpoint contains
//! fixed              100 ms -> 5 ms             0 ms -> 0 ms          the cost below the calling method
//! renamed            100 ms -> gone             0 ms -> 100 ms        the cost below any caller
//! split              100 ms -> 40 ms            0 ms -> 60 ms         the cost below any caller
//! gone               100 ms -> gone             0 ms -> 0 ms          no conclusion
//! ```

use crate::verify::values::{Endpoint, Per, Value};
use crate::verify::{CallingMethod, EndpointKind, FindingCost, PatternCost, Run};
use whittle_profile::sides::{Better, Side};

/// If a run has no samples, this number of samples is added to all runs, so that a logarithm exists (F. J. Anscombe,
/// Biometrika 43, 1956).
const CONTINUITY: f64 = 0.5;
/// The cost of the calling method moved if other callers took over at least this share of the change. With a smaller
/// share, noise of the other callers would more often be mistaken for moved cost.
const MOVED_RATIO: f64 = 0.5;

/// If the work of a run is unknown, other callers must not have had more than this share of the calling method's cost
/// before. A run of fixed length with a faster program does more work, so the other callers' cost grows, too.
const BEFORE_RATIO: f64 = 0.1;

/// Cost and number of samples.
type Cost = PatternCost;

/// The finding's cost, from the profiled runs.
pub(super) fn finding(runs: &[Run], per: &Per) -> Endpoint {
    let profiled: Vec<usize> = (0..runs.len()).filter(|run| runs[*run].finding.is_some()).collect();
    let calling = calling_method(runs, per);
    let cost = |run: usize| {
        let cost = runs[run].finding?;
        if calling == CallingMethod::Moved { cost.pattern } else { Some(cost.below_calling()) }
    };
    let value = |run: &usize| Some(value(runs, *run, cost(*run)?, per.divisor(runs[*run].units)?)).flatten();
    let mut values: Vec<Value> = profiled.iter().filter_map(value).collect();
    with_continuity(&mut values);
    let place = if calling == CallingMethod::Moved { ", below any caller" } else { "" };
    Endpoint {
        kind: EndpointKind::Finding,
        // CPU time or waiting time, depending on the pattern.
        name: format!("The finding's cost per {}{place}", per.name()),
        is_primary: true,
        better: Better::Smaller,
        missing_count: profiled.len() - values.len(),
        values,
        calling: Some(calling),
    }
}

impl FindingCost {
    fn below_calling(&self) -> Cost {
        Cost { cpu_ns: self.cpu_ns, samples: self.samples }
    }
}

/// What happened to the finding's calling method.
fn calling_method(runs: &[Run], per: &Per) -> CallingMethod {
    let mean = |side: Side, cost: &dyn Fn(FindingCost) -> Option<f64>| {
        let all = runs.iter().filter(|run| run.side == side).filter_map(|run| Some((run.finding?, run.units)));
        let known: Vec<f64> = all
            .filter_map(|(finding, units)| Some(cost(finding)? / per.divisor(units)?))
            .filter(|cost| cost.is_finite())
            .collect();
        known.iter().sum::<f64>() / known.len() as f64
    };
    let change = |cost: &dyn Fn(FindingCost) -> Option<f64>| mean(Side::Candidate, cost) - mean(Side::Baseline, cost);
    let of_calling = change(&|finding| Some(finding.cpu_ns));
    let of_others = change(&|finding| Some(finding.pattern?.cpu_ns - finding.cpu_ns));
    let had_others = mean(Side::Baseline, &|finding| Some(finding.pattern?.cpu_ns - finding.cpu_ns))
        > BEFORE_RATIO * mean(Side::Baseline, &|finding| Some(finding.cpu_ns));
    let is_known = !(had_others && matches!(per, Per::Run));
    // Comparisons with an unknown cost, NaN, are false.
    let is_moved = is_known && of_calling * of_others < 0.0 && of_others.abs() >= MOVED_RATIO * of_calling.abs();
    let mut of_candidate =
        runs.iter().filter(|run| run.side == Side::Candidate).filter_map(|run| run.finding).peekable();
    let is_gone = of_candidate.peek().is_some() && of_candidate.all(|finding| !finding.has_calling);
    match (is_moved, is_gone) {
        (true, _) => CallingMethod::Moved,
        (false, true) => CallingMethod::Gone,
        (false, false) => CallingMethod::Present,
    }
}

/// A run's value. `None`: the cost is not a number that a run can have.
fn value(runs: &[Run], run: usize, cost: Cost, divisor: f64) -> Option<Value> {
    let is_usable = cost.cpu_ns.is_finite() && cost.cpu_ns >= 0.0 && cost.samples.is_finite() && cost.samples >= 0.0;
    is_usable.then(|| {
        let samples = Some(cost.samples);
        Value { samples, sampling_variance: 1.0 / cost.samples, ..Value::new(runs, run, cost.cpu_ns / divisor) }
    })
}

/// If a run has no samples, half a sample is added to all runs. A finding that is gone then has a very small and very
/// uncertain cost, instead of no value.
fn with_continuity(values: &mut [Value]) {
    let is_gone = |value: &Value| value.samples == Some(0.0) || value.value <= 0.0;
    if !values.iter().any(is_gone) {
        return;
    }
    let (cost, samples) = values
        .iter()
        .fold((0.0, 0.0), |(cost, samples), value| (cost + value.value, samples + value.samples.unwrap_or_default()));
    let of_a_sample = cost / samples;
    for value in values {
        let samples = value.samples.unwrap_or_default() + CONTINUITY;
        // `value` is already per unit. Without samples, the mean cost of a sample is used.
        let own =
            value.samples.filter(|own| *own > 0.0 && value.value > 0.0).map_or(of_a_sample, |own| value.value / own);
        value.log = (samples * own).ln();
        value.sampling_variance = 1.0 / samples;
    }
}
