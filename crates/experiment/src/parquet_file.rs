//! Converts one table to and from the bytes of one Parquet file.

use crate::budget::Budget;
use crate::footer::{self, ColumnPart, Leaf};
use crate::pages::ColumnPages;
use crate::{parquet_column, upgrade};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::get_column_reader;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::io::Write;
use std::sync::Arc;
use whittle_model::{ColumnSpec, ColumnValues, PhysicalType, Table};

/// Length of a hash in a column.
const HASH_BYTES: i64 = 16;

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
/// name, and unknown columns are ignored. The caller adds the file to the budget.
pub(crate) fn read_table<T: Table>(input: &impl ChunkReader, format_version: u64, budget: &mut Budget) -> Result<T> {
    let footer = footer::read(input)?;
    let schema = SchemaDescriptor::new(Arc::new(schema::<T>()?));
    let mut table = T::default();
    for row_group in &footer.row_groups {
        let mut columns: Vec<ColumnValues> = Vec::new();
        for (index, column) in T::COLUMNS.iter().enumerate() {
            let Some(position) = footer.columns.iter().position(|found| found.name == column.name) else {
                // The columns determine the number of rows, because the row count in a corrupt file can be wrong.
                let rows = columns.first().map_or(0, ColumnValues::len);
                let added = upgrade::added_column(T::NAME, column.name, rows, format_version);
                columns.push(added.ok_or_else(|| no_column(column))?);
                continue;
            };
            check_type(column, &footer.columns[position])?;
            let pages = pages_of(input, column, &row_group[position], budget)?;
            let reader = get_column_reader(schema.column(index), Box::new(pages));
            columns.push(parquet_column::read(reader, column.cell_type, budget)?);
        }
        let part = T::scatter(columns).map_err(|wrong| ParquetError::General(wrong.to_string()))?;
        if !part.is_rectangular() {
            return Err(ParquetError::General("columns have different numbers of rows".to_owned()));
        }
        table.append(part);
    }
    Ok(table)
}

fn check_type(column: &ColumnSpec, found: &Leaf) -> Result<()> {
    let physical = column.cell_type.physical;
    let has_length = physical != PhysicalType::Hash128 || found.value_length == HASH_BYTES;
    let is_same = found.physical_type == physical_number(physical)
        && found.repetition == i64::from(column.cell_type.optional)
        && has_length;
    if is_same { Ok(()) } else { Err(ParquetError::General(format!("column {} has another type", column.name))) }
}

/// The format's number of a physical type.
fn physical_number(physical: PhysicalType) -> i64 {
    match physical {
        PhysicalType::U32 => 1,
        PhysicalType::U64 => 2,
        PhysicalType::F64 => 5,
        PhysicalType::Bytes | PhysicalType::Text | PhysicalType::Code(_) => 6,
        PhysicalType::Hash128 => 7,
    }
}

/// The pages of a column. The position in a corrupt file can be outside the file.
fn pages_of(input: &impl ChunkReader, column: &ColumnSpec, part: &ColumnPart, budget: &Budget) -> Result<ColumnPages> {
    let range = part.range().filter(|range| range.end <= input.len());
    let range = range.ok_or_else(|| ParquetError::General(format!("column {} has no valid position", column.name)))?;
    let byte_count = range.end - range.start;
    // A file with holes can be larger than the disk.
    if byte_count > budget.page_bytes() {
        return Err(budget.exceeded().into());
    }
    ColumnPages::new(input.get_bytes(range.start, byte_count as usize)?, part.codec, budget)
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
