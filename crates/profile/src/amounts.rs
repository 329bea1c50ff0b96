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

/// Formats a count with commas between thousands: `754,662`.
pub fn count(count: f64) -> String {
    let text = format!("{count:.0}");
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    // NaN and infinity have no thousands.
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return text;
    }
    let mut grouped = sign.to_owned();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
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
    use super::count;

    #[test]
    fn counts_have_commas_between_thousands() {
        let shown = [0.0, 12.0, 999.6, 1_200.0, 123_456.0, 1_000_000.0, -1_234.0, -123.0].map(count);
        assert_eq!(shown, ["0", "12", "1,000", "1,200", "123,456", "1,000,000", "-1,234", "-123"]);
        assert_eq!(count(f64::NAN), "NaN");
    }
}
