//! Finds the columns of stored rows by name.

use crate::rows::FileError;
use datafusion::arrow::array::{Array, AsArray, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};

/// A column of text.
pub(super) fn text_column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a StringArray, FileError> {
    column(batch, name, |column| column.as_string_opt::<i32>())
}

/// A column of whole numbers.
pub(super) fn number_column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Int64Array, FileError> {
    column(batch, name, |column| column.as_primitive_opt::<Int64Type>())
}

/// A column of amounts.
pub(super) fn amount_column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Float64Array, FileError> {
    column(batch, name, |column| column.as_primitive_opt::<Float64Type>())
}

fn column<'a, T>(
    batch: &'a RecordBatch,
    name: &str,
    of_type: impl FnOnce(&'a dyn Array) -> Option<T>,
) -> Result<T, FileError> {
    let found = batch.column_by_name(name).and_then(|column| of_type(column.as_ref()));
    found.ok_or_else(|| FileError::Damaged(format!("column {name} is missing or has a wrong type")))
}
