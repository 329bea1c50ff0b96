//! Stage 4: rows. Events with their stacks become rows of the samples, sampled_calls and wakes tables.

use super::events::{EndedWait, EventRow, Identity};
use super::exact::{CallAccounts, wait_reason};
use super::file_names::file_row;
use super::joined::JoinedEvent;
use super::layout::Event;
use super::monitor_waits::{is_of_virtual_thread, monitor_wait};
use super::virtual_returns::{Complete, MonitorWait, Return, VirtualReturns};
use super::virtual_waits::{VirtualWaits, WholeWait};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use whittle_model::{
    CpuMode, EventKind, Metric, MetricDefinition, Sample, SampledCall, StackIndex, TableBuilder, ThreadIndex,
    WaitReason, Wake, WeightColumn,
};
use whittle_native::KernelSymbols;

/// Stage 4 of a collection.
#[derive(Default)]
pub(crate) struct RowStage {
    /// The exact values of system calls. Sampled calls refer to the rows of these values.
    pub(crate) calls: CallAccounts,
    symbols: Option<KernelSymbols>,
    /// CLOCK_MONOTONIC at the experiment's start.
    start_ns: u64,
    /// Total weight of the samples by event and thread, for the calibration.
    sums: FxHashMap<(EventKind, ThreadIndex), u64>,
    seen_reasons: BTreeSet<WaitReason>,
    virtual_waits: VirtualWaits,
    pub(super) virtual_returns: VirtualReturns,
    /// Waits for monitors whose lengths are unknown.
    unmatched_reports: u64,
}

impl RowStage {
    /// Creates the stage without rows. Without `symbols`, stacks have no kernel frames.
    pub(crate) fn new(symbols: Option<KernelSymbols>) -> Self {
        Self { symbols, ..Self::default() }
    }

    /// The stage for new tables that begin at `start_ns` of CLOCK_MONOTONIC.
    pub(crate) fn for_next_segment(&self, start_ns: u64) -> Self {
        Self { start_ns, ..Self::new(self.symbols.as_ref().map(KernelSymbols::for_other_tables)) }
    }

    /// Sets the start of the experiment. Times in rows count from `start_ns` of CLOCK_MONOTONIC.
    pub(crate) fn start_at(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
    }

    /// Adds the rows of an event.
    pub(crate) fn add(&mut self, settled: &JoinedEvent, builder: &mut TableBuilder) {
        let (event, thread) = (&settled.of.event, settled.of.thread);
        let stack = self.whole_stack(settled, builder);
        match settled.of.of {
            EventRow::Sample(sampled) => {
                let counted = settled.of.carrier.unwrap_or(thread);
                // From JDK 24 on, a virtual thread that waits for a monitor leaves its carrier without a mark. Then the carrier waits.
                let is_carriers = settled.of.carrier.is_some() && !is_of_virtual_thread(builder.tables(), stack);
                let waiter = if is_carriers { counted } else { thread };
                self.add_sample((event, sampled), (waiter, counted, stack), builder);
            }
            EventRow::Wake(ended) => {
                let place = (self.since_start(event), thread, stack);
                builder.tables_mut().wakes.push(wake(event, ended, place));
            }
            EventRow::Parked(wait) => {
                let whole = self.virtual_waits.begin(wait, stack);
                self.add_virtual_wait(whole, builder);
            }
            EventRow::Resumed(wait) => {
                let whole = self.virtual_waits.end(wait, event, thread);
                self.add_virtual_wait(whole, builder);
            }
            EventRow::Returned(id) => {
                let (time_ns, is_again) = (self.since_start(event), event.error != 0);
                let (process_id, waited_ns) = (event.head.process_id, event.weight);
                let returned = Return { process_id, time_ns, waited_ns, id, thread, is_again };
                self.virtual_returns.add_return(settled.of.carrier.unwrap_or(thread), returned);
            }
        }
    }

    /// The number of sampled waits of virtual threads of which only the begin or only the end is known.
    pub(crate) fn half_waits(&self) -> u64 {
        self.virtual_waits.halves() + self.unmatched_reports + self.virtual_returns.forgotten()
    }

    fn add_virtual_wait(&mut self, whole: Option<WholeWait>, builder: &mut TableBuilder) {
        if let Some((event, thread, stack)) = whole {
            self.add_sample((&event, Metric::OffCpu), (thread, thread, stack), builder);
        }
    }

