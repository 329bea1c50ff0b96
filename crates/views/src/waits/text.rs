//! The layout of the table of waits.

use crate::waits::{WaitFigures, WaitRow, WaitsView};
use whittle_render::View;
use whittle_render::layout::{TOTAL, footer, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow};

impl View for WaitsView {
    fn sheet(&self) -> Sheet {
        let sorted = |head: Head| Head { is_sorted: head.field == self.preamble.sorted_by, ..head };
        let heads = [
            Head::number("wait s", "duration_ns"),
            Head::number("%", "ratio"),
            Head::number("samples", "samples_count"),
            Head::number("threads", "threads_count"),
            Head::text("wait is", "meaning"),
            Head::text("waits for", "words"),
            Head::text("file or peer", "file"),
        ];
        let row = |row: &WaitRow| SheetRow {
            cells: cells(&row.figures, row.ratio, [row.meaning, row.words, &row.file]),
            ..SheetRow::default()
        };
        let mut heading = vec!["Waits by meaning; the percentages do not include idle threads".to_owned()];
        heading.extend(self.preamble.filter.as_ref().map(|filter| format!("Only samples with {filter}")));
        Sheet {
            heading,
            heads: heads.map(sorted).to_vec(),
            rows: with_total_row(
                cells(&self.total, (self.total.samples_count > 0).then_some(1.0), ["", TOTAL, ""]),
                self.rows.iter().map(row),
            ),
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}

fn cells(figures: &WaitFigures, ratio: Option<f64>, texts: [&str; 3]) -> Vec<Cell> {
    let mut cells = vec![
        Cell::Nanos(figures.duration_ns),
        Cell::Ratio(ratio),
        Cell::Count(figures.samples_count as f64),
        Cell::Count(figures.threads_count as f64),
    ];
    cells.extend(texts.map(|text| Cell::Text(text.to_owned())));
    cells
}
