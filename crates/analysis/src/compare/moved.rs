//! Cost that moved between functions while what calls them costs what it did: a renamed method, code that was split or
//! inlined. It is no saving and no loss.
//!
//! ```text
//!                 baseline   candidate
//! handle             10          10        unchanged
//!   parse             6           1        5 moved from here
//!   parseFast         0           5        to here
//!   write             4           4
//! ```

use super::Per;
use crate::entity_tree::ROOT;
use crate::reduction::{EntityKey, NodeWeights, Reduction};
use crate::{AnalysisError, Profile, Query};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Cost that moved below one function.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MovedCost {
    /// The function that costs what it did.
    pub under: String,
    /// What costs less, the most first.
    pub from: Vec<String>,
    /// What costs more, the most first.
    pub to: Vec<String>,
    /// How much moved, in the unit of the metric.
    pub value: f64,
}

/// Less than this share of the baseline's total is not told.
const SMALLEST_RATIO: f64 = 0.01;
/// Paths with less than this share of both totals are not followed: what moves on them alone is nothing to tell, and most paths of a
/// large tree are such.
const FOLLOWED_RATIO: f64 = 1e-4;
/// By how much of what moved the function above may have changed.
const UNCHANGED_RATIO: f64 = 0.25;
/// And by how much of its own cost.
const UNCHANGED_OWN_RATIO: f64 = 0.05;
/// Most that are told.
const COUNT: usize = 5;
/// How much of what moved the named functions have to explain.
const TOLD_RATIO: f64 = 0.7;
/// Most functions named on each side of one.
const NAMED: usize = 3;

/// Gains and losses directly below a function, by function; its own among them.
#[derive(Default)]
struct Changes {
    /// Change of everything below.
    whole: f64,
    baseline: f64,
    by_entity: FxHashMap<u32, f64>,
}

impl Profile {
    /// Cost that moved in a comparison, the most first; nothing where nothing is compared. Paths that lead to a function are
    /// added up. `metric` is the position of the baseline's sums.
    pub(crate) fn moved_costs(&self, query: &Query, metric: usize) -> Result<Vec<MovedCost>, AnalysisError> {
        // Per second, what a busy thread does less of one thing it does more of another: nothing has moved.
        let per = self.comparison().map(|comparison| &comparison.per.per);
        if !matches!(per, Some(Per::Unit(_) | Per::Run)) {
            return Ok(Vec::new());
        }
        let weights = self.weights(query)?;
        weights.by_stack.prepare(&[metric, metric + 1]);
        let reduction = self.shown(query, EntityKey::Function)?;
        let sides = [metric, metric + 1].map(|metric| reduction.node_weights(&weights.by_stack[metric]));
        let smallest = sides[0].inclusive(ROOT) * SMALLEST_RATIO;
        let mut moved: Vec<MovedCost> = Vec::new();
        for (entity, changes) in changes_by_function(&reduction, &sides) {
            moved.extend(self.moved(entity, &changes, smallest));
        }
        crate::order::sort_by(&mut moved, |a, b| b.value.total_cmp(&a.value).then_with(|| a.under.cmp(&b.under)));
        moved.truncate(COUNT);
        Ok(moved)
    }

    fn moved(&self, entity: u32, changes: &Changes, smallest: f64) -> Option<MovedCost> {
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
            crate::order::sort_by(&mut changed, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let largest = changed.first().map_or(0.0, |(_, by)| *by);
            let told = changed.into_iter().filter(|(_, by)| *by >= largest / 10.0).take(NAMED);
            let (told, amounts): (Vec<u32>, Vec<f64>) = told.unzip();
            // Many small changes in both directions are chance.
            let is_told = amounts.iter().sum::<f64>() >= value * TOLD_RATIO;
            is_told.then(|| told.into_iter().map(|entity| self.names().display_name(entity).to_owned()).collect())
        };
        let under = self.names().display_name(entity).to_owned();
        Some(MovedCost { under, from: names(-1.0)?, to: names(1.0)?, value })
    }
}

/// What changed directly below each function that changed inside and not as a whole. Where a function calls itself, the
/// outermost call counts.
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
