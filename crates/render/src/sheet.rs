//! The one intermediate form between views and output: a table of cells with a heading.

use crate::compare::Part;
use crate::metrics::{Column, Flavour};
use crate::query::Values;
use whittle_model::Unit;

/// A table ready for output.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// Lines above the table; text only.
    pub(crate) heading: Vec<String>,
    /// The columns. The last one is text and is never padded, so that long names keep alignment.
    pub(crate) heads: Vec<Head>,
    /// The rows.
    pub(crate) rows: Vec<SheetRow>,
    /// Lines below the table; text only.
    pub(crate) footer: Vec<String>,
}

/// The head of a column.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    /// First line: exclusive, inclusive, attributed; empty for others.
    pub(crate) above: String,
    /// Second line: title and unit.
    pub(crate) title: String,
    /// Field name in CSV.
    pub(crate) field: String,
    /// True for the column that the rows are sorted by.
    pub(crate) is_sorted: bool,
    /// Whether cells are aligned to the right.
    pub(crate) is_number: bool,
    /// Left out in text output.
    pub(crate) is_csv_only: bool,
    /// Left out in CSV.
    pub(crate) is_text_only: bool,
}

/// One row.
#[derive(Debug, Clone, Default)]
pub(crate) struct SheetRow {
    pub(crate) cells: Vec<Cell>,
    /// Stands out: a total, the centre.
    pub(crate) is_emphasized: bool,
    /// Shown in text only: a total that would be added twice by a reader of the CSV.
    pub(crate) is_text_only: bool,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// Text.
    Text(String),
    /// Text that looks different in text output (indented, marked) than in CSV.
    Drawn {
        /// In text output.
        text: String,
        /// In CSV.
        raw: String,
    },
    /// Nanoseconds, shown as seconds.
    Nanos(f64),
    /// Bytes, shown as megabytes.
    Bytes(f64),
    /// A number of things.
    Count(f64),
    /// A number with one decimal; missing: there is none.
    Decimal(Option<f64>),
    /// Nanoseconds, shown as microseconds; missing: not known.
    Micros(Option<f64>),
    /// 0 to 1, shown as percent; missing: there is no base.
    Ratio(Option<f64>),
    /// Not known.
    Missing,
}

impl Head {
    /// The head of a text column.
    pub(crate) fn text(title: &str, field: &str) -> Self {
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

    /// The head of a column that text output tells in another one.
    pub(crate) fn csv_only(field: &str) -> Self {
        Self { is_csv_only: true, ..Self::text("", field) }
    }

    /// The head of a column of numbers that is no metric.
    pub(crate) fn number(title: &str, field: &str) -> Self {
        Self { is_number: true, ..Self::text(title, field) }
    }

    /// The head of a column of numbers that is no metric, in two lines.
    pub(crate) fn number_below(above: &str, title: &str, field: &str) -> Self {
        Self { above: above.to_owned(), ..Self::number(title, field) }
    }

    /// The heads of a view's metrics. `sorted_by` is the field name of the sort column.
    pub(crate) fn metrics(columns: &[Column], sorted_by: &str) -> Vec<Self> {
        let mut heads: Vec<Self> = columns.iter().map(|column| Self::metric(column, sorted_by)).collect();
        // A value sorted by but shown in percent only: mark that column.
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
    /// A row whose metrics come first.
    pub(crate) fn new(values: &Values, rest: impl IntoIterator<Item = Cell>) -> Self {
        let cells = Cell::metrics(values).into_iter().chain(rest).collect();
        Self { cells, is_emphasized: false, is_text_only: false }
    }
}

impl Cell {
    /// The cells of a row's metrics.
    pub(crate) fn metrics(values: &Values) -> Vec<Self> {
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

    /// A value of a comparison: times in the unit of the whole table, changes with their sign.
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
                if part == Some(Part::Delta) && number != 0.0 {
                    format!("{number:+.3}")
                } else {
                    format!("{number:.3}")
                }
            }
        };
        Self::Drawn { text: shown, raw: if number.is_finite() { number.to_string() } else { String::new() } }
    }

    /// As shown in text output.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Drawn { text, .. } => harmless(text),
            Self::Nanos(nanos) => seconds(*nanos),
            Self::Bytes(bytes) => format!("{:.3}", bytes / BYTES_PER_MB),
            Self::Count(count) => format!("{count:.0}"),
            Self::Ratio(Some(ratio)) => format!("{:.2}", ratio * 100.0),
            Self::Decimal(Some(number)) => format!("{number:.1}"),
            Self::Micros(Some(nanos)) => format!("{:.1}", nanos / 1e3),
            Self::Ratio(None) | Self::Decimal(None) | Self::Micros(None) | Self::Missing => "-".to_owned(),
        }
    }

    /// Raw, for CSV: full numbers in the unit that the field's name says; missing is empty.
    pub(crate) fn raw(&self) -> String {
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

/// A name from a profiled program, with control characters spelled out: it must not steer the terminal
/// that shows it. Line breaks stay; they are ours.
pub(crate) fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// Megabytes are decimal, as disks and networks count.
const BYTES_PER_MB: f64 = 1e6;

/// Nanoseconds as seconds with three decimals.
pub(crate) fn seconds(nanos: f64) -> String {
    format!("{:.3}", nanos / 1e9)
}
