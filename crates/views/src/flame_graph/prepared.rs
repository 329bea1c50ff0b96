//! Data that flame graphs of the same stacks share. This data is kept between answers, so the cost of zooming and
//! searching depends only on the visible boxes.

use crate::flame_graph::merged::MergedTree;
use crate::flame_graph::search::{Matches, Search};
use crate::flame_graph::values::NodeValues;
use std::sync::{Arc, Mutex};
use whittle_profile::AnalysisError;
use whittle_profile::ViewMode;
use whittle_profile::cache::Cache;
use whittle_profile::function_name::FunctionGroup;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::query::{Preamble, Query};
use whittle_profile::reduction::Reduction;
use whittle_profile::shown_frames::{dominant_kinds, kind_code, usual_kind};
use whittle_profile::sides::Part;
use whittle_profile::{Profile, totals};

/// Largest number of nodes in all kept values, at 8 bytes each.
const KEPT_VALUES: usize = if cfg!(target_arch = "wasm32") { 5_000_000 } else { 32_000_000 };
/// Largest number of nodes in all kept frame kinds, at 1 byte each.
const KEPT_KINDS: usize = 32_000_000;
/// Largest number of places in all kept trees of merged boxes, at 16 bytes each.
const KEPT_PLACES: usize = if cfg!(target_arch = "wasm32") { 3_000_000 } else { 16_000_000 };
/// Largest number of functions and matches in all kept searches.
const KEPT_FOUND: usize = 1_000_000;

/// Identifies the shown stacks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShownKey {
    mode: ViewMode,
    transforms: Vec<String>,
}

/// Identifies the weights of the shown stacks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValuesKey {
    shown: ShownKey,
    filter: Option<String>,
    metric: Option<String>,
    part: Part,
}

/// The requested values.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) query: &'a Query,
    /// The metric, or the default metric if missing.
    pub(crate) metric: Option<&'a str>,
    /// The metric's part in a comparison.
    pub(crate) part: Part,
}

impl ShownKey {
    fn new(query: &Query) -> Self {
        Self { mode: query.mode, transforms: query.transforms.iter().map(ToString::to_string).collect() }
    }
}

impl ValuesKey {
    /// The key of the requested values.
    pub(crate) fn new(asked: &Asked<'_>) -> Self {
        let Asked { query, metric, part } = *asked;
        Self {
            shown: ShownKey::new(query),
            filter: query.filter.as_ref().map(ToString::to_string),
            // If no metric is requested, the columns determine the metric.
            metric: metric.map(str::to_owned).or_else(|| query.metrics.as_ref().map(|terms| format!("{terms:?}"))),
            part,
        }
    }
}

/// The values of one metric for the shown stacks.
#[derive(Debug)]
pub(crate) struct PreparedValues {
    pub(crate) column: Column,
    pub(crate) preamble: Preamble,
    pub(crate) nodes: NodeValues,
    /// Sum over all samples that match the filter, shown or not.
    pub(crate) base_total: f64,
}

/// A tree of merged boxes, and notes about its root.
#[derive(Debug)]
pub(crate) struct PreparedTree {
    pub(crate) tree: Mutex<MergedTree>,
    /// The functions at the root. Empty if the root is `<Total>`.
    pub(crate) functions: Vec<u32>,
    /// The name at the root. Missing if the root is `<Total>`.
    pub(crate) name: Option<String>,
    pub(crate) note: Option<String>,
}

impl PreparedTree {
    /// A new tree. Without a group, the tree contains all stacks.
    pub(crate) fn new(tree: MergedTree, group: Option<FunctionGroup>, note: Option<String>) -> Self {
        let (name, functions) = group.map_or((None, Vec::new()), |group| (Some(group.name), group.functions));
        Self { tree: Mutex::new(tree), functions, name, note }
    }

    /// The tree's current size, which changes because trees grow while they are used. A tree in use reports the size 0,
    /// so it is kept.
    fn size(&self) -> usize {
        self.tree.try_lock().map_or(0, |tree| tree.size())
    }
}

/// The result of a search in the whole tree.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) search: Search,
    pub(crate) matches: Matches,
}

/// Identifies a tree of merged boxes: its values, its root, and whether the tree leads outward.
pub(crate) type TreeKey = (ValuesKey, Option<String>, bool);

/// The kept data.
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
    /// Returns the tree for a key. Prepares the tree if it is not kept yet.
    pub(crate) fn tree<E>(
        &self,
        key: TreeKey,
        prepare: impl FnOnce() -> Result<PreparedTree, E>,
    ) -> Result<Arc<PreparedTree>, E> {
        kept(&self.trees, key, PreparedTree::size, prepare)
    }

    /// Returns the result of a search. Computes the result if it is not kept yet.
    pub(crate) fn search<E>(
        &self,
        key: (ValuesKey, String),
        search: impl FnOnce() -> Result<Found, E>,
    ) -> Result<Arc<Found>, E> {
        kept(&self.searches, key, |found| found.search.is_match.len() + found.matches.by_node.len(), search)
    }
}

/// Returns the result for a key. Computes the result if it is not kept yet. Errors are not kept.
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

/// The values of the requested metric, or of the default metric.
pub(crate) fn flame_values(
    profile: &Profile,
    asked: &Asked<'_>,
    reduction: &Reduction,
) -> Result<Arc<PreparedValues>, AnalysisError> {
    kept(
        &profile.kept::<FlameGraphs>().values,
        ValuesKey::new(asked),
        |values| values.nodes.len(),
        || {
            let Asked { query, metric, part } = *asked;
            let metrics = metric.map(str::parse).transpose()?.or_else(|| query.metrics.clone());
            let query = &Query { metrics, sort: None, ..query.clone() };
            let weights = profile.weights(query)?;
            let columns = profile.columns(ColumnKind::Tree, query, &weights)?;
            let column = columns.shown.first().ok_or(AnalysisError::NoMetrics)?;
            let column = profile.part_of_column(column, part, &weights);
            Ok(PreparedValues {
                preamble: profile.preamble("flame-graph", query, (&columns, &weights)),
                nodes: NodeValues::new(reduction, &weights.by_stack[column.metric_index]),
                base_total: totals(&weights)[column.metric_index],
                column,
            })
        },
    )
}

/// The frame kind of every node of a query's shown stacks.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn kinds_of_shown(profile: &Profile, query: &Query, reduction: &Reduction) -> Arc<Vec<u8>> {
    kinds_with_key(profile, ShownKey::new(query), reduction)
}

/// The frame kind of every node. This is the kind with the most weight over all samples. The filter is ignored.
pub(crate) fn frame_kinds(profile: &Profile, key: &ValuesKey, reduction: &Reduction) -> Arc<Vec<u8>> {
    kinds_with_key(profile, key.shown.clone(), reduction)
}

fn kinds_with_key(profile: &Profile, key: ShownKey, reduction: &Reduction) -> Arc<Vec<u8>> {
    let compute = || {
        let weights = profile.all_weights();
        let main = totals(weights).iter().position(|sum| *sum > 0.0);
        let by_stack = main.map_or(&[] as &[f64], |metric| &weights.by_stack[metric]);
        let usual =
            |entity: u32| kind_code(usual_kind(profile.names().kind(reduction.places[entity as usize].function)));
        dominant_kinds((profile.tables(), reduction), (profile.observed_stacks(), by_stack), usual)
    };
    profile.kept::<FlameGraphs>().kinds.get_or(key, Vec::len, compute)
}
