//! Metrics: named quantities with one unit.
//!
//! A metric is exactly one (event, weight column, filter by mode or reason). Samples with different triggers
//! are never added up.

use crate::{CpuMode, EventKind, SampleTable, WaitReason};
use serde::{Deserialize, Serialize};

/// The column of the samples table that a metric adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightColumn {
    /// `count`.
    Count,
    /// `duration_ns`.
    DurationNs,
    /// `bytes`.
    Bytes,
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

/// The unit of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds; shown as seconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
}

/// One metric that an experiment has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricDefinition {
    /// The word in flags, JSON and SQL, for example `system_cpu`.
    pub name: String,
    /// The words in a column's head, for example `System CPU`.
    pub title: String,
    /// The event whose samples count.
    pub event: EventKind,
    /// What is added up.
    pub weight: WeightColumn,
    /// Only samples in this mode; missing: in any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<CpuMode>,
    /// Only samples of threads that were blocked for this reason; missing: for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WaitReason>,
    /// Unit of the sum.
    pub unit: Unit,
}

impl MetricDefinition {
    /// A metric without a filter.
    pub fn new(name: &str, title: &str, event: EventKind, weight: WeightColumn) -> Self {
        let unit = match weight {
            WeightColumn::Count => Unit::Count,
            WeightColumn::DurationNs => Unit::Nanoseconds,
            WeightColumn::Bytes => Unit::Bytes,
        };
        Self { name: name.to_owned(), title: title.to_owned(), event, weight, mode: None, reason: None, unit }
    }

    /// The same metric for samples in `mode` only.
    pub fn in_mode(self, mode: CpuMode) -> Self {
        Self { mode: Some(mode), ..self }
    }

    /// Time in which threads were blocked, for any reason.
    pub fn off_cpu() -> Self {
        Self::new("off_cpu", "Blocked", EventKind::OffCpu, WeightColumn::DurationNs)
    }

    /// Time in which threads were blocked for one reason: `off_cpu_futex`.
    pub fn off_cpu_because(reason: WaitReason) -> Self {
        let metric = Self::off_cpu();
        let (name, title) = (format!("{}_{reason}", metric.name), format!("{}: {}", metric.title, reason.words()));
        Self { name, title, reason: Some(reason), ..metric }
    }

    /// Number of system calls.
    pub fn syscalls() -> Self {
        Self::new("syscalls", "System calls", EventKind::Syscall, WeightColumn::Count)
    }

    /// Elapsed time in system calls.
    pub fn syscall_time() -> Self {
        Self::new("syscall_time", "System call time", EventKind::SyscallTime, WeightColumn::DurationNs)
    }

    /// Bytes moved by system calls that read or write.
    pub fn io_bytes() -> Self {
        Self::new("io_bytes", "I/O bytes", EventKind::SyscallBytes, WeightColumn::Bytes)
    }

    /// Number of page faults.
    pub fn page_faults() -> Self {
        Self::new("page_faults", "Page faults", EventKind::PageFault, WeightColumn::Count)
    }

    /// What the processor itself counts, under the event's own name; missing for other events.
    pub fn of_processor(event: EventKind) -> Option<Self> {
        let title = match event {
            EventKind::Cycles => "Cycles",
            EventKind::Instructions => "Instructions",
            EventKind::CacheMisses => "Cache misses",
            EventKind::BranchMisses => "Branch misses",
            _ => return None,
        };
        Some(Self::new(event.name(), title, event, WeightColumn::Count))
    }

    /// Bytes allocated on the Java heap.
    pub fn alloc_bytes() -> Self {
        Self::new("alloc_bytes", "Allocated", EventKind::Alloc, WeightColumn::Bytes)
    }

    /// Objects created on the Java heap.
    pub fn alloc_count() -> Self {
        Self::new("alloc_count", "Objects", EventKind::Alloc, WeightColumn::Count)
    }

    /// Time in which threads waited for Java locks.
    pub fn lock_wait() -> Self {
        Self::new("lock_wait", "Lock waits", EventKind::Lock, WeightColumn::DurationNs)
    }
}

/// The metrics of blocked time: the total, and one for each of the reasons given.
pub fn off_cpu_metrics(reasons: impl IntoIterator<Item = WaitReason>) -> Vec<MetricDefinition> {
    let by_reason = reasons.into_iter().filter(|reason| *reason != WaitReason::None);
    std::iter::once(MetricDefinition::off_cpu()).chain(by_reason.map(MetricDefinition::off_cpu_because)).collect()
}

/// The CPU metrics: the total, and the split where the engine can see it.
pub fn cpu_metrics(has_split: bool) -> Vec<MetricDefinition> {
    let cpu = |name, title| MetricDefinition::new(name, title, EventKind::Cpu, WeightColumn::DurationNs);
    let mut metrics = vec![cpu("cpu", "CPU")];
    if has_split {
        metrics.push(cpu("user_cpu", "User CPU").in_mode(CpuMode::User));
        metrics.push(cpu("system_cpu", "System CPU").in_mode(CpuMode::System));
    }
    metrics
}
