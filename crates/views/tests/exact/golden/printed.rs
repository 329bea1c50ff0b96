//! The tables that gprofng printed.
//!
//! ```text
//! Excl. Total   Incl. Total    Name
//! CPU           CPU
//!  sec.      %   sec.      %
//! 0.312  89.17  0.312  89.17   spin
//! 0.      0.    0.350 100.00   <static>@0x271c1 (<libc.so.6>)
//! ```

use whittle_views::lines::LineRow;

/// One printed row: pairs of seconds and percent, and the name.
#[derive(Debug, Clone)]
pub(crate) struct PrintedRow {
    pub(crate) name: String,
    /// Seconds and percent.
    pub(crate) values: Vec<(f64, f64)>,
}

/// A section of callers-callees.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) center: String,
    pub(crate) own: Vec<(f64, f64)>,
    pub(crate) callers: Vec<PrintedRow>,
    pub(crate) callees: Vec<PrintedRow>,
}

/// Reads a row with the given number of value pairs. The name keeps its indentation.
fn row(line: &str, pair_count: usize) -> Option<PrintedRow> {
    let mut rest = line;
    let mut numbers = Vec::new();
    for _ in 0..pair_count * 2 {
        rest = rest.trim_start();
        let (number, behind) = rest.split_once(' ')?;
        numbers.push(number.parse().ok()?);
        rest = behind;
    }
    let values = numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    // Two blanks come before a name. In callers-callees, a column for the centre's star also comes before it.
    let name = rest.trim_start_matches(' ').to_owned();
    Some(PrintedRow { name, values })
}

/// A table with exclusive and inclusive values.
pub(crate) fn table(text: &str) -> Vec<PrintedRow> {
    text.lines().filter_map(|line| row(line, 2)).filter(|row| row.name != "<Total>").collect()
}

/// The table of lines, with names in the form of [`line_name`].
pub(crate) fn lines(text: &str) -> Vec<PrintedRow> {
    let function = |name: &str| {
        let inner = name.strip_prefix("<Function: ")?.strip_suffix('>')?;
        let end = inner.find(", instructions from").or_else(|| inner.find(", instructions without"))?;
        Some(inner[..end].to_owned())
    };
    let rows = table(text).into_iter();
    rows.map(|row| PrintedRow { name: function(&row.name).unwrap_or(row.name), values: row.values }).collect()
}

/// The place of a row as gprofng prints it, without the words for an unknown line.
pub(crate) fn line_name(row: &LineRow) -> String {
    if row.line.is_some() { row.words() } else { row.function.clone() }
}

/// The table of threads. The name `Process 1, Thread 2, JThread 1 'main'` becomes `Thread 2`.
pub(crate) fn threads(text: &str) -> Vec<PrintedRow> {
    let rows = text.lines().filter_map(|line| row(line, 1)).filter(|row| row.name != "<Total>");
    rows.map(|row| {
        let name = row.name.split(", ").nth(1).expect("process and thread").to_owned();
        PrintedRow { name, values: row.values }
    })
    .collect()
}

/// The call tree. The name of a row is its path from the root.
pub(crate) fn call_tree(text: &str) -> Vec<PrintedRow> {
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut rows = Vec::new();
    for line in text.lines() {
        let (Some(row), Some(column)) = (row(line, 1), line.find("+-")) else { continue };
        while path.last().is_some_and(|(above, _)| *above >= column) {
            path.pop();
        }
        path.push((column, line[column + 2..].to_owned()));
        let name = path.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" > ");
        rows.push(PrintedRow { name, values: row.values });
    }
    rows
}

/// The sections of callers-callees. In the centre, `<Total>` has its inclusive value, and all other functions have
/// their exclusive values. Therefore, `<Total>` gets no exclusive value here.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    for block in text.split("\n\n") {
        let mut section = Section::default();
        for row in block.lines().filter_map(|line| row(line, 1)) {
            if let Some(name) = row.name.strip_prefix('*') {
                section.center = name.to_owned();
                section.own = if name == "<Total>" { Vec::new() } else { row.values };
            } else if section.center.is_empty() {
                section.callers.push(row);
            } else {
                section.callees.push(row);
            }
        }
        if !section.center.is_empty() {
            sections.push(section);
        }
    }
    sections
}

/// The output for a single centre. Its parts have headings.
pub(crate) fn single(text: &str) -> Section {
    let mut section = Section::default();
    let mut part = "";
    for line in text.lines() {
        part = line.strip_prefix("============== ").unwrap_or(part);
        match (part, row(line, 1)) {
            ("Callers", Some(row)) => section.callers.push(row),
            ("Stack Fragment", Some(row)) => {
                section.center = row.name;
                section.own = row.values;
            }
            ("Callees", Some(row)) => section.callees.push(row),
            _ => {}
        }
    }
    section
}
