//! The destination for readers of other profilers' files: tables under construction and losses, both with limits.
//!
//! A short input can need much memory if each function has a long name, or each stack has many frames. So the limits
//! depend on the length of the input. Real files need much less.

use super::code::{self, CodeName, KnownFrame};
use whittle_model::{FrameIndex, LossReason, Losses, NewFrame, Sample, StackIndex, Table, TableBuilder, ThreadIndex};

/// Maximum number of stored name bytes per byte of the input. Real files need one or two bytes.
const NAME_BYTES_PER_INPUT_BYTE: usize = 16;

/// Maximum number of read name bytes per byte of the input. A name is counted again for each place with this name. Real
/// files need up to ten bytes.
const NAME_BYTES_READ_PER_INPUT_BYTE: usize = 256;

/// Maximum number of stored stacks per byte of the input. Real files need less than one stack.
const STACKS_PER_INPUT_BYTE: usize = 2;

/// Maximum number of stored stacks: 16 million. A stack takes about 100 bytes of memory, so the stacks take less than
/// the usual limit of 2 GB.
pub(crate) const MAX_STACKS: usize = 1 << 24;

/// The limits of shorter inputs are computed for this length.
const LEAST_INPUT_BYTES: usize = 1 << 14;

/// Tables under construction, within limits.
pub(crate) struct Target<'b> {
    pub(crate) builder: &'b mut TableBuilder,
    pub(crate) losses: Losses,
    name_bytes_left: usize,
    name_bytes_to_read_left: usize,
    stacks_left: usize,
}

impl<'b> Target<'b> {
    /// A target for an input of `input_bytes`.
    pub(crate) fn new(builder: &'b mut TableBuilder, input_bytes: usize) -> Self {
        let size = input_bytes.max(LEAST_INPUT_BYTES);
        Self {
            builder,
            losses: Losses::default(),
            name_bytes_left: size.saturating_mul(NAME_BYTES_PER_INPUT_BYTE),
            name_bytes_to_read_left: size.saturating_mul(NAME_BYTES_READ_PER_INPUT_BYTE),
            stacks_left: size.saturating_mul(STACKS_PER_INPUT_BYTE).min(MAX_STACKS),
        }
    }

    /// False if the input has reached its limits. The rest of the input is then left out.
    pub(crate) fn has_room(&self) -> bool {
        self.stacks_left > 0 && self.name_bytes_to_read_left > 0
    }

    /// The frame for a place in code. Adds the frame if it is new.
    pub(crate) fn frame(&mut self, code: &CodeName<'_>) -> KnownFrame {
        // In pprof profiles, only the internal name can be the name of a pseudo-function.
        let known = code::pseudo_frame(self.builder, code.name);
        let known = known.or_else(|| code::pseudo_frame(self.builder, code.internal_name));
        if let Some(known) = known {
            return known;
        }
        // All names count towards the limit, even if the function is already known.
        let byte_count = code.name.len() + code.internal_name.len() + code.binary.len() + code.file.len();
        self.name_bytes_to_read_left = self.name_bytes_to_read_left.saturating_sub(byte_count);
        if byte_count > self.name_bytes_left || !self.has_room() {
            return self.missing(LossReason::DamagedInput);
        }
        let function_count = self.builder.tables().functions.len();
        let function = code.function(self.builder);
        if self.builder.tables().functions.len() > function_count {
            self.name_bytes_left -= byte_count;
            let file = Some(code.file).filter(|file| !file.is_empty());
            self.builder.describe_function(function, file, code.first_line.filter(|line| *line > 0));
        }
        let kind = code.frame_kind(self.builder.tables().functions.kind[function.row()]);
        let new = NewFrame { function, kind, line: code.line, bytecode_index: None, address: code.address };
        let reason = if code.is_unsymbolised { LossReason::Unsymbolised } else { LossReason::None };
        KnownFrame { frame: self.builder.frame(new), reason }
    }

    /// The frame that replaces missing data. `reason` is why the data is missing.
    pub(crate) fn missing(&mut self, reason: LossReason) -> KnownFrame {
        KnownFrame { frame: self.builder.truncated_frame(reason), reason }
    }

    /// The stack with `frame` on top of `parent`, or `parent` if a limit is reached.
    pub(crate) fn child(&mut self, parent: StackIndex, frame: FrameIndex) -> StackIndex {
        if self.stacks_left == 0 || frame == FrameIndex::TOTAL {
            return parent;
        }
        let count = self.builder.tables().stacks.len();
        let child = self.builder.child(parent, frame);
        self.stacks_left -= usize::from(self.builder.tables().stacks.len() > count);
        child
    }

    /// Replaces an empty stack by a stack with one frame. This frame shows that no frames were recorded.
    pub(crate) fn not_empty(&mut self, stack: StackIndex) -> StackIndex {
        if stack != StackIndex::ROOT {
            return stack;
        }
        let nothing = self.missing(LossReason::NoFrames);
        self.child(StackIndex::ROOT, nothing.frame)
    }

    /// Counts a loss of one sample, unless `reason` is `None`.
    pub(crate) fn count(&mut self, reason: LossReason) {
        if reason != LossReason::None {
            self.losses.add_count(reason, 1);
        }
    }

    /// Adds `count` losses, unless `count` is 0.
    pub(crate) fn losses_of(&mut self, reason: LossReason, count: u64) {
        if count > 0 {
            self.losses.add_count(reason, count);
        }
    }

    /// Adds a sample.
    pub(crate) fn sample(&mut self, sample: Sample) {
        self.builder.sample(sample);
    }

    /// The row of a thread. Its name is left out when a limit is reached.
    pub(crate) fn thread(&mut self, process_id: Option<u32>, thread_id: Option<u32>, name: &str) -> ThreadIndex {
        let count = self.builder.tables().threads.len();
        let name = if name.len() > self.name_bytes_left { "" } else { name };
        let thread = self.builder.thread(process_id, thread_id, name);
        if self.builder.tables().threads.len() > count {
            self.name_bytes_left -= name.len();
        }
        thread
    }
}
