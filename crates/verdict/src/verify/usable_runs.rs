//! Profiled runs with known units, and the cost of each function in each of these runs.

use crate::verify::values::{Per, usable};
use crate::verify::{FunctionChange, FunctionRun, FunctionRuns};
use whittle_profile::sides::Side;
use whittle_statistics::{Difference, LoggedRuns};

/// If a function has no samples in one run, this number of samples is added to all of its runs, because zero has no
/// logarithm.
const CONTINUITY: f64 = 0.5;

/// The runs with known units.
pub(super) struct UsableRuns<'a> {
    all: &'a FunctionRuns,
    /// Position and divisor of each usable run.
    chosen: Vec<(usize, f64)>,
}

/// One function with its cost per unit in each usable run.
pub(super) struct Costs<'a> {
    function: Option<&'a FunctionRun>,
    cost_ns: Vec<f64>,
    counts: Vec<f64>,
    /// Mean samples per run on the side with more samples.
    pub(super) samples: f64,
}

impl<'a> UsableRuns<'a> {
    pub(super) fn new(all: &'a FunctionRuns, per: &Per) -> Option<Self> {
        let divisor = |run: usize| per.divisor(all.units.get(run).copied().flatten());
        let chosen = (0..all.sides.len()).filter_map(|run| divisor(run).map(|divisor| (run, divisor))).collect();
        let runs = Self { all, chosen };
        Side::BOTH.iter().all(|side| runs.sides().filter(|of| of == side).count() >= 2).then_some(runs)
    }

    fn sides(&self) -> impl Iterator<Item = Side> {
        self.chosen.iter().map(|(run, _)| self.all.sides[*run])
    }

    /// For each usable run: cost per unit and number of samples, added up over all matching functions. Both are zero if
    /// no function matches.
    pub(super) fn sum(&self, is_wanted: impl Fn(&FunctionRun) -> bool) -> (Vec<f64>, Vec<f64>) {
        let all = self.costs();
        self.added_up(all.iter().filter(|costs| costs.function.is_some_and(&is_wanted)))
    }

    /// Total cost and number of samples of these functions, for each usable run.
    pub(super) fn added_up<'b>(&self, all: impl Iterator<Item = &'b Costs<'b>>) -> (Vec<f64>, Vec<f64>) {
        let mut sums = (vec![0.0; self.chosen.len()], vec![0.0; self.chosen.len()]);
        for costs in all {
            sums.0.iter_mut().zip(&costs.cost_ns).for_each(|(sum, cost)| *sum += cost);
            sums.1.iter_mut().zip(&costs.counts).for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// Change of added-up costs, by Welch's t test. `None`: a side has no cost, or too few samples.
    pub(super) fn difference(&self, sums: &(Vec<f64>, Vec<f64>)) -> Option<Difference> {
        let logged = Costs::of_sums(self, sums.clone()).logged(self);
        let per_run =
            logged.sampling_variance * (1.0 / logged.baseline.len() as f64 + 1.0 / logged.candidate.len() as f64);
        Some(Difference::welch(&logged.baseline, &logged.candidate)?.with_least_error(per_run.sqrt()))
    }

    /// Functions with complete values: one value for each run, and no negative value.
    pub(super) fn costs(&self) -> Vec<Costs<'a>> {
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
    pub(super) fn of_sums(runs: &UsableRuns<'_>, (cost_ns, counts): (Vec<f64>, Vec<f64>)) -> Self {
        let samples = Side::BOTH.iter().map(|side| runs.mean(&counts, *side)).fold(0.0, f64::max);
        Self { function: None, cost_ns, counts, samples }
    }

    /// Logarithms of the costs. If a run has no sample, half a sample is added to all runs.
    pub(super) fn logged(&self, runs: &UsableRuns<'_>) -> LoggedRuns {
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

    /// The change with an interval of this confidence.
    pub(super) fn change(&self, runs: &UsableRuns<'_>, difference: Difference, interval_ratio: f64) -> FunctionChange {
        let (low, high) = difference.interval(interval_ratio);
        FunctionChange {
            name: self.function.map_or_else(|| "other".to_owned(), |function| function.name.clone()),
            kind: self.function.map(|function| function.kind.name().to_owned()),
            baseline_ns: runs.mean(&self.cost_ns, Side::Baseline),
            candidate_ns: runs.mean(&self.cost_ns, Side::Candidate),
            ratio: usable(difference.value.exp()),
            low_ratio: usable(low.exp()),
            high_ratio: usable(high.exp()),
            adjusted_p: None,
            samples: self.samples,
        }
    }
}
