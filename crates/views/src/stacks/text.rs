//! The layout of the table of stacks.

use super::StacksView;
use whittle_render::layout::{TOTAL, footer, heading, heads, with_total};
use whittle_render::{Cell, Head, Sheet, SheetRow, View};

impl View for StacksView {
    /// In CSV, a stack is one field. It contains the frames, innermost first, separated by semicolons.
    fn sheet(&self) -> Sheet {
        let mut rows = with_total(&self.total, [Cell::Text(TOTAL.to_owned())], []);
        for stack in &self.rows {
            let leaf = stack.frames_leaf_first.first().map_or(TOTAL, String::as_str);
            let raw = stack.frames_leaf_first.join(";");
            rows.push(SheetRow::new(&stack.values, [Cell::Drawn { text: leaf.to_owned(), raw }]));
            rows.extend(stack.frames_leaf_first.iter().skip(1).map(|frame| {
                let blank = self.columns.iter().map(|_| Cell::Text(String::new()));
                let cells = blank.chain([Cell::Text(format!("  {frame}"))]).collect();
                SheetRow { cells, is_emphasized: false, is_text_only: true }
            }));
        }
        Sheet {
            heading: heading("Stacks, innermost frame first", &self.preamble, &self.total),
            heads: heads(&self.columns, &self.preamble, [Head::text("stack", "frames_leaf_first")]),
            rows,
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}
