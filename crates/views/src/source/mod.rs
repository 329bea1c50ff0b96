//! The code of a function with the cost of each line or instruction.
//!
//! ```text
//! Java    source file, found ──────────────> its lines, with the cost of all its functions
//!         else class file, archived ───────> bytecode, with the cost by bytecode index
//! native  source file ─────────────────────> its lines
//!         and machine code, found ─────────> disassembly, its instructions below their source lines
//! ```
//!
//! A [`CodeSource`] of the front end reads files. If a listing does not show source text, it contains the reason. Cost
//! without a place in the text has separate rows, so the exclusive values of all rows add up to the total.

mod class_index;
mod costs;
mod java;
mod listing;
mod native;
mod text;

pub use crate::code_source::{CodeSource, Disassembly, JavaClass, MachineInstruction, NativeCode, NoFiles, SourceText};
pub use listing::{ListedFunction, Listing, ListingKind, RowKind, SourceRow};

use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys};
use crate::source::class_index::ClassIndex;
use crate::source::costs::EndWeights;
use crate::source::listing::{Elsewhere, Rows, values_of};
use serde::{Deserialize, Serialize};
use whittle_model::{Frame, FunctionKind, Table};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::function_name::FunctionGroup;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::reduction::EntityKey;
use whittle_profile::value_shape::ValueShape;

/// The definition of this view. Its answer is [`SourceView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "source",
        answer: |on, asked| {
            let Keys { name } = keys(asked)?;
            Ok(Answered::view(source(on.profile, on.query, &name, on.code)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        parameters: &[Parameter::FUNCTION],
        reads_code: true,
        in_fleet: false,
        ..Command::table("The code of a function with the cost of each line: source, bytecode or disassembly")
    }),
};

/// The keys of a request for source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: String,
}

/// The answer of [`source`](source()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourceView {
    /// Mode, filter and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all values.
    pub columns: Vec<Column>,
    /// The values of all samples. They are the base of percentages.
    pub total: Values,
    /// The name, without signature if overloads are merged.
    pub function: String,
    /// The function's values.
    pub values: Values,
    /// The function's code, at least one listing.
    pub listings: Vec<Listing>,
    /// Whether text output leaves out rows without cost.
    #[serde(skip)]
    pub(crate) is_shortened: bool,
}

/// The code of a function, or of all overloads of a name, with the cost of its lines or instructions.
///
/// # Errors
/// The function is unknown or hidden, the metric is unknown, or the filter contains an unknown name.
pub fn source(
    profile: &Profile,
    query: &Query,
    name: &str,
    code: &dyn CodeSource,
) -> Result<SourceView, AnalysisError> {
    let group = profile.shown_group(name, &Query { transforms: Vec::new(), ..query.clone() })?;
    let weights = profile.weights(query)?;
    let mut columns = profile.columns(ColumnKind::Table, query, &weights)?;
    columns.sort = None;
    let totals = whittle_profile::totals(&weights);
    let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
    let reduction = profile.reduction(query.mode, EntityKey::Frame);
    let weights_by_end = EndWeights::new(&reduction, &weights, columns.metrics());
    let classes = ClassIndex::new(&profile.tables().archive);
    let lister = Lister { profile, weights: weights_by_end, shape: &shape, group: &group, code, classes };
    let mut preamble = profile.preamble("source", query, (&columns, &weights));
    "line".clone_into(&mut preamble.sorted_by);
    preamble.notes.extend(group.note(profile.names()));
    if !query.transforms.is_empty() {
        preamble
            .notes
            .push("transforms do not apply to this view: costs are computed from the recorded stacks".to_owned());
    }
    Ok(SourceView {
        preamble,
        total: shape.values(|column| totals[column.metric_index]),
        values: lister.values_of_functions(&group.functions),
        listings: lister.listings(),
        function: group.name.clone(),
        columns: columns.shown,
        is_shortened: query.limit.is_some(),
    })
}

/// Makes the listings of one answer.
struct Lister<'a> {
    profile: &'a Profile,
    weights: EndWeights<'a>,
    shape: &'a ValueShape,
    /// The requested functions.
    group: &'a FunctionGroup,
    code: &'a dyn CodeSource,
    classes: ClassIndex<'a>,
}

/// Numbers some functions from 0, in their order.
struct FunctionRows {
    /// The number of each function, or [`FunctionRows::NONE`] for functions without a number.
    row_of_function: Vec<u32>,
}

impl FunctionRows {
    const NONE: u32 = u32::MAX;

    fn get(&self, function: u32) -> Option<usize> {
        let row = self.row_of_function.get(function as usize).copied();
        row.filter(|row| *row != Self::NONE).map(|row| row as usize)
    }
}

