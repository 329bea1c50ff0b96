//! What a thread did at a moment: its sample that is nearest.

use crate::entity_tree::ROOT;
use crate::query::{Query, TransformLine};
use crate::reduction::EntityKey;
use crate::samples::SampleKind;
use crate::shown_frames::{frames_leaf_first, usual_kind};
use crate::timeline::{each_kept, stretch_of, without_time};
use crate::view_mode::ViewMode;
use crate::{AnalysisError, Profile};
use serde::Serialize;
use whittle_model::{CpuMode, EventKind, FrameIndex, FrameKind, Table, Unit, WaitReason, WeightColumn};

/// The moment that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Row of threads.
    pub thread: usize,
    /// Nanoseconds since the experiment's start.
    pub time_ns: u64,
    /// The event wanted; missing: any.
    pub event: Option<EventKind>,
}

/// The answer of [`Profile::stack_at`].
#[derive(Debug, Clone, Serialize)]
pub struct StackAtView {
    /// The view's name.
    pub view: &'static str,
    /// Which frames are shown.
    pub view_mode: ViewMode,
    /// The filter as written; missing: all samples count.
    pub filter: Option<String>,
    /// What was done to the shown stacks, in this order.
    pub transforms: Vec<TransformLine>,
    /// Row of threads.
    pub thread: usize,
    /// The thread's name; empty: not known.
    pub thread_name: String,
    /// Time of the sample, nanoseconds since the experiment's start.
    pub time_ns: u64,
    /// What was observed.
    pub event: EventKind,
    /// The processor's mode.
    pub mode: CpuMode,
    /// Why the thread was blocked.
    pub reason: WaitReason,
    /// What the sample weighs.
    pub weight: u64,
    /// The unit of that.
    pub unit: Unit,
    /// The shown frames, outermost first.
    pub frames: Vec<StackFrame>,
}

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StackFrame {
    /// The function's name as shown.
    pub function: String,
    /// How the code was executing.
    pub kind: FrameKind,
    /// Source line. Missing: not known.
    pub line: Option<u32>,
    /// Bytecode index. Missing: not known or not Java.
    pub bytecode_index: Option<u32>,
}

impl Profile {
    /// The stack of a thread's sample nearest to a moment; a sample that stands for a stretch of time is as near as its
    /// nearest end, and nearest inside. A time range beside `and` in the filter does not count, as in the timeline.
    ///
    /// # Errors
    /// A thread that does not exist or has no sample left, or a filter that names what is not there.
    pub fn stack_at(&self, query: &Query, moment: Moment) -> Result<StackAtView, AnalysisError> {
        let threads = &self.tables().threads;
        if moment.thread >= threads.len() {
            return Err(AnalysisError::UnknownThread { thread: moment.thread, thread_count: threads.len() });
        }
        let sample = self.sample_at(query, moment)?;
        let sample = sample.ok_or_else(|| AnalysisError::NoSample { thread: threads.name[moment.thread].clone() })?;
        let kind = self.kind_of(sample);
        let (weight, unit) = self.amount(sample, kind);
        Ok(StackAtView {
            view: "stack-at",
            view_mode: query.mode,
            filter: query.filter.as_ref().map(ToString::to_string),
            transforms: TransformLine::all(query),
            thread: moment.thread,
            thread_name: threads.name[moment.thread].clone(),
            time_ns: self.samples().time_ns[sample],
            event: kind.event,
            mode: kind.mode,
            reason: kind.reason,
            weight,
            unit,
            frames: self.shown_frames(query, sample)?,
        })
    }

    fn sample_at(&self, query: &Query, moment: Moment) -> Result<Option<usize>, AnalysisError> {
        let predicate = query.filter.as_ref().map(|filter| self.predicate(filter, query.mode)).transpose()?;
        let predicate = predicate.and_then(|predicate| without_time(predicate).1);
        let (samples, reduction) = (self.samples(), self.shown(query, EntityKey::Function)?);
        let mut nearest: Option<((u64, u64), usize)> = None;
        each_kept(samples, predicate.as_ref(), 0, |sample| {
            let is_wanted = samples.thread[sample].row() == moment.thread
                && moment.event.is_none_or(|event| self.kind_of(sample).event == event)
                && reduction.node_of_stack(samples.observed[sample] as usize).is_some();
            if is_wanted {
                let stretch = stretch_of(samples, sample);
                let before = stretch.start_ns.saturating_sub(moment.time_ns);
                let behind = moment.time_ns.saturating_sub(stretch.end_ns);
                let distance = (before.max(behind), stretch.end_ns.abs_diff(moment.time_ns));
                if nearest.is_none_or(|(known, _)| distance < known) {
                    nearest = Some((distance, sample));
                }
            }
        });
        Ok(nearest.map(|(_, sample)| sample))
    }

    fn kind_of(&self, sample: usize) -> SampleKind {
        SampleKind::of_index(usize::from(self.samples().kind[sample]))
    }

    /// What a sample weighs, in the unit of its event.
    fn amount(&self, sample: usize, kind: SampleKind) -> (u64, Unit) {
        let (column, unit) = match kind.event {
            EventKind::Alloc | EventKind::SyscallBytes => (WeightColumn::Bytes, Unit::Bytes),
            EventKind::JavaSample
            | EventKind::Syscall
            | EventKind::PageFault
            | EventKind::Cycles
            | EventKind::Instructions
            | EventKind::CacheMisses
            | EventKind::BranchMisses
            | EventKind::Other => (WeightColumn::Count, Unit::Count),
            EventKind::Cpu | EventKind::Wall | EventKind::Lock | EventKind::OffCpu | EventKind::SyscallTime => {
                (WeightColumn::DurationNs, Unit::Nanoseconds)
            }
        };
        (self.samples().column(column)[sample], unit)
    }

    fn shown_frames(&self, query: &Query, sample: usize) -> Result<Vec<StackFrame>, AnalysisError> {
        let reduction = self.shown(query, EntityKey::Function)?;
        let observed = self.samples().observed[sample] as usize;
        let (stack, node) = (self.observed_stacks()[observed], reduction.node_of_stack(observed).unwrap_or(ROOT));
        let frames = frames_leaf_first((self.tables(), &reduction.tree), stack, node);
        let frame = |(node, frame): &(u32, Option<FrameIndex>)| {
            let function = reduction.places[reduction.tree.entity[*node as usize] as usize].function;
            let frames = &self.tables().frames;
            let row = frame.map(FrameIndex::row);
            StackFrame {
                function: self.names().display_name(function).to_owned(),
                kind: row.map_or_else(|| usual_kind(self.names().kind(function)), |row| frames.kind[row]),
                line: row.and_then(|row| frames.line[row]),
                bytecode_index: row.and_then(|row| frames.bytecode_index[row]),
            }
        };
        Ok(frames.iter().rev().map(frame).collect())
    }
}
