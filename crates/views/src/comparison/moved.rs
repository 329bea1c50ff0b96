//! Finds cost that moved between functions while their caller's cost did not change. Examples are a renamed method, and
//! code that was split or inlined. Moved cost is neither a saving nor a loss.
//!
//! ```text
//!                 baseline   candidate
//! handle             10          10        unchanged
//!   parse             6           1        5 moved from here
//!   parseFast         0           5        to here
//!   write             4           4
//! ```

use rustc_hash::FxHashMap;
use serde::Serialize;
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::entity_tree::ROOT;
use whittle_profile::query::Query;
use whittle_profile::reduction::{EntityKey, NodeWeights, Reduction};
use whittle_profile::sides::Per;

/// Cost that moved below one function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MovedCost {
    /// The function with unchanged cost.
    pub under: String,
    /// Functions that cost less, the largest change first.
    pub from: Vec<String>,
    /// Functions that cost more, the largest change first.
    pub to: Vec<String>,
    /// The amount that moved, in the unit of the metric.
    pub value: f64,
}

/// Moved cost below this share of the baseline's total is not reported.
const SMALLEST_RATIO: f64 = 0.01;
/// Paths below this share of both totals are not followed. Moved cost on such paths is too small to report, and most
/// paths of a large tree are this small.
const FOLLOWED_RATIO: f64 = 1e-4;
/// Largest cost change of an unchanged caller, as a share of the moved cost.
const UNCHANGED_RATIO: f64 = 0.25;
/// Largest cost change of an unchanged caller, as a share of the caller's cost in the baseline.
const UNCHANGED_OWN_RATIO: f64 = 0.05;
/// Largest number of reported moves.
const COUNT: usize = 5;
/// The smallest share of the moved cost that the named functions must explain.
const TOLD_RATIO: f64 = 0.7;
/// Largest number of functions that are named on each side of a move.
const NAMED: usize = 3;

/// The changes below one function. These are the changes of the functions directly below it, and the change of its
/// exclusive cost.
#[derive(Default)]
struct Changes {
    /// Total change below the function.
    whole: f64,
    baseline: f64,
    by_entity: FxHashMap<u32, f64>,
}

/// Moved costs of a comparison, the largest first. Empty for a single experiment. All paths to a function are added up.
/// `metric` is the position of the baseline's sums.
pub(crate) fn moved_costs(profile: &Profile, query: &Query, metric: usize) -> Result<Vec<MovedCost>, AnalysisError> {
    // With values per second, a busy thread that does less of one thing does more of another. This is not moved cost.
    let per = profile.comparison().map(|comparison| &comparison.per.per);
    if !matches!(per, Some(Per::Unit(_) | Per::Run)) {
        return Ok(Vec::new());
    }
    let weights = profile.weights(query)?;
    weights.by_stack.prepare(&[metric, metric + 1]);
    let reduction = profile.shown(query, EntityKey::Function)?;
    let sides = [metric, metric + 1].map(|metric| reduction.node_weights(&weights.by_stack[metric]));
    let smallest = sides[0].inclusive(ROOT) * SMALLEST_RATIO;
    let mut moved: Vec<MovedCost> = Vec::new();
    for (entity, changes) in changes_by_function(&reduction, &sides) {
        moved.extend(moved_from(profile, entity, &changes, smallest));
    }
    whittle_profile::order::sort_by(&mut moved, |a, b| b.value.total_cmp(&a.value).then_with(|| a.under.cmp(&b.under)));
    moved.truncate(COUNT);
    Ok(moved)
}

fn moved_from(profile: &Profile, entity: u32, changes: &Changes, smallest: f64) -> Option<MovedCost> {
    let sum =
        |sign: f64| changes.by_entity.values().filter(|delta| *delta * sign > 0.0).fold(0.0, |sum, one| sum + one);
    let value = sum(1.0).min(-sum(-1.0));
    let limit = (value * UNCHANGED_RATIO).min(changes.baseline * UNCHANGED_OWN_RATIO);
    if value < smallest || value <= 0.0 || changes.whole.abs() > limit {
        return None;
    }
    let names = |sign: f64| {
        let mut changed: Vec<(u32, f64)> = changes
            .by_entity
            .iter()
            .map(|(entity, delta)| (*entity, delta * sign))
            .filter(|(_, by)| *by > 0.0)
            .collect();
        whittle_profile::order::sort_by(&mut changed, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let largest = changed.first().map_or(0.0, |(_, by)| *by);
        let told = changed.into_iter().filter(|(_, by)| *by >= largest / 10.0).take(NAMED);
        let (told, amounts): (Vec<u32>, Vec<f64>) = told.unzip();
        // Many small changes in both directions are due to chance.
        let is_told = amounts.iter().sum::<f64>() >= value * TOLD_RATIO;
        is_told.then(|| told.into_iter().map(|entity| profile.names().display_name(entity).to_owned()).collect())
    };
    let under = profile.names().display_name(entity).to_owned();
    Some(MovedCost { under, from: names(-1.0)?, to: names(1.0)?, value })
}

/// The changes directly below each function. If a function calls itself, only the outermost call is used.
fn changes_by_function(reduction: &Reduction, sides: &[NodeWeights<'_>; 2]) -> Vec<(u32, Changes)> {
    let tree = &reduction.tree;
    let delta = |node: u32| sides[1].inclusive(node) - sides[0].inclusive(node);
    let mut changes: Vec<Option<Changes>> = (0..reduction.places.len()).map(|_| None).collect();
    let both = |node: u32| sides[0].inclusive(node) + sides[1].inclusive(node);
    let followed = both(ROOT) * FOLLOWED_RATIO;
    let mut next = ROOT;
    while (next as usize) < tree.len() {
        let node = next;
        if both(node) < followed {
            next = tree.end[node as usize];
            continue;
        }
        next += 1;
        let entity = tree.entity[node as usize];
        if !tree.is_first()[node as usize] {
            continue;
        }
        let of = changes[entity as usize].get_or_insert_default();
        of.whole += delta(node);
        of.baseline += sides[0].inclusive(node);
        let own = sides[1].exclusive(node) - sides[0].exclusive(node);
        let below = tree.children(node).map(|child| (tree.entity[child as usize], delta(child)));
        for (entity, delta) in below.chain([(entity, own)]).filter(|(_, delta)| *delta != 0.0) {
            *of.by_entity.entry(entity).or_insert(0.0) += delta;
        }
    }
    let changes = changes.into_iter().zip(0..);
    changes.filter_map(|(changes, entity)| Some((entity, changes?))).collect()
}
