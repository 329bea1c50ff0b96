//! Regular expressions with the same result in every front end.
//!
//! The regular expression engine is small, because every report file contains it. It reads a text character by
//! character. Before the engine runs, names are searched for a text that is part of every match. So a search of 100
//! thousand names is fast enough while the user types. Classes such as `\w` and `(?i)` support only ASCII.

use regex_lite::Regex;

/// Characters with a special meaning.
const SPECIAL: &str = r"\.+*?()|[]{}^$";

/// A regular expression.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// A text that is part of every match; can be empty.
    literal: String,
    /// The compiled expression. Missing if the literal is the whole pattern.
    regex: Option<Regex>,
}

impl Pattern {
    /// Parses a regular expression. The error is a short message.
    pub fn new(pattern: &str) -> Result<Self, String> {
        if !pattern.contains(|c| SPECIAL.contains(c)) {
            return Ok(Self { literal: pattern.to_owned(), regex: None });
        }
        let regex = Regex::new(pattern).map_err(|error| error.to_string())?;
        Ok(Self { literal: literal_of(pattern).unwrap_or_default(), regex: Some(regex) })
    }

    /// True if any part of a text matches.
    pub fn is_match(&self, text: &str) -> bool {
        text.contains(&self.literal) && self.regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

/// The longest text between special characters. Missing if there are alternatives, classes, groups or escapes.
fn literal_of(pattern: &str) -> Option<String> {
    let (mut longest, mut run) = (String::new(), String::new());
    for c in pattern.chars().chain(['$']) {
        match c {
            '.' | '+' | '^' | '$' | '*' | '?' => {
                // A character that can occur zero times, such as `b` in `ab*` and `ab+*`, is not part of every match.
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
            // If one of the engines rejects unusual patterns such as `a{`, there is nothing to compare.
            if let (Ok(oracle), Ok(own)) = (oracle, own) {
                prop_assert_eq!(own.is_match(&text), oracle.is_match(&text), "{} on {}", pattern, text);
            }
        }
    }
}
