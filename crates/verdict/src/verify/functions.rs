//! Finds functions that changed. A trend-moderated t test examines functions with enough samples, with control of false
//! discoveries.

use crate::verify::moved::moved;
use crate::verify::usable_runs::{Costs, UsableRuns};
use crate::verify::values::Per;
use crate::verify::view::USUAL_INTERVAL_RATIO;
use crate::verify::{Design, FunctionChange, FunctionRuns, FunctionsComparison, Order};
use whittle_statistics::{Difference, ModeratedT, benjamini_hochberg, selected_confidence_ratio};

/// Required samples per run, on the side with more samples. Functions with fewer samples share one row.
const FEWEST_SAMPLES: f64 = 100.0;
/// The largest expected share of named functions that did not really change.
const FALSE_DISCOVERY_RATIO: f64 = 0.05;

/// Functions that changed. `None`: a side has fewer than two usable profiled runs.
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
    let passed: Vec<_> = tested.iter().zip(adjusted).filter(|(_, p)| *p <= FALSE_DISCOVERY_RATIO).collect();
    let interval_ratio = selected_confidence_ratio(passed.len(), tested.len(), FALSE_DISCOVERY_RATIO);
    let change = |((costs, difference), p): &(&(Costs<'_>, Difference), f64)| FunctionChange {
        adjusted_p: Some(*p),
        ..costs.change(&runs, *difference, interval_ratio)
    };
    let mut changed: Vec<FunctionChange> = passed.iter().map(change).collect();
    let size = |change: &FunctionChange| (change.candidate_ns - change.baseline_ns).abs();
    changed.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.name.cmp(&b.name)));
    Some(FunctionsComparison {
        per: per.name().to_owned(),
        tested_count: tested.len(),
        fewest_samples: FEWEST_SAMPLES,
        false_discovery_ratio: FALSE_DISCOVERY_RATIO,
        interval_ratio,
        is_looks_like: design.order == Order::Sequential,
        moved: moved(design, &changed, &runs),
        other: other(&small, &runs),
        changed,
    })
}

/// One row for all functions with too few samples.
fn other(small: &[Costs<'_>], runs: &UsableRuns<'_>) -> Option<FunctionChange> {
    let sums = runs.added_up(small.iter());
    let difference = runs.difference(&sums)?;
    Some(Costs::of_sums(runs, sums).change(runs, difference, USUAL_INTERVAL_RATIO))
}
