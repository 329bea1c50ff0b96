//! The layout of the table of requests: one table of numbers and lengths, and one of the times of the thread. CSV has both in one.

use crate::requests::bar::{UNKNOWN_LETTER, bar};
use crate::requests::cells::{kilobytes, millis};
use crate::requests::endpoints::{self, Endpoints};
use crate::requests::slowest::{self, csv_sheet};
use crate::requests::{RequestFigures, RequestRow, RequestTimeKind, RequestsView};
use whittle_render::View;
use whittle_render::layout::{TOTAL, footer, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow};

impl View for RequestsView {
    fn sheet(&self) -> Sheet {
        if let Some(slowest) = &self.slowest {
            return csv_sheet(slowest);
        }
        if let Some(endpoints) = self.endpoints().filter(|_| self.row_count == 0) {
            return endpoints::csv_sheet(endpoints, &self.preamble);
        }
        let heads = length_heads().into_iter().chain(statement_heads(&self.total)).chain(time_heads(&self.total));
        let heads = heads.chain(csv_heads()).chain(self.name_heads());
        let cells = |kind: &'static str| {
            move |figures: &RequestFigures, ratio, name: Vec<Cell>| {
                let cells = length_cells(figures, ratio).into_iter().chain(statement_cells(figures));
                let cells = cells.chain(time_cells(figures)).chain(csv_cells(figures, kind));
                cells.chain(name).collect()
            }
        };
        let mut sheet = self.table(heads.collect(), cells("request"));
        let statements = self.statements.iter();
        sheet.rows.extend(statements.map(|row| self.row(row, &cells("statement"))));
        sheet
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        if let Some(slowest) = &self.slowest {
            return slowest::text_sheets(slowest, &self.preamble);
        }
        let endpoints = self.endpoints().map(|endpoints| endpoints::text_sheet(endpoints, &self.preamble));
        if let Some(endpoints) = endpoints.as_ref().filter(|_| self.row_count == 0) {
            return vec![endpoints.clone()];
        }
        let heads = length_heads().into_iter().chain(statement_heads(&self.total)).chain(self.name_heads());
        let mut lengths = self.table(heads.collect(), |figures, ratio, name| {
            length_cells(figures, ratio).into_iter().chain(statement_cells(figures)).chain(name).collect()
        });
        lengths.heading = vec!["Requests that the server answered".to_owned()];
        lengths.heading.extend(self.preamble.filter.as_ref().map(|filter| format!("Only requests with {filter}")));
        let notes = footer(&self.preamble, self.rows.len(), self.row_count);
        if self.rows.is_empty() && self.statements.is_empty() {
            return vec![Sheet { footer: notes, ..lengths }];
        }
        let heads = time_heads(&self.total).into_iter().chain([bar_head()]).chain(self.name_heads());
        let mut times = self.table(heads.collect(), |figures, _, name| {
            let bar = Cell::Text(bar(&figures.shares));
            time_cells(figures).into_iter().chain([bar]).chain(name).collect()
        });
        times.heading = vec![
            "Mean times and bytes per request".to_owned(),
            format!("Bar: {}, {UNKNOWN_LETTER} unknown", legend(&self.total)),
        ];
        let mut sheets = vec![lengths, times];
        sheets.extend((!self.statements.is_empty()).then(|| self.statement_sheet()));
        // The notes are below the last table.
        match endpoints {
            Some(endpoints) => sheets.push(endpoints),
            None => sheets.last_mut().into_iter().for_each(|last| last.footer.extend(notes.iter().cloned())),
        }
        sheets
    }
}

fn bar_head() -> Head {
    Head { is_text_only: true, ..Head::text("where the time goes", "bar") }
}

impl RequestsView {
    fn table(&self, heads: Vec<Head>, cells: impl Fn(&RequestFigures, Option<f64>, Vec<Cell>) -> Vec<Cell>) -> Sheet {
        self.table_of((&self.total, &self.rows), heads, cells)
    }

    fn table_of(
        &self,
        (total, rows): (&RequestFigures, &[RequestRow]),
        heads: Vec<Head>,
        cells: impl Fn(&RequestFigures, Option<f64>, Vec<Cell>) -> Vec<Cell>,
    ) -> Sheet {
        let sorted = |head: Head| Head { is_sorted: head.field == self.preamble.sorted_by, ..head };
        let whole = (total.duration_ns > 0.0).then_some(1.0);
        let total_row = cells(total, whole, self.name_cells(TOTAL, None));
        Sheet {
            heads: heads.into_iter().map(sorted).collect(),
            rows: with_total_row(total_row, rows.iter().map(|row| self.row(row, &cells))),
            ..Sheet::default()
        }
    }

    /// The table of endpoints. Report files do not have it.
    fn endpoints(&self) -> Option<&Endpoints> {
        if cfg!(target_arch = "wasm32") { None } else { self.endpoints.as_ref() }
    }

    fn row(&self, row: &RequestRow, cells: &impl Fn(&RequestFigures, Option<f64>, Vec<Cell>) -> Vec<Cell>) -> SheetRow {
        let name = self.name_cells(&row.name, Some(row.port));
        SheetRow { cells: cells(&row.figures, row.ratio, name), ..SheetRow::default() }
    }

