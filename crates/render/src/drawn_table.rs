//! Tables of views that are not of this crate: every cell as text to read and as text for programs.

use super::{Cell, Head, Sheet, SheetRow};

/// A table whose cells are texts.
#[derive(Debug, Clone, Default)]
pub struct DrawnTable {
    /// Lines above the table; text only.
    pub heading: Vec<String>,
    /// The columns. The last one should be text: it is never padded.
    pub columns: Vec<DrawnColumn>,
    /// Rows of as many cells as there are columns.
    pub rows: Vec<Vec<DrawnCell>>,
    /// Lines below the table; text only.
    pub footer: Vec<String>,
}

/// A column of a [`DrawnTable`].
#[derive(Debug, Clone, Copy)]
pub struct DrawnColumn {
    /// First line of its head; may be empty.
    pub above: &'static str,
    /// Second line of its head, with the unit.
    pub title: &'static str,
    /// Field name in CSV.
    pub field: &'static str,
    /// Whether cells are aligned to the right.
    pub is_number: bool,
}

/// A cell of a [`DrawnTable`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrawnCell {
    /// In text output.
    pub text: String,
    /// In CSV.
    pub raw: String,
}

impl DrawnCell {
    /// Text that is the same everywhere.
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), raw: text.to_owned() }
    }

    /// A number that is shown with so many decimals; missing: not known.
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
