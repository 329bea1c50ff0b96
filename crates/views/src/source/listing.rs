//! Listings: rows of code with their cost.

use super::costs::{Costs, Sums};
use crate::functions::ValueShape;
use crate::order::sort_by_key;
use crate::query::Values;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a listing is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ListingKind {
    /// A source file of Java or another language of the JVM.
    JavaSource,
    /// A source file of native code.
    NativeSource,
    /// Instructions of the JVM.
    Bytecode,
    /// Instructions of the processor.
    Disassembly,
    /// Nothing was found: rows have costs and no text.
    None,
}

/// Code with the cost of its rows.
#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    /// What it is of.
    pub kind: ListingKind,
    /// Why it is not what one would want to see most, and what to know about its costs. Missing: nothing to say.
    pub why: Option<String>,
    /// Name of the source file without folders; of native code its path as compiled. Missing: not known.
    pub source_file: Option<String>,
    /// Where the text was read. Missing: in the experiment's archive, or there is none.
    pub path: Option<String>,
    /// The functions whose cost the rows have: all of a source file, or the one that the instructions are of.
    pub functions: Vec<ListedFunction>,
    /// The cost of these functions together; the exclusive values of all rows add up to it.
    pub values: Values,
    /// The rows in the order of the code.
    pub rows: Vec<SourceRow>,
}

/// A function in a listing.
#[derive(Debug, Clone, Serialize)]
pub struct ListedFunction {
    /// The name as shown.
    pub function: String,
    /// True if it is one that was asked for.
    pub is_asked: bool,
    /// Position in the rows where its code begins. Missing: not known.
    pub first_row: Option<usize>,
    /// Its cost.
    #[serde(flatten)]
    pub values: Values,
}

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// A line of source text. In a disassembly it stands above the instructions that were made of it, and has the
    /// line's cost where it stands first.
    Source,
    /// An instruction.
    Instruction,
    /// Cost whose place is not in the listing: the line is not known, or is of another version of the file.
    Unplaced,
}

/// One row of code.
#[derive(Debug, Clone, Serialize)]
pub struct SourceRow {
    /// What it stands for.
    pub kind: RowKind,
    /// Source line, counted from 1. Missing: not known.
    pub line: Option<u32>,
    /// Bytecode index. Missing: not bytecode, or not known.
    pub bytecode_index: Option<u32>,
    /// Address in the binary's file. Missing: no machine code, or not known.
    pub address: Option<u64>,
    /// The line or instruction; empty if nothing was found.
    pub text: String,
    /// Its cost. Missing: it has none.
    #[serde(flatten)]
    pub values: Option<Values>,
}

impl SourceRow {
    pub(super) fn source(line: u32, text: impl Into<String>) -> Self {
        Self { kind: RowKind::Source, line: Some(line), ..Self::blank(text) }
    }

    pub(super) fn blank(text: impl Into<String>) -> Self {
        Self {
            kind: RowKind::Unplaced,
            line: None,
            bytecode_index: None,
            address: None,
            text: text.into(),
            values: None,
        }
    }
}

/// A place in code that is in no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Elsewhere {
    pub(super) line: Option<u32>,
    pub(super) bytecode_index: Option<u32>,
}

/// Rows under construction: those of the text, and behind them those of costs without a place, as they come up.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<SourceRow>,
    elsewhere: BTreeMap<Elsewhere, usize>,
}

impl Rows {
    pub(super) fn new(rows: Vec<SourceRow>) -> Self {
        Self { rows, elsewhere: BTreeMap::new() }
    }

    /// The row for cost at a place that is in no row, added if it is new.
    pub(super) fn elsewhere(&mut self, place: Elsewhere, text: &str) -> usize {
        let next = self.rows.len();
        let row = *self.elsewhere.entry(place).or_insert(next);
        if row == next {
            let Elsewhere { line, bytecode_index } = place;
            self.rows.push(SourceRow { line, bytecode_index, ..SourceRow::blank(text) });
        }
        row
    }

    /// Lines with cost beyond the text's end: the text is of another version.
    pub(super) fn has_lines_elsewhere(&self) -> bool {
        self.elsewhere.keys().any(|place| place.line.is_some())
    }

    /// The rows with their costs; those without place are in the order of lines. Rows that only pass a cost on that
    /// has no place keep it if it is not nothing.
    pub(super) fn with_costs(mut self, costs: &Costs, shape: &ValueShape) -> Vec<SourceRow> {
        for (row, cells) in self.rows.iter_mut().enumerate() {
            cells.values = costs.values(row, shape);
        }
        let text_rows = self.rows.len() - self.elsewhere.len();
        let mut placed = self.rows;
        let mut rest = placed.split_off(text_rows);
        rest.retain(|row| row.values.is_some());
        sort_by_key(&mut rest, |row| (row.line, row.bytecode_index));
        placed.extend(rest);
        placed
    }
}

/// The values of the rows of `sums`, merged into those of one thing.
pub(super) fn values_of(sums: &Sums, shape: &ValueShape) -> Values {
    shape.values(|column| sums.of(column))
}
