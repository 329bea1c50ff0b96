//! Views as text, CSV and JSON: one rendering for all views, front ends and languages.
//!
//! Everything that rounds is here: views hold raw numbers, percentages exist only in text.

mod call_tree;
mod callers_callees;
mod comparison;
mod csv;
mod details;
mod drawn_table;
mod findings;
mod interval_bar;
mod labelled;
mod overview;
mod sheet;
mod source;
mod stat;
mod syscalls;
mod text;
mod threads;
mod timeline;
mod verification;
mod views;

pub use drawn_table::{DrawnCell, DrawnColumn, DrawnTable};
pub use labelled::DrawnTexts;
pub use sheet::Sheet;
pub(crate) use sheet::{Cell, Head, SheetRow, harmless, seconds};

pub(crate) use views::amount;

use serde::Serialize;

/// A language of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Aligned tables for reading.
    #[default]
    Text,
    /// Comma-separated values (RFC 4180) with raw numbers; the first line names the fields.
    Csv,
    /// One JSON object with raw numbers.
    Json,
}

/// How text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// With colour, for terminals.
    pub is_coloured: bool,
}

/// A view that can be rendered.
pub trait View: Serialize {
    /// The view as a table: all of its CSV, and its text unless that is told apart.
    fn sheet(&self) -> Sheet;

    /// The view as text for reading: one or several tables.
    fn text_sheets(&self) -> Vec<Sheet> {
        vec![self.sheet()]
    }
}

/// A view as text in the given language, with a line break at its end.
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
