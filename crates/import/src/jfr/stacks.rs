//! Makes the prefix tree of stacks from the recording's stack traces.
//!
//! A stack trace is a list of frames, leaf first. Most of a recording consists of stack traces, and most traces share
//! their frames near the root with earlier traces. So a trace is read from its end, in blocks of eight frames. A block
//! is looked up by its bytes and the stack below the block. Only a new block is read frame by frame:
//!
//! ```text
//! bytes   leaf … │ block 2 │ block 1     blocks are counted from the root
//! read    <──────────────────────────
//! stack            root ─block 1─> stack ─block 2─> stack ─ single frames ─> stack of the trace
//! ```

use super::blocks::{Block, BlockTable};
use super::bytes::{Cursor, Malformed};
use super::frames::{FrameReader, Interning, KnownFrame, missing_frame};
use super::known_stack::{KnownStack, worse};
use super::metadata::Metadata;
use super::pools::{Pools, StackTracePool, stack_trace};
use super::row_index::RowIndex;
use std::ops::Range;
use whittle_model::{LossReason, StackIndex, TableBuilder};

/// The stack traces of one chunk.
///
/// The needed traces are read before the samples, in file order. If they were read in the order of the samples, the
/// processor would mostly wait for memory.
pub(crate) struct StackReader<'a> {
    bytes: &'a [u8],
    frames: FrameReader,
    blocks: BlockTable<'a>,
    pool: StackTracePool,
    rows: RowIndex,
    /// The state of each row of the pool.
    states: Vec<StackState>,
    frames_leaf_first: Vec<KnownFrame>,
}

/// A list of frames, leaf first.
struct FrameRow {
    bytes: Range<usize>,
    frame_count: u64,
    /// Number of integers in a frame. A frame contains only integers.
    varint_count: u64,
}

/// The result of reading a stack trace.
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
            bytes,
            frames: FrameReader::new(bytes, metadata),
            blocks: BlockTable::new(bytes),
            rows: RowIndex::new(&pool.keys),
            states: vec![StackState::Unneeded; pool.positions.len()],
            pool,
            frames_leaf_first: Vec::new(),
        }
    }

    /// Records that a sample refers to the stack trace with this key.
    #[inline]
    pub(crate) fn need(&mut self, key: u64) {
        if let Some(row) = self.rows.row(key) {
            self.states[row] = StackState::Needed;
        }
    }

    /// Reads the needed stack traces.
    pub(crate) fn read_needed(&mut self, pools: &Pools<'a>, builder: &mut TableBuilder) {
        let interning = &mut Interning { pools, builder };
        for row in 0..self.states.len() {
            if self.states[row] == StackState::Needed {
                self.states[row] = StackState::Known(self.read(row, interning));
            }
        }
    }

    /// The stack with this key. `None` if the chunk does not contain the stack.
    #[inline]
    pub(crate) fn stack(&self, key: u64) -> Option<KnownStack> {
        match self.states[self.rows.row(key)?] {
            StackState::Known(stack) => Some(stack),
            StackState::Unneeded | StackState::Needed => None,
        }
    }

    /// The needed stacks, by key.
    pub(crate) fn into_stacks(self) -> impl Iterator<Item = (u64, KnownStack)> {
        self.pool.keys.into_iter().zip(self.states).filter_map(|(key, state)| match state {
            StackState::Known(stack) => Some((key, stack)),
            StackState::Unneeded | StackState::Needed => None,
        })
    }

    /// Reads the stack trace in `row` of the pool.
    fn read(&mut self, row: usize, interning: &mut Interning<'_, 'a>) -> KnownStack {
        let mut root = KnownStack::ROOT;
        // These bytes were already read when the pool was indexed. So reading fails only if the layout is unknown.
        let added = interning.pools.stack_trace(self.pool.positions[row]).map(|entry| {
            if entry[stack_trace::TRUNCATED] != 0 {
                root = root.with(missing_frame(LossReason::DepthLimit, interning.builder), interning.builder);
            }
            let frames = usize::try_from(entry[stack_trace::FRAMES]).unwrap_or(usize::MAX);
            let end = self.pool.ends.get(row).copied();
            self.add_frames(root, (frames, end), interning)
        });
        let stack = match added {
            Some(Ok(stack)) => stack,
            Some(Err(Malformed { .. })) | None => {
                root.with(missing_frame(LossReason::DamagedInput, interning.builder), interning.builder)
            }
        };
        if stack.stack == StackIndex::ROOT {
            return stack.with(missing_frame(LossReason::NoFrames, interning.builder), interning.builder);
        }
        stack
    }

    /// Adds the array of frames at `position` on top of `root`. `end` is the end of the array, if known.
    fn add_frames(
        &mut self,
        root: KnownStack,
        (position, end): (usize, Option<usize>),
        interning: &mut Interning<'_, 'a>,
    ) -> Result<KnownStack, Malformed> {
        let mut cursor = Cursor::at(self.bytes, position);
        let frame_count = cursor.varint()?;
        let frames = cursor.position();
        if let (Some(end), Some(varint_count)) = (end, self.frames.varint_count())
            && let Some(stack) =
                self.add_blocks(root, FrameRow { bytes: frames..end, frame_count, varint_count }, interning)
        {
            return Ok(stack);
        }
        self.add_single_frames(root, (frames, frame_count), interning).map(|(stack, _)| stack)
    }

    /// Adds the frames of `row` on top of `root`, block by block from the end. `None` if the blocks do not match the
    /// frames. This happens because an integer of nine bytes does not always end with its first clear high bit, so
    /// reading backwards can fail.
    fn add_blocks(&mut self, root: KnownStack, row: FrameRow, interning: &mut Interning<'_, 'a>) -> Option<KnownStack> {
        let FrameRow { bytes, frame_count, varint_count } = row;
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
            stack = self.add_block(stack, start..end, interning)?;
            end = start;
        }
        let single_frames = self.add_single_frames(stack, (bytes.start, frames_left), interning);
        single_frames.ok().filter(|(_, end_of_frames)| *end_of_frames == end).map(|(stack, _)| stack)
    }

    #[inline]
    fn add_block(
        &mut self,
        stack: KnownStack,
        bytes: Range<usize>,
        interning: &mut Interning<'_, 'a>,
    ) -> Option<KnownStack> {
        let block = Block::new(stack.stack, &self.bytes[bytes.clone()]);
        let known = match self.blocks.find(block) {
            Some(known) => known,
            None => {
                let below = KnownStack { reason: LossReason::None, ..stack };
                let frames = self.add_single_frames(below, (bytes.start, Block::FRAMES), interning);
                let (known, _) = frames.ok().filter(|(_, end)| *end == bytes.end)?;
                self.blocks.insert(block, known);
                known
            }
        };
        Some(KnownStack { reason: worse(stack.reason, known.reason), ..known })
    }

    /// Adds the `count` frames at `position` on top of `stack`. Also returns the position after these frames.
    fn add_single_frames(
        &mut self,
        stack: KnownStack,
        (position, count): (usize, u64),
        interning: &mut Interning<'_, 'a>,
    ) -> Result<(KnownStack, usize), Malformed> {
        let mut cursor = Cursor::at(self.bytes, position);
        self.frames_leaf_first.clear();
        for _ in 0..count {
            self.frames_leaf_first.push(self.frames.read(&mut cursor, interning)?);
        }
        let stack =
            self.frames_leaf_first.iter().rev().fold(stack, |stack, frame| stack.with(*frame, interning.builder));
        Ok((stack, cursor.position()))
    }
}
