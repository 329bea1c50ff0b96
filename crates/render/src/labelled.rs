//! Labels and sentences in two columns.

use crate::sheet::{Cell, Head, Sheet, SheetRow};

/// Width at which sentences are wrapped. A line with its label has about 115 characters.
const TEXT_WIDTH: usize = 98;
/// Width of a line of [`DrawnTexts`], including the label.
const LINE_WIDTH: usize = 100;

/// Labels and texts of views in other crates, wrapped into lines of at most 100 characters.
#[derive(Debug, Clone, Default)]
pub struct DrawnTexts {
    /// Lines above the labels and texts.
    pub heading: Vec<String>,
    /// Labels with their texts. Each text is on a separate line.
    pub texts: Vec<(&'static str, Vec<String>)>,
}

impl From<DrawnTexts> for Sheet {
    fn from(drawn: DrawnTexts) -> Self {
        let labels = drawn.texts.iter().filter(|(_, texts)| !texts.is_empty());
        let label_width = labels.map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let mut rows = Vec::new();
        for (label, texts) in &drawn.texts {
            let lines = texts.iter().flat_map(|text| wrapped(text, LINE_WIDTH - 2 - label_width));
            rows.extend(lines.enumerate().map(|(index, line)| row(if index == 0 { label } else { "" }, line)));
        }
        two_columns(drawn.heading.iter().flat_map(|line| wrapped(line, LINE_WIDTH)).collect(), rows)
    }
}

/// Adds one text per line. The first text is next to the label.
pub fn put_each(rows: &mut Vec<SheetRow>, label: &str, texts: &[impl AsRef<str>]) {
    for (index, text) in texts.iter().enumerate() {
        put(rows, if index == 0 { label } else { "" }, text.as_ref());
    }
}

/// Adds a label and its text, wrapped into lines. A text without words gets no line.
pub fn put(rows: &mut Vec<SheetRow>, label: &str, text: &str) {
    for (index, line) in wrapped(text, TEXT_WIDTH).into_iter().enumerate() {
        rows.push(row(if index == 0 { label } else { "" }, line));
    }
}

/// A label and its text on one line.
pub fn row(label: &str, text: String) -> SheetRow {
    SheetRow { cells: vec![Cell::Text(label.to_owned()), Cell::Text(text)], ..SheetRow::default() }
}

/// Rows of labels and texts below a heading.
pub fn two_columns(heading: Vec<String>, rows: Vec<SheetRow>) -> Sheet {
    let heads = if rows.is_empty() { Vec::new() } else { vec![Head::text("", ""), Head::text("", "")] };
    Sheet { heading, heads, rows, footer: Vec::new() }
}

/// Divides a text into lines of whole words. A word that is longer than a line gets a separate line.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole() {
        let long = "x".repeat(150);
        let lines = wrapped(&format!("a\n b {long} c"), TEXT_WIDTH);
        assert_eq!(lines, ["a b".to_owned(), long, "c".to_owned()]);
        assert!(wrapped(&"word ".repeat(100), TEXT_WIDTH).iter().all(|line| line.len() <= TEXT_WIDTH));
        assert!(wrapped(" \n", TEXT_WIDTH).is_empty());
    }
}
