//! The layout of the call tree: one line per node, indented by depth.

use crate::call_tree::{CallTreeView, PercentOf, TreeRow};
use whittle_render::View;
use whittle_render::layout::{footer, heads, percent_base, selection};
use whittle_render::{Cell, Head, Sheet, SheetRow};

impl View for CallTreeView {
    fn sheet(&self) -> Sheet {
        let drawn = drawn_branches(&self.rows);
        let rows = self.rows.iter().zip(drawn).map(|(row, text)| {
            let depth = Cell::Count(row.depth as f64);
            SheetRow::new(&row.values, [depth, Cell::Drawn { text, raw: row.function.clone() }])
        });
        Sheet {
            heading: self.heading(),
            heads: heads(&self.columns, &self.preamble, [Head::csv_only("depth"), Head::text("function", "function")]),
            rows: rows.collect(),
            footer: self.footer(),
        }
    }
}

impl CallTreeView {
    fn heading(&self) -> Vec<String> {
        let mut lines = vec![format!("Call tree, {} mode", self.preamble.mode)];
        lines.extend(selection(&self.preamble));
        let base = self.rows.first().and_then(|root| percent_base(&root.values, "of the root"));
        lines.extend(match self.percent_of {
            PercentOf::Root => base,
            PercentOf::Parent => base.map(|_| "Percent of the parent's inclusive value".to_owned()),
        });
        lines
    }

    fn footer(&self) -> Vec<String> {
        let mut lines = footer(&self.preamble, 0, 0);
        if self.pruned_count > 0 {
            lines.push(format!("{} subtrees are not shown (too small or too deep)", self.pruned_count));
        }
        if self.limited_count > 0 {
            lines.push(format!("{} lighter subtrees are not shown (limit)", self.limited_count));
        }
        lines
    }
}

/// The function names, each after the lines that draw the tree. A line connects a node with its next sibling.
fn drawn_branches(rows: &[TreeRow]) -> Vec<String> {
    // Rows are visited from last to first. For each depth, this shows whether a sibling follows below.
    let mut follows: Vec<bool> = Vec::new();
    let mut drawn: Vec<String> = rows
        .iter()
        .rev()
        .map(|row| {
            follows.resize(row.depth + 1, false);
            let is_followed = std::mem::replace(&mut follows[row.depth], true);
            if row.depth == 0 {
                return row.function.clone();
            }
            let bars: String = follows[1..row.depth].iter().map(|bar| if *bar { "│  " } else { "   " }).collect();
            format!("{bars}{}{}", if is_followed { "├─ " } else { "└─ " }, row.function)
        })
        .collect();
    drawn.reverse();
    drawn
}
