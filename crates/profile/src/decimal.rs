//! Decimal numbers such as `12.5`, read exactly. The standard library's reader of floating-point numbers needs a table of 10 KB, and
//! every report file would contain it.

/// Digits after the point that are read. More digits do not change a time in nanoseconds.
const MOST_FRACTION_DIGITS: usize = 15;

/// A decimal number, not negative: `digits` divided by `scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    digits: u128,
    /// A power of ten.
    scale: u128,
}

impl Decimal {
    /// Reads `12`, `12.5`, `.5` or `12.`. Missing: the text is something else. Very large numbers become the largest number.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let are_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        if !are_digits(whole) || !are_digits(fraction) || whole.len() + fraction.len() == 0 {
            return None;
        }
        let fraction = &fraction[..fraction.len().min(MOST_FRACTION_DIGITS)];
        let add = |digits: u128, digit: u8| digits.saturating_mul(10).saturating_add(u128::from(digit - b'0'));
        let digits = whole.bytes().chain(fraction.bytes()).fold(0, add);
        Some(Self { digits, scale: 10_u128.pow(fraction.len() as u32) })
    }

    /// The product with `factor`, rounded to the nearest whole number. Products that are too large become the largest number.
    pub fn times(self, factor: u64) -> u64 {
        let product = self.digits.saturating_mul(u128::from(factor)).saturating_add(self.scale / 2) / self.scale;
        u64::try_from(product).unwrap_or(u64::MAX)
    }

    /// The nearest number of this type, if the decimal number has at most 15 digits.
    pub fn as_f64(self) -> f64 {
        self.digits as f64 / self.scale as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_exactly() {
        let times = |text: &str, factor| Decimal::parse(text).map(|number| number.times(factor));
        assert_eq!(times("0.012345678", 1_000_000_000), Some(12_345_678));
        assert_eq!(times("1.5", 1), Some(2));
        assert_eq!([".5", "5."].map(|text| times(text, 10)), [Some(5), Some(50)]);
        assert_eq!(times("99999999999999999999999999999999999999999999", 2), Some(u64::MAX));
        assert_eq!(times("1.00000000000000000000000000000000000000000000000009", 7), Some(7));
        assert_eq!(["", ".", "-1", "1e3", "1.2.3", "NaN", "+1", "٣"].map(Decimal::parse), [None; 8]);
    }

    proptest! {
        #[test]
        fn short_numbers_are_those_of_the_standard_library(text in "[0-9]{1,9}(\\.[0-9]{0,6})?") {
            prop_assert_eq!(Decimal::parse(&text).map(Decimal::as_f64), text.parse().ok());
        }
    }
}
