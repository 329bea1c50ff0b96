//! Formats amounts as text: seconds, megabytes and counts, rounded as in every table.

use crate::metrics::Column;
use whittle_model::Unit;

/// Bytes per megabyte. Megabytes are decimal, as for disks and networks.
pub const BYTES_PER_MB: f64 = 1e6;

/// Formats nanoseconds as seconds with three decimals.
pub fn seconds(nanos: f64) -> String {
    format!("{:.3}", nanos / 1e9)
}

/// Formats bytes as megabytes with three decimals.
pub fn megabytes(bytes: f64) -> String {
    format!("{:.3}", bytes / BYTES_PER_MB)
}

/// Formats a count.
pub fn count(count: f64) -> String {
    format!("{count:.0}")
}

/// Formats a value with its unit and the metric's title.
pub fn amount(column: &Column, value: f64) -> String {
    match column.unit {
        Unit::Nanoseconds => format!("{} s {}", seconds(value), column.title),
        Unit::Bytes => format!("{} MB {}", megabytes(value), column.title),
        Unit::Count => format!("{} {}", count(value), column.title),
    }
}
