//! The metrics that an answer's samples support.

use std::collections::BTreeSet;
use whittle_model::{
    CpuMode, EventKind, MetricDefinition, Sample, WaitReason, WeightColumn, cpu_metrics, off_cpu_metrics,
};

/// What the samples have.
#[derive(Debug, Default)]
pub(super) struct MetricsSeen {
    events: BTreeSet<EventKind>,
    reasons: BTreeSet<WaitReason>,
    has_cpu_time: bool,
    has_split: bool,
}

impl MetricsSeen {
    pub(super) fn add(&mut self, sample: &Sample) {
        self.events.insert(sample.event);
        self.reasons.insert(sample.reason);
        if sample.event == EventKind::Cpu {
            self.has_cpu_time |= sample.duration_ns > 0;
            self.has_split |= sample.mode != CpuMode::Unknown;
        }
    }

    /// CPU first, then in the order of the events.
    pub(super) fn definitions(&self) -> Vec<MetricDefinition> {
        self.events.iter().flat_map(|event| self.of_event(*event)).collect()
    }

    fn of_event(&self, event: EventKind) -> Vec<MetricDefinition> {
        let count = |name, title| vec![MetricDefinition::new(name, title, event, WeightColumn::Count)];
        match event {
            EventKind::Cpu if self.has_cpu_time => cpu_metrics(self.has_split),
            EventKind::Cpu => count("cpu_samples", "CPU samples"),
            EventKind::JavaSample => count("java_samples", "Java samples"),
            EventKind::Wall => vec![MetricDefinition::new("wall", "Wall clock", event, WeightColumn::DurationNs)],
            EventKind::Alloc => vec![MetricDefinition::alloc_bytes(), MetricDefinition::alloc_count()],
            EventKind::Lock => vec![MetricDefinition::lock_wait()],
            EventKind::OffCpu => off_cpu_metrics(self.reasons.iter().copied()),
            EventKind::Syscall => vec![MetricDefinition::syscalls()],
            EventKind::SyscallBytes => vec![MetricDefinition::io_bytes()],
            EventKind::SyscallTime => vec![MetricDefinition::syscall_time()],
            EventKind::PageFault => vec![MetricDefinition::page_faults()],
            EventKind::Other => count("other", "Other events"),
            _ => MetricDefinition::of_processor(event).into_iter().collect(),
        }
    }
}
