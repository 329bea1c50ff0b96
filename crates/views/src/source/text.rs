//! The layout of code with its cost: metrics first, then line, index or address, then the text.

use crate::source::{Listing, ListingKind, RowKind, SourceRow, SourceView};
use whittle_profile::query::Values;
use whittle_render::View;
use whittle_render::layout::{footer, percent_base};
use whittle_render::markdown_text::capitalized;
use whittle_render::{Cell, Head, Sheet, SheetRow, harmless};

/// Rows shown before and after a row with a cost in a shortened listing.
const ROWS_AROUND: usize = 3;

/// Replaces rows that are left out.
const GAP: &str = "⋮";

/// The tab width of most Java and C sources.
const TAB: &str = "    ";

impl View for SourceView {
    /// CSV has every row of every listing, including rows that the text leaves out.
    fn sheet(&self) -> Sheet {
        let mut heads = Head::metrics(&self.columns, &self.preamble.sorted_by);
        let fields = ["listing", "path", "kind", "line", "bytecode_index", "address", "text"];
        heads.extend(fields.map(|field| Head::text(field, field)));
        let rows = self.listings.iter().flat_map(|listing| {
            listing.rows.iter().map(move |row| {
                let path = listing.path.clone().map_or(Cell::Missing, Cell::Text);
                let address = row.address.map_or(Cell::Missing, |address| Cell::Text(format!("{address:#x}")));
                let own = [Cell::Text(listing.kind.name().to_owned()), path, Cell::Text(row.kind.name().to_owned())];
                let places = [number(row.line), number(row.bytecode_index), address, Cell::Text(row.text.clone())];
                self.row(row.values.as_ref(), own.into_iter().chain(places))
            })
        });
        Sheet { heading: Vec::new(), heads, rows: rows.collect(), footer: Vec::new() }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut heading = vec![format!("Source of {}, {} mode", harmless(&self.function), self.preamble.mode)];
        heading.extend(self.preamble.filter.as_ref().map(|filter| format!("Only samples with {}", harmless(filter))));
        heading.extend(percent_base(&self.total, "of all samples shown"));
        let mut sheets = vec![Sheet { heading, ..Sheet::default() }];
        sheets.extend(self.listings.iter().map(|listing| self.listing_sheet(listing)));
        if let Some(last) = sheets.last_mut() {
            last.footer.extend(footer(&self.preamble, 0, 0));
        }
        sheets
    }
}

impl SourceView {
    fn listing_sheet(&self, listing: &Listing) -> Sheet {
        let mut heads = Head::metrics(&self.columns, &self.preamble.sorted_by);
        heads.push(Head::number(listing.kind.place(), listing.kind.place()));
        heads.push(Head::text("code", "text"));
        let total = [Cell::Text(String::new()), Cell::Text("<total of these rows>".to_owned())];
        let mut rows = vec![self.row(Some(&listing.values), total)];
        rows[0].is_emphasized = true;
        let mut last_shown = None;
        for (index, is_shown) in self.shown_rows(listing).into_iter().enumerate() {
            if !is_shown {
                continue;
            }
            if last_shown.is_some_and(|last| last + 1 < index) {
                rows.push(self.row(None, [Cell::Text(String::new()), Cell::Text(GAP.to_owned())]));
            }
            last_shown = Some(index);
            rows.push(self.listing_row(listing, index));
        }
        let mut heading = vec![listing.title()];
        heading.extend(listing.why.as_deref().map(|why| harmless(&capitalized(why))));
        let hidden = listing.rows.len() + 1 - rows.iter().filter(|row| !is_gap(row)).count();
        let footer =
            (hidden > 0).then(|| format!("{hidden} more rows without cost are not shown; --limit 0 shows all"));
        Sheet { heading, heads, rows, footer: footer.into_iter().collect() }
    }

    /// The rows of a listing in text output: rows with cost, the first rows of requested functions, and some rows
    /// before and after each of them.
    fn shown_rows(&self, listing: &Listing) -> Vec<bool> {
        let mut is_shown = vec![!self.is_shortened; listing.rows.len()];
        let begins = listing.functions.iter().filter(|function| function.is_asked).filter_map(|it| it.first_row);
        let with_cost = (0..listing.rows.len()).filter(|row| listing.rows[*row].values.is_some());
        for row in with_cost.chain(begins) {
            let end = (row + ROWS_AROUND + 1).min(is_shown.len());
            is_shown[row.saturating_sub(ROWS_AROUND).min(end)..end].fill(true);
        }
        is_shown
    }

