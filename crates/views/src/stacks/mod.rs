//! The most common stacks, with all frames.

mod text;
use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use serde::Serialize;
use whittle_profile::AnalysisError;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::reduction::EntityKey;
use whittle_profile::value_shape::ValueShape;
use whittle_profile::{Profile, totals};

/// The definition of this view. Its answer is [`StacksView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "stacks",
        answer: |on, asked| {
            let NoKeys {} = keys(asked)?;
            Ok(Answered::view(stacks(on.profile, on.query)?))
        },
    },
    not_compared: None,
    command: Some(Command::table("The most common stacks")),
};

/// The answer of [`stacks`](stacks()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StacksView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// The values of all samples. They are the base of percentages.
    pub total: Values,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// Different stacks with a value in one of the columns.
    pub rows: Vec<StackRow>,
}

/// One stack.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackRow {
    /// Names of the functions, the innermost first.
    pub frames_leaf_first: Vec<String>,
    /// The stack's values.
    #[serde(flatten)]
    pub values: Values,
}

/// Whole stacks, the most common first.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn stacks(profile: &Profile, query: &Query) -> Result<StacksView, AnalysisError> {
    let weights = profile.weights(query)?;
    let columns = profile.columns(ColumnKind::Plain, query, &weights)?;
    let reduction = profile.shown(query, EntityKey::Function)?;
    let mut by_end: Vec<Option<Vec<f64>>> = profile.manifest().metrics.iter().map(|_| None).collect();
    for metric in columns.metrics() {
        by_end[metric] = Some(reduction.node_weights(&weights.by_stack[metric]).by_end);
    }
    let value = |column: &Column, end: usize| by_end[column.metric_index].as_ref().map_or(0.0, |by_end| by_end[end]);
    let mut ends: Vec<usize> = (0..reduction.node_of_end.len())
        .filter(|end| columns.shown.iter().any(|column| value(column, *end) != 0.0))
        .collect();
    let row_count = ends.len();
    let leaf = |end: &usize| {
        let entity = reduction.tree.entity[reduction.node_of_end[*end] as usize];
        (profile.names().display_name(entity), *end)
    };
    match &columns.sort {
        Some(column) => {
            keep_largest(&mut ends, query.window(), |end| column.rank(|column| value(column, *end)), leaf);
        }
        None => keep_first(&mut ends, query.window(), leaf),
    }
    let totals = totals(&weights);
    let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
    let rows = ends.into_iter().map(|end| StackRow {
        frames_leaf_first: frames_leaf_first(profile, reduction.tree.path_leaf_first(reduction.node_of_end[end])),
        values: shape.values(|column| value(column, end)),
    });
    Ok(StacksView {
        preamble: profile.preamble("stacks", query, (&columns, &weights)),
        total: shape.values(|column| totals[column.metric_index]),
        row_count,
        rows: rows.collect(),
        columns: columns.shown,
    })
}

fn frames_leaf_first(profile: &Profile, functions: impl Iterator<Item = u32>) -> Vec<String> {
    functions.map(|function| profile.names().display_name(function).to_owned()).collect()
}
