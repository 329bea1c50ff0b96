//! The common parts of a view's rows: columns, and the bases of percentages.

use crate::metrics::Column;
use crate::query::Values;
use std::sync::Arc;

/// Columns and percent bases of a view's rows.
pub struct ValueShape {
    columns: Arc<[Column]>,
    bases: Arc<[f64]>,
}

impl ValueShape {
    /// Creates the shape of rows with these columns. `base` returns the value that is 100 percent.
    pub fn new(columns: &[Column], base: impl Fn(&Column) -> f64) -> Self {
        Self { columns: columns.into(), bases: columns.iter().map(base).collect() }
    }

    /// The values of one row.
    pub fn values(&self, value: impl Fn(&Column) -> f64) -> Values {
        let numbers = self.columns.iter().map(|column| column.value(&value)).collect();
        Values { columns: self.columns.clone(), numbers, bases: self.bases.clone() }
    }
}
