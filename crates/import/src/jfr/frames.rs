//! Makes rows of the frames table from a recording's stack frames.
//!
//! A frame consists of a few compressed integers (method, line, bytecode index, type). Reading a frame allocates no
//! memory, because the frame's bytes are the key of the interned frame.

use super::bytes::{Cursor, Malformed, VarintEnds};
use super::functions::{FunctionReader, NameBudget, Place, Target};
use super::layout::{Layout, VarintLayout};
use super::metadata::Metadata;
use super::pools::Pools;
use rustc_hash::FxHashMap;
use whittle_model::{FrameIndex, FrameKind, FunctionKind, LossReason, NewFrame, TableBuilder};

/// Fields of a stack frame in slot order.
const FRAME_FIELDS: &[&str] = &["method", "lineNumber", "bytecodeIndex", "type"];
const METHOD: usize = 0;
const LINE: usize = 1;
const BYTECODE_INDEX: usize = 2;
const TYPE: usize = 3;

/// The source of names and the destination of rows.
pub(crate) struct Interning<'i, 'a> {
    pub(crate) pools: &'i Pools<'a>,
    pub(crate) builder: &'i mut TableBuilder,
}

/// An interned frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownFrame {
    pub(crate) frame: FrameIndex,
    pub(crate) is_kernel: bool,
    pub(crate) reason: LossReason,
}

/// The frames of one chunk.
pub(crate) struct FrameReader {
    layout: Option<Layout>,
    /// The layout if a frame consists only of integers. This is true in recordings of all known producers.
    varints: Option<VarintLayout>,
    functions: FunctionReader,
    budget: NameBudget,
    /// Frames of up to eight bytes. The key is their bytes as a number, the first byte lowest.
    by_bytes: FxHashMap<u64, KnownFrame>,
    /// Longer frames. The key is their four values.
    by_values: FxHashMap<[u64; 4], KnownFrame>,
}

impl FrameReader {
    pub(crate) fn new(bytes: &[u8], metadata: &Metadata<'_>) -> Self {
        let layout = metadata
            .by_name("jdk.types.StackFrame")
            .and_then(|of| Layout::compile(metadata, of, FRAME_FIELDS).ok())
            .filter(|layout| layout.has(METHOD));
        Self {
            varints: layout.as_ref().and_then(Layout::as_varints),
            layout,
            functions: FunctionReader::default(),
            budget: NameBudget::for_chunk(bytes),
            by_bytes: FxHashMap::default(),
            by_values: FxHashMap::default(),
        }
    }

    /// Number of integers in a frame, if a frame has only integers.
    pub(crate) fn varint_count(&self) -> Option<u64> {
        self.varints.map(|varints| varints.count as u64).filter(|count| *count > 0)
    }

    /// Reads the frame at the cursor.
    #[inline]
    pub(crate) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        interning: &mut Interning<'_, '_>,
    ) -> Result<KnownFrame, Malformed> {
        let Some((key, byte_count)) = self.frame_bytes(cursor) else {
            return self.read_values(cursor, interning);
        };
        if let Some(known) = self.by_bytes.get(&key) {
            cursor.skip(byte_count)?;
            return Ok(*known);
        }
        let known = self.read_values(cursor, interning)?;
        self.by_bytes.insert(key, known);
        Ok(known)
    }

    /// The frame at the cursor as one number, and its length in bytes. `None` if the frame is longer than eight bytes.
    ///
    /// Two frames with the same number are equal. An integer ends with its first clear high bit, so no frame is the
    /// start of another frame.
    #[inline]
    fn frame_bytes(&self, cursor: &Cursor<'_>) -> Option<(u64, u64)> {
        let varint_count = self.varints?.count;
        let word = cursor.peek_word()?;
        let ends = VarintEnds::of(word);
        if varint_count == 0 || ends.count() < varint_count as u64 {
            return None;
        }
        let length = ends.length_of_first(varint_count);
        Some((word & (u64::MAX >> (64 - 8 * length)), length as u64))
    }

    fn read_values(
        &mut self,
        cursor: &mut Cursor<'_>,
        interning: &mut Interning<'_, '_>,
    ) -> Result<KnownFrame, Malformed> {
        let no_layout = Malformed { position: cursor.position(), wanted: "a known layout of stack frames" };
        let slots = self.layout.as_ref().ok_or(no_layout)?.read(cursor)?;
        let values = [slots[METHOD], slots[LINE], slots[BYTECODE_INDEX], slots[TYPE]];
        if let Some(known) = self.by_values.get(&values) {
            return Ok(*known);
        }
        let known = self.add(values, interning);
        self.by_values.insert(values, known);
        Ok(known)
    }

    fn add(&mut self, values: [u64; 4], interning: &mut Interning<'_, '_>) -> KnownFrame {
        let Interning { pools, builder } = interning;
        let frame_type = self.functions.frame_type(pools, values[TYPE]);
        let mut target = Target { pools, builder, budget: &mut self.budget };
        match self.functions.place(values[METHOD], frame_type, &mut target) {
            Place::Missing(reason) => missing_frame(reason, builder),
            Place::Code { function, kind, unsymbolised } => {
                let (line, bytecode_index) = source_position(kind, &values);
                let kind = frame_type.frame_kind(kind);
                let frame = builder.frame(NewFrame { function, kind, line, bytecode_index, address: None });
                let reason = if unsymbolised { LossReason::Unsymbolised } else { LossReason::None };
                KnownFrame { frame, is_kernel: kind == FrameKind::Kernel, reason }
            }
        }
    }
}

/// The frame that replaces missing frames.
pub(crate) fn missing_frame(reason: LossReason, builder: &mut TableBuilder) -> KnownFrame {
    KnownFrame { frame: builder.truncated_frame(reason), is_kernel: false, reason }
}

/// Line and bytecode index, if they have a meaning. Outside Java and in Java native methods, both values are 0, or -1
/// in recordings of the JDK.
fn source_position(function: FunctionKind, values: &[u64; 4]) -> (Option<u32>, Option<u32>) {
    if function != FunctionKind::Java {
        return (None, None);
    }
    let not_negative = |value: u64| u32::try_from(value).ok().filter(|value| *value <= i32::MAX as u32);
    let line = not_negative(values[LINE]).filter(|line| *line > 0);
    let bytecode_index = not_negative(values[BYTECODE_INDEX]).filter(|index| line.is_some() || *index > 0);
    (line, bytecode_index)
}
