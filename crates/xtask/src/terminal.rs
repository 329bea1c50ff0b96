//! Text for a terminal: lines that are not too long, and words as a shell wants them.

/// Widest line of the demo, in characters.
const WIDTH: usize = 110;

/// Start of a line that continues another.
const INDENT: &str = "    ";

/// Breaks a line that is wider than the terminal at spaces. Words are never broken.
pub(crate) fn fold(line: &str) -> String {
    let mut folded = String::new();
    let mut rest = line;
    let mut width = WIDTH;
    while let Some(end) = line_end(rest, width) {
        folded.push_str(rest[..end].trim_end());
        folded.push('\n');
        folded.push_str(INDENT);
        rest = rest[end..].trim_start();
        width = WIDTH - INDENT.len();
    }
    folded + rest
}

/// Where to break `text` to make it at most `width` wide; none if it is, or has no space to break at.
fn line_end(text: &str, width: usize) -> Option<usize> {
    let (limit, beyond) = text.char_indices().nth(width)?;
    let indent = text.len() - text.trim_start().len();
    let before = text[..limit + beyond.len_utf8()].rfind(' ').filter(|end| *end > indent);
    before.or_else(|| text[limit..].find(' ').map(|end| limit + end))
}

/// A word of a command line, quoted if a shell would read more into it.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:,=%+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{word}'") }
}

/// The words of a command line as a shell splits it: quotes of both kinds, no expansion.
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
    fn long_lines_break_at_spaces() {
        assert_eq!(fold("short line"), "short line");
        let folded = fold(&"word ".repeat(40));
        assert!(folded.lines().all(|line| line.len() <= WIDTH), "{folded}");
        assert!(folded.lines().nth(1).is_some_and(|line| line.starts_with("    word")), "{folded}");
        let unbreakable = "x".repeat(200);
        assert_eq!(fold(&unbreakable), unbreakable);
        assert_eq!(fold(&format!("  {unbreakable} end")), format!("  {unbreakable}\n    end"));
        assert_eq!(fold(&"é".repeat(200)), "é".repeat(200));
    }

    #[test]
    fn words_survive_quoting_and_splitting() {
        let words = ["whittle", "--filter", "thread = \"a b\"", "x*"];
        let line = words.map(shell_word).join(" ");
        assert_eq!(line, "whittle --filter 'thread = \"a b\"' 'x*'");
        assert_eq!(shell_words(&line), words);
        assert_eq!(shell_words("  a  '' b\tc "), ["a", "", "b", "c"]);
    }
}
