//! Reads and writes the rows of Parquet files in the store.

use crate::catalogue::{DataFile, Level};
use crate::tables::{FleetTable, day_of, path_of, schema_of};
use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::properties::WriterProperties;
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use thiserror::Error;
use whittle_experiment::{Store, StoreError, day_name};
use whittle_model::ContentHash;

/// Number of rows in a row group. A row group is always read completely. With this size, a query about an hour reads
/// only this hour from a file that contains a day.
const ROWS_PER_GROUP: usize = 256 * 1024;

/// Maximum size of a column's dictionary. Without a dictionary, each row would contain a whole stack id.
const DICTIONARY_BYTES: usize = 8 << 20;

/// Why a file of the tables could not be written or read.
#[derive(Debug, Error)]
pub enum FileError {
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A Parquet error.
    #[error("a file of the fleet's tables cannot be read or written: {0}")]
    Parquet(#[from] ParquetError),
    /// An Arrow error.
    #[error("a file of the fleet's tables cannot be read or written: {0}")]
    Arrow(#[from] ArrowError),
    /// The content was not written by whittle.
    #[error("a file of the fleet's tables is damaged: {0}")]
    Damaged(String),
}

/// The content of a new file.
#[derive(Debug, Clone)]
pub struct PlacedFile<'a> {
    /// The table.
    pub table: FleetTable,
    /// The service of all rows.
    pub service: &'a str,
    /// Earliest and latest row, seconds since 1970-01-01 UTC.
    pub span_s: (i64, i64),
    /// The file's level of compaction.
    pub level: Level,
}

/// Writes rows to a file in the store. The file becomes valid when a snapshot names it. Equal rows result in the same
/// file.
///
/// # Errors
/// See [`FileError`].
pub async fn write_file(store: &Store, file: PlacedFile<'_>, rows: &[RecordBatch]) -> Result<DataFile, FileError> {
    let PlacedFile { table, service, span_s: (first_s, last_s), level } = file;
    let bytes = to_parquet(table, rows)?;
    let day = day_name(u64::try_from(day_of(first_s)).unwrap_or(0).saturating_mul(1_000_000_000));
    let name = format!("{first_s}-{:032x}", ContentHash::of(&bytes).0);
    let path = path_of(table, service, &day, &name);
    let (length, row_count) = (bytes.len() as u64, rows.iter().map(|batch| batch.num_rows() as u64).sum());
    store.objects().put(&path, PutPayload::from(bytes)).await.map_err(|error| store.refused(error))?;
    store.make_durable(&path)?;
    let (service, path) = (service.to_owned(), path.to_string());
    Ok(DataFile { table, path, service, first_s, last_s, level, row_count, bytes: length })
}

fn to_parquet(table: FleetTable, rows: &[RecordBatch]) -> Result<Vec<u8>, FileError> {
    // Level 3 is zstd's default. Higher levels take much time and reduce the size by only a few percent.
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(Some(ROWS_PER_GROUP))
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(schema_of(table)), Some(properties))?;
    for batch in rows {
        writer.write(batch)?;
    }
    Ok(writer.into_inner()?)
}

/// Reads a file of the store.
///
/// # Errors
/// See [`FileError`].
pub async fn read_file(store: &Store, path: &str) -> Result<Vec<RecordBatch>, FileError> {
    let refused = |error| FileError::from(store.refused(error));
    let place = Path::parse(path).map_err(|error| FileError::Damaged(error.to_string()))?;
    let bytes = store.objects().get(&place).await.map_err(refused)?.bytes().await.map_err(refused)?;
    // The Parquet library panics on some damaged files. This function converts such a panic to an error.
    let read = catch_unwind(AssertUnwindSafe(|| from_parquet(bytes)));
    let read = read.unwrap_or_else(|_| Err(FileError::Damaged("the Parquet reader cannot read the file".to_owned())));
    read.map_err(|error| FileError::Damaged(format!("{path}: {error}")))
}

fn from_parquet(bytes: Bytes) -> Result<Vec<RecordBatch>, FileError> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes)?.with_batch_size(ROWS_PER_GROUP).build()?;
    Ok(reader.collect::<Result<_, _>>()?)
}
