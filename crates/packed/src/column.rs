//! Writes and reads the columns of plain tables. All tables use the same dozen kinds of columns.
//!
//! Integers are written in the shortest of the following three ways. All three also compress well later:
//!
//! ```text
//! 0 constant   the value
//! 1 plain      each value
//! 2 delta      differences from the row before, as signed numbers
//! ```
//!
//! Short texts that occur more than once are written once. If some values of a column are missing, one bit per row
//! shows whether the row has a value.

use crate::PackError;
use crate::bytes::{Reader, put_varint, unzigzag, varint_length, zigzag};
use rustc_hash::FxHashMap;
use whittle_model::{CellType, ColumnValues, PhysicalType, Table};

const CONSTANT: u8 = 0;
const PLAIN: u8 = 1;
const DELTA: u8 = 2;

const EACH_TEXT: u8 = 0;
const DISTINCT_TEXTS: u8 = 1;

const NONE_MISSING: u8 = 0;
const ALL_MISSING: u8 = 1;
const SOME_MISSING: u8 = 2;

const FLOATS: u8 = 0;
const WHOLE_NUMBERS: u8 = 1;

/// Longer texts are written at each occurrence. So in memory, a row's texts are at most this many times larger than the
/// packed row.
const LONGEST_SHARED_TEXT: usize = 255;

/// Appends a table: number of rows, number of bytes, then the columns. Zeros pad the columns to at least one byte per
/// row. So a reader can check the number of rows before it uses this number.
pub(super) fn put_table<T: Table>(bytes: &mut Vec<u8>, table: &T) {
    let mut columns = Vec::new();
    table.gather(0).iter().for_each(|column| put_column(&mut columns, column));
    put_rows(bytes, table.len(), columns);
}

/// Appends the number of rows, the number of bytes, and the columns, which are already encoded.
pub(super) fn put_rows(bytes: &mut Vec<u8>, rows: usize, mut columns: Vec<u8>) {
    columns.resize(columns.len().max(rows), 0);
    put_varint(bytes, rows as u64);
    put_varint(bytes, columns.len() as u64);
    bytes.extend(columns);
}

/// Returns a table's number of rows, and a reader of its columns. The reader has at least one byte per row.
pub(super) fn read_rows<'a>(reader: &mut Reader<'a>) -> Result<(usize, Reader<'a>), PackError> {
    let rows = reader.count()?;
    let length = reader.count()?;
    let columns = Reader::new(reader.take(length)?);
    if rows <= columns.remaining() { Ok((rows, columns)) } else { Err(PackError::Short) }
}

/// Reads a table.
pub(super) fn read_table<T: Table>(reader: &mut Reader<'_>) -> Result<T, PackError> {
    let (rows, mut columns_reader) = read_rows(reader)?;
    let columns = T::COLUMNS.iter().map(|column| read_column(&mut columns_reader, column.cell_type, rows));
    T::scatter(columns.collect::<Result<_, _>>()?).map_err(|_| PackError::Damaged(T::NAME))
}

fn put_column(bytes: &mut Vec<u8>, column: &ColumnValues) {
    match column {
        ColumnValues::U32(values) => put_integers(bytes, values.iter().map(|value| u64::from(*value))),
        ColumnValues::U64(values) => put_integers(bytes, values.iter().copied()),
        ColumnValues::F64(values) => put_floats(bytes, values),
        ColumnValues::Text(values) => put_texts(bytes, &values.iter().map(String::as_str).collect::<Vec<_>>()),
        ColumnValues::Hash128(values) => values.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
        ColumnValues::Code(values) => put_integers(bytes, values.iter().map(|value| u64::from(*value))),
        ColumnValues::OptionalU32(values) => {
            let present = put_presence(bytes, values);
            put_integers(bytes, present.iter().map(|value| u64::from(**value)));
        }
        ColumnValues::OptionalU64(values) => {
            let present = put_presence(bytes, values);
            put_integers(bytes, present.iter().map(|value| **value));
        }
        ColumnValues::OptionalF64(values) => {
            let present: Vec<f64> = put_presence(bytes, values).into_iter().copied().collect();
            put_floats(bytes, &present);
        }
        ColumnValues::OptionalText(values) => {
            let present: Vec<&str> = put_presence(bytes, values).into_iter().map(String::as_str).collect();
            put_texts(bytes, &present);
        }
        ColumnValues::OptionalBytes(values) => {
            let present = put_presence(bytes, values);
            put_integers(bytes, present.iter().map(|value| value.len() as u64));
            present.iter().for_each(|value| bytes.extend_from_slice(value));
        }
        ColumnValues::OptionalHash128(values) => {
            let present = put_presence(bytes, values);
            present.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        }
    }
}

