//! Writes one column of values with Parquet's column writer, and reads one column with Parquet's column reader.

use crate::budget::Budget;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{
    AsBytes, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
    Int64Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::Type;
use whittle_model::{CellType, ColumnSpec, ColumnValues, PhysicalType};

/// Maximum number of rows to decode at once. Without this limit, a wrong row count in a file could allocate much
/// memory.
const BATCH_ROWS: usize = 64 * 1024;

/// The Parquet schema element of a column.
pub(crate) fn schema_type(column: &ColumnSpec) -> Result<Type> {
    let (physical, logical, length) = match column.cell_type.physical {
        PhysicalType::U32 => (Physical::INT32, Some(LogicalType::integer(32, false)), -1),
        PhysicalType::U64 => (Physical::INT64, Some(LogicalType::integer(64, false)), -1),
        PhysicalType::F64 => (Physical::DOUBLE, None, -1),
        PhysicalType::Bytes => (Physical::BYTE_ARRAY, None, -1),
        PhysicalType::Text | PhysicalType::Code(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), -1),
        PhysicalType::Hash128 => (Physical::FIXED_LEN_BYTE_ARRAY, None, 16),
    };
    let repetition = if column.cell_type.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    Type::primitive_type_builder(column.name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .with_length(length)
        .build()
}

/// Writes all values of a column.
pub(crate) fn write(writer: &mut SerializedColumnWriter<'_>, cell_type: CellType, values: &ColumnValues) -> Result<()> {
    let text = |text: &String| ByteArray::from(text.as_bytes().to_vec());
    match values {
        ColumnValues::U32(cells) => write_all::<Int32Type, _>(writer, cells, |cell| *cell as i32),
        ColumnValues::U64(cells) => write_all::<Int64Type, _>(writer, cells, |cell| *cell as i64),
        ColumnValues::F64(cells) => write_all::<DoubleType, _>(writer, cells, |cell| *cell),
        ColumnValues::Text(cells) => write_all::<ByteArrayType, _>(writer, cells, text),
        ColumnValues::Code(codes) => {
            let PhysicalType::Code(names) = cell_type.physical else { return Err(wrong_type()) };
            let names: Vec<ByteArray> = names.iter().map(|name| ByteArray::from(*name)).collect();
            write_all::<ByteArrayType, _>(writer, codes, |code| names[*code as usize].clone())
        }
        ColumnValues::Hash128(hashes) => write_all::<FixedLenByteArrayType, _>(writer, hashes, hash_bytes),
        ColumnValues::OptionalU32(cells) => write_present::<Int32Type, _>(writer, cells, |cell| *cell as i32),
        ColumnValues::OptionalU64(cells) => write_present::<Int64Type, _>(writer, cells, |cell| *cell as i64),
        ColumnValues::OptionalF64(cells) => write_present::<DoubleType, _>(writer, cells, |cell| *cell),
        ColumnValues::OptionalText(cells) => write_present::<ByteArrayType, _>(writer, cells, text),
        ColumnValues::OptionalBytes(cells) => {
            write_present::<ByteArrayType, _>(writer, cells, |bytes| ByteArray::from(bytes.clone()))
        }
        ColumnValues::OptionalHash128(hashes) => write_present::<FixedLenByteArrayType, _>(writer, hashes, hash_bytes),
    }
}

fn hash_bytes(hash: &u128) -> FixedLenByteArray {
    FixedLenByteArray::from(hash.to_be_bytes().to_vec())
}

fn write_all<T: DataType, V>(
    writer: &mut SerializedColumnWriter<'_>,
    cells: &[V],
    convert: impl Fn(&V) -> T::T,
) -> Result<()> {
    let values: Vec<T::T> = cells.iter().map(convert).collect();
    writer.typed::<T>().write_batch(&values, None, None).map(drop)
}

fn write_present<T: DataType, V>(
    writer: &mut SerializedColumnWriter<'_>,
    cells: &[Option<V>],
    convert: impl Fn(&V) -> T::T,
) -> Result<()> {
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.iter().flatten().map(convert).collect();
    writer.typed::<T>().write_batch(&values, Some(&levels), None).map(drop)
}

/// Reads all values of a column of the expected type. The values must fit into the budget.
pub(crate) fn read(reader: ColumnReader, cell_type: CellType, budget: &mut Budget) -> Result<ColumnValues> {
    let source = Source { reader, budget };
    Ok(match (cell_type.physical, cell_type.optional) {
        (PhysicalType::U32, false) => ColumnValues::U32(read_all::<Int32Type, _>(source, |v| Ok(v as u32))?),
        (PhysicalType::U64, false) => ColumnValues::U64(read_all::<Int64Type, _>(source, |v| Ok(v as u64))?),
        (PhysicalType::F64, false) => ColumnValues::F64(read_all::<DoubleType, _>(source, Ok)?),
        (PhysicalType::Text, false) => ColumnValues::Text(read_all::<ByteArrayType, _>(source, to_text)?),
        (PhysicalType::Code(names), false) => {
            ColumnValues::Code(read_all::<ByteArrayType, _>(source, |name| to_code(&name, names))?)
        }
        (PhysicalType::Hash128, false) => {
            ColumnValues::Hash128(read_all::<FixedLenByteArrayType, _>(source, |hash| to_hash(&hash))?)
        }
        (PhysicalType::U32, true) => ColumnValues::OptionalU32(read_present::<Int32Type, _>(source, |v| Ok(v as u32))?),
        (PhysicalType::U64, true) => ColumnValues::OptionalU64(read_present::<Int64Type, _>(source, |v| Ok(v as u64))?),
        (PhysicalType::Text, true) => ColumnValues::OptionalText(read_present::<ByteArrayType, _>(source, to_text)?),
        (PhysicalType::F64, true) => ColumnValues::OptionalF64(read_present::<DoubleType, _>(source, Ok)?),
        (PhysicalType::Bytes, true) => {
            ColumnValues::OptionalBytes(read_present::<ByteArrayType, _>(source, |bytes| Ok(bytes.data().to_vec()))?)
        }
        (PhysicalType::Hash128, true) => {
            let to_hash = |hash| to_hash(&hash);
            ColumnValues::OptionalHash128(read_present::<FixedLenByteArrayType, _>(source, to_hash)?)
        }
        (PhysicalType::Code(_), true) | (PhysicalType::Bytes, false) => return Err(wrong_type()),
    })
}

fn read_all<T: DataType, V>(source: Source<'_>, convert: impl Fn(T::T) -> Result<V>) -> Result<Vec<V>> {
    let mut cells = Vec::new();
    read_batches::<T, V>(source, |_, values| {
        for value in values.drain(..) {
            cells.push(convert(value)?);
        }
        Ok(())
    })?;
    Ok(cells)
}

fn read_present<T: DataType, V>(source: Source<'_>, convert: impl Fn(T::T) -> Result<V>) -> Result<Vec<Option<V>>> {
    let mut cells = Vec::new();
    read_batches::<T, Option<V>>(source, |levels, values| {
        let mut values = values.drain(..);
        for level in levels {
            let value = if *level > 0 { values.next() } else { None };
            cells.push(value.map(&convert).transpose()?);
        }
        Ok(())
    })?;
    Ok(cells)
}

/// A column, and the memory for its values.
struct Source<'b> {
    reader: ColumnReader,
    budget: &'b mut Budget,
}

