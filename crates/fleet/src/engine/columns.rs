//! Rows of an answer, as Arrow columns by name. The engine can store text in any of Arrow's layouts.

use crate::engine::EngineError;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};

/// The rows of an answer, in batches.
#[derive(Debug, Clone, Default)]
pub struct Rows(pub Vec<RecordBatch>);

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.iter().map(RecordBatch::num_rows).sum()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values of a column of text.
#[derive(Debug)]
pub struct Texts(ArrayRef);

/// Values of a column of whole numbers.
#[derive(Debug)]
pub struct Numbers(Int64Array);

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, EngineError> {
    batch.column_by_name(name).ok_or_else(|| wrong(name))
}

fn wrong(name: &str) -> EngineError {
    EngineError::WrongAnswer { column: name.to_owned() }
}

impl Texts {
    /// The column `name` of a batch.
    ///
    /// # Errors
    /// The column is missing, or is not text.
    pub fn of(batch: &RecordBatch, name: &str) -> Result<Self, EngineError> {
        let column = column(batch, name)?;
        Ok(Self(cast(column, &DataType::Utf8View).map_err(|_| wrong(name))?))
    }

    /// The value of a row. Empty: there is no value.
    pub fn value(&self, row: usize) -> &str {
        let texts = self.0.as_string_view();
        if texts.is_null(row) { "" } else { texts.value(row) }
    }
}

impl Numbers {
    /// The column `name` of a batch.
    ///
    /// # Errors
    /// The column is missing, or is not a number.
    pub fn of(batch: &RecordBatch, name: &str) -> Result<Self, EngineError> {
        let column = cast(column(batch, name)?, &DataType::Int64).map_err(|_| wrong(name))?;
        Ok(Self(column.as_primitive_opt::<Int64Type>().ok_or_else(|| wrong(name))?.clone()))
    }

    /// The value of a row. 0: there is no value.
    pub fn value(&self, row: usize) -> i64 {
        if self.0.is_null(row) { 0 } else { self.0.value(row) }
    }

    /// The value of a row as an amount. Negative values become 0. Only damaged files have negative values.
    pub fn amount(&self, row: usize) -> u64 {
        u64::try_from(self.value(row)).unwrap_or(0)
    }
}

/// The column `name` of a batch as floating-point numbers.
///
/// # Errors
/// The column is missing, or is not a number.
pub(crate) fn fractions(batch: &RecordBatch, name: &str) -> Result<Float64Array, EngineError> {
    let column = cast(column(batch, name)?, &DataType::Float64).map_err(|_| wrong(name))?;
    Ok(column.as_primitive_opt::<Float64Type>().ok_or_else(|| wrong(name))?.clone())
}
