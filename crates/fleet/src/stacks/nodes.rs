//! Nodes of one service's stacks. Each id has a row, a frame and a caller.

use super::code::{Code, CodeFrame, CodeFunction};
use crate::tables::{FleetTable, schema_of};
use datafusion::arrow::array::{Array, AsArray, DictionaryArray, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Int64Type, Schema, SchemaRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, LazyLock};
use whittle_model::{BinaryKind, ContentHash, FrameKind, FunctionKind, LossReason};

/// Nodes of one service.
#[derive(Debug, Clone, Default)]
pub struct ServiceStacks {
    /// Files that were read.
    files: FxHashSet<String>,
    rows: FxHashMap<i64, u32>,
    nodes: Vec<Node>,
    /// For each row, the id of the caller's node. 0: there is no caller.
    parent_ids: Vec<i64>,
    /// Ids that several different stacks share.
    ambiguous: FxHashSet<i64>,
}

/// A node. Its fields are stored together, because a query needs all fields of a node and reads nodes in random order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The lower half and the upper half of the node's content hash. The lower half is the node's id.
    identity: (i64, i64),
    /// Row of the caller's node. [`NO_NODE`]: there is no caller. [`UNKNOWN`]: no file contains the caller.
    pub(super) parent: u32,
    /// Number of the node's frame in the code.
    pub(super) frame: u32,
}

impl Node {
    pub(super) fn content_hash(&self) -> ContentHash {
        let (low, high) = self.identity;
        ContentHash(u128::from(high as u64) << 64 | u128::from(low as u64))
    }
}

/// The node has no caller.
pub(super) const NO_NODE: u32 = u32::MAX;
/// No file contains the caller.
pub(super) const UNKNOWN: u32 = u32::MAX - 1;

/// The columns of the table `stacks`. Text columns are dictionaries.
pub(super) fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let dictionary = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let field = |field: &Arc<Field>| match field.data_type() {
            DataType::Utf8 => field.as_ref().clone().with_data_type(dictionary()),
            _ => field.as_ref().clone(),
        };
        Arc::new(Schema::new(schema_of(FleetTable::Stacks).fields().iter().map(field).collect::<Vec<_>>()))
    });
    Arc::clone(&SCHEMA)
}

