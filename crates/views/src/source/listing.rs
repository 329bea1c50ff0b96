//! Defines listings. A listing has rows of code with their costs.

use crate::source::costs::{Costs, Sums};
use serde::Serialize;
use std::collections::BTreeMap;
use whittle_profile::order::sort_by_key;
use whittle_profile::query::Values;
use whittle_profile::value_shape::ValueShape;

/// The kind of code in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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
    /// No code was found. Rows have costs but no text.
    None,
}

/// Code with the cost of its rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Listing {
    /// Kind of code in this listing.
    pub kind: ListingKind,
    /// Why the listing does not have the preferred kind of code, and notes about costs. Missing if there are no notes.
    pub why: Option<String>,
    /// Name of the source file without folders. For native code, this is the file's path at compile time. Missing if
    /// unknown.
    pub source_file: Option<String>,
    /// The file that contains the text. Missing if the text is from the experiment's archive, or if there is no text.
    pub path: Option<String>,
    /// The functions with cost in these rows: all functions of a source file, or the function of the instructions.
    pub functions: Vec<ListedFunction>,
    /// The total cost of these functions. It is the sum of the exclusive values of all rows.
    pub values: Values,
    /// The rows in the order of the code.
    pub rows: Vec<SourceRow>,
}

/// A function in a listing.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ListedFunction {
    /// The name as shown.
    pub function: String,
    /// True if the request named this function.
    pub is_asked: bool,
    /// The row at which the function's code begins. Missing if unknown.
    pub first_row: Option<usize>,
    /// The function's cost.
    #[serde(flatten)]
    pub values: Values,
}

/// The meaning of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// A line of source text. In a disassembly, the line comes before its instructions and can occur several times. The
    /// first occurrence has the cost of the line.
    Source,
    /// An instruction.
    Instruction,
    /// Cost outside the listing. The line is unknown, or it is from another version of the file.
    Unplaced,
}

/// One row of code.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourceRow {
    /// Kind of the row.
    pub kind: RowKind,
    /// Source line, counted from 1. Missing if unknown.
    pub line: Option<u32>,
    /// Bytecode index. Missing if unknown, or if the row is not bytecode.
    pub bytecode_index: Option<u32>,
    /// Address in the binary's file. Missing if unknown, or if there is no machine code.
    pub address: Option<u64>,
    /// The line or instruction. Empty if no code was found.
    pub text: String,
    /// The row's cost. Missing if the row has no cost.
    #[serde(flatten)]
    #[cfg_attr(feature = "typescript", ts(skip))]
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

/// A place in code that has no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Elsewhere {
    pub(super) line: Option<u32>,
    pub(super) bytecode_index: Option<u32>,
}

/// Rows under construction. The rows of the text come first. Rows for cost outside the text follow, in the order of
/// occurrence.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<SourceRow>,
    elsewhere: BTreeMap<Elsewhere, usize>,
}

impl Rows {
    pub(super) fn new(rows: Vec<SourceRow>) -> Self {
        Self { rows, elsewhere: BTreeMap::new() }
    }

    /// The row for cost at a place outside the text. Adds the row if needed.
    pub(super) fn elsewhere(&mut self, place: Elsewhere, text: &str) -> usize {
        let next = self.rows.len();
        let row = *self.elsewhere.entry(place).or_insert(next);
        if row == next {
            let Elsewhere { line, bytecode_index } = place;
            self.rows.push(SourceRow { line, bytecode_index, ..SourceRow::blank(text) });
        }
        row
    }

    /// True if lines after the end of the text have a cost. If so, the text is from another version.
    pub(super) fn has_lines_elsewhere(&self) -> bool {
        self.elsewhere.keys().any(|place| place.line.is_some())
    }

    /// The rows with their costs. Rows outside the text are sorted by line and are kept only if they have a cost.
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

/// The values of a row or of several rows, from their sums.
pub(super) fn values_of(sums: &Sums, shape: &ValueShape) -> Values {
    shape.values(|column| sums.of(column))
}
