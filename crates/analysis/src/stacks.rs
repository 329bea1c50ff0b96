//! The most common stacks, whole.

use crate::functions::{ValueShape, sort_by_value};
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
        let columns = self.columns(ColumnKind::Plain, query)?;
        let weights = self.weights(query)?;
        let reduction = self.reduction(query.mode, EntityKey::Function);
        let by_node: Vec<Option<Vec<f64>>> = (0..self.manifest().metrics.len())
            .map(|metric| {
                let is_needed = columns.shown.iter().chain(&columns.sort).any(|column| column.metric_index == metric);
                is_needed.then(|| reduction.node_weights(&weights.by_stack[metric]))
            })
            .collect();
        let value = |column: &Column, node: u32| {
            by_node[column.metric_index].as_ref().map_or(0.0, |by_node| by_node[node as usize])
        };
        let mut nodes = reduction.node_of_stack.clone();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|node| columns.shown.iter().any(|column| value(column, *node) != 0.0));
        let leaf = |node: &u32| self.names().display_name(reduction.tree.entity[*node as usize]);
        match &columns.sort {
            Some(column) => sort_by_value(&mut nodes, |node| value(column, *node), leaf),
            None => nodes.sort_by_key(leaf),
        }
        let row_count = nodes.len();
        nodes.truncate(query.limit.unwrap_or(usize::MAX));
        let totals = totals(&weights);
        let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
        let rows = nodes.into_iter().map(|node| StackRow {
            frames_leaf_first: self.frames_leaf_first(reduction.tree.path_leaf_first(node)),
            values: shape.values(|column| value(column, node)),
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
