//! The `table!` macro: one declaration of a table's columns serves the code, the storage and the docs.

use crate::{CellType, ColumnValues, WrongCells};

/// One column of a stored table.
#[derive(Debug, Clone, Copy)]
pub struct ColumnSpec {
    /// The name in Parquet, SQL and JSON.
    pub name: &'static str,
    /// How the column's values are stored.
    pub cell_type: CellType,
    /// The column's meaning and unit, the meaning of a missing value, and the table that an index refers to.
    pub description: &'static str,
}

/// A table of equally long columns.
pub trait Table: Default {
    /// The table's name in file names, SQL and docs.
    const NAME: &'static str;
    /// The meaning of one row.
    const DESCRIPTION: &'static str;
    /// The columns in their stored order.
    const COLUMNS: &'static [ColumnSpec];

    /// Number of rows.
    fn len(&self) -> usize;

    /// True if the table has no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the rows from `first_row` on, column by column in stored order.
    fn gather(&self, first_row: usize) -> Vec<ColumnValues>;

    /// Builds the table from columns in stored order. `validate` checks later whether the columns are equally long.
    fn scatter(columns: Vec<ColumnValues>) -> Result<Self, WrongCells>;

    /// Adds the rows of `other` at the end.
    fn append(&mut self, other: Self);

    /// Keeps the first `rows` rows.
    fn truncate(&mut self, rows: usize);

    /// Keeps the rows with a true entry in `is_kept`, which has one entry per row.
    fn retain(&mut self, is_kept: &[bool]);

    /// True if all columns have the same number of rows.
    fn is_rectangular(&self) -> bool;
}

/// The description of a table or column. The engine of report files shows none, and must be small.
pub(crate) const fn unless_report(description: &'static str) -> &'static str {
    if cfg!(target_arch = "wasm32") { "" } else { description }
}

/// Declares a table with one vector per column, the type of its rows, and its [`Table`] implementation.
macro_rules! table {
    (
        $(#[doc = $table_doc:expr])*
        pub table $table:ident of $row:ident named $name:literal {
            $( $(#[doc = $doc:expr])* $column:ident: $type:ty, )*
        }
    ) => {
        $(#[doc = $table_doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $table { $( $(#[doc = $doc])* pub $column: Vec<$type>, )* }

        #[doc = concat!("One row of [`", stringify!($table), "`], for adding and reading single rows.")]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $row { $( $(#[doc = $doc])* pub $column: $type, )* }

        impl $table {
            /// Adds a row at the end.
            pub fn push(&mut self, row: $row) { $( self.$column.push(row.$column); )* }

            /// Copies the row at `row`, which must be below `len()`.
            pub fn row(&self, row: usize) -> $row { $row { $( $column: self.$column[row].clone(), )* } }
        }

        impl $crate::Table for $table {
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = $crate::table::unless_report(concat!($($table_doc, "\n"),*));
            const COLUMNS: &'static [$crate::ColumnSpec] = &[ $( $crate::ColumnSpec {
                name: stringify!($column),
                cell_type: <$type as $crate::Cell>::TYPE,
                description: $crate::table::unless_report(concat!($($doc),*)),
            }, )* ];

            fn len(&self) -> usize {
                let lengths = [ $( self.$column.len(), )* ];
                lengths[0]
            }

            fn gather(&self, first_row: usize) -> Vec<$crate::ColumnValues> {
                vec![ $( <$type as $crate::Cell>::gather(&self.$column[first_row..]), )* ]
            }

            fn scatter(columns: Vec<$crate::ColumnValues>) -> Result<Self, $crate::WrongCells> {
                let mut columns = columns.into_iter();
                Ok(Self { $( $column: <$type as $crate::Cell>::scatter(columns.next().ok_or($crate::WrongCells)?)?, )* })
            }

            fn append(&mut self, other: Self) { $( self.$column.extend(other.$column); )* }

            fn truncate(&mut self, rows: usize) { $( self.$column.truncate(rows); )* }

            fn retain(&mut self, is_kept: &[bool]) {
                $(
                    let mut kept = is_kept.iter();
                    self.$column.retain(|_| *kept.next().unwrap_or(&false));
                )*
            }

            fn is_rectangular(&self) -> bool {
                let lengths = [ $( self.$column.len(), )* ];
                lengths.iter().all(|length| *length == lengths[0])
            }
        }
    };
}
