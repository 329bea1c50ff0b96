//! Sizes on the command line: `500m`, `8g`.

/// Parses a whole number with a unit: `k` kibibytes, `m` mebibytes, `g` gibibytes. Without a unit, the number is in
/// bytes.
pub(crate) fn parse_byte_size(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, shift) = match lower.as_bytes().last() {
        Some(b'k') => (&lower[..lower.len() - 1], 10),
        Some(b'm') => (&lower[..lower.len() - 1], 20),
        Some(b'g') => (&lower[..lower.len() - 1], 30),
        _ => (&*lower, 0),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    number.filter(|number| *number > 0).ok_or_else(|| format!("wanted a size such as 500m or 8g, found \"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = ["1000", "4k", "500m", "8G"].map(parse_byte_size);
        assert_eq!(sizes, [Ok(1_000), Ok(4 << 10), Ok(500 << 20), Ok(8 << 30)]);
        for wrong in ["", "g", "0", "-1", "1.5g", "99999999999g", "4gb", "4\u{130}"] {
            assert!(parse_byte_size(wrong).is_err(), "{wrong}");
        }
    }
}
