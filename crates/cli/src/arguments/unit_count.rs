//! Numbers of units of work on the command line.

use std::str::FromStr;

/// Parses a number of units of work. The number must be above 0.
pub(crate) fn parse_unit_count(text: &str) -> Result<f64, String> {
    let number = text.replace('_', "").parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("wanted a number above 0, for example 1000; found \"{text}\""))
}

/// The source of the units of work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UnitCount {
    /// The same number for all runs.
    Number(f64),
    /// A number that each run prints, in this group of `--metric`.
    Group(String),
}

impl FromStr for UnitCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Ok(Self::Group(text.to_owned()));
        }
        parse_unit_count(text).map(Self::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_a_number_or_a_group() {
        assert_eq!("1_000".parse(), Ok(UnitCount::Number(1000.0)));
        assert_eq!("n_count".parse(), Ok(UnitCount::Group("n_count".to_owned())));
        assert!("0".parse::<UnitCount>().is_err());
    }
}
