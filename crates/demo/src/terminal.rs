//! Text for a terminal: lines that are not too long, and words as a shell wants them.

/// Widest line of the demo, in characters.
const WIDTH: usize = 110;

/// Start of a line that continues a command or a line of a view.
const INDENT: &str = "    ";

/// Breaks prose that is wider than the terminal.
pub(crate) fn fold_prose(text: &str) -> String {
    fold(text, "")
}

/// Breaks a line of a view that is wider than the terminal; the rest is indented.
pub(crate) fn fold_line(line: &str) -> String {
    fold(line, INDENT)
}

/// A command line that a reader can copy into a shell, in as many lines as it needs.
pub(crate) fn fold_command(words: &[&str]) -> String {
    let mut folded = String::from("$");
    let mut width = 1;
    for word in words.iter().map(|word| shell_word(word)) {
        let word_width = word.chars().count();
        // Two more for the backslash and the space before it.
        if width + 1 + word_width + 2 > WIDTH {
            folded.push_str(" \\\n");
            folded.push_str(INDENT);
            width = INDENT.len();
        } else {
            folded.push(' ');
            width += 1;
        }
        folded.push_str(&word);
        width += word_width;
    }
    folded
}

/// Breaks at spaces; words are never broken.
fn fold(line: &str, indent: &str) -> String {
    let mut folded = String::new();
    let mut rest = line;
    let mut width = WIDTH;
    while let Some(end) = line_end(rest, width) {
        folded.push_str(rest[..end].trim_end());
        folded.push('\n');
        folded.push_str(indent);
        rest = rest[end..].trim_start();
        width = WIDTH - indent.len();
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
fn shell_word(word: &str) -> String {
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
        assert_eq!(fold_line("short line"), "short line");
        let folded = fold_line(&"word ".repeat(40));
        assert!(folded.lines().all(|line| line.len() <= WIDTH), "{folded}");
        assert!(folded.lines().nth(1).is_some_and(|line| line.starts_with("    word")), "{folded}");
        let unbreakable = "x".repeat(200);
        assert_eq!(fold_line(&unbreakable), unbreakable);
        assert_eq!(fold_prose(&format!("  {unbreakable} end")), format!("  {unbreakable}\nend"));
        assert_eq!(fold_prose(&"é".repeat(200)), "é".repeat(200));
    }

    #[test]
    fn a_long_command_can_be_copied_into_a_shell() {
        let long = "x".repeat(100);
        assert_eq!(fold_command(&["whittle", "a b", &long, "c"]), format!("$ whittle 'a b' \\\n    {long} c"));
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
