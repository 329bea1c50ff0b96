//! Typed positions. Each type is a row number in one table.
//!
//! An index is valid only in its own experiment. A stack's [`ContentHash`](crate::ContentHash) does not change when
//! experiments are merged.

use crate::{Cell, CellType, ColumnValues, PhysicalType, WrongCells};

macro_rules! index {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The position as a `usize`, for indexing columns.
            pub fn row(self) -> usize { self.0 as usize }

            /// The index of `row`. Tables have fewer than 2^32 rows; builders stop before that limit.
            pub fn from_row(row: usize) -> Self { Self(u32::try_from(row).unwrap_or(u32::MAX)) }
        }

        impl Cell for $name {
            const TYPE: CellType = CellType::required(PhysicalType::U32);
            fn gather(cells: &[Self]) -> ColumnValues { ColumnValues::U32(cells.iter().map(|cell| cell.0).collect()) }
            fn scatter(values: ColumnValues) -> Result<Vec<Self>, WrongCells> {
                match values {
                    ColumnValues::U32(rows) => Ok(rows.into_iter().map(Self).collect()),
                    _ => Err(WrongCells),
                }
            }
        }

        impl Cell for Option<$name> {
            const TYPE: CellType = CellType::optional(PhysicalType::U32);
            fn gather(cells: &[Self]) -> ColumnValues {
                ColumnValues::OptionalU32(cells.iter().map(|cell| cell.map(|index| index.0)).collect())
            }
            fn scatter(values: ColumnValues) -> Result<Vec<Self>, WrongCells> {
                match values {
                    ColumnValues::OptionalU32(rows) => Ok(rows.into_iter().map(|row| row.map($name)).collect()),
                    _ => Err(WrongCells),
                }
            }
        }
    };
}

index!(
    /// A row of the binaries table.
    BinaryIndex
);
index!(
    /// A row of the functions table.
    FunctionIndex
);
index!(
    /// A row of the frames table.
    FrameIndex
);
index!(
    /// A row of the stacks table, which is a node of the prefix tree. It represents the stack that ends at this node.
    StackIndex
);
index!(
    /// A row of the threads table.
    ThreadIndex
);
index!(
    /// A row of the files table.
    FileIndex
);
index!(
    /// A row of the syscalls table.
    SyscallIndex
);

index!(
    /// A row of the object_classes table.
    ObjectClassIndex
);

impl FunctionIndex {
    /// `<Total>`, the pseudo-function at the root of every stack.
    pub const TOTAL: Self = Self(0);
}

impl StackIndex {
    /// The empty stack: the root of the prefix tree.
    pub const ROOT: Self = Self(0);
}

impl FrameIndex {
    /// The frame of the empty stack: `<Total>`.
    pub const TOTAL: Self = Self(0);
}

impl FileIndex {
    /// The row for system calls and waits without a file or with an unknown file.
    pub const NONE: Self = Self(0);
}

impl ObjectClassIndex {
    /// The row for samples without an object, and for objects of an unknown class.
    pub const UNKNOWN: Self = Self(0);
}

impl BinaryIndex {
    /// The row for functions without a binary (pseudo-functions) or with an unknown binary.
    pub const NONE: Self = Self(0);
}