impl ServiceStacks {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the file was read.
    pub(super) fn has_read(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// The row of the node with this id. Missing: no file contains the id, or several stacks share the id.
    pub(super) fn row(&self, id: i64) -> Option<u32> {
        self.rows.get(&id).copied().filter(|row| !self.is_ambiguous(*row))
    }

    /// Whether several stacks share the node's id.
    pub(super) fn is_ambiguous(&self, row: u32) -> bool {
        !self.ambiguous.is_empty() && self.ambiguous.contains(&self.node(row).identity.0)
    }

    pub(super) fn node(&self, row: u32) -> &Node {
        &self.nodes[row as usize]
    }

    /// Adds the nodes of a file.
    pub(super) fn add(&mut self, path: &str, batches: &[RecordBatch], code: &mut Code) -> Result<(), String> {
        let count: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if self.len() + count >= UNKNOWN as usize {
            return Err("there are too many stacks".to_owned());
        }
        let added = batches.iter().try_for_each(|batch| self.add_batch(&Columns::of(batch)?, code));
        self.find_parents();
        added?;
        self.files.insert(path.to_owned());
        Ok(())
    }

    /// Finds callers that were not known when their callees were added.
    fn find_parents(&mut self) {
        for (node, parent_id) in self.nodes.iter_mut().zip(&self.parent_ids) {
            if node.parent == UNKNOWN {
                node.parent = match parent_id {
                    0 => NO_NODE,
                    id => self.rows.get(id).copied().unwrap_or(UNKNOWN),
                };
            }
        }
    }

    fn add_batch(&mut self, columns: &Columns<'_>, code: &mut Code) -> Result<(), String> {
        let mut functions = FxHashMap::default();
        for row in 0..columns.id.len() {
            let identity = (columns.id.value(row), columns.hash_high.value(row));
            if let Some(known) = self.rows.get(&identity.0) {
                if self.nodes[*known as usize].identity != identity {
                    self.ambiguous.insert(identity.0);
                }
                continue;
            }
            let function = match functions.get(&columns.function_key(row)) {
                Some(function) => *function,
                None => {
                    let function = code.function(columns.function(row)?);
                    functions.insert(columns.function_key(row), function);
                    function
                }
            };
            let frame = code.frame(columns.frame(row, function)?);
            self.rows.insert(identity.0, self.nodes.len() as u32);
            self.nodes.push(Node { identity, parent: UNKNOWN, frame });
            self.parent_ids.push(columns.parent.value(row));
        }
        Ok(())
    }
}

/// A column of text.
type Texts<'a> = &'a DictionaryArray<Int32Type>;

/// The columns of a batch.
struct Columns<'a> {
    id: &'a Int64Array,
    hash_high: &'a Int64Array,
    parent: &'a Int64Array,
    display_name: Texts<'a>,
    internal_name: Texts<'a>,
    function_kind: Texts<'a>,
    binary: Texts<'a>,
    binary_kind: Texts<'a>,
    source_file: Texts<'a>,
    first_line: &'a Int64Array,
    frame_kind: Texts<'a>,
    reason: Texts<'a>,
    line: &'a Int64Array,
    bytecode_index: &'a Int64Array,
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Self, String> {
        let missing = |name: &str| format!("column {name} is missing or has a wrong type");
        let number = |name: &str| {
            let column = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
            column.ok_or_else(|| missing(name))
        };
        let text = |name: &str| {
            let column = batch.column_by_name(name).and_then(|column| column.as_dictionary_opt::<Int32Type>());
            column.ok_or_else(|| missing(name))
        };
        Ok(Self {
            id: number("id")?,
            hash_high: number("hash_high")?,
            parent: number("parent")?,
            display_name: text("display_name")?,
            internal_name: text("internal_name")?,
            function_kind: text("function_kind")?,
            binary: text("binary")?,
            binary_kind: text("binary_kind")?,
            source_file: text("source_file")?,
            first_line: number("first_line")?,
            frame_kind: text("frame_kind")?,
            reason: text("reason")?,
            line: number("line")?,
            bytecode_index: number("bytecode_index")?,
        })
    }

    /// The identity of a function in the batch: the dictionary numbers of the function's texts.
    fn function_key(&self, row: usize) -> [i32; 3] {
        [self.internal_name, self.function_kind, self.binary].map(|texts| texts.keys().value(row))
    }

    fn function(&self, row: usize) -> Result<CodeFunction, String> {
        let words = |error: whittle_model::UnknownCode| error.to_string();
        Ok(CodeFunction {
            display_name: text(self.display_name, row).to_owned(),
            internal_name: text(self.internal_name, row).to_owned(),
            kind: FunctionKind::from_name(text(self.function_kind, row)).map_err(words)?,
            binary: text(self.binary, row).to_owned(),
            binary_kind: BinaryKind::from_name(text(self.binary_kind, row)).map_err(words)?,
            source_file: self.source_file.is_valid(row).then(|| text(self.source_file, row).to_owned()),
            first_line: number(self.first_line, row),
        })
    }

    fn frame(&self, row: usize, function: u32) -> Result<CodeFrame, String> {
        let words = |error: whittle_model::UnknownCode| error.to_string();
        Ok(CodeFrame {
            function,
            kind: FrameKind::from_name(text(self.frame_kind, row)).map_err(words)?,
            reason: LossReason::from_name(text(self.reason, row)).map_err(words)?,
            line: number(self.line, row).filter(|line| *line > 0),
            bytecode_index: number(self.bytecode_index, row),
        })
    }
}

/// The value of a row. Empty: there is no value.
fn text<'a>(texts: Texts<'a>, row: usize) -> &'a str {
    let values = texts.values().as_string_opt::<i32>();
    texts.key(row).and_then(|key| values.map(|values| values.value(key))).unwrap_or("")
}

/// The number in a row. None: the number is missing, or is out of range because the file is damaged.
fn number(numbers: &Int64Array, row: usize) -> Option<u32> {
    numbers.is_valid(row).then(|| u32::try_from(numbers.value(row)).ok()).flatten()
}