fn read_column(reader: &mut Reader<'_>, cell_type: CellType, rows: usize) -> Result<ColumnValues, PackError> {
    if cell_type.optional {
        return read_optional_column(reader, cell_type.physical, rows);
    }
    Ok(match cell_type.physical {
        PhysicalType::U32 => ColumnValues::U32(read_integers(reader, rows)?),
        PhysicalType::U64 => ColumnValues::U64(read_integers(reader, rows)?),
        PhysicalType::F64 => ColumnValues::F64(read_floats(reader, rows)?),
        PhysicalType::Text => ColumnValues::Text(read_texts(reader, rows)?),
        PhysicalType::Hash128 => ColumnValues::Hash128(read_hashes(reader, rows)?),
        PhysicalType::Code(_) => ColumnValues::Code(read_integers(reader, rows)?),
        PhysicalType::Bytes => return Err(PackError::Damaged("bytes without missing values")),
    })
}

fn read_optional_column(
    reader: &mut Reader<'_>,
    physical: PhysicalType,
    rows: usize,
) -> Result<ColumnValues, PackError> {
    let presence = Presence::read(reader, rows)?;
    let count = presence.count;
    Ok(match physical {
        PhysicalType::U32 => ColumnValues::OptionalU32(presence.spread(read_integers(reader, count)?)),
        PhysicalType::U64 => ColumnValues::OptionalU64(presence.spread(read_integers(reader, count)?)),
        PhysicalType::F64 => ColumnValues::OptionalF64(presence.spread(read_floats(reader, count)?)),
        PhysicalType::Text => ColumnValues::OptionalText(presence.spread(read_texts(reader, count)?)),
        PhysicalType::Bytes => ColumnValues::OptionalBytes(presence.spread(read_byte_strings(reader, count)?)),
        PhysicalType::Hash128 => ColumnValues::OptionalHash128(presence.spread(read_hashes(reader, count)?)),
        PhysicalType::Code(_) => return Err(PackError::Damaged("codes with missing values")),
    })
}

/// Appends integers in the shortest way.
pub(super) fn put_integers(bytes: &mut Vec<u8>, values: impl Iterator<Item = u64> + Clone) {
    let mut rest = values.clone();
    let Some(first) = rest.next() else { return };
    if rest.all(|value| value == first) {
        bytes.push(CONSTANT);
        return put_varint(bytes, first);
    }
    let plain: u64 = values.clone().map(varint_length).sum();
    let delta: u64 = differences(values.clone()).map(varint_length).sum();
    if plain <= delta {
        bytes.push(PLAIN);
        values.for_each(|value| put_varint(bytes, value));
    } else {
        bytes.push(DELTA);
        differences(values).for_each(|value| put_varint(bytes, value));
    }
}

fn differences(values: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    values.scan(0_u64, |before, value| Some(zigzag(value.wrapping_sub(std::mem::replace(before, value)))))
}

/// Reads `count` integers. The caller has checked that this number is possible.
pub(super) fn read_integers<N: TryFrom<u64> + Copy>(
    reader: &mut Reader<'_>,
    count: usize,
) -> Result<Vec<N>, PackError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let number = |value: u64| N::try_from(value).map_err(|_| PackError::Damaged("a number that is too large"));
    match reader.byte()? {
        CONSTANT => Ok(vec![number(reader.varint()?)?; count]),
        PLAIN => read_each(reader, count, number),
        DELTA => {
            let mut before = 0_u64;
            read_each(reader, count, |difference| {
                before = before.wrapping_add(unzigzag(difference));
                number(before)
            })
        }
        _ => Err(PackError::Damaged("a column of numbers")),
    }
}

/// Reads `count` integers and converts each.
pub(super) fn read_each<T>(
    reader: &mut Reader<'_>,
    count: usize,
    mut turn: impl FnMut(u64) -> Result<T, PackError>,
) -> Result<Vec<T>, PackError> {
    if count > reader.remaining() {
        return Err(PackError::Short);
    }
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        values.push(turn(reader.varint()?)?);
    }
    Ok(values)
}

fn put_floats(bytes: &mut Vec<u8>, values: &[f64]) {
    let is_whole = |value: &f64| (*value as i64 as f64).to_bits() == value.to_bits();
    if values.iter().all(is_whole) {
        bytes.push(WHOLE_NUMBERS);
        put_integers(bytes, values.iter().map(|value| zigzag(*value as i64 as u64)));
    } else {
        bytes.push(FLOATS);
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    }
}

fn read_floats(reader: &mut Reader<'_>, count: usize) -> Result<Vec<f64>, PackError> {
    if reader.byte()? == WHOLE_NUMBERS {
        let numbers: Vec<u64> = read_integers(reader, count)?;
        return Ok(numbers.into_iter().map(|number| unzigzag(number) as i64 as f64).collect());
    }
    let bytes = reader.take(count.checked_mul(8).ok_or(PackError::Short)?)?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}

