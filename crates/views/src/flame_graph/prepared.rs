//! What flame graphs of the same stacks have in common, kept from one answer to the next: zooming and searching then
//! cost what is on the screen.

use super::merged::MergedTree;
use super::search::{Matches, Search};
use super::values::NodeValues;
use crate::cache::Cache;
use crate::compare::Part;
use crate::function_name::FunctionGroup;
use crate::metrics::{Column, ColumnKind};
use crate::profile::totals;
use crate::query::{Preamble, Query};
use crate::reduction::Reduction;
use crate::shown_frames::{dominant_kinds, kind_code, usual_kind};
use crate::view_mode::ViewMode;
use crate::{AnalysisError, Profile};
use std::sync::{Arc, Mutex};

/// Nodes of all values that are kept, at 8 bytes each.
const KEPT_VALUES: usize = if cfg!(target_arch = "wasm32") { 5_000_000 } else { 32_000_000 };
/// Nodes of all frame kinds that are kept, at a byte each.
const KEPT_KINDS: usize = 32_000_000;
/// Places of all trees that are kept when they are new, at 16 bytes each.
const KEPT_PLACES: usize = if cfg!(target_arch = "wasm32") { 3_000_000 } else { 16_000_000 };
/// Functions and matches of all searches that are kept.
const KEPT_FOUND: usize = 1_000_000;

/// Which stacks are shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShownKey {
    mode: ViewMode,
    transforms: Vec<String>,
}

/// And what they weigh.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValuesKey {
    shown: ShownKey,
    filter: Option<String>,
    metric: Option<String>,
    part: Part,
}

/// Values that are asked for.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) query: &'a Query,
    /// Missing: the usual one.
    pub(crate) metric: Option<&'a str>,
    /// In a comparison, which part of the metric.
    pub(crate) part: Part,
}

impl ValuesKey {
    /// The key of what is asked for.
    pub(crate) fn new(asked: &Asked<'_>) -> Self {
        let Asked { query, metric, part } = *asked;
        let transforms = query.transforms.iter().map(ToString::to_string).collect();
        Self {
            shown: ShownKey { mode: query.mode, transforms },
            filter: query.filter.as_ref().map(ToString::to_string),
            // Where the metric is not named, the columns decide.
            metric: metric.map(str::to_owned).or_else(|| query.metrics.as_ref().map(|terms| format!("{terms:?}"))),
            part,
        }
    }
}

/// One metric's values of the shown stacks.
#[derive(Debug)]
pub(crate) struct PreparedValues {
    pub(crate) column: Column,
    pub(crate) preamble: Preamble,
    pub(crate) nodes: NodeValues,
    /// Sum over all samples that the filter leaves, shown or not.
    pub(crate) base_total: f64,
}

/// A tree of merged boxes, and what to say about its root.
#[derive(Debug)]
pub(crate) struct PreparedTree {
    pub(crate) tree: Mutex<MergedTree>,
    /// The functions at the root; none: `<Total>`.
    pub(crate) functions: Vec<u32>,
    /// The name at the root; missing: `<Total>`.
    pub(crate) name: Option<String>,
    pub(crate) note: Option<String>,
}

impl PreparedTree {
    /// A new tree; without a group everything.
    pub(crate) fn new(tree: MergedTree, group: Option<FunctionGroup>, note: Option<String>) -> Self {
        let (name, functions) = group.map_or((None, Vec::new()), |group| (Some(group.name), group.functions));
        Self { tree: Mutex::new(tree), functions, name, note }
    }

    /// Its size now: trees grow where they are looked at. One that is in use counts as nothing, and is the newest anyway.
    fn size(&self) -> usize {
        self.tree.try_lock().map_or(0, |tree| tree.size())
    }
}

/// What a search finds in the whole tree.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) search: Search,
    pub(crate) matches: Matches,
}

/// The root of a tree of merged boxes, and whether it leads outward.
pub(crate) type TreeKey = (ValuesKey, Option<String>, bool);

/// What is kept.
#[derive(Debug)]
pub(crate) struct FlameGraphs {
    values: Cache<ValuesKey, PreparedValues>,
    kinds: Cache<ShownKey, Vec<u8>>,
    trees: Cache<TreeKey, PreparedTree>,
    searches: Cache<(ValuesKey, String), Found>,
}

impl Default for FlameGraphs {
    fn default() -> Self {
        Self {
            values: Cache::new(KEPT_VALUES),
            kinds: Cache::new(KEPT_KINDS),
            trees: Cache::new(KEPT_PLACES),
            searches: Cache::new(KEPT_FOUND),
        }
    }
}

impl FlameGraphs {
    /// The tree of a key, prepared if it is not there.
    pub(crate) fn tree<E>(
        &self,
        key: TreeKey,
        prepare: impl FnOnce() -> Result<PreparedTree, E>,
    ) -> Result<Arc<PreparedTree>, E> {
        kept(&self.trees, key, PreparedTree::size, prepare)
    }

    /// What a search finds, searched for if that is not there.
    pub(crate) fn search<E>(
        &self,
        key: (ValuesKey, String),
        search: impl FnOnce() -> Result<Found, E>,
    ) -> Result<Arc<Found>, E> {
        kept(&self.searches, key, |found| found.search.is_match.len() + found.matches.by_node.len(), search)
    }
}

/// The result for a key, computed if it is not there; an error is not kept.
fn kept<K: PartialEq, V, E>(
    cache: &Cache<K, V>,
    key: K,
    size: impl Fn(&V) -> usize,
    compute: impl FnOnce() -> Result<V, E>,
) -> Result<Arc<V>, E> {
    match cache.get(&key) {
        Some(known) => Ok(known),
        None => compute().map(|value| cache.get_or(key, size, || value)),
    }
}

impl Profile {
    /// The values of the metric that a query asks for, or of the usual one.
    pub(crate) fn flame_values(
        &self,
        asked: &Asked<'_>,
        reduction: &Reduction,
    ) -> Result<Arc<PreparedValues>, AnalysisError> {
        kept(
            &self.flame_graphs().values,
            ValuesKey::new(asked),
            |values| values.nodes.len(),
            || {
                let Asked { query, metric, part } = *asked;
                let metrics = metric.map(str::parse).transpose()?.or_else(|| query.metrics.clone());
                let query = &Query { metrics, sort: None, ..query.clone() };
                let weights = self.weights(query)?;
                let columns = self.columns(ColumnKind::Tree, query, &weights)?;
                let column = columns.shown.first().ok_or(AnalysisError::NoMetrics)?;
                let column = self.part_of_column(column, part, &weights);
                Ok(PreparedValues {
                    preamble: self.preamble("flame-graph", query, (&columns, &weights)),
                    nodes: NodeValues::new(reduction, &weights.by_stack[column.metric_index]),
                    base_total: totals(&weights)[column.metric_index],
                    column,
                })
            },
        )
    }

    /// The frame kind of every node: that with most weight over all samples, whatever the filter.
    pub(crate) fn frame_kinds(&self, key: &ValuesKey, reduction: &Reduction) -> Arc<Vec<u8>> {
        let compute = || {
            let weights = self.all_weights();
            let main = totals(weights).iter().position(|sum| *sum > 0.0);
            let by_stack = main.map_or(&[] as &[f64], |metric| &weights.by_stack[metric]);
            let usual =
                |entity: u32| kind_code(usual_kind(self.names().kind(reduction.places[entity as usize].function)));
            dominant_kinds((self.tables(), reduction), (self.observed_stacks(), by_stack), usual)
        };
        self.flame_graphs().kinds.get_or(key.shown.clone(), Vec::len, compute)
    }
}
