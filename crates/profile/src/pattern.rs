//! Regular expressions, the same in every front end.
//!
//! Their engine is small, since every report file carries it, and reads a text character by character. So that a
//! search of 100 thousand names answers while it is typed, names are first searched for a text that every match has.
//! Classes such as `\w` and `(?i)` know ASCII alone.

use regex_lite::Regex;

/// Characters that stand for more than themselves.
const SPECIAL: &str = r"\.+*?()|[]{}^$";

/// A regular expression.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// Part of all that matches; may be empty.
    literal: String,
    /// Missing: what has the literal matches.
    regex: Option<Regex>,
}

impl Pattern {
    /// Reads a regular expression, or says what is wrong with it in a few words.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        if !pattern.contains(|c| SPECIAL.contains(c)) {
            return Ok(Self { literal: pattern.to_owned(), regex: None });
        }
        let regex = Regex::new(pattern).map_err(|error| error.to_string())?;
        Ok(Self { literal: literal_of(pattern).unwrap_or_default(), regex: Some(regex) })
    }

    /// True if some part of a text matches.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        text.contains(&self.literal) && self.regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

/// The longest text between special characters; missing if there are choices, classes, groups or escapes.
fn literal_of(pattern: &str) -> Option<String> {
    let (mut longest, mut run) = (String::new(), String::new());
    for c in pattern.chars().chain(['$']) {
        match c {
            '.' | '+' | '^' | '$' | '*' | '?' => {
                // What may be there no times is no part of all that matches, as `b` in `ab*` and in `ab+*`.
                if matches!(c, '*' | '?' | '+') {
                    run.pop();
                }
                if run.len() > longest.len() {
                    longest.clone_from(&run);
                }
                run.clear();
            }
            _ if SPECIAL.contains(c) => return None,
            _ => run.push(c),
        }
    }
    Some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_that_every_match_has_is_found() {
        for (pattern, literal) in [
            ("HashMap.put", Some("HashMap")),
            ("^java.util", Some("java")),
            ("a.*Map$", Some("Map")),
            ("abc?d", Some("ab")),
            ("é*bc+", Some("b")),
            ("put|get", None),
            (r"\w+", None),
        ] {
            assert_eq!(literal_of(pattern).as_deref(), literal, "{pattern}");
        }
    }

    #[test]
    fn what_is_no_regular_expression_is_told_in_a_few_words() {
        assert_eq!(Pattern::new("(").expect_err("open").as_str(), "found open group without closing ')'");
    }

    proptest! {
        #[test]
        fn matches_are_those_of_the_large_engine(pattern in "[ab.+*?|(){}^$\\[\\]]{0,7}", text in "[abc.]{0,9}") {
            let oracle = regex::Regex::new(&pattern);
            let own = Pattern::new(&pattern);
            // Where one of the two refuses odd things such as `a{`, there is nothing to compare.
            if let (Ok(oracle), Ok(own)) = (oracle, own) {
                prop_assert_eq!(own.is_match(&text), oracle.is_match(&text), "{} on {}", pattern, text);
            }
        }
    }
}
