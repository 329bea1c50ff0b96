//! From events with their stacks to rows of the samples and sampled_calls tables.

use super::call_accounts::CallAccounts;
use super::file_names::file_row;
use super::join::Settled;
use super::records::{Event, kind};
use super::states::wait_reason;
use crate::native::KernelSymbols;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use whittle_model::{
    CpuMode, EventKind, MetricDefinition, Sample, SampledCall, StackIndex, TableBuilder, ThreadIndex, WaitReason,
    cpu_metrics, off_cpu_metrics,
};

/// What the rows so far say: sums for the calibration, and which metrics there are.
#[derive(Debug, Default)]
pub(crate) struct EventRows {
    /// Sum of the weights by event and thread.
    sums: FxHashMap<(EventKind, ThreadIndex), u64>,
    seen_reasons: BTreeSet<WaitReason>,
}

/// What rows are made with.
pub(crate) struct Making<'a> {
    pub(crate) builder: &'a mut TableBuilder,
    pub(crate) accounts: &'a mut CallAccounts,
    pub(crate) symbols: &'a mut Option<KernelSymbols>,
    /// CLOCK_MONOTONIC at the experiment's start.
    pub(crate) start_ns: u64,
}

impl EventRows {
    /// Adds an event.
    pub(crate) fn add(&mut self, settled: &Settled, making: &mut Making<'_>) {
        let (event, thread) = (&settled.event, settled.thread);
        let stack = whole_stack(settled, making);
        let time_ns = event.head.time_ns.saturating_sub(making.start_ns);
        let Some(sample) = sample(event, (time_ns, thread, stack)) else { return };
        *self.sums.entry((sample.event, thread)).or_default() += event.weight;
        if sample.event == EventKind::OffCpu {
            self.seen_reasons.insert(sample.reason);
        }
        if sample.event == EventKind::Syscall {
            let call = sampled_call(event, (time_ns, thread, stack), making);
            making.builder.tables_mut().sampled_calls.push(call);
        }
        making.builder.sample(sample);
    }

    /// What the samples of an event sum up to, by thread.
    pub(crate) fn sums(&self) -> &FxHashMap<(EventKind, ThreadIndex), u64> {
        &self.sums
    }

    /// The metrics of the events that are collected.
    pub(crate) fn metrics(&self, collected: &[EventKind]) -> Vec<MetricDefinition> {
        let of_event = |event: &EventKind| match event {
            EventKind::Cpu => cpu_metrics(true),
            EventKind::OffCpu => off_cpu_metrics(self.seen_reasons.iter().copied()),
            EventKind::Syscall => vec![MetricDefinition::syscalls()],
            EventKind::SyscallBytes => vec![MetricDefinition::io_bytes()],
            EventKind::SyscallTime => vec![MetricDefinition::syscall_time()],
            EventKind::PageFault => vec![MetricDefinition::page_faults()],
            _ => Vec::new(),
        };
        collected.iter().flat_map(of_event).collect()
    }
}

/// The user stack with the kernel's frames on top.
fn whole_stack(settled: &Settled, making: &mut Making<'_>) -> StackIndex {
    let user = settled.user_stack.unwrap_or_else(|reason| {
        let frame = making.builder.truncated_frame(reason);
        making.builder.child(StackIndex::ROOT, frame)
    });
    let Some(symbols) = making.symbols else { return user };
    let frames_root_first = settled.kernel_frames.iter().rev();
    frames_root_first.fold(user, |stack, address| {
        let frame = symbols.frame(*address, making.builder);
        making.builder.child(stack, frame)
    })
}

fn sample(event: &Event, (time_ns, thread, stack): (u64, ThreadIndex, StackIndex)) -> Option<Sample> {
    let of = |event: EventKind| Sample::new(time_ns, thread, stack, event);
    let weight = event.weight;
    Some(match event.head.kind {
        kind::TICK => {
            let mode = if event.head.is_kernel_mode == 0 { CpuMode::User } else { CpuMode::System };
            Sample { duration_ns: weight, mode, ..of(EventKind::Cpu) }
        }
        kind::CALLS => Sample { count: weight, ..of(EventKind::Syscall) },
        kind::BYTES => Sample { bytes: weight, ..of(EventKind::SyscallBytes) },
        kind::CALL_TIME => Sample { duration_ns: weight, ..of(EventKind::SyscallTime) },
        kind::FAULTS => Sample { count: weight.max(1), ..of(EventKind::PageFault) },
        kind::BLOCKED => Sample { duration_ns: weight, reason: wait_reason(event.reason), ..of(EventKind::OffCpu) },
        _ => return None,
    })
}

fn sampled_call(
    event: &Event,
    (time_ns, thread, stack): (u64, ThreadIndex, StackIndex),
    making: &mut Making<'_>,
) -> SampledCall {
    let file = file_row(event.device, event.inode, event.file_kind, making.builder);
    SampledCall {
        time_ns,
        thread,
        stack,
        syscall: making.accounts.row_of_sample((thread, event.call.max(0) as u32, file), making.builder),
        count: event.weight,
        bytes: event.call_bytes,
        latency_ns: event.call_duration_ns,
        error_number: (event.error > 0).then_some(event.error),
    }
}
