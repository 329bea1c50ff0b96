//! The registry has one entry for each event and one entry for each metric.
//!
//! An entry is the only description of a metric. Collections, imports, the fleet, views and the documentation use this
//! entry. A new metric needs an entry, a collector, and a run of `cargo xtask docs`.

use super::cpu_mode::CpuMode;
use super::facts::{Choice, Distance, Engines, EventFacts, Resource, Shown, Summed};
use super::weight::WeightColumn;

events! {
    /// What was observed.
    enum EventKind {
        /// The thread was executing; weight `duration_ns` is CPU time.
        Cpu = 0 "cpu" { weight: WeightColumn::DurationNs, resource: Resource::CpuTime, has_mode: true },
        /// The JVM saw the thread executing or able to execute. The weight is only a count, never CPU time.
        JavaSample = 1 "java_sample" { weight: WeightColumn::Count, resource: Resource::Nothing, has_mode: false },
        /// A thread was observed, executing or not; weight `duration_ns` is elapsed time.
        Wall = 2 "wall" { weight: WeightColumn::DurationNs, resource: Resource::ElapsedTime, has_mode: false },
        /// Memory was allocated; weight `bytes`.
        Alloc = 3 "alloc" { weight: WeightColumn::Bytes, resource: Resource::Heap, has_mode: false },
        /// A thread waited for a Java lock; weight `duration_ns` is the waiting time.
        Lock = 4 "lock" { weight: WeightColumn::DurationNs, resource: Resource::LockTime, has_mode: false },
        /// A thread waited for something other than a CPU; weight `duration_ns` is the waiting time, `reason` says why.
        OffCpu = 5 "off_cpu" { weight: WeightColumn::DurationNs, resource: Resource::BlockedTime, has_mode: false },
        /// A system call, sampled every N calls; weight `count` is the number of calls.
        Syscall = 6 "syscall" { weight: WeightColumn::Count, resource: Resource::Nothing, has_mode: false },
        /// A system call that moved bytes, sampled every N bytes; weight `bytes`.
        SyscallBytes = 7 "syscall_bytes" { weight: WeightColumn::Bytes, resource: Resource::Nothing, has_mode: false },
        /// A system call, sampled every N ns spent in calls; weight `duration_ns`.
        SyscallTime = 8 "syscall_time" { weight: WeightColumn::DurationNs, resource: Resource::Nothing, has_mode: false },
        /// A page fault, sampled every N faults; weight `count`.
        PageFault = 9 "page_fault" { weight: WeightColumn::Count, resource: Resource::PageFaults, has_mode: false },
        /// CPU cycles, sampled every N cycles; weight `count`.
        Cycles = 10 "cycles" { weight: WeightColumn::Count, resource: Resource::Nothing, has_mode: true },
        /// Instructions that the CPU completed, sampled every N instructions; weight `count`.
        Instructions = 11 "instructions" { weight: WeightColumn::Count, resource: Resource::Nothing, has_mode: true },
        /// Misses of the CPU's last-level cache, sampled every N misses; weight `count`.
        CacheMisses = 12 "cache_misses" { weight: WeightColumn::Count, resource: Resource::Nothing, has_mode: true },
        /// Wrongly predicted branches, sampled every N such branches; weight `count`.
        BranchMisses = 13 "branch_misses" { weight: WeightColumn::Count, resource: Resource::Nothing, has_mode: true },
        /// Another event of an imported file, sampled every N events; weight `count`. The metric has the name that the
        /// event has in the file.
        Other = 14 "other" { weight: WeightColumn::Count, resource: Resource::Nothing, has_mode: false },
    }
}

