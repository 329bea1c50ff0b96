//! The layout of the table of system calls.

use crate::syscalls::{SyscallFigures, SyscallKey, SyscallRow, SyscallsView};
use crate::transfers::mean_in_words;
use whittle_model::FileKind;
use whittle_render::View;
use whittle_render::layout::{TOTAL, footer, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow};

/// Longest path in text. The start of a longer path is cut. CSV and JSON have the whole path.
const PATH_WIDTH: usize = 44;

impl View for SyscallsView {
    fn sheet(&self) -> Sheet {
        let mut heads = self.number_heads();
        heads.extend(self.by.iter().flat_map(key_heads));
        let rows = self.rows.iter().map(|row| SheetRow { cells: self.cells(row), ..SheetRow::default() });
        let last = heads.len() - 1;
        let mut total = number_cells(&self.total);
        total.resize(last, Cell::Text(String::new()));
        total.push(Cell::Text(TOTAL.to_owned()));
        let by: Vec<String> = self.by.iter().map(ToString::to_string).collect();
        let mut heading = vec![format!("System calls by {}", by.join(", "))];
        heading.extend(self.bytes_per_moving_call.map(|bytes| {
            format!("All calls: {}. The column bytes/call is the mean of all calls of a row", mean_in_words(bytes))
        }));
        heading.extend(self.preamble.filter.as_ref().map(|filter| format!("Only calls with {filter}")));
        Sheet {
            heading,
            heads,
            rows: with_total_row(total, rows),
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}

impl SyscallsView {
    fn number_heads(&self) -> Vec<Head> {
        let heads = [
            Head::number("calls", "calls_count"),
            Head::number("errors", "errors_count"),
            Head::number("MB", "bytes"),
            Head::number("bytes/call", "bytes_per_call"),
            Head::number("time s", "duration_ns"),
            Head::number("p50 µs", "p50_latency_ns"),
            Head::number("p99 µs", "p99_latency_ns"),
            Head::csv_only("longest_ns"),
            Head::number("samples", "sampled_count"),
            Head::csv_only("is_estimate"),
        ];
        let sorted = |head: Head| Head { is_sorted: head.field == self.preamble.sorted_by, ..head };
        heads.map(sorted).to_vec()
    }

    fn cells(&self, row: &SyscallRow) -> Vec<Cell> {
        let text = |text: &Option<String>| Cell::Text(text.clone().unwrap_or_default());
        let mut cells = number_cells(&row.figures);
        for key in &self.by {
            match key {
                SyscallKey::Call => cells.push(text(&row.call)),
                SyscallKey::Caller => cells.push(text(&row.caller)),
                SyscallKey::File => {
                    let (kind, path) = (row.file_kind.unwrap_or(FileKind::None), row.file.clone().unwrap_or_default());
                    cells.push(Cell::Text(kind.to_string()));
                    cells.push(Cell::Drawn { text: file_in_words(kind, &path), raw: path });
                }
            }
        }
        cells
    }
}

pub(crate) fn key_heads(key: &SyscallKey) -> Vec<Head> {
    match key {
        SyscallKey::Call => vec![Head::text("call", "call")],
        SyscallKey::Caller => vec![Head::text("caller", "caller")],
        SyscallKey::File => vec![Head::csv_only("file_kind"), Head::text("file", "file")],
    }
}

fn number_cells(figures: &SyscallFigures) -> Vec<Cell> {
    vec![
        Cell::Count(figures.calls_count),
        Cell::Count(figures.errors_count),
        Cell::Bytes(figures.bytes),
        Cell::Decimal(figures.bytes_per_call),
        Cell::Nanos(figures.duration_ns),
        Cell::Micros(figures.p50_latency_ns),
        Cell::Micros(figures.p99_latency_ns),
        Cell::Count(figures.longest_ns as f64),
        Cell::Count(figures.sampled_count as f64),
        Cell::Text(figures.is_estimate.to_string()),
    ]
}

/// `socket tcp 10.0.0.7:5432`, or `-` without a descriptor.
pub(crate) fn file_in_words(kind: FileKind, path: &str) -> String {
    match (kind, path) {
        (FileKind::None, _) => "-".to_owned(),
        (FileKind::Regular, path) if !path.is_empty() => shortened(path),
        (kind, "") => kind.to_string(),
        (kind, path) => format!("{kind} {}", shortened(path)),
    }
}

/// Cuts the start of a long path, because the end is more useful.
fn shortened(path: &str) -> String {
    let length = path.chars().count();
    if length <= PATH_WIDTH {
        return path.to_owned();
    }
    let end: String = path.chars().skip(length + 1 - PATH_WIDTH).collect();
    format!("…{end}")
}
