//! Builds the tables of an answer, with the answer's stacks, all callers of these stacks, and the code.

use super::code::{Code, CodeFrame};
use super::nodes::{NO_NODE, ServiceStacks, UNKNOWN};
use whittle_model::{
    ContentHash, Frame, FrameIndex, FrameKind, Function, FunctionIndex, LossReason, Stack, StackIndex, StackTable,
    Table, TableBuilder, Tables,
};

/// Stacks of an answer, as the tables of an experiment.
#[derive(Debug)]
pub struct AnswerTree {
    builder: TableBuilder,
    stacks: StackTable,
    /// For each function and frame in the code, its row in the tables. [`NOT_YET`]: no stack uses it so far.
    functions: Vec<u32>,
    frames: Vec<u32>,
    /// The stack that represents all stacks that are missing from the files.
    unknown: Option<StackIndex>,
    /// For each stack, why the frames near its root are missing.
    missing_root: Vec<LossReason>,
}

/// Stacks of one service in an [`AnswerTree`].
#[derive(Debug)]
pub struct ServiceRows {
    /// For each node, its row in the table of stacks, or [`NOT_YET`], or [`ON_THE_WAY`].
    rows: Vec<u32>,
    /// The nodes from the requested node to the root.
    path: Vec<u32>,
}

const NOT_YET: u32 = u32::MAX;
/// Marks nodes on the path. A node can be its own caller only in damaged files.
const ON_THE_WAY: u32 = u32::MAX - 1;

impl AnswerTree {
    /// A tree with only the root.
    pub(crate) fn new(code: &Code) -> Self {
        let mut stacks = StackTable::default();
        stacks.push(Stack {
            parent: StackIndex::ROOT,
            frame: FrameIndex::TOTAL,
            depth: 0,
            content_hash: ContentHash::ROOT,
        });
        Self {
            builder: TableBuilder::new(),
            stacks,
            functions: vec![NOT_YET; code.functions.len()],
            frames: vec![NOT_YET; code.frames.len()],
            unknown: None,
            missing_root: vec![LossReason::NoFrames],
        }
    }

    /// Creates the rows of a service's nodes. No node has a row yet.
    pub fn rows_of(service: &ServiceStacks) -> ServiceRows {
        ServiceRows { rows: vec![NOT_YET; service.len()], path: Vec::new() }
    }

    /// The row of the stack with this id. If the stack has no row, the stack and all its callers are added.
    pub(crate) fn stack(
        &mut self,
        (service, code): (&ServiceStacks, &Code),
        rows: &mut ServiceRows,
        id: i64,
    ) -> StackIndex {
        if id == 0 {
            return StackIndex::ROOT;
        }
        let Some(node) = service.row(id) else { return self.unknown_stack() };
        let mut below = self.walk_down(service, rows, node);
        while let Some(row) = rows.path.pop() {
            let node = service.node(row);
            let frame = self.frame(code, node.frame);
            below = self.push(below, frame, node.content_hash());
            rows.rows[row as usize] = below.0;
        }
        below
    }

    /// Follows a node's callers to the first caller that has a row. The nodes before this caller are added to the path.
    fn walk_down(&mut self, service: &ServiceStacks, rows: &mut ServiceRows, mut node: u32) -> StackIndex {
        loop {
            match node {
                NO_NODE => return StackIndex::ROOT,
                UNKNOWN => return self.unknown_stack(),
                _ if service.is_ambiguous(node) => return self.unknown_stack(),
                _ => {}
            }
            match &mut rows.rows[node as usize] {
                row @ &mut NOT_YET => *row = ON_THE_WAY,
                &mut ON_THE_WAY => return self.unknown_stack(),
                row => return StackIndex(*row),
            }
            rows.path.push(node);
            node = service.node(node).parent;
        }
    }

    /// The stack that represents all stacks that are missing from the files.
    pub(crate) fn unknown_stack(&mut self) -> StackIndex {
        if let Some(known) = self.unknown {
            return known;
        }
        let frame = self.builder.truncated_frame(LossReason::MissingEntry);
        let stack = self.push(StackIndex::ROOT, frame, ContentHash::of(b"missing_entry"));
        self.unknown = Some(stack);
        stack
    }

    fn push(&mut self, parent: StackIndex, frame: FrameIndex, content_hash: ContentHash) -> StackIndex {
        let index = StackIndex::from_row(self.stacks.len());
        let depth = self.stacks.depth[parent.row()].saturating_add(1);
        self.stacks.push(Stack { parent, frame, depth, content_hash });
        self.missing_root.push(match parent {
            StackIndex::ROOT => self.builder.tables().frames.reason[frame.row()],
            _ => self.missing_root[parent.row()],
        });
        index
    }

    fn frame(&mut self, code: &Code, number: u32) -> FrameIndex {
        let known = self.frames[number as usize];
        if known != NOT_YET {
            return FrameIndex(known);
        }
        let frame = code.frames[number as usize];
        let index = if frame.kind == FrameKind::Truncated {
            // Whittle writes a reason for each missing frame. Without a reason, the file is damaged.
            let reason = if frame.reason == LossReason::None { LossReason::MissingEntry } else { frame.reason };
            self.builder.truncated_frame(reason)
        } else {
            let function = self.function(code, frame.function);
            let CodeFrame { kind, line, bytecode_index, .. } = frame;
            let reason = LossReason::None;
            self.builder.add_frame(Frame { function, kind, reason, line, bytecode_index, address: None })
        };
        self.frames[number as usize] = index.0;
        index
    }

    fn function(&mut self, code: &Code, number: u32) -> FunctionIndex {
        let known = self.functions[number as usize];
        if known != NOT_YET {
            return FunctionIndex(known);
        }
        let function = &code.functions[number as usize];
        let binary = self.builder.binary(&function.binary, function.binary_kind);
        let index = self.builder.add_function(Function {
            display_name: function.display_name.clone(),
            internal_name: function.internal_name.clone(),
            kind: function.kind,
            binary,
            source_file: function.source_file.clone(),
            first_line: function.first_line,
            address: None,
            size_bytes: None,
        });
        self.functions[number as usize] = index.0;
        index
    }

    /// Why the frames near the root of a stack are missing. `none`: no frame is missing.
    pub(crate) fn missing_root(&self, stack: StackIndex) -> LossReason {
        self.missing_root[stack.row()]
    }

    /// The builder, for threads and samples.
    pub(crate) fn builder(&mut self) -> &mut TableBuilder {
        &mut self.builder
    }

    /// The finished tables.
    pub(crate) fn into_tables(self) -> Tables {
        Tables { stacks: self.stacks, ..self.builder.into_tables() }
    }
}
