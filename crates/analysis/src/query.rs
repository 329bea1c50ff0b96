//! What every view is asked with, and the parts that every answer has.

use crate::filter::Filter;
use crate::metrics::{Column, MetricTerms, SortTerm};
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
    /// The columns; missing: the usual ones.
    pub metrics: Option<MetricTerms>,
    /// What the rows are sorted by; missing: the first column.
    pub sort: Option<SortTerm>,
    /// The largest number of rows; missing: all.
    pub limit: Option<usize>,
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
    /// Field name of the column that the rows are sorted by, largest first; `name`: alphabetical.
    pub sorted_by: String,
    /// What a reader has to know besides the rows: merged overloads, an empty selection.
    pub notes: Vec<String>,
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
