//! From the recording's stack traces to the prefix tree of stacks.
//!
//! A stack trace is a row of frames, the leaf first, each some compressed integers (method, line,
//! bytecode index, type). Most of a recording is this, and most of a trace has been seen before:
//! traces share their frames near the root. So a trace is taken apart from its end, eight frames at
//! a time, and the bytes of a block, on top of the stack that the blocks before it led to, are looked
//! up as they are. Only a block that is new is read frame by frame:
//!
//! ```text
//! bytes   leaf … │ block 2 │ block 1     blocks are counted from the root
//! read    <──────────────────────────
//! stack            root ─block 1─> stack ─block 2─> stack ─ single frames ─> stack of the trace
//! ```

use super::blocks::{Block, BlockTable};
use super::bytes::{Cursor, Malformed, VarintEnds};
use super::functions::{FunctionReader, NameBudget, Place, Target};
use super::layout::{Layout, VarintLayout};
use super::metadata::Metadata;
use super::pools::{Pools, StackTracePool, stack_trace};
use super::row_index::RowIndex;
use rustc_hash::FxHashMap;
use std::ops::Range;
use whittle_model::{FrameIndex, FrameKind, FunctionKind, LossReason, NewFrame, StackIndex, TableBuilder};

/// Fields of a stack frame in slot order.
const FRAME_FIELDS: &[&str] = &["method", "lineNumber", "bytecodeIndex", "type"];
const METHOD: usize = 0;
const LINE: usize = 1;
const BYTECODE_INDEX: usize = 2;
const TYPE: usize = 3;

/// A stack trace, interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownStack {
    pub(crate) stack: StackIndex,
    /// True if the sample was taken in the kernel.
    pub(crate) has_kernel_leaf: bool,
    /// Why the stack is incomplete; `None` if it is not.
    pub(crate) reason: LossReason,
}

impl KnownStack {
    const ROOT: Self = Self { stack: StackIndex::ROOT, has_kernel_leaf: false, reason: LossReason::None };

    /// The stack with one more frame on top.
    fn with(self, frame: KnownFrame, builder: &mut TableBuilder) -> Self {
        Self {
            stack: builder.child(self.stack, frame.frame),
            has_kernel_leaf: frame.is_kernel,
            reason: worse(self.reason, frame.reason),
        }
    }
}

/// A frame, interned.
#[derive(Debug, Clone, Copy)]
struct KnownFrame {
    frame: FrameIndex,
    is_kernel: bool,
    reason: LossReason,
}

/// The stack traces of one chunk.
///
/// Those that samples refer to are read before the samples, in the order in which they stand in the
/// chunk: in the samples' order most of the time would go into waiting for memory.
pub(crate) struct StackReader<'a> {
    frames: FrameReader<'a>,
    blocks: BlockTable<'a>,
    pool: StackTracePool,
    rows: RowIndex,
    /// For each row of the pool.
    states: Vec<StackState>,
    frames_leaf_first: Vec<KnownFrame>,
}

/// What became of a stack trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StackState {
    Unneeded,
    Needed,
    Known(KnownStack),
}

impl<'a> StackReader<'a> {
    pub(crate) fn new(bytes: &'a [u8], metadata: &Metadata<'_>, pools: &mut Pools<'a>) -> Self {
        let pool = pools.take_stack_traces();
        Self {
            frames: FrameReader::new(bytes, metadata),
            blocks: BlockTable::new(bytes),
            rows: RowIndex::new(&pool.keys),
            states: vec![StackState::Unneeded; pool.positions.len()],
            pool,
            frames_leaf_first: Vec::new(),
        }
    }

    /// Notes that a sample refers to the stack trace with this key.
    #[inline]
    pub(crate) fn need(&mut self, key: u64) {
        if let Some(row) = self.rows.row(key) {
            self.states[row] = StackState::Needed;
        }
    }

    /// Reads the stack traces that are needed.
    pub(crate) fn read_needed(&mut self, pools: &Pools<'a>, builder: &mut TableBuilder) {
        for row in 0..self.states.len() {
            if self.states[row] == StackState::Needed {
                self.states[row] = StackState::Known(self.read(row, pools, builder));
            }
        }
    }

    /// The stack with this key, or nothing if the chunk does not have it.
    #[inline]
    pub(crate) fn stack(&self, key: u64) -> Option<KnownStack> {
        match self.states[self.rows.row(key)?] {
            StackState::Known(stack) => Some(stack),
            StackState::Unneeded | StackState::Needed => None,
        }
    }

