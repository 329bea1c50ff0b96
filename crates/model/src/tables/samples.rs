//! Observations: samples, system calls with a stack, and counters over time.

use crate::{
    CpuMode, EventKind, FileIndex, ObjectClassIndex, Observed, StackIndex, SyscallIndex, ThreadIndex, WaitReason,
    WeightColumn,
};

table! {
    /// One row per observation, in any order.
    pub table SampleTable of Sample named "samples" {
        /// Nanoseconds since the experiment's start.
        time_ns: u64,
        /// Row of threads.
        thread: ThreadIndex,
        /// Row of stacks. A stack that could not be walked contains a frame of kind `truncated` with the reason.
        stack: StackIndex,
        /// What was observed.
        event: EventKind,
        /// Processor mode. Known if the engine sees the kernel and the event is `cpu` or a CPU event such as `cycles`;
        /// otherwise `unknown`.
        mode: CpuMode,
        /// Why the thread was blocked; `none` unless the event is `off_cpu`.
        reason: WaitReason,
        /// How many equal observations this row represents, at least 1. For `alloc`, `syscall`, `page_fault`, CPU
        /// events and `other`: the number of objects, calls, faults, cycles and so on.
        count: u64,
        /// Time that this row represents, in nanoseconds; 0 if the event has no duration or the input contains no
        /// weight.
        duration_ns: u64,
        /// Bytes that this row represents; 0 if the event has no bytes.
        bytes: u64,
        /// Row of object_classes: the class of the allocated objects. 0: unknown, or the event is not `alloc`.
        object_class: ObjectClassIndex,
        /// Row of files: the file, or the peer of the socket, that the thread waited for. 0: none, unknown, or the event is
        /// not `off_cpu`.
        file: FileIndex,
    }
}

impl Sample {
    /// One observation without amounts: count 1, no duration, no bytes, mode unknown, no reason, no object, no file.
    pub fn new(time_ns: u64, thread: ThreadIndex, stack: StackIndex, event: EventKind) -> Self {
        let (mode, reason) = (CpuMode::Unknown, WaitReason::None);
        let (object_class, file) = (ObjectClassIndex::UNKNOWN, FileIndex::NONE);
        Self { time_ns, thread, stack, event, mode, reason, count: 1, duration_ns: 0, bytes: 0, object_class, file }
    }

    /// The properties that decide which metrics the samples support.
    pub fn observed(&self) -> Observed {
        Observed {
            event: self.event,
            has_weight: self.duration_ns > 0 || self.bytes > 0,
            has_mode: self.mode != CpuMode::Unknown,
            has_count: true,
            reason: self.reason,
        }
    }
}

impl WeightColumn {
    /// The column's values.
    pub fn values(self, samples: &SampleTable) -> &[u64] {
        match self {
            Self::Count => &samples.count,
            Self::DurationNs => &samples.duration_ns,
            Self::Bytes => &samples.bytes,
        }
    }
}

table! {
    /// One row per system call with a recorded stack, in any order. The row contains the values of this call.
    pub table SampledCallTable of SampledCall named "sampled_calls" {
        /// Nanoseconds since the experiment's start.
        time_ns: u64,
        /// Row of threads.
        thread: ThreadIndex,
        /// Row of stacks.
        stack: StackIndex,
        /// Row of syscalls that includes this call.
        syscall: SyscallIndex,
        /// How many calls this row represents, at least 1.
        count: u64,
        /// Bytes that this single call moved; 0 if it moved none.
        bytes: u64,
        /// Latency of this single call, in nanoseconds.
        latency_ns: u64,
        /// The error number that this single call returned. Missing: it succeeded.
        error_number: Option<u32>,
    }
}

/// The counters that whittle reads. All other counters are numbers that the program printed.
pub const SYSTEM_COUNTERS: [&str; 16] = [
    "rss_bytes",
    "cgroup_periods_count",
    "cgroup_throttled_periods_count",
    "gc_count",
    "gc_ns",
    "gc_cpu_ns",
    "heap_used_bytes",
    "heap_capacity_bytes",
    "safepoint_count",
    "safepoint_ns",
    "class_count",
    "class_loading_ns",
    "compilation_ns",
    "thread_count",
    "machine_busy_ratio",
    "machine_stolen_ratio",
];

table! {
    /// One row per value of a counter, in any order.
    pub table CounterTable of CounterValue named "counters" {
        /// Nanoseconds since the experiment's start.
        time_ns: u64,
        /// Name of the counter: `rss_bytes`, `heap_used_bytes`, or the user's name for a number that the program
        /// prints.
        counter: String,
        /// Value of the counter at this time, in the unit that is part of the counter's name. Always finite.
        value: f64,
    }
}
