//! The description at the end of a Parquet file: the columns, and their positions in each row group.
//!
//! ```text
//! "PAR1"  pages of column 1, column 2, …  description  its length (4 bytes)  "PAR1"
//! ```
//!
//! The Parquet library also parses descriptions. But it allocates memory for a declared number of row groups, and a
//! wrong number would end the program.

use crate::thrift::{Kind, Thrift, damaged};
use parquet::errors::Result;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// The last bytes of every file.
const MAGIC: &[u8] = b"PAR1";
/// Length and magic after the description.
const TAIL_BYTES: u64 = 8;
/// Maximum size of a description. A table's description takes some kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// The columns and row groups of a file.
#[derive(Debug, Default)]
pub(crate) struct Footer {
    pub(crate) columns: Vec<Leaf>,
    /// For each row group, the parts of the file with the values of each column.
    pub(crate) row_groups: Vec<Vec<ColumnPart>>,
}

/// A column of the schema. Numbers are those of the format.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) physical_type: i64,
    /// Length of values with a fixed length.
    pub(crate) value_length: i64,
    pub(crate) repetition: i64,
    child_count: i64,
}

/// The values of a column in a row group.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnPart {
    /// The compression, as a number of the format.
    pub(crate) codec: i64,
    byte_count: i64,
    data_start: i64,
    dictionary_start: Option<i64>,
}

impl ColumnPart {
    /// The position in the file. `None` if the numbers are impossible, as in corrupt files.
    pub(crate) fn range(&self) -> Option<Range<u64>> {
        // Some programs write 0 if there is no dictionary.
        let start = self.dictionary_start.filter(|start| *start > 0).unwrap_or(self.data_start);
        let end = start.checked_add(self.byte_count)?;
        let (start, end) = (u64::try_from(start).ok()?, u64::try_from(end).ok()?);
        (start <= end).then_some(start..end)
    }
}

/// Reads the description at the end of `input`.
pub(crate) fn read(input: &impl ChunkReader) -> Result<Footer> {
    let end = input.len().checked_sub(TAIL_BYTES).ok_or_else(|| damaged("the file is too short"))?;
    let tail = input.get_bytes(end, TAIL_BYTES as usize)?;
    let (length, magic) = tail.split_at(4);
    if magic != MAGIC {
        return Err(damaged("the file does not end like a Parquet file"));
    }
    let length = length.try_into().map(u32::from_le_bytes).map_or(u64::MAX, u64::from);
    let start = end.checked_sub(length).filter(|_| length <= MAX_BYTES);
    let start = start.ok_or_else(|| damaged("the length of its description is impossible"))?;
    parse(&input.get_bytes(start, length as usize)?)
}

fn parse(bytes: &[u8]) -> Result<Footer> {
    let mut footer = Footer::default();
    Thrift::new(bytes).read_struct(|input, field, kind| {
        match field {
            2 => input.read_list(kind, |input, item| {
                footer.columns.push(read_leaf(input, item)?);
                Ok(())
            })?,
            4 => input.read_list(kind, |input, item| {
                footer.row_groups.push(read_row_group(input, item)?);
                Ok(())
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    // The first element is the table itself.
    if footer.columns.is_empty() || footer.columns.remove(0).child_count != footer.columns.len() as i64 {
        return Err(damaged("the number of columns is wrong"));
    }
    if footer.columns.iter().any(|column| column.child_count != 0) {
        return Err(damaged("a column contains other columns"));
    }
    if footer.row_groups.iter().any(|group| group.len() != footer.columns.len()) {
        return Err(damaged("a row group does not have all columns"));
    }
    Ok(footer)
}

fn read_leaf(input: &mut Thrift<'_>, item: Kind) -> Result<Leaf> {
    let mut leaf = Leaf { physical_type: -1, value_length: -1, repetition: -1, ..Leaf::default() };
    struct_item(input, item, |input, field, kind| {
        match field {
            1 => leaf.physical_type = input.number(kind)?,
            2 => leaf.value_length = input.number(kind)?,
            3 => leaf.repetition = input.number(kind)?,
            4 => leaf.name = String::from_utf8_lossy(input.bytes(kind)?).into_owned(),
            5 => leaf.child_count = input.number(kind)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(leaf)
}

fn read_row_group(input: &mut Thrift<'_>, item: Kind) -> Result<Vec<ColumnPart>> {
    let mut parts = Vec::new();
    struct_item(input, item, |input, field, kind| {
        if field != 1 {
            return Ok(false);
        }
        input.read_list(kind, |input, item| {
            parts.push(read_column_part(input, item)?);
            Ok(())
        })?;
        Ok(true)
    })?;
    Ok(parts)
}

fn read_column_part(input: &mut Thrift<'_>, item: Kind) -> Result<ColumnPart> {
    let mut part = ColumnPart { codec: -1, byte_count: -1, data_start: -1, dictionary_start: None };
    struct_item(input, item, |input, field, kind| {
        if field != 3 || kind != Kind::Struct {
            return Ok(false);
        }
        input.read_struct(|input, field, kind| {
            match field {
                4 => part.codec = input.number(kind)?,
                7 => part.byte_count = input.number(kind)?,
                9 => part.data_start = input.number(kind)?,
                11 => part.dictionary_start = Some(input.number(kind)?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(true)
    })?;
    Ok(part)
}

/// Reads a struct that is an item of a list.
fn struct_item(
    input: &mut Thrift<'_>,
    item: Kind,
    read: impl FnMut(&mut Thrift<'_>, i64, Kind) -> Result<bool>,
) -> Result<()> {
    if item != Kind::Struct {
        return Err(damaged("an entry of its description has the wrong type"));
    }
    input.read_struct(read)
}
