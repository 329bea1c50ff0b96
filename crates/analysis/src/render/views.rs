//! How plain tables (functions, lines, stacks) are laid out, and what all layouts have in
//! common.

use super::{Cell, Head, Sheet, SheetRow, View, harmless, seconds};
use crate::compare::{ComparedSide, Comparison};
use crate::functions::FunctionsView;
use crate::lines::LinesView;
use crate::metrics::Column;
use crate::query::{Preamble, Values};
use crate::stacks::StacksView;
use whittle_model::Unit;

/// The heading of a table: what it is, in which mode, by which order, and what percentages are of.
pub(crate) fn heading(title: &str, preamble: &Preamble, total: &Values) -> Vec<String> {
    let mut first = format!("{title}, {} mode", preamble.mode);
    if preamble.sorted_by == "name" {
        first.push_str(", sorted by name");
    }
    let mut lines = vec![first];
    lines.extend(selection(preamble));
    lines.extend(percent_base(total, "of all samples shown"));
    lines
}

/// Which samples count, and what was done to their stacks: `After: merge "A.f", collapse recursion`.
pub(crate) fn selection(preamble: &Preamble) -> Vec<String> {
    let filter = preamble.filter.as_ref().map(|filter| format!("Only samples with {}", harmless(filter)));
    let texts: Vec<&str> = preamble.transforms.iter().map(|transform| transform.text.as_str()).collect();
    let after = (!texts.is_empty()).then(|| format!("After: {}", harmless(&texts.join(", "))));
    let compared = preamble.comparison.iter().flat_map(comparison_lines);
    compared.chain(filter).chain(after).collect()
}

/// What is compared, per what, and how far that can be trusted.
pub(crate) fn comparison_lines(comparison: &Comparison) -> Vec<String> {
    let side = |side: &ComparedSide| {
        let runs = if side.runs == 1 { String::new() } else { format!(" ({} runs)", side.runs) };
        format!("{}{runs}", harmless(&side.name))
    };
    let (baseline, candidate) = (&comparison.baseline, &comparison.candidate);
    let amounts = baseline.units.zip(candidate.units);
    let amounts =
        amounts.map_or(String::new(), |(before, after)| format!(", of which there were {before} and {after}"));
    vec![
        format!("Baseline {}, candidate {}", side(baseline), side(candidate)),
        format!("Values are {}{amounts}; {}", comparison.per.words, comparison.words),
    ]
}

/// What percentages are of, if there are any: `Percent of 0.492 s CPU of all samples shown`.
pub(crate) fn percent_base(base: &Values, of: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for (index, column) in base.columns.iter().enumerate().filter(|(_, column)| column.is_percent) {
        let part = amount(column, base.bases[index]);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    (!parts.is_empty()).then(|| format!("Percent of {} {of}", parts.join(", ")))
}

/// A value with its unit and the metric's title.
pub(crate) fn amount(column: &Column, value: f64) -> String {
    match column.unit {
        Unit::Nanoseconds => format!("{} s {}", seconds(value), column.title),
        Unit::Bytes => format!("{} MB {}", Cell::Bytes(value).shown(), column.title),
        Unit::Count => format!("{} {}", Cell::Count(value).shown(), column.title),
    }
}

/// Notes, and how many rows a limit left out.
pub(crate) fn footer(preamble: &Preamble, shown: usize, row_count: usize) -> Vec<String> {
    let mut lines: Vec<String> = preamble.notes.iter().map(|note| format!("Note: {note}")).collect();
    if shown < row_count {
        lines.push(format!("{} more of {row_count} are not shown (limit)", row_count - shown));
    }
    lines
}

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

impl View for StacksView {
    /// In CSV a stack is one field, innermost frame first, separated by semicolons.
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

/// The root of all stacks.
pub(crate) const TOTAL: &str = "<Total>";

/// The heads of a view's metrics, then its own.
pub(crate) fn heads(columns: &[Column], preamble: &Preamble, own: impl IntoIterator<Item = Head>) -> Vec<Head> {
    let mut heads = Head::metrics(columns, &preamble.sorted_by);
    heads.extend(own);
    heads
}

fn with_total(
    total: &Values,
    label: impl IntoIterator<Item = Cell>,
    rows: impl IntoIterator<Item = SheetRow>,
) -> Vec<SheetRow> {
    with_total_row(Cell::metrics(total).into_iter().chain(label).collect(), rows)
}

/// The rows below one that sums them up, which CSV does not have.
pub(crate) fn with_total_row(total: Vec<Cell>, rows: impl IntoIterator<Item = SheetRow>) -> Vec<SheetRow> {
    let total = SheetRow { cells: total, is_emphasized: true, is_text_only: true };
    std::iter::once(total).chain(rows).collect()
}