impl Lister<'_> {
    fn rows_of(&self, functions: &[u32]) -> FunctionRows {
        let mut row_of_function = vec![FunctionRows::NONE; self.profile.names().count() as usize];
        for (function, row) in functions.iter().zip(0..) {
            row_of_function[*function as usize] = row;
        }
        FunctionRows { row_of_function }
    }

    fn listings(&self) -> Vec<Listing> {
        let of_kind = |is_kind: fn(FunctionKind) -> bool| -> Vec<u32> {
            let functions = self.group.functions.iter().copied();
            functions.filter(|function| is_kind(self.profile.names().kind(*function))).collect()
        };
        let mut listings = self.java_listings(&of_kind(|kind| kind == FunctionKind::Java));
        let is_native = |kind| matches!(kind, FunctionKind::Native | FunctionKind::Jvm);
        listings.extend(self.native_listings(&of_kind(is_native)));
        let others = of_kind(|kind| matches!(kind, FunctionKind::Kernel | FunctionKind::Stub | FunctionKind::Pseudo));
        listings.extend(others.into_iter().map(|function| {
            self.empty_listing(function, why_without_code(self.profile.names().kind(function)).to_owned())
        }));
        listings
    }

    /// The frame of a node of the shown stacks. Missing for a pseudo-function that replaces a whole stack.
    fn frame(&self, node: u32) -> Option<Frame> {
        let entity = self.weights.reduction.tree.entity[node as usize] as usize;
        let frames = &self.profile.tables().frames;
        (entity < frames.len()).then(|| Frame {
            function: frames.function[entity],
            line: frames.line[entity],
            bytecode_index: frames.bytecode_index[entity],
            address: frames.address[entity],
            kind: frames.kind[entity],
            reason: frames.reason[entity],
        })
    }

    /// The function of a node of the shown stacks, as a number in
    /// [`FunctionNames`](whittle_profile::reduction::FunctionNames).
    fn function(&self, node: u32) -> u32 {
        let entity = self.weights.reduction.tree.entity[node as usize] as usize;
        self.weights.reduction.places[entity].function
    }

    /// The total cost of some functions.
    fn values_of_functions(&self, functions: &[u32]) -> Values {
        let rows = self.rows_of(functions);
        let costs = self.weights.add_up(|node, _| rows.get(self.function(node)).map(|_| 0));
        values_of(&costs.row(0), self.shape)
    }

    /// Functions with their costs. `first_row` returns the row at which their code begins.
    fn listed_functions(&self, functions: &[u32], first_row: impl Fn(u32) -> Option<usize>) -> Vec<ListedFunction> {
        let rows = self.rows_of(functions);
        let costs = self.weights.add_up(|node, _| rows.get(self.function(node)));
        let asked = self.rows_of(&self.group.functions);
        let listed = functions.iter().enumerate().map(|(row, function)| ListedFunction {
            function: self.profile.names().display_name(*function).to_owned(),
            is_asked: asked.get(*function).is_some(),
            first_row: first_row(*function),
            values: values_of(&costs.row(row), self.shape),
        });
        listed.collect()
    }

    /// Lists the lines of a text. Each line has the cost that the given functions have there.
    fn source_listing(&self, head: ListingHead, text: &str, functions: &[u32]) -> Listing {
        let lines = text.lines().zip(1..).map(|(line, number)| SourceRow::source(number, line));
        let mut rows = Rows::new(lines.collect());
        let line_count = rows.rows.len();
        let listed = self.rows_of(functions);
        let costs = self.weights.add_up(|node, _| {
            let frame = self.frame(node).filter(|frame| listed.get(frame.function.0).is_some())?;
            let row = frame.line.map(|line| line as usize).filter(|line| (1..=line_count).contains(line));
            Some(row.map_or_else(
                || {
                    let place = Elsewhere { line: frame.line, bytecode_index: None };
                    let text = if frame.line.is_some() { "beyond the end of this file" } else { "line unknown" };
                    rows.elsewhere(place, text)
                },
                |line| line - 1,
            ))
        });
        let mut head = head;
        if rows.has_lines_elsewhere() {
            head.add("cost beyond the end of the file: the program ran another version of this source");
        }
        let rows = rows.with_costs(&costs, self.shape);
        self.listing(head, functions, rows)
    }

    /// Costs by line or bytecode index, without text.
    fn empty_listing(&self, function: u32, why: String) -> Listing {
        let mut rows = Rows::default();
        let costs = self.weights.add_up(|node, _| {
            let frame = self.frame(node);
            (self.function(node) == function).then(|| {
                let line = frame.as_ref().and_then(|frame| frame.line);
                let bytecode_index = frame.filter(|_| line.is_none()).and_then(|frame| frame.bytecode_index);
                rows.elsewhere(Elsewhere { line, bytecode_index }, "")
            })
        });
        let mut rows = rows.with_costs(&costs, self.shape);
        for row in rows.iter_mut().filter(|row| row.line.is_none() && row.bytecode_index.is_none()) {
            "line unknown".clone_into(&mut row.text);
        }
        let row = self.profile.names().row(function);
        let source_file = row.and_then(|row| self.profile.tables().functions.source_file[row].clone());
        let head = ListingHead { kind: ListingKind::None, why: Some(why), source_file, path: None };
        self.listing(head, &[function], rows)
    }

    fn listing(&self, head: ListingHead, functions: &[u32], rows: Vec<SourceRow>) -> Listing {
        Listing {
            functions: self.listed_functions(functions, |_| None),
            values: self.values_of_functions(functions),
            kind: head.kind,
            why: head.why,
            source_file: head.source_file,
            path: head.path,
            rows,
        }
    }
}

/// The text above the rows of a listing.
struct ListingHead {
    kind: ListingKind,
    why: Option<String>,
    source_file: Option<String>,
    path: Option<String>,
}

impl ListingHead {
    /// Adds a sentence.
    fn add(&mut self, sentence: &str) {
        self.why = Some(self.why.take().map_or_else(|| sentence.to_owned(), |why| format!("{why}; {sentence}")));
    }
}

fn why_without_code(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Kernel => "kernel code is not shown: whittle reads neither its source nor its instructions",
        FunctionKind::Stub => "the JVM generated this code at run time, so no file contains it",
        _ => "this name does not refer to code",
    }
}
