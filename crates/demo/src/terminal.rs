//! Text for a terminal: lines that are not too long, and command lines for a shell.

/// Widest line of the demo, in characters.
pub(crate) const WIDTH: usize = 100;

/// Start of a line that continues a command or a note.
const INDENT: &str = "    ";

/// Breaks a long line, and keeps at most `limit` of the resulting lines.
pub(crate) fn fold_lines(line: &str, limit: usize) -> String {
    let folded = fold(line);
    let kept: Vec<&str> = folded.lines().take(limit).collect();
    let is_cut = folded.lines().count() > limit;
    kept.join("\n") + if is_cut { " …" } else { "" }
}

/// Shortens a line that is wider than `width`.
pub(crate) fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(2)).collect();
    kept.trim_end().to_owned() + " …"
}

/// A command line that a reader can copy into a shell. A long command line is broken into several lines.
pub(crate) fn fold_command(words: &[&str]) -> String {
    let mut folded = String::from("$");
    let mut width = 1;
    for word in words.iter().map(|word| shell_word(word)) {
        let word_width = word.chars().count();
        // The backslash and the space before it need two more characters.
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

/// Breaks at spaces; words are never broken. The parts are indented as far as the line, at least by [`INDENT`].
fn fold(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let indent = " ".repeat(indent.clamp(INDENT.len(), WIDTH / 2));
    let mut folded = String::new();
    let mut rest = line;
    let mut width = WIDTH;
    while let Some(end) = line_end(rest, width) {
        folded.push_str(rest[..end].trim_end());
        folded.push('\n');
        folded.push_str(&indent);
        rest = rest[end..].trim_start();
        width = WIDTH - indent.len();
    }
    folded + rest
}

/// Where to break `text` so that it is at most `width` wide. `None`: it is short enough, or has no space to break at.
fn line_end(text: &str, width: usize) -> Option<usize> {
    let (limit, beyond) = text.char_indices().nth(width)?;
    let indent = text.len() - text.trim_start().len();
    let before = text[..limit + beyond.len_utf8()].rfind(' ').filter(|end| *end > indent);
    before.or_else(|| text[limit..].find(' ').map(|end| limit + end))
}

/// A word of a command line, quoted if it has a special meaning for a shell.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:,=%+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{word}'") }
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
        let indented = fold(&format!("{}{}", " ".repeat(12), "word ".repeat(40)));
        assert!(indented.lines().all(|part| part.starts_with(&" ".repeat(12)) && part.len() <= WIDTH), "{indented}");
    }

    #[test]
    fn what_is_left_out_is_marked() {
        assert_eq!(cut("short line", WIDTH), "short line");
        assert_eq!(cut("one two three", 9), "one two …");
        assert_eq!(fold_lines("short line", 1), "short line");
        let folded = fold_lines(&"word ".repeat(80), 2);
        assert_eq!(folded.lines().count(), 2);
        assert!(folded.ends_with(" …"), "{folded}");
    }

    #[test]
    fn a_long_command_can_be_copied_into_a_shell() {
        let long = "x".repeat(90);
        assert_eq!(fold_command(&["whittle", "a b", &long, "c"]), format!("$ whittle 'a b' \\\n    {long} c"));
        assert_eq!(fold_command(&["whittle", "--metric", "^a (?<b>[0-9]+)"]), "$ whittle --metric '^a (?<b>[0-9]+)'");
    }
}
