//! The input of every view, and the common parts of every answer.

use crate::filter::Filter;
use crate::metrics::{Column, MetricTerms, SortTerm};
use crate::sides::Comparison;
use crate::transform::Transform;
use crate::view_mode::ViewMode;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::sync::Arc;

/// The input of a view. `Query::default()` requests everything in user mode with the default metrics.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Which frames are shown.
    pub mode: ViewMode,
    /// The filter. If it is missing, all samples are selected.
    pub filter: Option<Filter>,
    /// The transforms, in order.
    pub transforms: Vec<Transform>,
    /// The columns. If they are missing, the default columns are shown.
    pub metrics: Option<MetricTerms>,
    /// The sort order. If it is missing, the first column sorts the rows.
    pub sort: Option<SortTerm>,
    /// Number of rows to skip at the start. Together with a limit, this selects a part of the table. Call trees and
    /// overviews always start with the first row.
    pub skip: usize,
    /// Maximum number of rows. Missing if there is no limit.
    pub limit: Option<usize>,
}

impl Query {
    /// The range of the requested rows.
    pub fn window(&self) -> Window {
        Window { skip: self.skip, limit: self.limit }
    }
}

/// A range of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of rows to skip at the start.
    pub skip: usize,
    /// Maximum number of rows. Missing if there is no limit.
    pub limit: Option<usize>,
}

impl Window {
    /// All rows.
    pub const ALL: Self = Self { skip: 0, limit: None };

    /// The first rows.
    pub fn first(limit: usize) -> Self {
        Self { skip: 0, limit: Some(limit) }
    }

    /// Keeps the rows of this range.
    pub fn cut<T>(self, rows: &mut Vec<T>) {
        rows.truncate(self.limit.map_or(rows.len(), |limit| self.skip.saturating_add(limit)));
        rows.drain(..self.skip.min(rows.len()));
    }
}

/// The common parts of all answers.
#[derive(Debug, Clone, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Preamble {
    /// The view's name.
    pub view: &'static str,
    /// Which frames are shown.
    pub mode: ViewMode,
    /// The filter as written. Missing if all samples are selected.
    pub filter: Option<String>,
    /// The transforms, in order.
    pub transforms: Vec<TransformLine>,
    /// The comparison. Missing if nothing is compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub comparison: Option<Comparison>,
    /// Field name of the sort column. Its largest value comes first. `name` means alphabetical order.
    pub sorted_by: String,
    /// Notes, for example about merged overloads or an empty selection.
    pub notes: Vec<String>,
}

/// A transform in answers.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TransformLine {
    /// The transform in the syntax of transforms.
    pub text: String,
    /// The effect of the transform as text.
    pub words: String,
}

impl TransformLine {
    /// The transforms of a query.
    pub fn all(query: &Query) -> Vec<Self> {
        let line = |transform: &Transform| Self { text: transform.to_string(), words: transform.words() };
        query.transforms.iter().map(line).collect()
    }
}

/// The values of one row: one number per column. Percent columns also contain absolute values.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// The columns. All rows of a view have the same columns.
    pub columns: Arc<[Column]>,
    /// One number per column, in the column's unit.
    pub numbers: Vec<f64>,
    /// One number per column: the value that is 100 percent.
    pub bases: Arc<[f64]>,
}

impl Values {
    /// The values of the wanted columns.
    pub fn only(&self, is_wanted: impl Fn(&Column) -> bool) -> Self {
        let wanted: Vec<usize> = (0..self.columns.len()).filter(|index| is_wanted(&self.columns[*index])).collect();
        Self {
            columns: wanted.iter().map(|index| self.columns[*index].clone()).collect(),
            numbers: wanted.iter().map(|index| self.numbers[*index]).collect(),
            bases: wanted.iter().map(|index| self.bases[*index]).collect(),
        }
    }

    /// The value of a column as a share of its base, 0 to 1. Missing if the base is 0.
    pub fn ratio(&self, column: usize) -> Option<f64> {
        let base = self.bases[column];
        (base != 0.0).then(|| self.numbers[column] / base)
    }
}

/// Writes a map from field names to numbers. Nanoseconds, bytes and counts without a fraction are integers.
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

/// The fields have names such as `exclusive_cpu_ns`. A view's columns determine which fields exist.
#[cfg(feature = "typescript")]
impl ts_rs::TS for Values {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(_: &ts_rs::Config) -> String {
        "Values".to_owned()
    }

    fn inline(config: &ts_rs::Config) -> String {
        Self::name(config)
    }

    fn inline_flattened(config: &ts_rs::Config) -> String {
        Self::name(config)
    }
}

/// Writes a number as an integer if it has no fraction.
pub fn serialize_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if is_exact_integer(*number) { serializer.serialize_i64(*number as i64) } else { serializer.serialize_f64(*number) }
}

fn is_exact_integer(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < LARGEST_EXACT
}

/// 2^53: an `f64` represents every integer up to this value exactly.
pub const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
