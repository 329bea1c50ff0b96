//! From the recording's stack traces to the prefix tree of stacks.
//!
//! A stack trace is a row of frames, the leaf first, each some compressed integers (method, line,
//! bytecode index, type). Most of a recording is this, so nothing is made per frame: the bytes of a
//! frame are themselves the key under which the interned frame is found, and a trace that begins at
//! the root like the one before it reuses that one's nodes.

use super::bytes::{Cursor, Malformed};
use super::functions::{FunctionReader, NameBudget, Place, Target};
use super::layout::{Layout, VarintLayout};
use super::metadata::Metadata;
use super::pools::{PoolKind, Pools, stack_trace};
use rustc_hash::FxHashMap;
use whittle_model::{FrameIndex, FrameKind, FunctionKind, LossReason, NewFrame, StackIndex, TableBuilder};

/// Fields of a stack frame in slot order.
const FRAME_FIELDS: &[&str] = &["method", "lineNumber", "bytecodeIndex", "type"];
const METHOD: usize = 0;
const LINE: usize = 1;
const BYTECODE_INDEX: usize = 2;
const TYPE: usize = 3;

/// The high bits of eight bytes: clear where a compressed integer ends.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// A stack trace, interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownStack {
    pub(crate) stack: StackIndex,
    /// True if the sample was taken in the kernel.
    pub(crate) has_kernel_leaf: bool,
    /// Why the stack is incomplete; `None` if it is not.
    pub(crate) reason: LossReason,
}

/// A frame, interned.
#[derive(Debug, Clone, Copy)]
struct KnownFrame {
    frame: FrameIndex,
    is_kernel: bool,
    reason: LossReason,
}

/// The stack traces of one chunk.
pub(crate) struct StackReader<'a> {
    bytes: &'a [u8],
    frame_layout: Option<Layout>,
    /// Set if a frame consists of integers only, as it does for all known producers.
    frame_varints: Option<VarintLayout>,
    functions: FunctionReader,
    budget: NameBudget,
    /// Frames of up to eight bytes by these bytes, the first one lowest.
    frames_by_bytes: FxHashMap<u64, KnownFrame>,
    /// Longer frames by their four values.
    frames_by_values: FxHashMap<[u64; 4], KnownFrame>,
    stacks: FxHashMap<u64, KnownStack>,
    frames_leaf_first: Vec<KnownFrame>,
    /// The nodes of the stack trace before, the one next to the root first.
    last_path: Vec<(FrameIndex, StackIndex)>,
}

impl<'a> StackReader<'a> {
    pub(crate) fn new(bytes: &'a [u8], metadata: &Metadata<'_>) -> Self {
        let frame_layout = metadata
            .by_name("jdk.types.StackFrame")
            .and_then(|of| Layout::compile(metadata, of, FRAME_FIELDS).ok())
            .filter(|layout| layout.has(METHOD));
        Self {
            bytes,
            frame_varints: frame_layout.as_ref().and_then(Layout::as_varints),
            frame_layout,
            functions: FunctionReader::default(),
            budget: NameBudget::for_chunk(bytes),
            frames_by_bytes: FxHashMap::default(),
            frames_by_values: FxHashMap::default(),
            stacks: FxHashMap::default(),
            frames_leaf_first: Vec::new(),
            last_path: Vec::new(),
        }
    }

    /// The stack with this key, or nothing if the chunk does not have it.
    #[inline]
    pub(crate) fn stack(&mut self, key: u64, pools: &Pools<'a>, builder: &mut TableBuilder) -> Option<KnownStack> {
        if let Some(known) = self.stacks.get(&key) {
            return Some(*known);
        }
        let entry = pools.entry(PoolKind::StackTrace, key)?;
        self.read_frames(entry[stack_trace::FRAMES], pools, builder);
        if entry[stack_trace::TRUNCATED] != 0 {
            self.add_missing_frame(LossReason::DepthLimit, builder);
        }
        if self.frames_leaf_first.is_empty() {
            self.add_missing_frame(LossReason::NoFrames, builder);
        }
        let known = self.intern(builder);
        self.stacks.insert(key, known);
        Some(known)
    }

    /// The stacks that were asked for, by key.
    pub(crate) fn into_stacks(self) -> FxHashMap<u64, KnownStack> {
        self.stacks
    }

    /// What names may still cost.
    pub(crate) fn budget(&mut self) -> &mut NameBudget {
        &mut self.budget
    }

    fn add_missing_frame(&mut self, reason: LossReason, builder: &mut TableBuilder) {
        let frame = builder.truncated_frame(reason);
        self.frames_leaf_first.push(KnownFrame { frame, is_kernel: false, reason });
    }

