//! The table of functions: exclusive and inclusive values of each.

use crate::metrics::{Column, ColumnKind, Columns, Flavour};
use crate::order::keep_first_by;
use crate::profile::totals;
use crate::query::{Preamble, Query, Values, Window};
use crate::reduction::{EntityKey, EntitySums};
use crate::weights::Weights;
use crate::{AnalysisError, Profile};
use serde::Serialize;
use std::cmp::Ordering;
use std::sync::Arc;
use whittle_model::FunctionKind;

/// The answer of [`Profile::functions`].
#[derive(Debug, Clone, Serialize)]
pub struct FunctionsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `total` and of each row.
    pub columns: Vec<Column>,
    /// The values of all samples: what percentages are of.
    pub total: Values,
    /// Number of rows without a limit.
    pub row_count: usize,
    /// Functions with a value in one of the columns.
    pub rows: Vec<FunctionRow>,
}

/// One function.
#[derive(Debug, Clone, Serialize)]
pub struct FunctionRow {
    /// The name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Path of the file that the function is from. Missing: not known, or a pseudo-function.
    pub binary: Option<String>,
    /// Its values.
    #[serde(flatten)]
    pub values: Values,
}

impl Profile {
    /// The table of functions.
    ///
    /// # Errors
    /// An unknown metric, or a filter that names what is not there.
    pub fn functions(&self, query: &Query) -> Result<FunctionsView, AnalysisError> {
        let weights = self.weights(query)?;
        let columns = self.columns(ColumnKind::Table, query, &weights)?;
        let ranked = self.rank_entities(query, EntityKey::Function, (&columns, &weights))?;
        let rows = ranked.rows.into_iter().map(|(function, values)| self.function_row(function, values));
        Ok(FunctionsView {
            preamble: self.preamble("functions", query, (&columns, &weights)),
            columns: columns.shown,
            total: ranked.total,
            row_count: ranked.row_count,
            rows: rows.collect(),
        })
    }

    /// The row of a function, numbered as in [`FunctionNames`](crate::reduction::FunctionNames).
    pub(crate) fn function_row(&self, function: u32, values: Values) -> FunctionRow {
        FunctionRow {
            function: self.names().display_name(function).to_owned(),
            kind: self.names().kind(function),
            binary: self.binary_path(function),
            values,
        }
    }

    /// The path of the file that a function is from, if it is known.
    pub(crate) fn binary_path(&self, function: u32) -> Option<String> {
        let row = self.names().row(function)?;
        let binary = self.tables().functions.binary[row];
        Some(self.tables().binaries.path[binary.row()].clone()).filter(|path| !path.is_empty())
    }

    /// Ranks the entities of a tree by the sort column.
    pub(crate) fn rank_entities(
        &self,
        query: &Query,
        key: EntityKey,
        asked: (&Columns, &Weights),
    ) -> Result<Ranked, AnalysisError> {
        let (columns, weights) = asked;
        let reduction = self.shown(query, key)?;
        let metrics = columns.metrics();
        weights.by_stack.prepare(&metrics);
        let node_weights: Vec<_> =
            metrics.iter().map(|metric| reduction.node_weights(&weights.by_stack[*metric])).collect();
        let mut sums: Vec<Option<EntitySums>> = self.manifest().metrics.iter().map(|_| None).collect();
        for (metric, computed) in metrics.iter().zip(EntitySums::new(&reduction, &node_weights)) {
            sums[*metric] = Some(computed);
        }
        let value = |column: &Column, entity: usize| {
            sums[column.metric_index].as_ref().map_or(0.0, |sums| match column.flavour {
                Flavour::Exclusive => sums.exclusive[entity],
                _ => sums.inclusive[entity],
            })
        };
        let totals = totals(weights);
        let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
        let name = |entity: u32| self.names().display_name(reduction.places[entity as usize].function);
        let mut entities: Vec<u32> = (1..reduction.places.len() as u32)
            .filter(|entity| columns.shown.iter().flat_map(Column::sums).any(|sum| value(sum, *entity as usize) != 0.0))
            .collect();
        let (row_count, shown_name) = (entities.len(), |entity: &u32| (name(*entity), *entity));
        match &columns.sort {
            Some(column) => {
                let rank = |entity: &u32| column.rank(|column| value(column, *entity as usize));
                keep_largest(&mut entities, query.window(), rank, shown_name);
            }
            None => keep_first(&mut entities, query.window(), shown_name),
        }
        let values = |entity: u32| shape.values(|column| value(column, entity as usize));
        let rows = entities.into_iter().map(|entity| (entity, values(entity))).collect();
        let total = shape.values(|column| totals[column.metric_index]);
        Ok(Ranked { total, row_count, rows })
    }
}

/// Entities with their values, in order.
pub(crate) struct Ranked {
    pub(crate) total: Values,
    pub(crate) row_count: usize,
    pub(crate) rows: Vec<(u32, Values)>,
}

/// Keeps the rows of a window, largest first and by name where values are equal.
pub(crate) fn keep_largest<T, N: Ord>(
    rows: &mut Vec<T>,
    window: Window,
    value: impl Fn(&T) -> f64,
    name: impl Fn(&T) -> N,
) {
    keep(rows, window, |a, b| value(b).total_cmp(&value(a)).then_with(|| name(a).cmp(&name(b))));
}

/// Keeps the rows of a window in alphabetical order.
pub(crate) fn keep_first<T, N: Ord>(rows: &mut Vec<T>, window: Window, name: impl Fn(&T) -> N) {
    keep(rows, window, |a, b| name(a).cmp(&name(b)));
}

fn keep<T>(rows: &mut Vec<T>, window: Window, order: impl Fn(&T, &T) -> Ordering) {
    let end = window.limit.map_or(rows.len(), |limit| window.skip.saturating_add(limit));
    keep_first_by(rows, end, order);
    rows.drain(..window.skip.min(rows.len()));
}

/// Columns and percent bases that the rows of a view have in common.
pub(crate) struct ValueShape {
    columns: Arc<[Column]>,
    bases: Arc<[f64]>,
}

impl ValueShape {
    pub(crate) fn new(columns: &[Column], base: impl Fn(&Column) -> f64) -> Self {
        Self { columns: columns.into(), bases: columns.iter().map(base).collect() }
    }

    /// The values of one row.
    pub(crate) fn values(&self, value: impl Fn(&Column) -> f64) -> Values {
        let numbers = self.columns.iter().map(|column| column.value(&value)).collect();
        Values { columns: self.columns.clone(), numbers, bases: self.bases.clone() }
    }
}
