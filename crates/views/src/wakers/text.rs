//! The layout of the tree of wakers.

use crate::letter_bar::letter_bar;
use crate::wakers::critical_path::legend;
use crate::wakers::{WakerFigures, WakerRole, WakerRow, WakersView};
use whittle_profile::amounts::decimal;
use whittle_render::View;
use whittle_render::layout::{TOTAL, footer, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow};

/// Columns that are part of the sentence in text.
const CSV_FIELDS: [&str; 9] = ["depth", "role", "thread", "waker_kind", "meaning", "file", "lock", "function", "line"];

impl View for WakersView {
    fn sheet(&self) -> Sheet {
        let (heading, title) = match self.preamble.view {
            "locks" => ("Waits for locks, and who held them", "lock, who held it, and what the holder did meanwhile"),
            _ => ("Waits by waiter, and who ended them", "who waits, who woke it, and what that thread did meanwhile"),
        };
        let sorted = |head: Head| Head { is_sorted: head.field == self.preamble.sorted_by, ..head };
        let mut heads = vec![
            Head::number("wait s", "duration_ns"),
            Head::number("%", "ratio"),
            Head::number("samples", "samples_count"),
            Head::number("longest ms", "longest_ns"),
        ];
        heads.extend(CSV_FIELDS.map(Head::csv_only));
        heads.push(Head::text(title, "words"));
        let row = |row: &WakerRow| SheetRow { cells: row_cells(row), ..SheetRow::default() };
        let mut heading = vec![heading.to_owned()];
        if !self.critical_path.is_empty() {
            let parts: Vec<(char, f64)> = self.critical_path.iter().map(|part| (part.letter, part.ratio)).collect();
            heading.push(format!("Critical path: {}", letter_bar(&parts)));
            heading.push(legend(&self.critical_path));
        }
        heading.extend(self.preamble.filter.as_ref().map(|filter| format!("Only waits with {filter}")));
        let mut total_cells = value_cells(&self.total, (self.total.duration_ns > 0.0).then_some(1.0));
        total_cells.extend(CSV_FIELDS.map(|_| Cell::Text(String::new())));
        total_cells.push(Cell::Text(TOTAL.to_owned()));
        Sheet {
            heading,
            heads: heads.into_iter().map(sorted).collect(),
            rows: with_total_row(total_cells, self.rows.iter().map(row)),
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}

fn value_cells(figures: &WakerFigures, ratio: Option<f64>) -> Vec<Cell> {
    vec![
        Cell::Nanos(figures.duration_ns),
        Cell::Ratio(ratio),
        Cell::Count(figures.samples_count as f64),
        millis(figures.longest_ns),
    ]
}

fn row_cells(row: &WakerRow) -> Vec<Cell> {
    let mut cells = value_cells(&row.figures, row.ratio);
    cells.push(Cell::Count(row.depth as f64));
    let texts = [
        role(row.role),
        &row.thread,
        row.waker_kind.unwrap_or_default(),
        row.meaning.unwrap_or_default(),
        &row.file,
        &row.lock,
        row.function.as_deref().unwrap_or_default(),
    ];
    cells.extend(texts.map(|text| Cell::Text(text.to_owned())));
    cells.push(Cell::Text(row.line.map_or_else(String::new, |line| line.to_string())));
    cells.push(Cell::Drawn { text: format!("{}{}", "  ".repeat(row.depth), row.words), raw: row.words.clone() });
    cells
}

fn role(role: WakerRole) -> &'static str {
    match role {
        WakerRole::Waiter => "waiter",
        WakerRole::Lock => "lock",
        WakerRole::Waker => "waker",
        WakerRole::Holder => "holder",
        WakerRole::Waits => "waits",
        WakerRole::Executes => "executes",
        WakerRole::Runnable => "runnable",
    }
}

/// Nanoseconds in CSV, milliseconds in text. Missing: unknown.
fn millis(nanos: Option<u64>) -> Cell {
    match nanos {
        Some(nanos) => Cell::Drawn { text: decimal(nanos as f64 / 1e6, 1), raw: nanos.to_string() },
        None => Cell::Missing,
    }
}
