//! The most common stacks, whole.

use crate::functions::{ValueShape, keep_first, keep_largest};
use crate::metrics::{Column, ColumnKind};
use crate::profile::totals;
use crate::query::{Preamble, Query, Values};
use crate::reduction::EntityKey;
use crate::{AnalysisError, Profile};
use serde::Serialize;

/// The answer of [`Profile::stacks`].
#[derive(Debug, Clone, Serialize)]
pub struct StacksView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// The values of all samples: what percentages are of.
    pub total: Values,
    /// Number of rows without a limit.
    pub row_count: usize,
    /// Different stacks with a value in one of the columns.
    pub rows: Vec<StackRow>,
}

/// One stack.
#[derive(Debug, Clone, Serialize)]
pub struct StackRow {
    /// Names of its functions, innermost first.
    pub frames_leaf_first: Vec<String>,
    /// Its values.
    #[serde(flatten)]
    pub values: Values,
}

impl Profile {
    /// Whole stacks, the most common first.
    ///
    /// # Errors
    /// An unknown metric, or a filter that names what is not there.
    pub fn stacks(&self, query: &Query) -> Result<StacksView, AnalysisError> {
        let weights = self.weights(query)?;
        let columns = self.columns(ColumnKind::Plain, query, &weights)?;
        let reduction = self.shown(query, EntityKey::Function)?;
        let mut by_end: Vec<Option<Vec<f64>>> = self.manifest().metrics.iter().map(|_| None).collect();
        for metric in columns.metrics() {
            by_end[metric] = Some(reduction.node_weights(&weights.by_stack[metric]).by_end);
        }
        let value =
            |column: &Column, end: usize| by_end[column.metric_index].as_ref().map_or(0.0, |by_end| by_end[end]);
        let mut ends: Vec<usize> = (0..reduction.node_of_end.len())
            .filter(|end| columns.shown.iter().any(|column| value(column, *end) != 0.0))
            .collect();
        let row_count = ends.len();
        let leaf = |end: &usize| {
            let entity = reduction.tree.entity[reduction.node_of_end[*end] as usize];
            (self.names().display_name(entity), *end)
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
            frames_leaf_first: self.frames_leaf_first(reduction.tree.path_leaf_first(reduction.node_of_end[end])),
            values: shape.values(|column| value(column, end)),
        });
        Ok(StacksView {
            preamble: self.preamble("stacks", query, (&columns, &weights)),
            total: shape.values(|column| totals[column.metric_index]),
            row_count,
            rows: rows.collect(),
            columns: columns.shown,
        })
    }

    fn frames_leaf_first(&self, functions: impl Iterator<Item = u32>) -> Vec<String> {
        functions.map(|function| self.names().display_name(function).to_owned()).collect()
    }
}
