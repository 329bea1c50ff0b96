//! Rows of `counters`. Each row is an amount of one segment.

use crate::rows::columns::{amount_column, number_column, text_column};
use crate::rows::{FileError, Labels};
use crate::tables::{FleetTable, schema_of};
use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use std::sync::Arc;

/// Rows of `counters` for one service.
#[derive(Debug, Clone)]
pub struct CounterRows {
    service: String,
    rows: Vec<(i64, Labels, String, f64)>,
}

impl CounterRows {
    /// Creates an empty list of rows.
    pub fn new(service: &str) -> Self {
        Self { service: service.to_owned(), rows: Vec::new() }
    }

    /// Adds the amount `value` of a segment that begins at `time_s`.
    pub fn push(&mut self, time_s: i64, labels: &Labels, (counter, value): (&str, f64)) {
        self.rows.push((time_s, labels.clone(), counter.to_owned(), value));
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Earliest and latest time. (0, 0): there are no rows.
    pub fn span_s(&self) -> (i64, i64) {
        let times = || self.rows.iter().map(|row| row.0);
        (times().min().unwrap_or(0), times().max().unwrap_or(0))
    }

    /// Sorts the rows. Equal rows stay separate, because two segments can have the same amounts.
    pub fn finish(&mut self) {
        self.rows.sort_by(|a, b| (a.0, &a.1, &a.2).cmp(&(b.0, &b.1, &b.2)).then(a.3.total_cmp(&b.3)));
    }

    /// The rows in the format of stored files.
    pub fn to_batch(&self) -> RecordBatch {
        type Row = (i64, Labels, String, f64);
        let text =
            |of: fn(&Row) -> &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(self.rows.iter().map(of))) };
        let service: ArrayRef = Arc::new(StringArray::from_iter_values(self.rows.iter().map(|_| &self.service)));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(self.rows.iter().map(|row| row.0))),
            service,
            text(|row| &row.1.host),
            text(|row| &row.1.version),
            text(|row| &row.1.region),
            text(|row| &row.1.others),
            text(|row| &row.2),
            Arc::new(Float64Array::from_iter_values(self.rows.iter().map(|row| row.3))),
        ];
        let schema = Arc::clone(schema_of(FleetTable::Counters));
        RecordBatch::try_new(schema, columns).expect("the columns of the table's schema")
    }

    /// Adds rows from a stored file.
    ///
    /// # Errors
    /// A column is missing.
    pub fn push_batch(&mut self, batch: &RecordBatch) -> Result<(), FileError> {
        let text = |name| text_column(batch, name);
        let time_s = number_column(batch, "time_s")?;
        let value = amount_column(batch, "value")?;
        let (host, version, region, others) = (text("host")?, text("version")?, text("region")?, text("labels")?);
        let counter = text("counter")?;
        for row in 0..batch.num_rows() {
            let [host, version, region, others] =
                [host, version, region, others].map(|column| column.value(row).to_owned());
            let labels = Labels { host, version, region, others };
            self.push(time_s.value(row), &labels, (counter.value(row), value.value(row)));
        }
        Ok(())
    }
}
