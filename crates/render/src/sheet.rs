//! Defines sheets, the form between views and output. A sheet is a table of cells with a heading.

use whittle_model::Unit;
use whittle_profile::amounts::{BYTES_PER_MB, count, decimal, megabytes, seconds};
use whittle_profile::metrics::{Column, Flavour};
use whittle_profile::query::Values;
use whittle_profile::sides::Part;

/// A table ready for output.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// Lines above the table, only in text output.
    pub heading: Vec<String>,
    /// The columns. The last column is text and is never padded, so long names do not change the alignment.
    pub heads: Vec<Head>,
    /// The rows.
    pub rows: Vec<SheetRow>,
    /// Lines below the table, only in text output.
    pub footer: Vec<String>,
}

/// The head of a column.
#[derive(Debug, Clone)]
pub struct Head {
    /// First line: exclusive, inclusive or attributed. Empty for other columns.
    pub above: String,
    /// Second line: title and unit.
    pub title: String,
    /// Field name in CSV.
    pub field: String,
    /// True for the column by which the rows are sorted.
    pub is_sorted: bool,
    /// Whether cells are aligned to the right.
    pub is_number: bool,
    /// Whether the column is left out in text output.
    pub is_csv_only: bool,
    /// Whether the column is left out in CSV.
    pub is_text_only: bool,
}

/// One row.
#[derive(Debug, Clone, Default)]
pub struct SheetRow {
    /// The values, one per column.
    pub cells: Vec<Cell>,
    /// Whether the row is emphasized, for example a total or the centre.
    pub is_emphasized: bool,
    /// Whether the row is shown only in text output. A reader of CSV would add a total twice.
    pub is_text_only: bool,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A cell that differs between text output (indented, marked) and CSV.
    Drawn {
        /// The cell in text output.
        text: String,
        /// The cell in CSV.
        raw: String,
    },
    /// Nanoseconds, shown as seconds.
    Nanos(f64),
    /// Bytes, shown as megabytes.
    Bytes(f64),
    /// A count.
    Count(f64),
    /// A number with one decimal. Missing if there is no value.
    Decimal(Option<f64>),
    /// Nanoseconds, shown as microseconds. Missing if unknown.
    Micros(Option<f64>),
    /// A ratio from 0 to 1, shown as percent. Missing if there is no base.
    Ratio(Option<f64>),
    /// The value is unknown.
    Missing,
}

impl Head {
    /// The head of a text column.
    pub fn text(title: &str, field: &str) -> Self {
        let (title, field) = (title.to_owned(), field.to_owned());
        Self {
            above: String::new(),
            title,
            field,
            is_sorted: false,
            is_number: false,
            is_csv_only: false,
            is_text_only: false,
        }
    }

    /// The head of a column for CSV. In text output it is part of another column.
    pub fn csv_only(field: &str) -> Self {
        Self { is_csv_only: true, ..Self::text("", field) }
    }

    /// The head of a number column that is not a metric.
    pub fn number(title: &str, field: &str) -> Self {
        Self { is_number: true, ..Self::text(title, field) }
    }

    /// The head of a number column that is not a metric. The head has two lines.
    pub fn number_below(above: &str, title: &str, field: &str) -> Self {
        Self { above: above.to_owned(), ..Self::number(title, field) }
    }

    /// The heads of a view's metrics. `sorted_by` is the field name of the sort column.
    pub fn metrics(columns: &[Column], sorted_by: &str) -> Vec<Self> {
        let mut heads: Vec<Self> = columns.iter().map(|column| Self::metric(column, sorted_by)).collect();
        // If the sort value is shown only in percent, the percent column gets the mark.
        if !heads.iter().any(|head| head.is_sorted) {
            let same = columns
                .iter()
                .position(|column| sorted_by == Column { is_percent: !column.is_percent, ..column.clone() }.field());
            if let Some(index) = same {
                heads[index].is_sorted = true;
            }
        }
        heads
    }

