//! Converts views to text, CSV and JSON, trees to boxes, and arrays to bytes. All views and front ends use this code.
//!
//! Values are rounded only in this crate. Views contain raw numbers, and percentages exist only in text.

pub mod binary_answer;
pub mod boxes;
mod csv;
mod drawn_table;
pub mod interval_bar;
pub mod labelled;
pub mod layout;
pub mod markdown_text;
mod sheet;
mod text;

pub use drawn_table::{DrawnCell, DrawnColumn, DrawnTable};
pub use labelled::DrawnTexts;
pub use sheet::{Cell, Head, Sheet, SheetRow, harmless};

use serde::Serialize;

/// A format of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Aligned tables for reading.
    #[default]
    Text,
    /// Comma-separated values (RFC 4180) with raw numbers. The first line contains the field names.
    Csv,
    /// One JSON object with raw numbers.
    Json,
}

/// The style of text output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Whether text has colours, for terminals.
    pub is_coloured: bool,
}

/// A view that can be rendered.
pub trait View: Serialize {
    /// The view as a table, for CSV. Text output uses the same table, unless [`text_sheets`](Self::text_sheets) returns
    /// other tables.
    fn sheet(&self) -> Sheet;

    /// The view as text for reading: one or several tables.
    fn text_sheets(&self) -> Vec<Sheet> {
        vec![self.sheet()]
    }
}

/// Converts a view to the given format, with a line break at the end.
pub fn render(view: &impl View, format: Format, style: Style) -> String {
    match format {
        Format::Text => {
            let sheets = view.text_sheets();
            sheets.iter().map(|sheet| text::render(sheet, style)).collect::<Vec<_>>().join("\n")
        }
        Format::Csv => csv::render(&view.sheet()),
        Format::Json => {
            let text = serde_json::to_string_pretty(view);
            text.expect("views have text keys and finite numbers only, which always make JSON") + "\n"
        }
    }
}