    /// The statements of JDBC, in their own table: they are parts of the requests.
    fn statement_sheet(&self) -> Sheet {
        let has_errors = |head: &Head| head.field == "errors_count";
        let heads = length_heads().into_iter().filter(|head| !has_errors(head)).chain([bar_head()]);
        let heads = heads.chain([Head::text("SQL", "name")]);
        let rows = (&self.statement_total, &self.statements[..]);
        let mut sheet = self.table_of(rows, heads.collect(), |figures, ratio, mut name| {
            let mut cells = length_cells(figures, ratio);
            cells.pop();
            cells.push(Cell::Text(bar(&figures.shares)));
            cells.extend(name.pop());
            cells
        });
        sheet.heading = vec!["Statements of JDBC, which are parts of the requests".to_owned()];
        let left_out = self.statement_row_count - self.statements.len();
        sheet.footer.extend((left_out > 0).then(|| format!("{left_out} more statements are not shown (limit)")));
        sheet
    }

    /// Text shows the port only if there are several.
    fn name_heads(&self) -> [Head; 2] {
        let port = if self.has_ports { Head::number("port", "port") } else { Head::csv_only("port") };
        [port, Head::text("name", "name")]
    }

    fn name_cells(&self, name: &str, port: Option<u32>) -> Vec<Cell> {
        let raw = port.map_or_else(String::new, |port| port.to_string());
        // Items that an agent marks have no port.
        let text = if port == Some(0) { String::new() } else { raw.clone() };
        vec![Cell::Drawn { text, raw }, Cell::Text(name.to_owned())]
    }
}

fn length_heads() -> Vec<Head> {
    vec![
        Head::number("time s", "duration_ns"),
        Head::number("% of time", "ratio"),
        Head::number("count", "requests_count"),
        Head::number("per s", "rate_per_second"),
        Head::number("mean ms", "mean_ns"),
        Head::number("p50 ms", "p50_ns"),
        Head::number("p99 ms", "p99_ns"),
        Head::number("longest ms", "longest_ns"),
        Head::number("errors", "errors_count"),
    ]
}

/// Text shows the statements of requests only if there are some.
fn statement_heads(total: &RequestFigures) -> [Head; 2] {
    let is_shown = total.statements.is_some_and(|statements| statements.statements_count > 0);
    let head = |title: &str, field: &str| if is_shown { Head::number(title, field) } else { Head::csv_only(field) };
    [head("statements", "statements_per_request"), head("ms each", "statement_mean_ns")]
}

/// Statements per request, and the mean length of one.
fn statement_cells(figures: &RequestFigures) -> [Cell; 2] {
    let statements = figures.statements;
    [
        Cell::Decimal(statements.map(|statements| statements.per_request)),
        millis(statements.and_then(|statements| statements.mean_ns)),
    ]
}

fn length_cells(figures: &RequestFigures, ratio: Option<f64>) -> Vec<Cell> {
    vec![
        Cell::Nanos(figures.duration_ns),
        Cell::Ratio(ratio),
        Cell::Count(figures.requests_count as f64),
        Cell::Decimal(figures.rate_per_second),
        millis(figures.mean_ns),
        millis(figures.p50_ns.map(|length| length as f64)),
        millis(figures.p99_ns.map(|length| length as f64)),
        millis(figures.p50_ns.map(|_| figures.longest_ns as f64)),
        Cell::Count(figures.errors_count as f64),
    ]
}

/// Text shows the kind of time only if a request has it.
fn is_shown(kind: RequestTimeKind, total: &RequestFigures) -> bool {
    kind != RequestTimeKind::Away || total.shares.away_ratio > 0.0
}

fn time_heads(total: &RequestFigures) -> Vec<Head> {
    let of_kind = |kind: RequestTimeKind| match is_shown(kind, total) {
        true => Head::number(&format!("{} ms", kind.title()), kind.field()),
        false => Head::csv_only(kind.field()),
    };
    let mut heads: Vec<Head> = RequestTimeKind::ALL.into_iter().map(of_kind).collect();
    heads.extend([
        Head::number("with times", "timed_count"),
        Head::number("read KB", "read_bytes_per_request"),
        Head::number("written KB", "written_bytes_per_request"),
    ]);
    heads
}

fn time_cells(figures: &RequestFigures) -> Vec<Cell> {
    let of_kind = |kind: RequestTimeKind| millis(figures.times.map(|times| times.of(kind)));
    let mut cells: Vec<Cell> = RequestTimeKind::ALL.into_iter().map(of_kind).collect();
    cells.extend([
        Cell::Count(figures.timed_count as f64),
        kilobytes(figures.read_bytes_per_request),
        kilobytes(figures.written_bytes_per_request),
    ]);
    cells
}

fn csv_heads() -> [Head; 5] {
    ["client_errors_count", "other_thread_count", "interleaved_count", "unknown_ratio", "kind"].map(Head::csv_only)
}

fn csv_cells(figures: &RequestFigures, kind: &str) -> [Cell; 5] {
    [
        Cell::Count(figures.client_errors_count as f64),
        Cell::Count(figures.other_thread_count as f64),
        Cell::Count(figures.interleaved_count as f64),
        Cell::Ratio(Some(figures.shares.unknown_ratio)),
        Cell::Text(kind.to_owned()),
    ]
}

/// `C CPU, R runnable, …`.
fn legend(total: &RequestFigures) -> String {
    let shown = RequestTimeKind::ALL.into_iter().filter(|kind| is_shown(*kind, total));
    shown.map(|kind| format!("{} {}", kind.letter(), kind.title())).collect::<Vec<_>>().join(", ")
}
