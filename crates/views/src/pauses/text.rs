//! The layout of the table of pauses.

use crate::pause_figures::PauseFigures;
use crate::pauses::{PauseRow, PausesView, SlowSafepoint};
use whittle_render::View;
use whittle_render::layout::{footer, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow};

impl View for PausesView {
    fn sheet(&self) -> Sheet {
        let sorted = |head: Head| Head { is_sorted: head.field == self.preamble.sorted_by, ..head };
        let heads = [
            Head::number("time s", "duration_ns"),
            Head::number("% of time", "ratio"),
            Head::number("count", "events_count"),
            Head::number("longest µs", "longest_ns"),
            Head::number("to stop s", "reaching_ns"),
            Head::text("kind", "kind"),
            Head::text("name", "name"),
        ];
        let mut heading = vec!["Safepoints and garbage collections, as the JVM reported them".to_owned()];
        heading.extend(self.preamble.filter.as_ref().map(|filter| format!("Only the time range of {filter}")));
        let mut foot: Vec<String> = self.slow_safepoints.iter().map(in_words).collect();
        foot.extend(footer(&self.preamble, self.rows.len(), self.row_count));
        let ratio = (self.range_ns > 0).then(|| self.stopped.duration_ns as f64 / self.range_ns as f64);
        let row = |row: &PauseRow| SheetRow {
            cells: cells(&row.figures, row.ratio, [&row.kind.to_string(), &row.name]),
            ..SheetRow::default()
        };
        Sheet {
            heading,
            heads: heads.map(sorted).to_vec(),
            rows: with_total_row(
                cells(&self.stopped, ratio, ["safepoint", "<All safepoints>"]),
                self.rows.iter().map(row),
            ),
            footer: foot,
        }
    }
}

fn cells(figures: &PauseFigures, ratio: Option<f64>, texts: [&str; 2]) -> Vec<Cell> {
    let mut cells = vec![
        Cell::Nanos(figures.duration_ns as f64),
        Cell::Ratio(ratio),
        Cell::Count(figures.events_count as f64),
        Cell::Micros(Some(figures.longest_ns as f64)),
        Cell::Nanos(figures.reaching_ns as f64),
    ];
    cells.extend(texts.map(|text| Cell::Text(text.to_owned())));
    cells
}

/// `At 1.250 s, the JVM waited 12.3 ms for the last thread (Collect). According to a sample, it was probably "main" in app.Sum.run().`.
fn in_words(slow: &SlowSafepoint) -> String {
    let (start, reaching) = (slow.start_ns as f64 / 1e9, slow.reaching_ns as f64 / 1e6);
    let last = match (&slow.thread, &slow.function) {
        (Some(thread), Some(function)) => format!("According to a sample, it was probably \"{thread}\" in {function}"),
        _ => "No sample shows which one".to_owned(),
    };
    format!("At {start:.3} s, the JVM waited {reaching:.1} ms for the last thread ({}). {last}.", slow.name)
}