fn read_hashes(reader: &mut Reader<'_>, count: usize) -> Result<Vec<u128>, PackError> {
    let bytes = reader.take(count.checked_mul(16).ok_or(PackError::Short)?)?;
    Ok(bytes.as_chunks::<16>().0.iter().map(|bytes| u128::from_le_bytes(*bytes)).collect())
}

fn put_texts(bytes: &mut Vec<u8>, texts: &[&str]) {
    let mut numbers: FxHashMap<&str, u64> = FxHashMap::default();
    let mut distinct = Vec::new();
    let number_of_text: Vec<u64> = texts
        .iter()
        .map(|text| {
            *numbers.entry(text).or_insert_with(|| {
                distinct.push(*text);
                distinct.len() as u64 - 1
            })
        })
        .collect();
    if distinct.len() == texts.len() || distinct.iter().any(|text| text.len() > LONGEST_SHARED_TEXT) {
        bytes.push(EACH_TEXT);
        return put_each_text(bytes, texts);
    }
    bytes.push(DISTINCT_TEXTS);
    put_varint(bytes, distinct.len() as u64);
    put_each_text(bytes, &distinct);
    put_integers(bytes, number_of_text.iter().copied());
}

/// Lengths and characters are written separately, because they compress better in this way.
fn put_each_text(bytes: &mut Vec<u8>, texts: &[&str]) {
    put_integers(bytes, texts.iter().map(|text| text.len() as u64));
    texts.iter().for_each(|text| bytes.extend_from_slice(text.as_bytes()));
}

fn read_texts(reader: &mut Reader<'_>, count: usize) -> Result<Vec<String>, PackError> {
    match reader.byte()? {
        EACH_TEXT => read_each_text(reader, count),
        DISTINCT_TEXTS => {
            let distinct_count = reader.count()?;
            let distinct = read_each_text(reader, distinct_count)?;
            if distinct.iter().any(|text| text.len() > LONGEST_SHARED_TEXT) {
                return Err(PackError::Damaged("a shared text"));
            }
            let numbers: Vec<u32> = read_integers(reader, count)?;
            let texts = numbers.into_iter().map(|number| distinct.get(number as usize).cloned());
            texts.collect::<Option<_>>().ok_or(PackError::Damaged("a shared text"))
        }
        _ => Err(PackError::Damaged("a column of texts")),
    }
}

fn read_each_text(reader: &mut Reader<'_>, count: usize) -> Result<Vec<String>, PackError> {
    let texts = read_byte_strings(reader, count)?.into_iter().map(String::from_utf8);
    texts.collect::<Result<_, _>>().map_err(|_| PackError::Damaged("a text"))
}

fn read_byte_strings(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Vec<u8>>, PackError> {
    let lengths: Vec<u32> = read_integers(reader, count)?;
    lengths.into_iter().map(|length| Ok(reader.take(length as usize)?.to_vec())).collect()
}

/// Writes which values are present, and returns the present values.
fn put_presence<'a, T>(bytes: &mut Vec<u8>, values: &'a [Option<T>]) -> Vec<&'a T> {
    let present: Vec<&T> = values.iter().flatten().collect();
    if present.len() == values.len() {
        bytes.push(NONE_MISSING);
    } else if present.is_empty() {
        bytes.push(ALL_MISSING);
    } else {
        bytes.push(SOME_MISSING);
        let bits =
            |eight: &[Option<T>]| eight.iter().rev().fold(0, |bits, value| bits << 1 | u8::from(value.is_some()));
        bytes.extend(values.chunks(8).map(bits));
    }
    present
}

/// The present values of a column.
struct Presence<'a> {
    rows: usize,
    /// Number of present values.
    count: usize,
    /// One bit for each row, low bits first. `None`: all values are present, or all values are missing.
    bits: Option<&'a [u8]>,
}

impl<'a> Presence<'a> {
    fn read(reader: &mut Reader<'a>, rows: usize) -> Result<Self, PackError> {
        match reader.byte()? {
            NONE_MISSING => Ok(Self { rows, count: rows, bits: None }),
            ALL_MISSING => Ok(Self { rows, count: 0, bits: None }),
            SOME_MISSING => {
                let bits = reader.take(rows.div_ceil(8))?;
                let presence = Self { rows, count: 0, bits: Some(bits) };
                let count = (0..rows).filter(|row| presence.has(*row)).count();
                Ok(Self { count, ..presence })
            }
            _ => Err(PackError::Damaged("missing values")),
        }
    }

    fn has(&self, row: usize) -> bool {
        self.bits.map_or(self.count > 0, |bits| bits[row / 8] >> (row % 8) & 1 == 1)
    }

    /// Puts the present values at their rows.
    fn spread<T>(&self, values: Vec<T>) -> Vec<Option<T>> {
        let mut values = values.into_iter();
        (0..self.rows).map(|row| if self.has(row) { values.next() } else { None }).collect()
    }
}
