//! The samples in a form that is fast to add up. Each sample refers to an *observed stack*: a stack together with the
//! group of threads in which it was sampled.
//!
//! Only some rows of the stack table are the complete stack of a sample (200 thousand of 4.1 million in the benchmark).
//! Only these rows are numbered, so the sums fit into the processor's cache. Ordinary threads and JVM threads have
//! separate observed stacks, because stacks without Java frames have different names in these two groups.

use crate::sides::Side;
use whittle_model::{
    CpuMode, EventKind, FileIndex, ObjectClassIndex, SampleTable, SampledCallTable, StackIndex, SyscallTable,
    ThreadIndex, ThreadTable, WaitReason, WeightColumn,
};

/// The samples by column, as in the samples table.
#[derive(Debug)]
pub struct Samples {
    /// Index into [`ObservedStacks`].
    pub observed: Vec<u32>,
    /// Row of the threads table.
    pub thread: Vec<ThreadIndex>,
    /// Nanoseconds since the start of the experiment.
    pub time_ns: Vec<u64>,
    /// Number of the [`SampleKind`].
    pub kind: Vec<u16>,
    /// For each kind, true if there are samples of this kind.
    has_kind: Vec<bool>,
    /// True if `time_ns` never decreases. Then the samples in a time range are adjacent.
    pub is_in_time_order: bool,
    count: Vec<u64>,
    duration_ns: Vec<u64>,
    bytes: Vec<u64>,
    /// The class of each sample's objects. Empty if all classes are unknown: most experiments have no allocations.
    object_class: Vec<ObjectClassIndex>,
    /// The file of each sample: what a thread waited for, or what a call used. Empty if all files are unknown.
    file: Vec<FileIndex>,
}

/// The stacks of samples, in the order of the stack table.
#[derive(Debug, Default)]
pub struct ObservedStacks {
    /// Row of stacks.
    pub stack: Vec<StackIndex>,
    /// True if the stack was sampled in JVM threads. Such a stack has a separate entry.
    pub is_jvm_thread: Vec<bool>,
}

/// Numbers the stacks of samples, to prepare a table of samples.
struct StackNumbers {
    is_jvm: Vec<bool>,
    /// Per stack, bit 0 is set if the stack was sampled in an ordinary thread, and bit 1 if it was sampled in a JVM
    /// thread. A value is one byte, so the values for the whole stack table fit into the cache.
    seen_in: Vec<u8>,
    first_number: Vec<u32>,
}

impl StackNumbers {
    fn new(threads: &ThreadTable, stack_count: usize) -> Self {
        let is_jvm = threads.class.iter().map(|class| class.is_jvm()).collect();
        Self { is_jvm, seen_in: vec![0; stack_count], first_number: vec![0; stack_count] }
    }

    fn see(&mut self, stacks: &[StackIndex], threads: &[ThreadIndex]) {
        for (stack, thread) in stacks.iter().zip(threads) {
            self.seen_in[stack.row()] |= 1 << u8::from(self.is_jvm[thread.row()]);
        }
    }

    /// Numbers the sampled stacks.
    fn observed(&mut self) -> ObservedStacks {
        let mut observed = ObservedStacks::default();
        for (stack, seen_in) in self.seen_in.iter().enumerate().filter(|(_, seen_in)| **seen_in > 0) {
            self.first_number[stack] = observed.stack.len() as u32;
            for is_jvm_thread in [false, true].into_iter().filter(|is_jvm| seen_in & (1 << u8::from(*is_jvm)) != 0) {
                observed.stack.push(StackIndex::from_row(stack));
                observed.is_jvm_thread.push(is_jvm_thread);
            }
        }
        observed
    }

    fn numbers(&self, stacks: Vec<StackIndex>, threads: &[ThreadIndex]) -> Vec<u32> {
        let number = |(stack, thread): (StackIndex, &ThreadIndex)| {
            let is_second = self.seen_in[stack.row()] == 0b11 && self.is_jvm[thread.row()];
            self.first_number[stack.row()] + u32::from(is_second)
        };
        stacks.into_iter().zip(threads).map(number).collect()
    }
}

/// Samples and sampled calls that refer to the same observed stacks.
pub struct PreparedSamples {
    /// The samples.
    pub samples: Samples,
    /// The sampled system calls as samples, so that filters apply to them.
    pub calls: Samples,
    /// The stacks of samples and calls.
    pub observed: ObservedStacks,
}

impl PreparedSamples {
    /// Splits the samples table into columns. `stack_count` is the number of rows of stacks. `sides` contains the side
    /// of each thread in a comparison; otherwise it is empty.
    pub fn new(
        table: SampleTable,
        (calls, syscalls): (&SampledCallTable, &SyscallTable),
        (threads, sides): (&ThreadTable, &[Side]),
        stack_count: usize,
    ) -> Self {
        let mut numbers = StackNumbers::new(threads, stack_count);
        numbers.see(&table.stack, &table.thread);
        numbers.see(&calls.stack, &calls.thread);
        let observed = numbers.observed();
        Self {
            samples: Samples::new(table, &numbers, sides),
            calls: Samples::of_calls((calls, syscalls), &numbers, sides),
            observed,
        }
    }
}

