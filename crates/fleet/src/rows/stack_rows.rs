//! Rows of `stacks`. Each row is a node of the prefix tree. The identity of a node depends on its frames, not on its
//! position in a segment.

use crate::rows::FileError;
use crate::rows::columns::{number_column, text_column};
use crate::tables::{FleetTable, schema_of};
use datafusion::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use whittle_model::{ContentHash, FunctionKind, StackIndex, Tables, normalized_name};

/// A stack's identity: the XXH3-128 hash of its frames from the root on. The identity is the same on every host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(pub ContentHash);

impl StackId {
    /// The stack without frames.
    pub const ROOT: Self = Self(ContentHash::ROOT);

    /// The lower half of the identity. Rows refer to the stack by this number.
    pub fn low(self) -> i64 {
        self.0.0 as u64 as i64
    }

    /// The upper half of the identity.
    pub fn high(self) -> i64 {
        (self.0.0 >> 64) as u64 as i64
    }

    /// Identities of all stacks of some tables, by row.
    pub fn of_stacks(tables: &Tables) -> Vec<Self> {
        let frames: Vec<ContentHash> = (0..tables.frames.function.len()).map(|row| frame_hash(tables, row)).collect();
        let mut ids = vec![Self::ROOT];
        for row in 1..tables.stacks.parent.len() {
            let Self(parent) = ids[tables.stacks.parent[row].row()];
            ids.push(Self(parent.then(frames[tables.stacks.frame[row].row()])));
        }
        ids
    }
}

/// The identity of a frame. It includes the file that contains the code, except for Java methods. Merged runs also
/// ignore the file of Java methods.
fn frame_hash(tables: &Tables, frame: usize) -> ContentHash {
    let (frames, functions) = (&tables.frames, &tables.functions);
    let function = frames.function[frame].row();
    let name = normalized_name(&functions.internal_name[function]);
    let kind = functions.kind[function];
    let binary = functions.binary[function].row();
    let file = if kind == FunctionKind::Java { "" } else { tables.binaries.path[binary].as_str() };
    let number = |value: Option<u32>| value.map_or(-1, i64::from);
    let (line, index) = (number(frames.line[frame]), number(frames.bytecode_index[frame]));
    let (frame_kind, reason) = (frames.kind[frame], frames.reason[frame]);
    ContentHash::of(format!("{name}\0{file}\0{kind}\0{frame_kind}\0{reason}\0{line}\0{index}").as_bytes())
}

/// One node of the prefix tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackRow {
    /// Lower half of the node's identity.
    pub id: i64,
    /// Upper half of the node's identity.
    pub hash_high: i64,
    /// The `id` of the caller's node. 0: there is no caller.
    pub parent: i64,
    /// Has the same meaning as in an experiment's functions. Numbers that the JVM assigns in each run are removed.
    pub display_name: String,
    /// The internal name. The same numbers are removed.
    pub internal_name: String,
    /// Has the same meaning as in an experiment's functions.
    pub function_kind: String,
    /// The path of the binary. Empty: there is no binary.
    pub binary: String,
    /// Has the same meaning as in an experiment's binaries.
    pub binary_kind: String,
    /// Has the same meaning as in an experiment's functions.
    pub source_file: Option<String>,
    /// Has the same meaning as in an experiment's functions.
    pub first_line: Option<i64>,
    /// Has the same meaning as in an experiment's frames.
    pub frame_kind: String,
    /// Has the same meaning as in an experiment's frames.
    pub reason: String,
    /// Has the same meaning as in an experiment's frames.
    pub line: Option<i64>,
    /// Has the same meaning as in an experiment's frames.
    pub bytecode_index: Option<i64>,
}

impl StackRow {
    /// Makes the node for one row of stacks.
    pub fn of(tables: &Tables, ids: &[StackId], stack: StackIndex) -> Self {
        let (id, parent) = (ids[stack.row()], ids[tables.stacks.parent[stack.row()].row()]);
        let frame = tables.stacks.frame[stack.row()].row();
        let function = tables.frames.function[frame].row();
        let (frames, functions) = (&tables.frames, &tables.functions);
        let binary = functions.binary[function].row();
        Self {
            id: id.low(),
            hash_high: id.high(),
            parent: parent.low(),
            display_name: normalized_name(&functions.display_name[function]).into_owned(),
            internal_name: normalized_name(&functions.internal_name[function]).into_owned(),
            function_kind: functions.kind[function].name().to_owned(),
            binary: tables.binaries.path[binary].clone(),
            binary_kind: tables.binaries.kind[binary].name().to_owned(),
            source_file: functions.source_file[function].clone(),
            first_line: functions.first_line[function].map(i64::from),
            frame_kind: frames.kind[frame].name().to_owned(),
            reason: frames.reason[frame].name().to_owned(),
            line: frames.line[frame].map(i64::from),
            bytecode_index: frames.bytecode_index[frame].map(i64::from),
        }
    }
}