/// Reads batches of values. `V` is the type of a cell.
fn read_batches<T: DataType, V>(
    source: Source<'_>,
    mut take: impl FnMut(&[i16], &mut Vec<T::T>) -> Result<()>,
) -> Result<()> {
    let mut reader: ColumnReaderImpl<T> = get_typed_column_reader(source.reader);
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    loop {
        levels.clear();
        values.clear();
        let (row_count, _, _) = reader.read_records(BATCH_ROWS, Some(&mut levels), None, &mut values)?;
        if row_count == 0 {
            return Ok(());
        }
        // A batch has references to the texts of a page or dictionary. The cells are copies of these texts.
        let copied_bytes: usize = match T::get_physical_type() {
            Physical::BYTE_ARRAY => values.iter().map(|value| value.as_bytes().len()).sum(),
            _ => 0,
        };
        source.budget.take((row_count * size_of::<V>() + copied_bytes) as u64)?;
        take(&levels, &mut values)?;
    }
}

fn to_text(bytes: ByteArray) -> Result<String> {
    bytes.as_utf8().map(str::to_owned)
}

fn to_code(name: &ByteArray, names: &[&str]) -> Result<u8> {
    let position = names.iter().position(|known| known.as_bytes() == name.data());
    position.map(|position| position as u8).ok_or_else(|| {
        let found = String::from_utf8_lossy(name.data());
        ParquetError::General(format!("\"{found}\" is not one of {}", names.join(", ")))
    })
}

fn to_hash(bytes: &FixedLenByteArray) -> Result<u128> {
    bytes.data().try_into().map(u128::from_be_bytes).map_err(|_| wrong_type())
}

fn wrong_type() -> ParquetError {
    ParquetError::General("the type of a column is not the documented type".to_owned())
}
