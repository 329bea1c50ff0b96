//! Converts one table to and from the bytes of one Parquet file.

use crate::{parquet_column, upgrade};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, FileReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;
use whittle_model::{ColumnSpec, ColumnValues, Table};

/// How the pages of a Parquet file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// The pages are compressed with zstd, as in all stored files.
    Packed,
    /// The pages are not compressed, because the file will be compressed later together with similar files.
    Plain,
}

/// Writes a Parquet file with the rows of `table`, starting at `first_row`.
pub(crate) fn write_table<T: Table, W: Write + Send>(
    output: W,
    table: &T,
    first_row: usize,
    pages: Pages,
) -> Result<()> {
    let mut file = SerializedFileWriter::new(output, Arc::new(schema::<T>()?), Arc::new(properties(pages)?))?;
    let mut row_group = file.next_row_group()?;
    for (column, values) in T::COLUMNS.iter().zip(table.gather(first_row)) {
        let mut writer = row_group.next_column()?.ok_or_else(|| no_column(column))?;
        parquet_column::write(&mut writer, column.cell_type, &values)?;
        writer.close()?;
    }
    row_group.close()?;
    file.close().map(drop)
}

/// Reads a whole Parquet file as a table. The file's experiment has the version `format_version`. Columns are found by
/// name, and unknown columns are ignored.
pub(crate) fn read_table<T: Table, R: ChunkReader + 'static>(input: R, format_version: u64) -> Result<T> {
    let file = SerializedFileReader::new(input)?;
    let mut table = T::default();
    for group in 0..file.num_row_groups() {
        let row_group = file.get_row_group(group)?;
        let schema = row_group.metadata().schema_descr_ptr();
        let mut columns: Vec<ColumnValues> = Vec::new();
        for column in T::COLUMNS {
            let position = schema.columns().iter().position(|found| found.name() == column.name);
            let Some(position) = position else {
                // The columns determine the number of rows, because the row count in a corrupt file can be wrong.
                let rows = columns.first().map_or(0, ColumnValues::len);
                let added = upgrade::added_column(T::NAME, column.name, rows, format_version);
                columns.push(added.ok_or_else(|| no_column(column))?);
                continue;
            };
            check_type(column, &schema.column(position).self_type_ptr())?;
            check_place(column, row_group.metadata().column(position))?;
            columns.push(parquet_column::read(row_group.get_column_reader(position)?, column.cell_type)?);
        }
        let part = T::scatter(columns).map_err(|wrong| ParquetError::General(wrong.to_string()))?;
        if !part.is_rectangular() {
            return Err(ParquetError::General("columns have different numbers of rows".to_owned()));
        }
        table.append(part);
    }
    Ok(table)
}

fn check_type(column: &ColumnSpec, found: &Type) -> Result<()> {
    let expected = parquet_column::schema_type(column)?;
    let is_same =
        found.get_physical_type() == expected.get_physical_type() && found.is_optional() == expected.is_optional();
    if is_same { Ok(()) } else { Err(ParquetError::General(format!("column {} has another type", column.name))) }
}

/// Returns an error if a position in the file is negative, as in some corrupt files. The library would panic.
fn check_place(column: &ColumnSpec, found: &ColumnChunkMetaData) -> Result<()> {
    let start = found.dictionary_page_offset().unwrap_or_else(|| found.data_page_offset());
    let is_possible = start >= 0 && found.compressed_size() >= 0 && found.num_values() >= 0;
    if is_possible {
        Ok(())
    } else {
        Err(ParquetError::General(format!("column {} has no valid position", column.name)))
    }
}

fn schema<T: Table>() -> Result<Type> {
    let columns = T::COLUMNS.iter().map(|column| parquet_column::schema_type(column).map(Arc::new));
    Type::group_type_builder(T::NAME).with_fields(columns.collect::<Result<_>>()?).build()
}

fn properties(pages: Pages) -> Result<WriterProperties> {
    let compression = match pages {
        // Level 3 is zstd's default. Higher levels take much time and reduce the size by only a few percent.
        Pages::Packed => Compression::ZSTD(ZstdLevel::try_new(3)?),
        Pages::Plain => Compression::UNCOMPRESSED,
    };
    Ok(WriterProperties::builder().set_compression(compression).build())
}

fn no_column(column: &ColumnSpec) -> ParquetError {
    ParquetError::General(format!("column {} is missing", column.name))
}