impl Samples {
    fn new(table: SampleTable, numbers: &StackNumbers, sides: &[Side]) -> Self {
        let kinds = table.event.iter().zip(&table.mode).zip(&table.reason).zip(&table.thread);
        let kind: Vec<u16> = kinds
            .map(|(((event, mode), reason), thread)| {
                let side = side_of(*thread, sides);
                SampleKind { event: *event, mode: *mode, reason: *reason, side }.index() as u16
            })
            .collect();
        let has_classes = table.object_class.iter().any(|class| *class != ObjectClassIndex::UNKNOWN);
        let has_files = table.file.iter().any(|file| *file != FileIndex::NONE);
        let mut has_kind = vec![false; SampleKind::COUNT];
        kind.iter().for_each(|kind| has_kind[usize::from(*kind)] = true);
        Self {
            is_in_time_order: table.time_ns.is_sorted(),
            kind,
            has_kind,
            observed: numbers.numbers(table.stack, &table.thread),
            thread: table.thread,
            time_ns: table.time_ns,
            count: table.count,
            duration_ns: table.duration_ns,
            bytes: table.bytes,
            object_class: if has_classes { table.object_class } else { Vec::new() },
            file: if has_files { table.file } else { Vec::new() },
        }
    }

    fn of_calls((calls, syscalls): (&SampledCallTable, &SyscallTable), numbers: &StackNumbers, sides: &[Side]) -> Self {
        let kind =
            |side| SampleKind { event: EventKind::Syscall, mode: CpuMode::Unknown, reason: WaitReason::None, side };
        let is_call = |other: SampleKind| other.index() == kind(other.side).index();
        Self {
            is_in_time_order: calls.time_ns.is_sorted(),
            kind: calls.thread.iter().map(|thread| kind(side_of(*thread, sides)).index() as u16).collect(),
            has_kind: SampleKind::all().map(is_call).collect(),
            observed: numbers.numbers(calls.stack.clone(), &calls.thread),
            thread: calls.thread.clone(),
            time_ns: calls.time_ns.clone(),
            count: calls.count.clone(),
            duration_ns: calls.latency_ns.clone(),
            bytes: calls.bytes.clone(),
            object_class: Vec::new(),
            file: calls.syscall.iter().map(|call| syscalls.file[call.row()]).collect(),
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.observed.len()
    }

    /// True if there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if there are samples of this kind.
    pub fn has(&self, kind: SampleKind) -> bool {
        self.has_kind[kind.index()]
    }

    /// The classes of the samples' objects. Missing if all classes are unknown.
    pub fn object_classes(&self) -> Option<&[ObjectClassIndex]> {
        Some(self.object_class.as_slice()).filter(|classes| !classes.is_empty())
    }

    /// The files of the samples. Missing if all files are unknown.
    pub fn files(&self) -> Option<&[FileIndex]> {
        Some(self.file.as_slice()).filter(|files| !files.is_empty())
    }

    /// The values of a weight column.
    pub fn column(&self, weight: WeightColumn) -> &[u64] {
        match weight {
            WeightColumn::Count => &self.count,
            WeightColumn::DurationNs => &self.duration_ns,
            WeightColumn::Bytes => &self.bytes,
        }
    }
}

fn side_of(thread: ThreadIndex, sides: &[Side]) -> Side {
    sides.get(thread.row()).copied().unwrap_or(Side::Baseline)
}

/// The kind of a sample: everything except its amounts.
#[derive(Debug, Clone, Copy)]
pub struct SampleKind {
    /// The side in a comparison; the same value for all samples if nothing is compared.
    pub side: Side,
    /// The event.
    pub event: EventKind,
    /// User or system mode.
    pub mode: CpuMode,
    /// The reason of a wait.
    pub reason: WaitReason,
}

impl SampleKind {
    /// Number of different kinds.
    pub const COUNT: usize = Side::BOTH.len() * Self::OF_ONE_SIDE;

    const OF_ONE_SIDE: usize = EventKind::ALL.len() * CpuMode::ALL.len() * WaitReason::ALL.len();

    /// Position in a table of all kinds.
    pub fn index(self) -> usize {
        let event_and_mode = self.event as usize * CpuMode::ALL.len() + self.mode as usize;
        let on_its_side = event_and_mode * WaitReason::ALL.len() + self.reason as usize;
        self.side as usize * Self::OF_ONE_SIDE + on_its_side
    }

    /// The kind at a position.
    pub fn of_index(index: usize) -> Self {
        let (side, index) = (Side::BOTH[index / Self::OF_ONE_SIDE], index % Self::OF_ONE_SIDE);
        let (event_and_mode, reason) = (index / WaitReason::ALL.len(), index % WaitReason::ALL.len());
        let (event, mode) = (event_and_mode / CpuMode::ALL.len(), event_and_mode % CpuMode::ALL.len());
        Self { event: EventKind::ALL[event], mode: CpuMode::ALL[mode], reason: WaitReason::ALL[reason], side }
    }

    /// All kinds, in the order of their positions.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self::of_index)
    }
}

impl ObservedStacks {
    /// Number of observed stacks.
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// True if there are no stacks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
