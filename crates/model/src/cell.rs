//! The stored form of a column's values, independent of the table.
//!
//! [`Cell`] turns a typed column (`Vec<StackIndex>`) into plain [`ColumnValues`] and back. So the storage code handles
//! about a dozen column forms, not every type in every table.

use thiserror::Error;

/// How the values of a column are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellType {
    /// The type of a stored value.
    pub physical: PhysicalType,
    /// True if a value can be missing.
    pub optional: bool,
}

impl CellType {
    /// A column in which every row has a value.
    pub const fn required(physical: PhysicalType) -> Self {
        Self { physical, optional: false }
    }

    /// A column in which values can be missing.
    pub const fn optional(physical: PhysicalType) -> Self {
        Self { physical, optional: true }
    }
}

/// The type of one stored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhysicalType {
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
    /// 64-bit floating point number.
    F64,
    /// UTF-8 text.
    Text,
    /// Bytes.
    Bytes,
    /// 16 bytes.
    Hash128,
    /// One of the given names, stored as text.
    Code(&'static [&'static str]),
}

/// The values of one column. The variant matches the column's [`CellType`].
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the variants are the physical types, with and without missing values")]
pub enum ColumnValues {
    U32(Vec<u32>),
    U64(Vec<u64>),
    F64(Vec<f64>),
    Text(Vec<String>),
    Hash128(Vec<u128>),
    Code(Vec<u8>),
    OptionalU32(Vec<Option<u32>>),
    OptionalU64(Vec<Option<u64>>),
    OptionalF64(Vec<Option<f64>>),
    OptionalText(Vec<Option<String>>),
    OptionalBytes(Vec<Option<Vec<u8>>>),
    OptionalHash128(Vec<Option<u128>>),
}

impl ColumnValues {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(cells) => cells.len(),
            Self::U64(cells) => cells.len(),
            Self::F64(cells) => cells.len(),
            Self::Text(cells) => cells.len(),
            Self::Hash128(cells) => cells.len(),
            Self::Code(cells) => cells.len(),
            Self::OptionalU32(cells) => cells.len(),
            Self::OptionalU64(cells) => cells.len(),
            Self::OptionalF64(cells) => cells.len(),
            Self::OptionalText(cells) => cells.len(),
            Self::OptionalBytes(cells) => cells.len(),
            Self::OptionalHash128(cells) => cells.len(),
        }
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A stored column has an unexpected type, or values outside the type's range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the column does not contain values of the documented type")]
pub struct WrongCells;

/// A type that can be a value in a table's column.
pub trait Cell: Sized + Clone {
    /// How a column of this type is stored.
    const TYPE: CellType;
    /// Copies a typed column to plain values.
    fn gather(cells: &[Self]) -> ColumnValues;
    /// Turns plain values into a typed column. Fails if the values have another type.
    fn scatter(values: ColumnValues) -> Result<Vec<Self>, WrongCells>;
}

macro_rules! plain_cell {
    ($type:ty, $variant:ident, $cell_type:expr) => {
        impl Cell for $type {
            const TYPE: CellType = $cell_type;
            fn gather(cells: &[Self]) -> ColumnValues {
                ColumnValues::$variant(cells.to_vec())
            }
            fn scatter(values: ColumnValues) -> Result<Vec<Self>, WrongCells> {
                match values {
                    ColumnValues::$variant(cells) => Ok(cells),
                    _ => Err(WrongCells),
                }
            }
        }
    };
}

plain_cell!(u32, U32, CellType::required(PhysicalType::U32));
plain_cell!(u64, U64, CellType::required(PhysicalType::U64));
plain_cell!(f64, F64, CellType::required(PhysicalType::F64));
plain_cell!(String, Text, CellType::required(PhysicalType::Text));
plain_cell!(Option<u32>, OptionalU32, CellType::optional(PhysicalType::U32));
plain_cell!(Option<u64>, OptionalU64, CellType::optional(PhysicalType::U64));
plain_cell!(Option<f64>, OptionalF64, CellType::optional(PhysicalType::F64));
plain_cell!(Option<Vec<u8>>, OptionalBytes, CellType::optional(PhysicalType::Bytes));
plain_cell!(Option<String>, OptionalText, CellType::optional(PhysicalType::Text));
