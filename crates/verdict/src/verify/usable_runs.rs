//! Which functions changed: those with enough samples, by the trend-moderated t, under control of false discoveries.

use super::design::{Design, Order};
use super::function_runs::{FunctionRun, FunctionRuns};
use super::moved::moved;
use super::values::{Per, usable};
use super::view::{FunctionChange, FunctionsComparison};
use crate::Side;
use crate::stats::{Difference, LoggedRuns, ModeratedT, benjamini_hochberg};

/// Samples a run, on the side with more of them, below which a function goes into one row with all others.
const FEWEST_SAMPLES: f64 = 100.0;
/// The part of named functions that may be there by chance.
const FALSE_DISCOVERY_RATIO: f64 = 0.05;
const CONTINUITY: f64 = 0.5;

/// Functions that changed. Missing: fewer than two usable profiled runs a side.
pub(super) fn functions(design: &Design, runs: &FunctionRuns, per: &Per) -> Option<FunctionsComparison> {
    let runs = UsableRuns::new(runs, per)?;
    let (large, small): (Vec<Costs<'_>>, Vec<Costs<'_>>) =
        runs.costs().into_iter().partition(|costs| costs.samples >= FEWEST_SAMPLES);
    let moderated = ModeratedT::new(&large.iter().map(|costs| costs.logged(&runs)).collect::<Vec<_>>());
    let tested: Vec<(Costs<'_>, Difference)> = large
        .into_iter()
        .filter_map(|costs| moderated?.difference(&costs.logged(&runs)).map(|it| (costs, it)))
        .collect();
    let adjusted = benjamini_hochberg(&tested.iter().map(|(_, difference)| difference.p()).collect::<Vec<_>>());
    let passed = tested.iter().zip(adjusted).filter(|(_, p)| *p <= FALSE_DISCOVERY_RATIO);
    let mut changed: Vec<FunctionChange> =
        passed.map(|((costs, difference), p)| costs.change(&runs, *difference, Some(p))).collect();
    let size = |change: &FunctionChange| (change.candidate_ns - change.baseline_ns).abs();
    changed.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.name.cmp(&b.name)));
    Some(FunctionsComparison {
        per: per.name().to_owned(),
        tested_count: tested.len(),
        fewest_samples: FEWEST_SAMPLES,
        false_discovery_ratio: FALSE_DISCOVERY_RATIO,
        is_looks_like: design.order == Order::Sequential,
        moved: moved(&changed, &runs),
        other: other(&small, &runs),
        changed,
    })
}

/// The runs whose units are known.
pub(super) struct UsableRuns<'a> {
    all: &'a FunctionRuns,
    /// Position and divisor of each.
    chosen: Vec<(usize, f64)>,
}

/// One function: cost per unit in each usable run.
struct Costs<'a> {
    function: Option<&'a FunctionRun>,
    cost_ns: Vec<f64>,
    counts: Vec<f64>,
    /// Mean samples of a run on the side with more of them.
    samples: f64,
}

impl<'a> UsableRuns<'a> {
    fn new(all: &'a FunctionRuns, per: &Per) -> Option<Self> {
        let divisor = |run: usize| per.divisor(all.units.get(run).copied().flatten());
        let chosen = (0..all.sides.len()).filter_map(|run| divisor(run).map(|divisor| (run, divisor))).collect();
        let runs = Self { all, chosen };
        Side::BOTH.iter().all(|side| runs.sides().filter(|of| of == side).count() >= 2).then_some(runs)
    }

    fn sides(&self) -> impl Iterator<Item = Side> {
        self.chosen.iter().map(|(run, _)| self.all.sides[*run])
    }

