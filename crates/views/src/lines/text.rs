//! The layout of the table of lines.

use super::LinesView;
use whittle_render::layout::{TOTAL, footer, heading, heads, with_total};
use whittle_render::{Cell, Head, Sheet, SheetRow, View};

impl View for LinesView {
    fn sheet(&self) -> Sheet {
        let csv_heads = [
            Head::csv_only("source_file"),
            Head::csv_only("line"),
            Head::csv_only("bytecode_index"),
            Head::text("line", "function"),
        ];
        let number = |number: Option<u32>| number.map_or(Cell::Missing, |number| Cell::Text(number.to_string()));
        let rows = self.rows.iter().map(|row| {
            let file = row.source_file.clone().map_or(Cell::Missing, Cell::Text);
            let place = Cell::Drawn { text: row.words(), raw: row.function.clone() };
            SheetRow::new(&row.values, [file, number(row.line), number(row.bytecode_index), place])
        });
        let total = [Cell::Missing, Cell::Missing, Cell::Missing, Cell::Text(TOTAL.to_owned())];
        Sheet {
            heading: heading("Lines", &self.preamble, &self.total),
            heads: heads(&self.columns, &self.preamble, csv_heads),
            rows: with_total(&self.total, total, rows),
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}