    /// Adds the waits of virtual threads for monitors that are known. `complete`: the profiler's reports that have arrived, with a time of
    /// CLOCK_MONOTONIC. `None`: no more follow.
    pub(crate) fn settle_monitor_waits(&mut self, complete: Option<Complete>, builder: &mut TableBuilder) {
        let since_start =
            |complete: Complete| Complete { until_ns: complete.until_ns.saturating_sub(self.start_ns), ..complete };
        for wait in self.virtual_returns.settle(complete.map(since_start)) {
            match wait {
                MonitorWait::Away(report, returned) => {
                    let report = of_virtual_thread(report, &returned);
                    self.add_monitor_wait(&report, builder);
                    builder.sample(report);
                }
                MonitorWait::NoStack(returned) => {
                    let no_stack = Sample::new(0, returned.thread, StackIndex::ROOT, EventKind::Lock);
                    self.add_monitor_wait(&of_virtual_thread(no_stack, &returned), builder);
                }
                MonitorWait::Pinned(report) => builder.sample(report),
                MonitorWait::NoLength => self.unmatched_reports += 1,
            }
        }
    }

    fn add_monitor_wait(&mut self, report: &Sample, builder: &mut TableBuilder) {
        let wait = monitor_wait(report, builder);
        self.seen_reasons.insert(wait.reason);
        builder.sample(wait);
    }

    /// `counted`: the thread whose exact values contain the event.
    fn add_sample(
        &mut self,
        (event, sampled): (&Event, Metric),
        (thread, counted, stack): (ThreadIndex, ThreadIndex, StackIndex),
        builder: &mut TableBuilder,
    ) {
        let place = (self.since_start(event), thread, stack);
        let mut sample = sample(event, sampled, place);
        *self.sums.entry((sample.event, counted)).or_default() += event.weight;
        if sample.event == EventKind::OffCpu {
            self.seen_reasons.insert(sample.reason);
            sample.file = file_row(event.device, event.inode, event.file_kind, builder);
        }
        if sample.event == EventKind::Syscall {
            let call = self.sampled_call(event, place, builder);
            builder.tables_mut().sampled_calls.push(call);
        }
        builder.sample(sample);
    }

    /// The time of the event, since the experiment's start.
    fn since_start(&self, event: &Event) -> u64 {
        event.head.time_ns.saturating_sub(self.start_ns)
    }

    /// Call this when the thread has ended and its last events have been added.
    pub(crate) fn end_thread(&mut self, thread: Identity) {
        self.calls.thread_ended(thread.thread_id, thread.row);
    }

    /// Total weight of the samples, by event and thread.
    pub(crate) fn sums(&self) -> &FxHashMap<(EventKind, ThreadIndex), u64> {
        &self.sums
    }

    /// The metrics of the events that are collected.
    pub(crate) fn metrics(&self, collected: &[EventKind]) -> Vec<MetricDefinition> {
        collected.iter().flat_map(|event| event.metrics(true, self.seen_reasons.iter().copied())).collect()
    }

    /// The user stack with the kernel's frames on top.
    fn whole_stack(&mut self, settled: &JoinedEvent, builder: &mut TableBuilder) -> StackIndex {
        let user = settled.user_stack.unwrap_or_else(|reason| {
            let frame = builder.truncated_frame(reason);
            builder.child(StackIndex::ROOT, frame)
        });
        let Some(symbols) = &mut self.symbols else { return user };
        let frames_root_first = settled.of.kernel_frames.iter().rev();
        frames_root_first.fold(user, |stack, address| {
            let frame = symbols.frame(*address, builder);
            builder.child(stack, frame)
        })
    }

    fn sampled_call(
        &mut self,
        event: &Event,
        (time_ns, thread, stack): (u64, ThreadIndex, StackIndex),
        builder: &mut TableBuilder,
    ) -> SampledCall {
        let file = file_row(event.device, event.inode, event.file_kind, builder);
        SampledCall {
            time_ns,
            thread,
            stack,
            syscall: self.calls.row_of_sample((thread, event.call.max(0) as u32, file), builder),
            count: event.weight,
            bytes: event.call_bytes,
            latency_ns: event.call_duration_ns,
            error_number: (event.error > 0).then_some(event.error),
        }
    }
}

/// The row of an event, with its weight in the column of its metric.
fn sample(event: &Event, metric: Metric, (time_ns, thread, stack): (u64, ThreadIndex, StackIndex)) -> Sample {
    let mut sample = Sample::new(time_ns, thread, stack, metric.event());
    match metric.weight() {
        WeightColumn::Count => sample.count = event.weight.max(1),
        WeightColumn::DurationNs => sample.duration_ns = event.weight,
        WeightColumn::Bytes => sample.bytes = event.weight,
    }
    if metric.event().facts().has_mode {
        sample.mode = if event.head.is_kernel_mode == 0 { CpuMode::User } else { CpuMode::System };
    }
    if metric.facts().has_reasons {
        sample.reason = wait_reason(event.reason);
    }
    sample
}

