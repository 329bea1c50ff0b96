//! Makes Markdown from untrusted text: code spans, escaped text, items and lists.

/// An item of a list: `- **label:** text`.
pub fn item(label: &str, text: &str) -> String {
    format!("- **{label}:** {text}\n")
}

/// An item with a nested list. The result is empty if there are no texts.
pub fn list(label: &str, texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [only] => item(label, only),
        texts => {
            let items: String = texts.iter().map(|text| format!("  - {text}\n")).collect();
            format!("- **{label}:**\n{items}")
        }
    }
}

/// The text with its first letter in upper case, if the letter is ASCII. The texts are whittle's own. The table of all
/// upper-case letters has 12 KB, and each report file would contain it.
pub fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// A code span that can contain any text. Its fence is longer than any sequence of backticks in the text.
pub fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // Spaces separate the fence from backticks at the ends of the text. Markdown removes these spaces.
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// A code span for a table cell. The character `|` is escaped, because it would end the cell.
pub fn cell(text: String) -> String {
    if text.is_empty() { text } else { code(&text).replace('|', r"\|") }
}

/// Escapes all special characters of Markdown, HTML and GitHub in a text (`@` mentions, `#` links, `$` formulas).
pub fn plain(text: &str) -> String {
    let mut shown = String::new();
    for c in one_line(text).chars() {
        match c {
            '@' => shown.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' | '#' | '$' | '~' => shown.extend(['\\', c]),
            c => shown.push(c),
        }
    }
    shown
}

/// Replaces control characters by spaces, because line breaks would end paragraphs and table rows.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(plain("<img src=x> @all #1 $x$ a_b|c"), r"\<img src=x\> &#64;all \#1 \$x\$ a\_b\|c");
        assert_eq!(plain("a\nb\u{1b}[1m"), r"a b \[1m");
    }

    #[test]
    fn code_spans_hold_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(cell("a|b".to_owned()), r"`a\|b`");
    }
}