    fn read_frames(&mut self, position: u64, pools: &Pools<'a>, builder: &mut TableBuilder) {
        self.frames_leaf_first.clear();
        let mut cursor = Cursor::at(self.bytes, usize::try_from(position).unwrap_or(usize::MAX));
        let Ok(frame_count) = cursor.varint() else { return };
        for _ in 0..frame_count {
            match self.read_frame(&mut cursor, pools, builder) {
                Ok(frame) => self.frames_leaf_first.push(frame),
                // The walk over the pool passed here, so this does not happen.
                Err(Malformed { .. }) => return self.add_missing_frame(LossReason::DamagedInput, builder),
            }
        }
    }

    #[inline]
    fn read_frame(
        &mut self,
        cursor: &mut Cursor<'a>,
        pools: &Pools<'a>,
        builder: &mut TableBuilder,
    ) -> Result<KnownFrame, Malformed> {
        let Some((key, byte_count)) = self.frame_bytes(cursor) else {
            return self.read_long_frame(cursor, pools, builder);
        };
        if let Some(known) = self.frames_by_bytes.get(&key) {
            cursor.skip(byte_count)?;
            return Ok(*known);
        }
        let known = self.read_long_frame(cursor, pools, builder)?;
        self.frames_by_bytes.insert(key, known);
        Ok(known)
    }

    /// The frame at the cursor as one number and its length in bytes, if these are at most eight.
    ///
    /// Two frames with the same number are the same: a row of integers ends with the last clear high
    /// bit, so no frame is the start of another one.
    #[inline]
    fn frame_bytes(&self, cursor: &Cursor<'_>) -> Option<(u64, u64)> {
        let varint_count = self.frame_varints?.count;
        let word = cursor.peek_word()?;
        let mut ends = !word & HIGH_BITS;
        for _ in 1..varint_count {
            ends &= ends.wrapping_sub(1);
        }
        if ends == 0 || varint_count == 0 {
            return None;
        }
        let bits = ends.trailing_zeros() + 1;
        Some((word & (u64::MAX >> (64 - bits)), u64::from(bits / 8)))
    }

    fn read_long_frame(
        &mut self,
        cursor: &mut Cursor<'a>,
        pools: &Pools<'a>,
        builder: &mut TableBuilder,
    ) -> Result<KnownFrame, Malformed> {
        let no_layout = Malformed { position: cursor.position(), wanted: "a known layout of stack frames" };
        let slots = self.frame_layout.as_ref().ok_or(no_layout)?.read(cursor)?;
        let values = [slots[METHOD], slots[LINE], slots[BYTECODE_INDEX], slots[TYPE]];
        if let Some(known) = self.frames_by_values.get(&values) {
            return Ok(*known);
        }
        let known = self.add_frame(values, pools, builder);
        self.frames_by_values.insert(values, known);
        Ok(known)
    }

    fn add_frame(&mut self, values: [u64; 4], pools: &Pools<'a>, builder: &mut TableBuilder) -> KnownFrame {
        let frame_type = self.functions.frame_type(pools, values[TYPE]);
        let mut target = Target { pools, builder, budget: &mut self.budget };
        match self.functions.place(values[METHOD], frame_type, &mut target) {
            Place::Missing(reason) => KnownFrame { frame: builder.truncated_frame(reason), is_kernel: false, reason },
            Place::Code { function, kind, unsymbolised } => {
                let (line, bytecode_index) = source_position(kind, &values);
                let kind = frame_type.frame_kind(kind);
                let frame = builder.frame(NewFrame { function, kind, line, bytecode_index, address: None });
                let reason = if unsymbolised { LossReason::Unsymbolised } else { LossReason::None };
                KnownFrame { frame, is_kernel: kind == FrameKind::Kernel, reason }
            }
        }
    }

    fn intern(&mut self, builder: &mut TableBuilder) -> KnownStack {
        let mut stack = StackIndex::ROOT;
        let mut reason = LossReason::None;
        let mut is_shared = true;
        for (depth, known) in self.frames_leaf_first.iter().rev().enumerate() {
            is_shared &= self.last_path.get(depth).is_some_and(|(frame, _)| *frame == known.frame);
            if is_shared {
                stack = self.last_path[depth].1;
            } else {
                self.last_path.truncate(depth);
                stack = builder.child(stack, known.frame);
                self.last_path.push((known.frame, stack));
            }
            reason = worse(reason, known.reason);
        }
        let has_kernel_leaf = self.frames_leaf_first.first().is_some_and(|leaf| leaf.is_kernel);
        KnownStack { stack, has_kernel_leaf, reason }
    }
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