/// Properties of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricFacts {
    /// The name in options, JSON and SQL, for example `system_cpu`.
    pub name: &'static str,
    /// The name in a column's header, for example `System CPU`.
    pub title: &'static str,
    /// The event of the samples that are added up.
    pub event: EventKind,
    /// What is added up.
    pub summed: Summed,
    /// Only samples in this mode are added up. Missing: any mode.
    pub mode: Option<CpuMode>,
    /// True if there is also a metric for each reason of waiting: `off_cpu_futex`.
    pub has_reasons: bool,
    /// Which engines collect the metric.
    pub engines: Engines,
    /// How the user selects the metric. Missing: the metric is collected together with another metric, or is only in
    /// imported files.
    pub choice: Option<Choice>,
    /// When views show the metric.
    pub shown: Shown,
    /// Names in other tools.
    pub foreign_names: &'static [&'static str],
}

impl MetricFacts {
    /// Default values of the properties that an entry does not set.
    const USUAL: Self = Self {
        name: "",
        title: "",
        event: EventKind::Other,
        summed: Summed::Amount,
        mode: None,
        has_reasons: false,
        engines: Engines::Imported,
        choice: None,
        shown: Shown::WhenAsked,
        foreign_names: &[],
    };
}

metrics! {
    /// A metric that whittle knows. Imported files can have other metrics: see [`MetricName`](crate::MetricName).
    enum Metric {
        /// CPU time: `user_cpu` plus `system_cpu` if the engine distinguishes them.
        Cpu {
            name: "cpu",
            title: "CPU",
            event: EventKind::Cpu,
            summed: Summed::Time,
            engines: Engines::All,
            shown: Shown::ByDefault,
            foreign_names: &["itimer", "process_cpu"],
        },
        /// CPU time in the program's own code.
        UserCpu {
            name: "user_cpu",
            title: "User CPU",
            event: EventKind::Cpu,
            summed: Summed::Time,
            mode: Some(CpuMode::User),
            engines: Engines::WithKernelFrames,
        },
        /// CPU time in the kernel on behalf of the program.
        SystemCpu {
            name: "system_cpu",
            title: "System CPU",
            event: EventKind::Cpu,
            summed: Summed::Time,
            mode: Some(CpuMode::System),
            engines: Engines::WithKernelFrames,
            shown: Shown::BesideDefault,
        },
        /// Blocked time: threads waited for something other than a CPU.
        OffCpu {
            name: "off_cpu",
            title: "Blocked",
            event: EventKind::OffCpu,
            summed: Summed::Time,
            has_reasons: true,
            engines: Engines::KernelOrObserved,
            choice: Some(Choice {
                word: "off_cpu",
                one_sample: "one per amount of blocked time; with `cpu` and `ctimer`, one or more observations in a row, and the \
                             amount is the interval between two observations of a thread",
                distance: Distance::Following { first: 10_000_000, least: 100_000, per_second: 100 },
            }),
        },
        /// Number of system calls.
        Syscalls {
            name: "syscalls",
            title: "System calls",
            event: EventKind::Syscall,
            summed: Summed::Amount,
            engines: Engines::Kernel,
            choice: Some(Choice {
                word: "syscalls",
                one_sample: "one per number of calls",
                distance: Distance::Following { first: 500, least: 10, per_second: 50 },
            }),
        },
        /// Elapsed time in system calls, executing and waiting.
        SyscallTime {
            name: "syscall_time",
            title: "System call time",
            event: EventKind::SyscallTime,
            summed: Summed::Time,
            engines: Engines::Kernel,
            choice: Some(Choice {
                word: "syscall_time",
                one_sample: "one per amount of time spent in calls",
                distance: Distance::Following { first: 10_000_000, least: 100_000, per_second: 50 },
            }),
        },
        /// Bytes moved by system calls that read or write.
        IoBytes {
            name: "io_bytes",
            title: "I/O bytes",
            event: EventKind::SyscallBytes,
            summed: Summed::Bytes,
            engines: Engines::Kernel,
            choice: Some(Choice {
                word: "io_bytes",
                one_sample: "one per number of bytes moved by calls",
                distance: Distance::Following { first: 1 << 16, least: 4096, per_second: 50 },
            }),
        },
        /// Number of page faults.
        PageFaults {
            name: "page_faults",
            title: "Page faults",
            event: EventKind::PageFault,
            summed: Summed::Amount,
            engines: Engines::Kernel,
            // A JVM causes about 30,000 page faults when it starts. With this distance, 60 of these faults are sampled.
            choice: Some(Choice {
                word: "page_faults",
                one_sample: "one per number of faults on a CPU",
                distance: Distance::Each(500),
            }),
        },
        /// Bytes allocated on the Java heap.
        AllocBytes {
            name: "alloc_bytes",
            title: "Allocated",
            event: EventKind::Alloc,
            summed: Summed::Bytes,
            engines: Engines::Java,
            // If a program allocates much, samples at this distance cost 1 to 2 % of its time. With async-profiler's
            // default distance, 512 KB, they cost 5 %.
            choice: Some(Choice {
                word: "alloc",
                one_sample: "one per number of bytes allocated on the Java heap",
                distance: Distance::Each(2 << 20),
            }),
            foreign_names: &["alloc_space", "alloc_in_new_tlab_bytes"],
        },
        /// Objects allocated on the Java heap.
        AllocCount {
            name: "alloc_count",
            title: "Objects",
            event: EventKind::Alloc,
            summed: Summed::Amount,
            engines: Engines::Java,
            foreign_names: &["alloc_objects", "alloc_in_new_tlab_objects"],
        },
        /// Time that threads waited for Java locks. Findings use the waits of `off_cpu` instead.
        LockWait {
            name: "lock_wait",
            title: "Lock waits",
            event: EventKind::Lock,
            summed: Summed::Time,
            engines: Engines::Java,
            choice: Some(Choice {
                word: "lock",
                one_sample: "each wait for a Java lock that takes at least the amount",
                distance: Distance::From(1_000_000),
            }),
            foreign_names: &["lock_duration", "delay"],
        },
        /// Elapsed time of threads, executing or not.
        Wall {
            name: "wall",
            title: "Wall clock",
            event: EventKind::Wall,
            summed: Summed::Time,
        },
        /// Number of CPU samples, if the file does not contain the time that a sample represents.
        CpuSamples {
            name: "cpu_samples",
            title: "CPU samples",
            event: EventKind::Cpu,
            summed: Summed::Samples,
        },
        /// Number of samples.
        Samples {
            name: "samples",
            title: "Samples",
            event: EventKind::Cpu,
            summed: Summed::Samples,
            foreign_names: &["sample"],
        },
        /// Number of times that the JVM saw a thread executing or able to execute.
        JavaSamples {
            name: "java_samples",
            title: "Java samples",
            event: EventKind::JavaSample,
            summed: Summed::Samples,
        },
        /// Number of times that a thread was observed, executing or not.
        WallSamples {
            name: "wall_samples",
            title: "Wall clock samples",
            event: EventKind::Wall,
            summed: Summed::Samples,
        },
        /// Number of waits for locks.
        Contentions {
            name: "contentions",
            title: "Contentions",
            event: EventKind::Lock,
            summed: Summed::Samples,
            foreign_names: &["lock_count"],
        },
        /// CPU cycles.
        Cycles {
            name: "cycles",
            title: "Cycles",
            event: EventKind::Cycles,
            summed: Summed::Amount,
        },
        /// Instructions that the CPU completed.
        Instructions {
            name: "instructions",
            title: "Instructions",
            event: EventKind::Instructions,
            summed: Summed::Amount,
        },
        /// Misses of the CPU's last-level cache.
        CacheMisses {
            name: "cache_misses",
            title: "Cache misses",
            event: EventKind::CacheMisses,
            summed: Summed::Amount,
        },
        /// Branches that the CPU predicted wrongly.
        BranchMisses {
            name: "branch_misses",
            title: "Branch misses",
            event: EventKind::BranchMisses,
            summed: Summed::Amount,
        },
        /// Other events, which imported files count under their own names.
        OtherEvents {
            name: "other",
            title: "Other events",
            event: EventKind::Other,
            summed: Summed::Amount,
        },
    }
}