/// The row of the end of a sampled wait.
fn wake(event: &Event, ended: EndedWait, (time_ns, thread, stack): (u64, ThreadIndex, StackIndex)) -> Wake {
    Wake {
        time_ns,
        thread: ended.thread,
        reason: wait_reason(event.reason),
        kind: ended.waker,
        waker: ended.waker.is_thread().then_some(thread),
        stack,
        duration_ns: ended.waited_ns,
        weight_ns: event.weight,
    }
}

/// The report with the thread, the begin and the length of its wait.
fn of_virtual_thread(report: Sample, returned: &Return) -> Sample {
    let begin_ns = returned.time_ns.saturating_sub(returned.waited_ns);
    Sample { time_ns: begin_ns, duration_ns: returned.waited_ns, thread: returned.thread, ..report }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Events;
    use crate::kernel::events::ThreadEvent;
    use crate::kernel::layout::Head;
    use whittle_model::{LossReason, Table, WakerKind};

    fn settled(sampled: Metric, user_stack: Result<StackIndex, LossReason>) -> JoinedEvent {
        let head = Head { time_ns: 1_500, is_kernel_mode: 1, ..Head::default() };
        let event = Event { head, weight: 40, call: 1, call_bytes: 8, reason: 1, ..Event::default() };
        let of = ThreadEvent {
            event,
            of: EventRow::Sample(sampled),
            thread: ThreadIndex(0),
            carrier: None,
            kernel_frames: Box::default(),
        };
        JoinedEvent { of, user_stack }
    }

    #[test]
    fn each_kind_of_event_is_a_row_whose_weight_is_summed_up() {
        let (mut rows, mut builder) = (RowStage::new(None), TableBuilder::new());
        rows.start_at(1_000);
        let kinds = [
            (Metric::Cpu, EventKind::Cpu, (40, 1, 0)),
            (Metric::Syscalls, EventKind::Syscall, (0, 40, 0)),
            (Metric::IoBytes, EventKind::SyscallBytes, (0, 1, 40)),
            (Metric::SyscallTime, EventKind::SyscallTime, (40, 1, 0)),
            (Metric::OffCpu, EventKind::OffCpu, (40, 1, 0)),
            (Metric::PageFaults, EventKind::PageFault, (0, 40, 0)),
        ];
        for (row, (sampled, event, weights)) in kinds.into_iter().enumerate() {
            rows.add(&settled(sampled, Ok(StackIndex::ROOT)), &mut builder);
            let sample = builder.tables().samples.row(row);
            assert_eq!((sample.event, sample.time_ns), (event, 500));
            assert_eq!((sample.duration_ns, sample.count, sample.bytes), weights, "{event:?}");
            assert_eq!(rows.sums()[&(event, ThreadIndex(0))], 40);
        }
        assert_eq!(builder.tables().sampled_calls.len(), 1);
        assert_eq!(builder.tables().sampled_calls.row(0).bytes, 8);
    }

    #[test]
    fn a_wake_is_a_row_and_no_sample() {
        let (mut rows, mut builder) = (RowStage::new(None), TableBuilder::new());
        for waker in [WakerKind::Thread, WakerKind::Timer] {
            let mut woken = settled(Metric::OffCpu, Ok(StackIndex::ROOT));
            woken.of.of = EventRow::Wake(EndedWait { thread: ThreadIndex(1), waker, waited_ns: 7 });
            rows.add(&woken, &mut builder);
        }
        let wakes = &builder.tables().wakes;
        assert_eq!(wakes.waker, [Some(ThreadIndex(0)), None]);
        let wake = wakes.row(0);
        assert_eq!((wake.thread, wake.duration_ns, wake.weight_ns), (ThreadIndex(1), 7, 40));
        assert_eq!(wake.reason, WaitReason::Futex);
        assert!(builder.tables().samples.is_empty() && rows.sums().is_empty());
    }

    #[test]
    fn an_event_without_a_stack_has_one_frame_that_says_why() {
        let (mut rows, mut builder) = (RowStage::new(None), TableBuilder::new());
        rows.add(&settled(Metric::Cpu, Err(LossReason::Unanswered)), &mut builder);
        let stack = builder.tables().samples.row(0).stack;
        let frame = builder.truncated_frame(LossReason::Unanswered);
        assert_eq!(builder.child(StackIndex::ROOT, frame), stack);
    }

    #[test]
    fn every_event_that_the_programs_sample_has_a_metric() {
        let rows = RowStage::new(None);
        for event in Events::default().kernel_events() {
            assert!(!rows.metrics(&[event]).is_empty() || event == EventKind::OffCpu, "{event:?}");
        }
    }
}