    /// The stacks that were needed, by key.
    pub(crate) fn into_stacks(self) -> impl Iterator<Item = (u64, KnownStack)> {
        self.pool.keys.into_iter().zip(self.states).filter_map(|(key, state)| match state {
            StackState::Known(stack) => Some((key, stack)),
            StackState::Unneeded | StackState::Needed => None,
        })
    }

    /// Reads the stack trace in `row` of the pool.
    fn read(&mut self, row: usize, pools: &Pools<'a>, builder: &mut TableBuilder) -> KnownStack {
        let mut root = KnownStack::ROOT;
        // The walk over the pool passed here, so reading fails only if the layout is not known.
        let added = pools.stack_trace(self.pool.positions[row]).map(|entry| {
            if entry[stack_trace::TRUNCATED] != 0 {
                root = root.with(missing_frame(LossReason::DepthLimit, builder), builder);
            }
            let frames = usize::try_from(entry[stack_trace::FRAMES]).unwrap_or(usize::MAX);
            let end = self.pool.ends.get(row).copied();
            self.add_frames(root, (frames, end), (pools, builder))
        });
        let stack = match added {
            Some(Ok(stack)) => stack,
            Some(Err(Malformed { .. })) | None => root.with(missing_frame(LossReason::DamagedInput, builder), builder),
        };
        if stack.stack == StackIndex::ROOT {
            return stack.with(missing_frame(LossReason::NoFrames, builder), builder);
        }
        stack
    }

