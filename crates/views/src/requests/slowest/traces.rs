//! The traces of OpenTelemetry of the slowest requests, so that a user can find them in the tracing system.

use crate::requests::cells::millis;
use crate::requests::slowest::Split;
use serde::Serialize;
use whittle_model::RequestTable;
use whittle_render::{Cell, Head, Sheet, SheetRow};

/// Maximum number of traces.
const MOST_TRACES: usize = 10;

/// A slow request with a trace.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SlowTrace {
    /// The id of the trace, 32 hexadecimal digits.
    pub trace: String,
    /// The length of the request.
    pub length_ns: u64,
    /// When the request began, in nanoseconds since the experiment's start.
    pub start_ns: u64,
}

/// The traces of the slowest requests, the longest first.
pub(super) fn traces(table: &RequestTable, split: &Split) -> Vec<SlowTrace> {
    let trace = |row: &usize| {
        let trace = table.trace[*row].clone()?;
        Some(SlowTrace { trace, length_ns: table.length_ns(*row), start_ns: table.start_ns[*row] })
    };
    split.slowest.iter().filter_map(trace).take(MOST_TRACES).collect()
}

/// The table of traces. Missing if there are none.
pub(super) fn sheet(traces: &[SlowTrace]) -> Option<Sheet> {
    let row = |trace: &SlowTrace| SheetRow {
        cells: vec![
            millis(Some(trace.length_ns as f64)),
            Cell::Nanos(trace.start_ns as f64),
            Cell::Text(trace.trace.clone()),
        ],
        ..SheetRow::default()
    };
    (!traces.is_empty()).then(|| Sheet {
        heading: vec!["Traces of the slowest requests".to_owned()],
        heads: vec![
            Head { is_sorted: true, ..Head::number("ms", "length_ns") },
            Head::number("began at s", "start_ns"),
            Head::text("trace id", "trace"),
        ],
        rows: traces.iter().map(row).collect(),
        ..Sheet::default()
    })
}
