//! The layout of the table of endpoints.

use crate::requests::bar::bar;
use crate::requests::cells::millis;
use crate::requests::endpoints::{EndpointFigures, EndpointRow, Endpoints};
use crate::requests::kinds::RequestTimeKind;
use whittle_profile::query::Preamble;
use whittle_render::layout::{TOTAL, footer, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow};

const NO_METHOD: &str = "<outside the methods of the program>";

/// Numbers and lengths of requests are columns without values.
pub(in crate::requests) fn text_sheet(endpoints: &Endpoints, preamble: &Preamble) -> Sheet {
    let kinds = RequestTimeKind::ALL.into_iter().filter(|kind| *kind != RequestTimeKind::Away);
    let legend: Vec<String> = kinds.map(|kind| format!("{} {}", kind.letter(), kind.title())).collect();
    let heading =
        vec!["Time of threads by endpoint, according to samples".to_owned(), format!("Bar: {}", legend.join(", "))];
    let heading =
        heading.into_iter().chain(preamble.filter.as_ref().map(|filter| format!("Only samples with {filter}")));
    let footer = footer(preamble, endpoints.rows.len(), endpoints.row_count);
    Sheet { heading: heading.collect(), footer, ..csv_sheet(endpoints, preamble) }
}

/// The table with all values.
pub(in crate::requests) fn csv_sheet(endpoints: &Endpoints, preamble: &Preamble) -> Sheet {
    let whole = (endpoints.total.duration_ns > 0.0).then_some(1.0);
    let row = |row: &EndpointRow| SheetRow {
        cells: cells(&row.figures, row.ratio, (row.framework, row.function.as_deref().unwrap_or(NO_METHOD))),
        ..SheetRow::default()
    };
    let sorted = |head: Head| Head { is_sorted: head.field == preamble.sorted_by, ..head };
    let total = cells(&endpoints.total, whole, ("", TOTAL));
    Sheet {
        heads: heads().into_iter().map(sorted).collect(),
        rows: with_total_row(total, endpoints.rows.iter().map(row)),
        ..Sheet::default()
    }
}

fn heads() -> Vec<Head> {
    let mut heads = vec![
        Head::number("time s", "duration_ns"),
        Head::number("% of time", "ratio"),
        Head::number("samples", "samples_count"),
        Head::number("count", "requests_count"),
        Head::number("mean ms", "mean_ns"),
        Head::number("p50 ms", "p50_ns"),
        Head::number("p99 ms", "p99_ns"),
    ];
    let of_kind = |kind: RequestTimeKind| match kind {
        RequestTimeKind::OnCpu => Head::number("CPU s", kind.field()),
        _ => Head::csv_only(kind.field()),
    };
    heads.extend(RequestTimeKind::ALL.map(of_kind));
    heads.extend([
        Head { is_text_only: true, ..Head::text("where the time goes", "bar") },
        Head::text("framework", "framework"),
        Head::text("endpoint", "function"),
    ]);
    heads
}

fn cells(figures: &EndpointFigures, ratio: Option<f64>, (framework, function): (&str, &str)) -> Vec<Cell> {
    let mut cells = vec![
        Cell::Nanos(figures.duration_ns),
        Cell::Ratio(ratio),
        Cell::Count(figures.samples_count as f64),
        Cell::Missing,
        millis(None),
        millis(None),
        millis(None),
    ];
    cells.extend(RequestTimeKind::ALL.map(|kind| Cell::Nanos(figures.times.of(kind))));
    cells.extend([bar(&figures.shares), framework.to_owned(), function.to_owned()].map(Cell::Text));
    cells
}
