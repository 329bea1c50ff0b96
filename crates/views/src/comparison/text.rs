//! The layout of the overview of a comparison, and of system calls of both sides.

use crate::comparison::{BothSides, ComparedSyscallsView, ComparisonView, MovedCost};
use crate::syscalls::text::{file_in_words, key_heads};
use crate::syscalls::{SyscallFigures, SyscallKey};
use whittle_model::{FileKind, Unit};
use whittle_profile::metrics::Column;
use whittle_profile::query::Values;
use whittle_profile::sides::{ComparedCounter, Part, TimeUnit};
use whittle_render::View;
use whittle_render::layout::{comparison_lines, footer, heads, selection, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow};

impl View for ComparisonView {
    /// CSV contains only the functions.
    fn sheet(&self) -> Sheet {
        let columns = self.top_functions.first().map(|row| row.values.columns.clone()).unwrap_or_default();
        Sheet {
            heading: vec!["Functions that changed most in exclusive cost".to_owned()],
            heads: heads(&columns, &self.preamble, [Head::text("function", "function")]),
            rows: self
                .top_functions
                .iter()
                .map(|row| SheetRow::new(&row.values, [Cell::Text(row.function.clone())]))
                .collect(),
            footer: footer(&self.preamble, 0, 0),
        }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut sheets = vec![self.figures()];
        if !self.top_functions.is_empty() {
            sheets.push(self.sheet());
        }
        if !self.moved.is_empty() {
            let heading = vec!["Cost that moved between functions, under functions with unchanged cost".to_owned()];
            let lines = self.moved.iter().map(|moved| self.moved_in_words(moved));
            sheets.push(Sheet { heading: heading.into_iter().chain(lines).collect(), ..Sheet::default() });
        }
        sheets
    }
}

impl ComparisonView {
    /// The totals of both sides.
    fn figures(&self) -> Sheet {
        let mut heading = vec!["Comparison".to_owned()];
        heading.extend(self.preamble.comparison.iter().flat_map(comparison_lines));
        heading.extend(self.preamble.filter.iter().map(|filter| format!("Only samples with {filter}")));
        let counters = self.counters.iter().map(counter_row);
        Sheet {
            heading,
            heads: both_sides_heads(),
            rows: counters.chain(both_sides_rows(&self.columns, &self.totals)).collect(),
            footer: Vec::new(),
        }
    }

    fn moved_in_words(&self, moved: &MovedCost) -> String {
        let column = self.top_functions.first().and_then(|row| row.values.columns.first());
        let (unit, title) = column.map_or((Unit::Count, ""), |column| (column.unit, &column.title));
        let value = match (unit, column) {
            (Unit::Nanoseconds, Some(column)) => {
                format!("{:.3} {}", moved.value / column.time_unit.ns(), column.time_unit.sign())
            }
            (Unit::Bytes, _) => format!("{:.3} MB", moved.value / 1e6),
            _ => format!("{:.3}", moved.value),
        };
        format!("  {value} {title} from {} to {}, under {}", moved.from.join(", "), moved.to.join(", "), moved.under,)
    }
}

/// The heads of [`both_sides_rows`].
pub(crate) fn both_sides_heads() -> Vec<Head> {
    let parts = Part::SHOWN.map(|part| Head::number(part.name(), part.name()));
    parts.into_iter().chain([Head::text("", "title")]).collect()
}

/// One row per metric, with the metric's title and parts.
pub(crate) fn both_sides_rows(columns: &[Column], values: &Values) -> Vec<SheetRow> {
    let cells = Cell::metrics(values);
    let parts = columns.chunks(Part::SHOWN.len()).zip(cells.chunks(Part::SHOWN.len()));
    let row = |(columns, cells): (&[Column], &[Cell])| SheetRow {
        cells: cells.iter().cloned().chain([Cell::Text(sum_words(columns))]).collect(),
        ..SheetRow::default()
    };
    parts.map(row).collect()
}

/// The title of a sum, with its unit.
fn sum_words(columns: &[Column]) -> String {
    let Some(first) = columns.first() else { return String::new() };
    match first.unit {
        Unit::Nanoseconds => format!("{} {}", first.time_unit.sign(), first.words()),
        Unit::Bytes => format!("MB {}", first.words()),
        Unit::Count => first.words(),
    }
}

