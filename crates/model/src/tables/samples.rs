//! What was observed: samples, the system calls among them with their own amounts, and figures over time.

use crate::{StackIndex, SyscallIndex, ThreadIndex, WaitReason};

codes! {
    /// What was observed.
    pub enum EventKind {
        /// The thread was executing; weight `duration_ns` is CPU time.
        Cpu = 0 "cpu",
        /// The JVM saw the thread executing or able to execute; a count only, never CPU time.
        JavaSample = 1 "java_sample",
        /// A thread was looked at, executing or not; weight `duration_ns` is elapsed time.
        Wall = 2 "wall",
        /// Memory was allocated; weight `bytes`.
        Alloc = 3 "alloc",
        /// A thread waited for a Java lock; weight `duration_ns` is the waiting time.
        Lock = 4 "lock",
        /// A thread waited for something other than a CPU; weight `duration_ns` is how long, `reason` says why.
        OffCpu = 5 "off_cpu",
        /// A system call, one of so many; weight `count` is the number of calls.
        Syscall = 6 "syscall",
        /// A system call that moved bytes, one each so many bytes; weight `bytes`.
        SyscallBytes = 7 "syscall_bytes",
        /// A system call, one each so much time spent in calls; weight `duration_ns`.
        SyscallTime = 8 "syscall_time",
        /// A page fault, one of so many; weight `count`.
        PageFault = 9 "page_fault",
        /// Cycles of the processor, one of so many; weight `count`.
        Cycles = 10 "cycles",
        /// Instructions that the processor completed, one of so many; weight `count`.
        Instructions = 11 "instructions",
        /// Memory that the processor's last cache did not have, one of so many; weight `count`.
        CacheMisses = 12 "cache_misses",
        /// Branches that the processor guessed wrongly, one of so many; weight `count`.
        BranchMisses = 13 "branch_misses",
        /// Something else that an imported file counts, one of so many; weight `count`. The metric has the file's name.
        Other = 14 "other",
    }
}

codes! {
    /// The processor's mode at the time of the sample.
    pub enum CpuMode {
        /// Not known: the engine cannot see the kernel.
        Unknown = 0 "unknown",
        /// Executing the program's own code.
        User = 1 "user",
        /// Executing in the kernel on behalf of the program.
        System = 2 "system",
    }
}

table! {
    /// One row per observation, in no promised order.
    pub table SampleTable of Sample named "samples" {
        /// Nanoseconds since the experiment's start.
        time_ns: u64,
        /// Row of threads.
        thread: ThreadIndex,
        /// Row of stacks. A stack that could not be walked holds a frame of kind `truncated` that says why.
        stack: StackIndex,
        /// What was observed.
        event: EventKind,
        /// Processor mode; `unknown` unless the event is `cpu` or one of the processor and the engine sees the kernel.
        mode: CpuMode,
        /// Why the thread was blocked; `none` unless the event is `off_cpu`.
        reason: WaitReason,
        /// How many equal observations this row stands for, at least 1; where the event is `alloc`, `syscall`,
        /// `page_fault`, one of the processor or `other`, how many objects, calls, faults, cycles and so on.
        count: u64,
        /// Time that this row stands for, in nanoseconds; 0 where the event has no duration or the input no weight.
        duration_ns: u64,
        /// Bytes that this row stands for; 0 where the event has none.
        bytes: u64,
    }
}

impl EventKind {
    /// True if `count` is an amount of what was observed, objects, calls or faults, and not a number of
    /// observations.
    pub fn has_amount_in_count(self) -> bool {
        matches!(self, Self::Alloc | Self::Syscall | Self::PageFault | Self::Other) || self.is_of_processor()
    }

    /// True for what the processor itself counts.
    pub fn is_of_processor(self) -> bool {
        matches!(self, Self::Cycles | Self::Instructions | Self::CacheMisses | Self::BranchMisses)
    }
}

impl Sample {
    /// One observation without any amount: count 1, no duration, no bytes, mode unknown, no reason.
    pub fn new(time_ns: u64, thread: ThreadIndex, stack: StackIndex, event: EventKind) -> Self {
        let (mode, reason) = (CpuMode::Unknown, WaitReason::None);
        Self { time_ns, thread, stack, event, mode, reason, count: 1, duration_ns: 0, bytes: 0 }
    }
}

table! {
    /// One row per system call whose stack was taken, in no promised order: the figures of that very call.
    pub table SampledCallTable of SampledCall named "sampled_calls" {
        /// Nanoseconds since the experiment's start.
        time_ns: u64,
        /// Row of threads.
        thread: ThreadIndex,
        /// Row of stacks.
        stack: StackIndex,
        /// Row of syscalls: the calls that this one is one of.
        syscall: SyscallIndex,
        /// How many calls this one stands for, at least 1.
        count: u64,
        /// Bytes that this very call moved; 0 if it moved none.
        bytes: u64,
        /// How long this very call took, in nanoseconds.
        latency_ns: u64,
        /// The error that this very call returned, as the kernel numbers them. Missing: it succeeded.
        error_number: Option<u32>,
    }
}

/// Counters that whittle itself reads; all others are numbers that the program printed.
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
    /// One row per figure read at a moment, in no promised order.
    pub table CounterTable of CounterValue named "counters" {
        /// Nanoseconds since the experiment's start.
        time_ns: u64,
        /// What was read: `rss_bytes`, `heap_used_bytes`, or a name that the user gave to what the program prints.
        counter: String,
        /// Its value at that moment, in the unit of the counter's name. Always finite.
        value: f64,
    }
}
