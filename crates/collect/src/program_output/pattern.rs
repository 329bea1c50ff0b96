//! The pattern of `--metric`: a regular expression. Its named groups are counters.

use regex::Regex;
use thiserror::Error;

/// A pattern with at least one named group.
#[derive(Debug, Clone)]
pub(crate) struct MetricPattern(Regex);

/// Why a text is not a pattern.
#[derive(Debug, Clone, PartialEq, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum BadPattern {
    #[error("the pattern {pattern:?} is not a regular expression: {source}")]
    Syntax { pattern: String, source: regex::Error },
    #[error(
        "the pattern {pattern:?} has no named group, so its counter has no name; put a named group around the number, for example '(?<messages_per_second>[0-9.,]+) messages/s'"
    )]
    NoName { pattern: String },
}

impl MetricPattern {
    /// Reads a pattern.
    pub(crate) fn parse(pattern: &str) -> Result<Self, BadPattern> {
        let pattern_text = || pattern.to_owned();
        let regex = Regex::new(pattern).map_err(|source| BadPattern::Syntax { pattern: pattern_text(), source })?;
        if regex.capture_names().flatten().next().is_none() {
            return Err(BadPattern::NoName { pattern: pattern_text() });
        }
        Ok(Self(regex))
    }

    /// Names of the groups.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.capture_names().flatten()
    }

    /// The numbers in a line: the text of each named group in each match, if the text is a number.
    pub(super) fn find(&self, line: &str, found: &mut Vec<(String, f64)>) {
        for captures in self.0.captures_iter(line) {
            for name in self.names() {
                if let Some(value) = captures.name(name).and_then(|text| parse_number(text.as_str())) {
                    found.push((name.to_owned(), value));
                }
            }
        }
    }
}

/// A number as programs print it: `1234.5`, `1,234.5`, `1_234`, `1.2e6`. A comma separates thousands.
fn parse_number(text: &str) -> Option<f64> {
    let digits: String = text.trim().chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let looks_like_number = digits.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    let value: f64 = digits.parse().ok().filter(|_| looks_like_number)?;
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_programs_print_them() {
        let cases = [
            ("13.1", Some(13.1)),
            ("1,234,567.5", Some(1_234_567.5)),
            ("1_000", Some(1000.0)),
            (" 42 ", Some(42.0)),
            ("-1.5e3", Some(-1500.0)),
            (".5", Some(0.5)),
            ("", None),
            ("-", None),
            ("NaN", None),
            ("inf", None),
            ("-inf", None),
            ("1e999", None),
            ("12 kB", None),
        ];
        for (text, value) in cases {
            assert_eq!(parse_number(text), value, "{text:?}");
        }
    }

    #[test]
    fn groups_give_counters_their_names() {
        let pattern = MetricPattern::parse(r"rate (?<rate>[\d.]+)|total (?<documents_count>\S+)").unwrap();
        let mut found = Vec::new();
        pattern.find("rate 13.1 and total 2,000, rate .", &mut found);
        assert_eq!(found, [("rate".to_owned(), 13.1), ("documents_count".to_owned(), 2000.0)]);
    }

    #[test]
    fn patterns_without_a_name_or_meaning_are_refused() {
        let error = |pattern: &str| MetricPattern::parse(pattern).unwrap_err().to_string();
        assert!(error(r"(\d+) messages/s").contains("has no named group"));
        assert!(error("(?<rate>").contains("is not a regular expression"));
    }
}
