//! How each view is laid out as sheets.

use super::{Cell, Head, Sheet, SheetRow, View, seconds};
use crate::functions::FunctionsView;
use crate::metrics::Column;
use crate::query::{Preamble, Values};
use whittle_model::Unit;

/// The heading of a table: what it is, in which mode, by which order, and what percentages are of.
pub(crate) fn heading(title: &str, preamble: &Preamble, total: &Values) -> Vec<String> {
    let mut first = format!("{title}, {} mode", preamble.mode);
    if preamble.sorted_by == "name" {
        first.push_str(", sorted by name");
    }
    let mut lines = vec![first];
    lines.extend(preamble.filter.as_ref().map(|filter| format!("Only samples with {filter}")));
    lines.extend(percent_base(total, "of all samples shown"));
    lines
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
    fn sheets(&self) -> Vec<Sheet> {
        let mut heads = Head::metrics(&self.columns, &self.preamble.sorted_by);
        heads.push(Head::text("function", "function"));
        let mut rows = vec![SheetRow::total(&self.total, [Cell::Text("<Total>".to_owned())])];
        rows.extend(self.rows.iter().map(|row| SheetRow::new(&row.values, [Cell::Text(row.function.clone())])));
        vec![Sheet {
            heading: heading("Functions", &self.preamble, &self.total),
            heads,
            rows,
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }]
    }
}