fn counter_row(counter: &ComparedCounter) -> SheetRow {
    let largest = counter.baseline.max(counter.candidate);
    let (divisor, unit) = match counter.unit {
        Some(Unit::Nanoseconds) => {
            let unit = TimeUnit::of(largest);
            (unit.ns(), format!("{} ", unit.sign()))
        }
        Some(Unit::Bytes) => (1e6, "MB ".to_owned()),
        _ => (1.0, String::new()),
    };
    let number = |value: f64| Cell::Text(format!("{:.3}", value / divisor));
    let delta = (counter.candidate - counter.baseline) / divisor;
    let ratio = counter.candidate / counter.baseline;
    let cells = vec![
        number(counter.baseline),
        number(counter.candidate),
        Cell::Text(if delta == 0.0 { "0.000".to_owned() } else { format!("{delta:+.3}") }),
        Cell::Text(if ratio.is_finite() { format!("×{ratio:.2}") } else { "-".to_owned() }),
        Cell::Text(format!("{unit}{}", counter.title)),
    ];
    SheetRow { cells, ..SheetRow::default() }
}

impl View for ComparedSyscallsView {
    fn sheet(&self) -> Sheet {
        let by: Vec<String> = self.by.iter().map(ToString::to_string).collect();
        let mut heading = vec![format!("System calls by {}", by.join(", "))];
        heading.extend(selection(&self.preamble));
        let number = |above: &str, title: &str, field: &str| Head::number_below(above, title, field);
        let mut heads = vec![
            number("calls", "baseline", "calls_baseline"),
            number("calls", "candidate", "calls_candidate"),
            number("calls", "delta", "calls_delta"),
            number("calls", "ratio", "calls_ratio"),
            number("bytes/call", "baseline", "bytes_per_call_baseline"),
            number("bytes/call", "candidate", "bytes_per_call_candidate"),
            number("time µs", "baseline", "duration_ns_baseline"),
            number("time µs", "candidate", "duration_ns_candidate"),
        ];
        let text_count = self.by.iter().flat_map(key_heads).count();
        heads.extend(self.by.iter().flat_map(key_heads));
        let rows = self.rows.iter().map(|row| {
            let mut cells = number_cells(&row.sides);
            let text = |text: &Option<String>| Cell::Text(text.clone().unwrap_or_default());
            for key in &self.by {
                match key {
                    SyscallKey::Call => cells.push(text(&row.call)),
                    SyscallKey::Caller => cells.push(text(&row.caller)),
                    SyscallKey::File => {
                        let (kind, path) =
                            (row.file_kind.unwrap_or(FileKind::None), row.file.clone().unwrap_or_default());
                        cells.push(Cell::Text(kind.to_string()));
                        cells.push(Cell::Drawn { text: file_in_words(kind, &path), raw: path });
                    }
                }
            }
            SheetRow { cells, ..SheetRow::default() }
        });
        let mut total = number_cells(&self.total);
        total.resize(total.len() + text_count - 1, Cell::Text(String::new()));
        total.push(Cell::Text(whittle_render::layout::TOTAL.to_owned()));
        Sheet {
            heading,
            heads,
            rows: with_total_row(total, rows),
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}

fn number_cells(sides: &BothSides) -> Vec<Cell> {
    let calls = |figures: &Option<SyscallFigures>| figures.as_ref().map_or(0.0, |figures| figures.calls_count);
    let per_call = |figures: &Option<SyscallFigures>| Cell::Decimal(figures.as_ref().and_then(|of| of.bytes_per_call));
    let time = |figures: &Option<SyscallFigures>| Cell::Micros(figures.as_ref().map(|figures| figures.duration_ns));
    let (before, after) = (calls(&sides.baseline), calls(&sides.candidate));
    let few = |number: f64| Cell::Drawn { text: format!("{number:.3}"), raw: number.to_string() };
    let ratio = match (before > 0.0, after > 0.0) {
        (true, true) => format!("×{:.2}", after / before),
        (true, false) => "gone".to_owned(),
        (false, true) => "new".to_owned(),
        _ => "-".to_owned(),
    };
    let raw = if before > 0.0 { (after / before).to_string() } else { String::new() };
    let delta = after - before;
    vec![
        few(before),
        few(after),
        Cell::Drawn { text: format!("{delta:+.3}"), raw: delta.to_string() },
        Cell::Drawn { text: ratio, raw },
        per_call(&sides.baseline),
        per_call(&sides.candidate),
        time(&sides.baseline),
        time(&sides.candidate),
    ]
}
