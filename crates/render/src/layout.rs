//! The common parts of the tables of all views: headings, notes, and the total in the first row.

use crate::sheet::{Cell, Head, SheetRow, harmless};
use whittle_profile::amounts::{amount, count};
use whittle_profile::metrics::Column;
use whittle_profile::query::{Preamble, Values};
use whittle_profile::sides::{ComparedSide, Comparison};

/// The heading of a table, with its title, mode, order, and the base of percentages.
pub fn heading(title: &str, preamble: &Preamble, total: &Values) -> Vec<String> {
    let mut first = format!("{title}, {} mode", preamble.mode);
    if preamble.sorted_by == "name" {
        first.push_str(", sorted by name");
    }
    let mut lines = vec![first];
    lines.extend(selection(preamble));
    lines.extend(percent_base(total, "of all samples shown"));
    lines
}

/// The lines about the filter, and about the transforms of stacks: `After: merge "A.f", collapse recursion`.
pub fn selection(preamble: &Preamble) -> Vec<String> {
    let filter = preamble.filter.as_ref().map(|filter| format!("Only samples with {}", harmless(filter)));
    let texts: Vec<&str> = preamble.transforms.iter().map(|transform| transform.text.as_str()).collect();
    let after = (!texts.is_empty()).then(|| format!("After: {}", harmless(&texts.join(", "))));
    let compared = preamble.comparison.iter().flat_map(comparison_lines);
    compared.chain(filter).chain(after).collect()
}

/// The lines about the compared sides, the unit by which values are divided, and the reliability of the comparison.
pub fn comparison_lines(comparison: &Comparison) -> Vec<String> {
    let side = |side: &ComparedSide| {
        let runs = if side.runs == 1 { String::new() } else { format!(" ({} runs)", side.runs) };
        format!("{}{runs}", harmless(&side.name))
    };
    let (baseline, candidate) = (&comparison.baseline, &comparison.candidate);
    let amounts = baseline.units.zip(candidate.units);
    let amounts = amounts.map_or(String::new(), |(before, after)| format!(" (baseline {before}, candidate {after})"));
    vec![
        format!("Baseline {}, candidate {}", side(baseline), side(candidate)),
        format!("Values are {}{amounts}; {}", comparison.per.words, comparison.words),
    ]
}

/// The base of percentages, if percentages are shown: `Percent of 0.492 s CPU of all samples shown`.
pub fn percent_base(base: &Values, of: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for (index, column) in base.columns.iter().enumerate().filter(|(_, column)| column.is_percent) {
        let part = amount(column, base.bases[index]);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    (!parts.is_empty()).then(|| format!("Percent of {} {of}", parts.join(", ")))
}

/// A note as a line of text. The page shows the text between two backticks as code. The terminal has no code spans, so it shows only
/// the text. A backtick without a second one stays.
pub fn note_line(note: &str) -> String {
    let marks = note.matches('`').count();
    let mut parts = note.split('`');
    let mut line = format!("Note: {}", parts.next().unwrap_or_default());
    for (mark, part) in parts.enumerate() {
        if marks % 2 == 1 && mark + 1 == marks {
            line.push('`');
        }
        line.push_str(part);
    }
    line
}

/// Notes, and the number of rows that a limit left out.
pub fn footer(preamble: &Preamble, shown: usize, row_count: usize) -> Vec<String> {
    let mut lines: Vec<String> = preamble.notes.iter().map(|note| note_line(note)).collect();
    if shown < row_count {
        lines.push(format!(
            "{} more of {} are not shown (limit)",
            count((row_count - shown) as f64),
            count(row_count as f64)
        ));
    }
    lines
}

/// The name of the root of all stacks.
pub const TOTAL: &str = "<Total>";

/// The heads of a view's metrics, then the heads of its other columns.
pub fn heads(columns: &[Column], preamble: &Preamble, own: impl IntoIterator<Item = Head>) -> Vec<Head> {
    let mut heads = Head::metrics(columns, &preamble.sorted_by);
    heads.extend(own);
    heads
}

/// Adds the values of all samples as the first row. CSV does not have this row.
pub fn with_total(
    total: &Values,
    label: impl IntoIterator<Item = Cell>,
    rows: impl IntoIterator<Item = SheetRow>,
) -> Vec<SheetRow> {
    with_total_row(Cell::metrics(total).into_iter().chain(label).collect(), rows)
}

/// Adds the total as the first row. CSV does not have this row.
pub fn with_total_row(total: Vec<Cell>, rows: impl IntoIterator<Item = SheetRow>) -> Vec<SheetRow> {
    let total = SheetRow { cells: total, is_emphasized: true, is_text_only: true };
    std::iter::once(total).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::note_line;

    #[test]
    fn notes_show_code_without_its_marks() {
        assert_eq!(note_line("`whittle doctor` says why, `a`"), "Note: whittle doctor says why, a");
        assert_eq!(note_line("`a` and don`t"), "Note: a and don`t");
        assert_eq!(note_line("no code"), "Note: no code");
    }
}
