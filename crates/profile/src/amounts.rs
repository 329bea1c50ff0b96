//! Formats amounts as text: seconds, megabytes and counts, rounded as in every table.

use crate::metrics::Column;
use whittle_model::Unit;

/// Bytes per megabyte. Megabytes are decimal, as for disks and networks.
pub const BYTES_PER_MB: f64 = 1e6;

/// Formats nanoseconds as seconds with three decimals.
pub fn seconds(nanos: f64) -> String {
    decimal(nanos / 1e9, 3)
}

/// Formats bytes as megabytes with three decimals.
pub fn megabytes(bytes: f64) -> String {
    decimal(bytes / BYTES_PER_MB, 3)
}

/// Formats a count with commas between thousands: `754,662`.
pub fn count(count: f64) -> String {
    decimal(count, 0)
}

/// Formats a number with decimals, and with commas between thousands: `12,345.6`.
pub fn decimal(number: f64, digits: usize) -> String {
    with_commas(&format!("{number:.digits$}"))
}

/// Adds commas between the thousands of a number. A sign is kept. NaN and infinity have no thousands.
pub fn with_commas(number: &str) -> String {
    let end = number.find('.').unwrap_or(number.len());
    let first = number.find(|c: char| c.is_ascii_digit()).unwrap_or(end);
    let mut shown = String::new();
    for (place, c) in number.char_indices() {
        if place > first && place < end && (end - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(c);
    }
    shown
}

/// Formats a value with its unit and the metric's title.
pub fn amount(column: &Column, value: f64) -> String {
    match column.unit {
        Unit::Nanoseconds => format!("{} s {}", seconds(value), column.title),
        Unit::Bytes => format!("{} MB {}", megabytes(value), column.title),
        Unit::Count => format!("{} {}", count(value), column.title),
    }
}

#[cfg(test)]
mod tests {
    use super::{count, decimal, seconds, with_commas};

    #[test]
    fn counts_have_commas_between_thousands() {
        let shown = [0.0, 12.0, 999.6, 1_200.0, 123_456.0, 1_000_000.0, -1_234.0, -123.0].map(count);
        assert_eq!(shown, ["0", "12", "1,000", "1,200", "123,456", "1,000,000", "-1,234", "-123"]);
        assert_eq!(count(f64::NAN), "NaN");
    }

    #[test]
    fn decimals_have_commas_before_the_point_only() {
        let shown = [0.0, 999.96, 12_345.678, -1_234_567.25, f64::INFINITY].map(|number| decimal(number, 1));
        assert_eq!(shown, ["0.0", "1,000.0", "12,345.7", "-1,234,567.2", "inf"]);
        assert_eq!(seconds(1_234_567_891_000.0), "1,234.568");
        assert_eq!(decimal(0.123_456_7, 6), "0.123457");
        assert_eq!(with_commas("+82530.549"), "+82,530.549");
    }
}
