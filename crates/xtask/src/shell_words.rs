//! The words of a command line, as a shell splits it.

/// Splits a command line into words. Supports both kinds of quotes, and expands nothing.
pub(crate) fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_split_at_spaces_outside_quotes() {
        let line = "whittle --filter 'thread = \"a b\"' 'x*'";
        assert_eq!(shell_words(line), ["whittle", "--filter", "thread = \"a b\"", "x*"]);
        assert_eq!(shell_words("  a  '' b\tc "), ["a", "", "b", "c"]);
    }
}
