//! Tables of views in other crates. Every cell has one text for users and one for programs.

use crate::sheet::{Cell, Head, Sheet, SheetRow};

/// A table with cells of text.
#[derive(Debug, Clone, Default)]
pub struct DrawnTable {
    /// Lines above the table, only in text output.
    pub heading: Vec<String>,
    /// The columns. The last column should contain text, because it is never padded.
    pub columns: Vec<DrawnColumn>,
    /// The rows. Each row has one cell per column.
    pub rows: Vec<Vec<DrawnCell>>,
    /// Lines below the table, only in text output.
    pub footer: Vec<String>,
}

/// A column of a [`DrawnTable`].
#[derive(Debug, Clone, Copy)]
pub struct DrawnColumn {
    /// First line of the column's head. It can be empty.
    pub above: &'static str,
    /// Second line of the column's head, with the unit.
    pub title: &'static str,
    /// Field name in CSV.
    pub field: &'static str,
    /// Whether cells are aligned to the right.
    pub is_number: bool,
}

/// A cell of a [`DrawnTable`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrawnCell {
    /// The cell in text output.
    pub text: String,
    /// The cell in CSV.
    pub raw: String,
}

impl DrawnCell {
    /// A text that is the same in text output and CSV.
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), raw: text.to_owned() }
    }

    /// A number with this many decimals. Missing if unknown.
    pub fn number(number: Option<f64>, decimals: usize) -> Self {
        let text = number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}"));
        Self { text, raw: number.map_or_else(String::new, |number| number.to_string()) }
    }
}

impl From<DrawnTable> for Sheet {
    fn from(table: DrawnTable) -> Self {
        let head = |column: &DrawnColumn| Head {
            above: column.above.to_owned(),
            is_number: column.is_number,
            ..Head::text(column.title, column.field)
        };
        let row = |cells: Vec<DrawnCell>| SheetRow {
            cells: cells.into_iter().map(|DrawnCell { text, raw }| Cell::Drawn { text, raw }).collect(),
            ..SheetRow::default()
        };
        Self {
            heading: table.heading,
            heads: table.columns.iter().map(head).collect(),
            rows: table.rows.into_iter().map(row).collect(),
            footer: table.footer,
        }
    }
}
