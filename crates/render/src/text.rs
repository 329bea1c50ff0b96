//! Writes sheets as aligned text.

use crate::Style;
use crate::sheet::{Head, Sheet, SheetRow};

/// Marks the column by which the rows are sorted.
const SORT_MARK: &str = "▼";
const BOLD: &str = "\u{1b}[1m";
const PLAIN: &str = "\u{1b}[0m";

/// Writes the sheet with its heading and footer.
pub(crate) fn render(sheet: &Sheet, style: Style) -> String {
    let shown_heads: Vec<&Head> = sheet.heads.iter().filter(|head| !head.is_csv_only).collect();
    let heads: Vec<(String, String)> = shown_heads.iter().map(|head| head_lines(head)).collect();
    let rows: Vec<Vec<String>> = sheet.rows.iter().map(|row| shown_cells(sheet, row)).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row.get(column).map_or(0, |cell| width_of(cell)));
        let head = width_of(&heads[column].0).max(width_of(&heads[column].1));
        cells.fold(head, usize::max)
    };
    let layout = Layout { heads: &shown_heads, widths: (0..heads.len()).map(width).collect() };

    let mut lines = sheet.heading.clone();
    if !sheet.heading.is_empty() && !heads.is_empty() {
        lines.push(String::new());
    }
    if heads.iter().any(|(above, _)| !above.is_empty()) {
        lines.push(layout.line(heads.iter().map(|(above, _)| above.as_str())));
    }
    if heads.iter().any(|(_, title)| !title.is_empty()) {
        lines.push(layout.line(heads.iter().map(|(_, title)| title.as_str())));
    }
    for (row, cells) in sheet.rows.iter().zip(&rows) {
        lines.push(emphasized(layout.line(cells.iter().map(String::as_str)), row, style));
    }
    if !sheet.footer.is_empty() {
        lines.push(String::new());
        lines.extend(sheet.footer.iter().cloned());
    }
    lines.join("\n") + "\n"
}

fn shown_cells(sheet: &Sheet, row: &SheetRow) -> Vec<String> {
    let cells = row.cells.iter().zip(&sheet.heads).filter(|(_, head)| !head.is_csv_only);
    cells.map(|(cell, _)| cell.shown()).collect()
}

fn head_lines(head: &Head) -> (String, String) {
    let mark = if head.is_sorted { format!("{SORT_MARK} ") } else { String::new() };
    (head.above.clone(), format!("{mark}{}", head.title))
}

fn emphasized(line: String, row: &SheetRow, style: Style) -> String {
    if row.is_emphasized && style.is_coloured { format!("{BOLD}{line}{PLAIN}") } else { line }
}

struct Layout<'a> {
    heads: &'a [&'a Head],
    widths: Vec<usize>,
}

impl Layout<'_> {
    /// Writes one line. Numbers are aligned to the right and texts to the left. Two spaces separate the cells, and no
    /// spaces follow the last text.
    fn line<'b>(&self, cells: impl Iterator<Item = &'b str>) -> String {
        let mut line = String::new();
        for ((cell, head), width) in cells.zip(self.heads).zip(&self.widths) {
            let padding = " ".repeat(width - width_of(cell));
            let (left, right) = if head.is_number { (padding.as_str(), "") } else { ("", padding.as_str()) };
            line.push_str(left);
            line.push_str(cell);
            line.push_str(right);
            line.push_str("  ");
        }
        line.truncate(line.trim_end().len());
        line
    }
}

fn width_of(text: &str) -> usize {
    text.chars().count()
}
