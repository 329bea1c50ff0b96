//! Pieces of Markdown from text that nobody trusts: code spans, escaped text, items and lists.

/// `- **label:** text`.
pub(crate) fn item(label: &str, text: &str) -> String {
    format!("- **{label}:** {text}\n")
}

/// An item with a list of its own; nothing without texts.
pub(crate) fn list(label: &str, texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [only] => item(label, only),
        texts => {
            let items: String = texts.iter().map(|text| format!("  - {text}\n")).collect();
            format!("- **{label}:**\n{items}")
        }
    }
}

pub(crate) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A code span of any text: its fence is longer than any run of backticks within.
pub(crate) fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // Spaces are taken off again by the reader; without them backticks at the ends would join the fence.
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// A code span in a table, where a bar would end the cell.
pub(crate) fn cell(text: String) -> String {
    if text.is_empty() { text } else { code(&text).replace('|', r"\|") }
}

/// Text with everything escaped that means something in Markdown, HTML, or to GitHub (`@` mentions, `#` links, `$`
/// formulas).
pub(crate) fn plain(text: &str) -> String {
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

/// Line breaks end paragraphs and table rows; other control characters mean nothing to a reader.
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