    fn listing_row(&self, listing: &Listing, index: usize) -> SheetRow {
        let row = &listing.rows[index];
        let place = match (listing.kind, row.kind) {
            (ListingKind::Disassembly, RowKind::Instruction) => row.address.map(|address| format!("{address:x}")),
            (ListingKind::Disassembly, RowKind::Source) => None,
            (ListingKind::Bytecode, _) => row.bytecode_index.map(|index| index.to_string()),
            (ListingKind::None, _) => row.line.or(row.bytecode_index).map(|line| line.to_string()),
            _ => row.line.map(|line| line.to_string()),
        };
        let text = displayed_text(listing, row, index);
        let mut shown = self.row(row.values.as_ref(), [Cell::Text(place.unwrap_or_default()), Cell::Text(text)]);
        let begins_asked =
            |function: &crate::source::ListedFunction| function.is_asked && function.first_row == Some(index);
        shown.is_emphasized = listing.functions.iter().any(begins_asked);
        shown
    }

    /// A row of text output. If the row has no cost, its metrics are blank.
    fn row(&self, values: Option<&Values>, rest: impl IntoIterator<Item = Cell>) -> SheetRow {
        let blank = || self.columns.iter().map(|_| Cell::Text(String::new())).collect();
        let cells: Vec<Cell> = values.map_or_else(blank, Cell::metrics).into_iter().chain(rest).collect();
        SheetRow { cells, is_emphasized: false, is_text_only: false }
    }
}

fn is_gap(row: &SheetRow) -> bool {
    row.cells.last() == Some(&Cell::Text(GAP.to_owned()))
}

/// The text of a row. Instructions are indented below their source line. Bytecode shows where a line begins.
fn displayed_text(listing: &Listing, row: &SourceRow, index: usize) -> String {
    let text = row.text.replace('\t', TAB);
    match (listing.kind, row.kind) {
        (_, RowKind::Unplaced) => format!("({})", without_place(row)),
        (ListingKind::Disassembly, RowKind::Instruction) => format!("    {text}"),
        (ListingKind::Bytecode, RowKind::Instruction) => {
            let before = index.checked_sub(1).and_then(|before| listing.rows[before].line);
            match row.line.filter(|line| before != Some(*line)) {
                Some(line) => format!("{text}  // line {line}"),
                None => text,
            }
        }
        _ => text,
    }
}

fn without_place(row: &SourceRow) -> String {
    match (row.line, row.text.is_empty()) {
        (Some(line), true) => format!("line {line}"),
        (Some(line), false) => format!("line {line}, {}", row.text),
        (None, true) => "bytecode index".to_owned(),
        (None, false) => row.text.clone(),
    }
}

fn number(number: Option<u32>) -> Cell {
    number.map_or(Cell::Missing, |number| Cell::Text(number.to_string()))
}

impl Listing {
    /// A title such as `Java source /src/app/Main.java`.
    fn title(&self) -> String {
        let words = match self.kind {
            ListingKind::JavaSource | ListingKind::NativeSource => "Source file",
            ListingKind::Bytecode => "Bytecode of",
            ListingKind::Disassembly => "Disassembly of",
            ListingKind::None => "Costs of",
        };
        let function = self.functions.first().map(|function| function.function.as_str()).unwrap_or_default();
        let place = self.path.as_deref().or(self.source_file.as_deref()).unwrap_or_default();
        let what = match self.kind {
            ListingKind::JavaSource | ListingKind::NativeSource => place.to_owned(),
            _ if place.is_empty() => function.to_owned(),
            ListingKind::Disassembly => format!("{function}, {place}"),
            _ => format!("{function}, compiled from {place}"),
        };
        harmless(&format!("{words} {what}"))
    }
}

impl ListingKind {
    /// The kind's name in JSON and CSV.
    fn name(self) -> &'static str {
        match self {
            Self::JavaSource => "java_source",
            Self::NativeSource => "native_source",
            Self::Bytecode => "bytecode",
            Self::Disassembly => "disassembly",
            Self::None => "none",
        }
    }

    /// The word for the place of a row.
    fn place(self) -> &'static str {
        match self {
            Self::JavaSource | Self::NativeSource | Self::None => "line",
            Self::Bytecode => "index",
            Self::Disassembly => "address",
        }
    }
}

impl RowKind {
    /// The kind's name in JSON and CSV.
    fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Instruction => "instruction",
            Self::Unplaced => "unplaced",
        }
    }
}