    /// Puts the array of frames at `position` on top of `root`; `end` is where it ends, if that is known.
    fn add_frames(
        &mut self,
        root: KnownStack,
        (position, end): (usize, Option<usize>),
        (pools, builder): (&Pools<'a>, &mut TableBuilder),
    ) -> Result<KnownStack, Malformed> {
        let mut cursor = Cursor::at(self.frames.bytes, position);
        let frame_count = cursor.varint()?;
        let frames = cursor.position();
        if let (Some(end), Some(varint_count)) = (end, self.frames.varint_count())
            && let Some(stack) = self.add_blocks(root, frames..end, (frame_count, varint_count), (pools, builder))
        {
            return Ok(stack);
        }
        self.add_single_frames(root, (frames, frame_count), (pools, builder)).map(|(stack, _)| stack)
    }

    /// Puts the frames in `bytes` on top of `root`, block by block from the end. Nothing if that does not
    /// come out even: an integer of nine bytes need not end with its first clear high bit, and leads
    /// the way backwards astray.
    fn add_blocks(
        &mut self,
        root: KnownStack,
        bytes: Range<usize>,
        (frame_count, varint_count): (u64, u64),
        (pools, builder): (&Pools<'a>, &mut TableBuilder),
    ) -> Option<KnownStack> {
        let mut stack = root;
        let mut end = bytes.end;
        let mut frames_left = frame_count;
        while frames_left >= Block::FRAMES {
            frames_left -= Block::FRAMES;
            let is_leaf = frames_left == 0;
            let start = if is_leaf { bytes.start } else { self.blocks.start_before(end, varint_count) };
            if start < bytes.start || start >= end {
                return None;
            }
            stack = self.add_block(stack, start..end, (pools, builder))?;
            end = start;
        }
        let single_frames = self.add_single_frames(stack, (bytes.start, frames_left), (pools, builder));
        single_frames.ok().filter(|(_, end_of_frames)| *end_of_frames == end).map(|(stack, _)| stack)
    }

    #[inline]
    fn add_block(
        &mut self,
        stack: KnownStack,
        bytes: Range<usize>,
        (pools, builder): (&Pools<'a>, &mut TableBuilder),
    ) -> Option<KnownStack> {
        let block = Block::new(stack.stack, &self.frames.bytes[bytes.clone()]);
        let known = match self.blocks.find(block) {
            Some(known) => known,
            None => {
                let below = KnownStack { reason: LossReason::None, ..stack };
                let frames = self.add_single_frames(below, (bytes.start, Block::FRAMES), (pools, builder));
                let (known, _) = frames.ok().filter(|(_, end)| *end == bytes.end)?;
                self.blocks.insert(block, known);
                known
            }
        };
        Some(KnownStack { reason: worse(stack.reason, known.reason), ..known })
    }

    /// Puts the `count` frames at `position` on top of `stack`; the position behind them too.
    fn add_single_frames(
        &mut self,
        stack: KnownStack,
        (position, count): (usize, u64),
        (pools, builder): (&Pools<'a>, &mut TableBuilder),
    ) -> Result<(KnownStack, usize), Malformed> {
        let mut cursor = Cursor::at(self.frames.bytes, position);
        self.frames_leaf_first.clear();
        for _ in 0..count {
            self.frames_leaf_first.push(self.frames.read(&mut cursor, pools, builder)?);
        }
        let stack = self.frames_leaf_first.iter().rev().fold(stack, |stack, frame| stack.with(*frame, builder));
        Ok((stack, cursor.position()))
    }
}

/// The frames of one chunk.
struct FrameReader<'a> {
    bytes: &'a [u8],
    layout: Option<Layout>,
    /// Set if a frame consists of integers only, as it does for all known producers.
    varints: Option<VarintLayout>,
    functions: FunctionReader,
    budget: NameBudget,
    /// Frames of up to eight bytes by these bytes, the first one lowest.
    by_bytes: FxHashMap<u64, KnownFrame>,
    /// Longer frames by their four values.
    by_values: FxHashMap<[u64; 4], KnownFrame>,
}

impl<'a> FrameReader<'a> {
    fn new(bytes: &'a [u8], metadata: &Metadata<'_>) -> Self {
        let layout = metadata
            .by_name("jdk.types.StackFrame")
            .and_then(|of| Layout::compile(metadata, of, FRAME_FIELDS).ok())
            .filter(|layout| layout.has(METHOD));
        Self {
            bytes,
            varints: layout.as_ref().and_then(Layout::as_varints),
            layout,
            functions: FunctionReader::default(),
            budget: NameBudget::for_chunk(bytes),
            by_bytes: FxHashMap::default(),
            by_values: FxHashMap::default(),
        }
    }

    /// Integers in a frame, if it consists of nothing else.
    fn varint_count(&self) -> Option<u64> {
        self.varints.map(|varints| varints.count as u64).filter(|count| *count > 0)
    }

    #[inline]
    fn read(
        &mut self,
        cursor: &mut Cursor<'a>,
        pools: &Pools<'a>,
        builder: &mut TableBuilder,
    ) -> Result<KnownFrame, Malformed> {
        let Some((key, byte_count)) = self.frame_bytes(cursor) else {
            return self.read_values(cursor, pools, builder);
        };
        if let Some(known) = self.by_bytes.get(&key) {
            cursor.skip(byte_count)?;
            return Ok(*known);
        }
        let known = self.read_values(cursor, pools, builder)?;
        self.by_bytes.insert(key, known);
        Ok(known)
    }

    /// The frame at the cursor as one number and its length in bytes, if these are at most eight.
    ///
    /// Two frames with the same number are the same: a row of integers ends with the last clear high
    /// bit, so no frame is the start of another one.
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
        cursor: &mut Cursor<'a>,
        pools: &Pools<'a>,
        builder: &mut TableBuilder,
    ) -> Result<KnownFrame, Malformed> {
        let no_layout = Malformed { position: cursor.position(), wanted: "a known layout of stack frames" };
        let slots = self.layout.as_ref().ok_or(no_layout)?.read(cursor)?;
        let values = [slots[METHOD], slots[LINE], slots[BYTECODE_INDEX], slots[TYPE]];
        if let Some(known) = self.by_values.get(&values) {
            return Ok(*known);
        }
        let known = self.add(values, pools, builder);
        self.by_values.insert(values, known);
        Ok(known)
    }

    fn add(&mut self, values: [u64; 4], pools: &Pools<'a>, builder: &mut TableBuilder) -> KnownFrame {
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

/// The frame that stands where frames are missing.
fn missing_frame(reason: LossReason, builder: &mut TableBuilder) -> KnownFrame {
    KnownFrame { frame: builder.truncated_frame(reason), is_kernel: false, reason }
}

/// Line and bytecode index where they have a meaning. Outside Java both are filled in with 0; in Java
/// native methods too, and the JDK writes -1.
fn source_position(function: FunctionKind, values: &[u64; 4]) -> (Option<u32>, Option<u32>) {
    if function != FunctionKind::Java {
        return (None, None);
    }
    let not_negative = |value: u64| u32::try_from(value).ok().filter(|value| *value <= i32::MAX as u32);
    let line = not_negative(values[LINE]).filter(|line| *line > 0);
    let bytecode_index = not_negative(values[BYTECODE_INDEX]).filter(|index| line.is_some() || *index > 0);
    (line, bytecode_index)
}

/// The reason to report for a stack with both: missing frames count more than a missing name.
fn worse(a: LossReason, b: LossReason) -> LossReason {
    match (a, b) {
        (LossReason::None, other) => other,
        (LossReason::Unsymbolised, LossReason::None) => a,
        (LossReason::Unsymbolised, other) => other,
        _ => a,
    }
}
