//! Cells of lengths and bytes of requests, in units that fit them.

use whittle_render::Cell;

/// Nanoseconds as milliseconds. CSV has nanoseconds.
pub(crate) fn millis(nanos: Option<f64>) -> Cell {
    let shown = |nanos: f64| format!("{:.3}", nanos / 1e6);
    let unsigned = |text: String| if text == "-0.000" { "0.000".to_owned() } else { text };
    nanos.map_or(Cell::Missing, |nanos| Cell::Drawn { text: unsigned(shown(nanos)), raw: nanos.to_string() })
}

/// Bytes as kilobytes. CSV has bytes.
pub(crate) fn kilobytes(bytes: Option<f64>) -> Cell {
    bytes.map_or(Cell::Missing, |bytes| Cell::Drawn { text: format!("{:.2}", bytes / 1e3), raw: bytes.to_string() })
}