/// Nodes of one service's stacks.
#[derive(Debug, Clone)]
pub struct StackRows {
    service: String,
    rows: Vec<StackRow>,
}

impl StackRows {
    /// Creates an empty list of nodes.
    pub fn new(service: &str) -> Self {
        Self { service: service.to_owned(), rows: Vec::new() }
    }

    /// Adds a node.
    pub fn push(&mut self, row: StackRow) {
        self.rows.push(row);
    }

    /// The nodes.
    pub fn rows(&self) -> &[StackRow] {
        &self.rows
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Sorts the nodes by name, because sorted nodes compress well. Of several equal nodes, only the first node is
    /// kept.
    pub fn finish(&mut self) {
        self.rows.sort_by(|a, b| (&a.internal_name, a.id).cmp(&(&b.internal_name, b.id)));
        let mut seen = FxHashSet::default();
        self.rows.retain(|row| seen.insert(row.id));
    }

    /// The nodes in the format of stored files.
    pub fn to_batch(&self) -> RecordBatch {
        let number =
            |of: fn(&StackRow) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(self.rows.iter().map(of))) };
        let text = |of: fn(&StackRow) -> &str| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(self.rows.iter().map(of)))
        };
        let optional = |of: fn(&StackRow) -> Option<i64>| -> ArrayRef {
            Arc::new(self.rows.iter().map(of).collect::<Int64Array>())
        };
        let sources: StringArray = self.rows.iter().map(|row| row.source_file.as_deref()).collect();
        let service: ArrayRef = Arc::new(StringArray::from_iter_values(self.rows.iter().map(|_| &self.service)));
        let columns = vec![
            service,
            number(|row| row.id),
            number(|row| row.hash_high),
            number(|row| row.parent),
            text(|row| &row.display_name),
            text(|row| &row.internal_name),
            text(|row| &row.function_kind),
            text(|row| &row.binary),
            text(|row| &row.binary_kind),
            Arc::new(sources),
            optional(|row| row.first_line),
            text(|row| &row.frame_kind),
            text(|row| &row.reason),
            optional(|row| row.line),
            optional(|row| row.bytecode_index),
        ];
        let schema = Arc::clone(schema_of(FleetTable::Stacks));
        RecordBatch::try_new(schema, columns).expect("the columns of the table's schema")
    }

    /// Adds nodes from a stored file.
    ///
    /// # Errors
    /// A column is missing.
    pub fn push_batch(&mut self, batch: &RecordBatch) -> Result<(), FileError> {
        let text = |name| text_column(batch, name);
        let number = |name| number_column(batch, name);
        let [id, hash_high, parent] = [number("id")?, number("hash_high")?, number("parent")?];
        let [first_line, line, bytecode_index] = [number("first_line")?, number("line")?, number("bytecode_index")?];
        let [display_name, internal_name] = [text("display_name")?, text("internal_name")?];
        let [binary, binary_kind, function_kind] = [text("binary")?, text("binary_kind")?, text("function_kind")?];
        let [source_file, frame_kind, reason] = [text("source_file")?, text("frame_kind")?, text("reason")?];
        for row in 0..batch.num_rows() {
            let text = |column: &StringArray| column.value(row).to_owned();
            let optional = |column: &Int64Array| column.is_valid(row).then(|| column.value(row));
            self.push(StackRow {
                id: id.value(row),
                hash_high: hash_high.value(row),
                parent: parent.value(row),
                display_name: text(display_name),
                internal_name: text(internal_name),
                function_kind: text(function_kind),
                binary: text(binary),
                binary_kind: text(binary_kind),
                source_file: source_file.is_valid(row).then(|| text(source_file)),
                first_line: optional(first_line),
                frame_kind: text(frame_kind),
                reason: text(reason),
                line: optional(line),
                bytecode_index: optional(bytecode_index),
            });
        }
        Ok(())
    }
}