    /// Cost per unit by usable run of all functions that fit. Without any: zeros.
    pub(super) fn sum(&self, is_wanted: impl Fn(&FunctionRun) -> bool) -> (Vec<f64>, Vec<f64>) {
        let mut sums = (vec![0.0; self.chosen.len()], vec![0.0; self.chosen.len()]);
        for costs in self.costs().iter().filter(|costs| costs.function.is_some_and(&is_wanted)) {
            sums.0.iter_mut().zip(&costs.cost_ns).for_each(|(sum, cost)| *sum += cost);
            sums.1.iter_mut().zip(&costs.counts).for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// Change of costs that were added up, by Welch's t. Missing: a side has none, or too little.
    pub(super) fn difference(&self, sums: &(Vec<f64>, Vec<f64>)) -> Option<Difference> {
        let logged = Costs::of_sums(self, sums.clone()).logged(self);
        let per_run =
            logged.sampling_variance * (1.0 / logged.baseline.len() as f64 + 1.0 / logged.candidate.len() as f64);
        Some(Difference::welch(&logged.baseline, &logged.candidate)?.with_least_error(per_run.sqrt()))
    }

    /// Functions whose figures are whole: one for each run, none negative.
    fn costs(&self) -> Vec<Costs<'a>> {
        let count = self.all.sides.len();
        let is_whole =
            |numbers: &[f64]| numbers.len() == count && numbers.iter().all(|it| it.is_finite() && *it >= 0.0);
        let usable = self.all.functions.iter().filter(|it| is_whole(&it.cost_ns) && is_whole(&it.samples));
        usable.map(|function| self.costs_of(function)).collect()
    }

    fn costs_of(&self, function: &'a FunctionRun) -> Costs<'a> {
        let cost_ns = self.chosen.iter().map(|(run, divisor)| function.cost_ns[*run] / divisor).collect();
        let counts = self.chosen.iter().map(|(run, _)| function.samples[*run]).collect();
        Costs { function: Some(function), ..Costs::of_sums(self, (cost_ns, counts)) }
    }

    /// Mean of one side's numbers.
    pub(super) fn mean(&self, numbers: &[f64], side: Side) -> f64 {
        let own: Vec<f64> = self.of(numbers, side).collect();
        own.iter().sum::<f64>() / own.len() as f64
    }

    fn of<'b>(&'b self, numbers: &'b [f64], side: Side) -> impl Iterator<Item = f64> + 'b {
        numbers.iter().zip(self.sides()).filter(move |(_, of)| *of == side).map(|(number, _)| *number)
    }
}

impl Costs<'_> {
    fn of_sums(runs: &UsableRuns<'_>, (cost_ns, counts): (Vec<f64>, Vec<f64>)) -> Self {
        let samples = Side::BOTH.iter().map(|side| runs.mean(&counts, *side)).fold(0.0, f64::max);
        Self { function: None, cost_ns, counts, samples }
    }

    /// Logarithms; with half a sample more everywhere where a run has none.
    fn logged(&self, runs: &UsableRuns<'_>) -> LoggedRuns {
        let is_typical = self.counts.iter().zip(&self.cost_ns).all(|(count, cost)| *count > 0.0 && *cost > 0.0);
        let of_a_sample = self.cost_ns.iter().sum::<f64>() / self.counts.iter().sum::<f64>();
        let more = if is_typical { 0.0 } else { CONTINUITY };
        let logs: Vec<f64> = self.cost_ns.iter().map(|cost| (cost + more * of_a_sample).ln()).collect();
        let variances = self.counts.iter().map(|count| 1.0 / (count + more));
        let sampling_variance = variances.sum::<f64>() / self.counts.len() as f64;
        LoggedRuns {
            baseline: runs.of(&logs, Side::Baseline).collect(),
            candidate: runs.of(&logs, Side::Candidate).collect(),
            sampling_variance,
            is_typical,
        }
    }

    fn change(&self, runs: &UsableRuns<'_>, difference: Difference, adjusted_p: Option<f64>) -> FunctionChange {
        let (low, high) = difference.interval(0.95);
        FunctionChange {
            name: self.function.map_or_else(|| "other".to_owned(), |function| function.name.clone()),
            kind: self.function.map(|function| function.kind.name().to_owned()),
            baseline_ns: runs.mean(&self.cost_ns, Side::Baseline),
            candidate_ns: runs.mean(&self.cost_ns, Side::Candidate),
            ratio: usable(difference.value.exp()),
            low_ratio: usable(low.exp()),
            high_ratio: usable(high.exp()),
            adjusted_p,
            samples: self.samples,
        }
    }
}

/// All functions with too few samples as one.
fn other(small: &[Costs<'_>], runs: &UsableRuns<'_>) -> Option<FunctionChange> {
    let mut sums = (vec![0.0; runs.chosen.len()], vec![0.0; runs.chosen.len()]);
    for costs in small {
        sums.0.iter_mut().zip(&costs.cost_ns).for_each(|(sum, cost)| *sum += cost);
        sums.1.iter_mut().zip(&costs.counts).for_each(|(sum, count)| *sum += count);
    }
    let difference = runs.difference(&sums)?;
    Some(Costs::of_sums(runs, sums).change(runs, difference, None))
}