    fn metric(column: &Column, sorted_by: &str) -> Self {
        let unit = match (column.is_percent, column.unit) {
            (true, _) => " %",
            (_, Unit::Nanoseconds) => &format!(" {}", column.time_unit.sign()),
            (_, Unit::Bytes) => " MB",
            (_, Unit::Count) => "",
        };
        let field = column.field();
        if let Some(part) = column.part {
            let unit = if part == Part::Ratio { "" } else { unit };
            let title = format!("{}{unit}", part.name());
            return Self { above: column.words(), is_sorted: field == sorted_by, ..Self::number(&title, &field) };
        }
        Self {
            above: if column.flavour == Flavour::Plain { String::new() } else { column.flavour.name().to_owned() },
            title: format!("{}{unit}", column.title),
            is_sorted: field == sorted_by,
            field,
            is_number: true,
            is_csv_only: false,
            is_text_only: false,
        }
    }
}

impl SheetRow {
    /// A row that starts with the metrics.
    pub fn new(values: &Values, rest: impl IntoIterator<Item = Cell>) -> Self {
        let cells = Cell::metrics(values).into_iter().chain(rest).collect();
        Self { cells, is_emphasized: false, is_text_only: false }
    }
}

impl Cell {
    /// The cells of a row's metrics.
    pub fn metrics(values: &Values) -> Vec<Self> {
        let cells = values.columns.iter().zip(&values.numbers).enumerate();
        cells
            .map(|(index, (column, number))| match (column.is_percent, column.unit) {
                _ if column.part.is_some() => Self::compared(column, *number),
                (true, _) => Self::Ratio(values.ratio(index)),
                (_, Unit::Nanoseconds) => Self::Nanos(*number),
                (_, Unit::Bytes) => Self::Bytes(*number),
                (_, Unit::Count) => Self::Count(*number),
            })
            .collect()
    }

    /// The cell for a value of a comparison. Times have the unit of the whole table, and changes have a sign.
    fn compared(column: &Column, number: f64) -> Self {
        let shown = match (column.part, column.unit) {
            (Some(Part::Ratio), _) if number.is_nan() => "-".to_owned(),
            (Some(Part::Ratio), _) if number.is_infinite() => "new".to_owned(),
            (Some(Part::Ratio), _) if number == 0.0 => "gone".to_owned(),
            (Some(Part::Ratio), _) => format!("×{number:.2}"),
            (part, unit) => {
                let number = match unit {
                    Unit::Nanoseconds => number / column.time_unit.ns(),
                    Unit::Bytes => number / BYTES_PER_MB,
                    Unit::Count => number,
                };
                let sign = if part == Some(Part::Delta) && number > 0.0 { "+" } else { "" };
                format!("{sign}{}", decimal(number, 3))
            }
        };
        Self::Drawn { text: shown, raw: if number.is_finite() { number.to_string() } else { String::new() } }
    }

    /// The cell in text output.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Drawn { text, .. } => harmless(text),
            Self::Nanos(nanos) => seconds(*nanos),
            Self::Bytes(bytes) => megabytes(*bytes),
            Self::Count(number) => count(*number),
            Self::Ratio(Some(ratio)) => format!("{:.2}", ratio * 100.0),
            Self::Decimal(Some(number)) => decimal(*number, 1),
            Self::Micros(Some(nanos)) => decimal(nanos / 1e3, 1),
            Self::Ratio(None) | Self::Decimal(None) | Self::Micros(None) | Self::Missing => "-".to_owned(),
        }
    }

    /// The cell in CSV. It is the full number, in the unit that the field's name shows. Empty if the value is missing.
    pub fn raw(&self) -> String {
        match self {
            Self::Text(text) | Self::Drawn { raw: text, .. } => text.clone(),
            Self::Nanos(number) | Self::Bytes(number) | Self::Count(number) => number.to_string(),
            Self::Ratio(number) | Self::Decimal(number) | Self::Micros(number) => {
                number.map_or(String::new(), |number| number.to_string())
            }
            Self::Missing => String::new(),
        }
    }
}

/// Converts a name from a profiled program to text that cannot control the terminal. Control characters become visible
/// text. Line breaks are kept, because whittle adds them.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}
