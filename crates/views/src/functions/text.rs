//! The layout of the table of functions.

use super::FunctionsView;
use whittle_render::layout::{TOTAL, footer, heading, heads, with_total};
use whittle_render::{Cell, Head, Sheet, SheetRow, View};

impl View for FunctionsView {
    fn sheet(&self) -> Sheet {
        let rows = self.rows.iter().map(|row| SheetRow::new(&row.values, [Cell::Text(row.function.clone())]));
        Sheet {
            heading: heading("Functions", &self.preamble, &self.total),
            heads: heads(&self.columns, &self.preamble, [Head::text("function", "function")]),
            rows: with_total(&self.total, [Cell::Text(TOTAL.to_owned())], rows),
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}
