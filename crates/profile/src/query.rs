//! What every view is asked with, and the parts that every answer has.

use crate::compare::Comparison;
use crate::filter::Filter;
use crate::metrics::{Column, MetricTerms, SortTerm};
use crate::transform::Transform;
use crate::view_mode::ViewMode;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::sync::Arc;

/// What a view is asked with. `Query::default()` asks for everything in user mode with the usual
/// metrics.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Which frames are shown.
    pub mode: ViewMode,
    /// Which samples count; missing: all.
    pub filter: Option<Filter>,
    /// What is done to the shown stacks, one after the other.
    pub transforms: Vec<Transform>,
    /// The columns; missing: the usual ones.
    pub metrics: Option<MetricTerms>,
    /// What the rows are sorted by; missing: the first column.
    pub sort: Option<SortTerm>,
    /// Number of rows left out at the top: with a limit, a window of the table. Call trees and overviews start at
    /// their top always.
    pub skip: usize,
    /// The largest number of rows; missing: all.
    pub limit: Option<usize>,
}

impl Query {
    /// Which rows are wanted.
    pub(crate) fn window(&self) -> Window {
        Window { skip: self.skip, limit: self.limit }
    }
}

/// A range of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// Rows left out at the top.
    pub(crate) skip: usize,
    /// The largest number of rows; missing: all.
    pub(crate) limit: Option<usize>,
}

impl Window {
    /// All rows.
    pub(crate) const ALL: Self = Self { skip: 0, limit: None };

    /// The first rows.
    pub(crate) fn first(limit: usize) -> Self {
        Self { skip: 0, limit: Some(limit) }
    }
}

/// The parts that every answer has.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Preamble {
    /// The view's name.
    pub view: &'static str,
    /// Which frames are shown.
    pub mode: ViewMode,
    /// The filter as written; missing: all samples count.
    pub filter: Option<String>,
    /// What was done to the shown stacks, one after the other.
    pub transforms: Vec<TransformLine>,
    /// What is compared. Missing: nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Field name of the column that the rows are sorted by, largest first; `name`: alphabetical.
    pub sorted_by: String,
    /// What a reader has to know besides the rows: merged overloads, an empty selection.
    pub notes: Vec<String>,
}

/// A transform as the answers tell it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TransformLine {
    /// In the transform language.
    pub text: String,
    /// What it does, in plain words.
    pub words: String,
}

impl TransformLine {
    /// The transforms of a query.
    pub(crate) fn all(query: &Query) -> Vec<Self> {
        let line = |transform: &Transform| Self { text: transform.to_string(), words: transform.words() };
        query.transforms.iter().map(line).collect()
    }
}

/// The values of one row: one number a column, percent columns included (as plain values).
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// The columns, equal in all rows of a view.
    pub columns: Arc<[Column]>,
    /// One number a column, in the column's unit.
    pub numbers: Vec<f64>,
    /// What 100 percent is, one number a column.
    pub bases: Arc<[f64]>,
}

impl Values {
    /// The values of some of the columns.
    pub(crate) fn only(&self, is_wanted: impl Fn(&Column) -> bool) -> Self {
        let wanted: Vec<usize> = (0..self.columns.len()).filter(|index| is_wanted(&self.columns[*index])).collect();
        Self {
            columns: wanted.iter().map(|index| self.columns[*index].clone()).collect(),
            numbers: wanted.iter().map(|index| self.numbers[*index]).collect(),
            bases: wanted.iter().map(|index| self.bases[*index]).collect(),
        }
    }

    /// The value of a column as share of its base, 0 to 1; missing if the base is 0.
    pub fn ratio(&self, column: usize) -> Option<f64> {
        let base = self.bases[column];
        (base != 0.0).then(|| self.numbers[column] / base)
    }
}

/// As a map from field names to numbers; nanoseconds, bytes and counts without fraction as integers.
impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.len()))?;
        for (index, column) in self.columns.iter().enumerate() {
            let number = self.numbers[index];
            if column.is_percent {
                map.serialize_entry(&column.field(), &self.ratio(index))?;
            } else if is_exact_integer(number) {
                map.serialize_entry(&column.field(), &(number as i64))?;
            } else {
                map.serialize_entry(&column.field(), &number)?;
            }
        }
        map.end()
    }
}

/// As an integer if it is one.
pub(crate) fn serialize_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if is_exact_integer(*number) { serializer.serialize_i64(*number as i64) } else { serializer.serialize_f64(*number) }
}

fn is_exact_integer(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < LARGEST_EXACT
}

/// 2^53: up to here an f64 holds every integer.
pub(crate) const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
