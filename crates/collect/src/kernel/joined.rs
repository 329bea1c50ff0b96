//! Stage 3: matches the kernel's events with the stacks that answer them.
//!
//! ```text
//! kernel       event e1 ── event e2 ── delivery d1 ─────────── event e3 ── (signal lost) ── event e4 ── delivery d2
//! epoch           7           7           7                       8                            9           9
//! profiler                                   └─ sample at t                                                  └─ sample
//! answered     e1, e2: by the sample after d1                   e3: never                   e4: by the sample after d2
//! ```
//!
//! An epoch ends whenever a thread may have left the user stack of a request. So an answer is valid only for events of
//! its own epoch, even if events of other epochs are close in time. The kernel side copies native stacks and answers at
//! once. The profiler's samples arrive seconds later. Each sample is matched to the delivery before the sample.
//!
//! This module is pure. Its input is events and answers, and its output is events with their stacks.

use super::events::{EndedWait, EventRow, JoinInput, ThreadEvent};
use super::layout::{Event, Head, kind, request};
use crate::process::Process;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use whittle_model::{LossReason, StackIndex, WakerKind};

/// An event that waits for its stack.
#[derive(Debug)]
struct OpenEvent {
    of: ThreadEvent,
    /// A copied stack, which is used if the profiler does not answer.
    spare: Option<StackIndex>,
}

/// An event with its stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JoinedEvent {
    pub(crate) of: ThreadEvent,
    /// The user stack, or the reason why the stack is missing.
    pub(crate) user_stack: Result<StackIndex, LossReason>,
}

/// A run of the profiler's signal handler, and the events that this run answers.
#[derive(Debug)]
struct Delivery {
    time_ns: u64,
    events: Vec<OpenEvent>,
    stack: Option<StackIndex>,
}

/// The events and answers of one thread.
#[derive(Debug, Default)]
struct ThreadEvents {
    /// The process of the last event or answer.
    process_id: u32,
    /// Events without an answer so far, in the order of their epochs.
    open: Vec<OpenEvent>,
    /// The deliveries, in the order of their times.
    deliveries: VecDeque<Delivery>,
    /// Epoch of the last delivery, if this delivery is the last entry in `deliveries`.
    delivered_epoch: Option<u32>,
    /// The last copied stack with its epoch, and the last spare copy with its epoch.
    copied: Option<(u32, StackIndex)>,
    spare: Option<(u32, StackIndex)>,
}

/// Stage 3 of a collection: the join of events and answers, by thread.
#[derive(Debug, Default)]
pub(crate) struct JoinStage {
    threads: FxHashMap<u32, ThreadEvents>,
    settled: Vec<JoinedEvent>,
}

impl JoinStage {
    /// Adds an event or a possible answer.
    pub(crate) fn add(&mut self, input: JoinInput) {
        match input {
            JoinInput::Event(event) => self.add_event(event),
            JoinInput::Delivery(head) => self.add_delivery(&head),
            JoinInput::Copy { head, stack } if head.kind == kind::SPARE_STACK => self.add_spare_copy(&head, stack),
            JoinInput::Copy { head, stack } => self.add_copy(&head, stack),
            JoinInput::Sample { thread_id, time_ns, stack } => self.add_sample(thread_id, time_ns, stack),
            JoinInput::End(thread) => self.end_thread(thread.thread_id),
        }
    }

    fn add_event(&mut self, of: ThreadEvent) {
        if of.needs_no_stack() {
            self.settled.push(JoinedEvent { of, user_stack: Ok(StackIndex::ROOT) });
            return;
        }
        let Head { epoch, .. } = of.event.head;
        let (thread, settled) = self.thread(&of.event.head);
        let spare = thread.spare.filter(|(spare, _)| *spare == epoch).map(|(_, stack)| stack);
        let open = OpenEvent { of, spare };
        if let Some((_, stack)) = thread.copied.filter(|(copied, _)| *copied == epoch) {
            settled.push(open.settle(Ok(stack)));
            return;
        }
        thread.give_up_before(epoch, settled);
        match thread.deliveries.back_mut().filter(|_| thread.delivered_epoch == Some(epoch)) {
            Some(delivery) => delivery.events.push(open),
            None => thread.open.push(open),
        }
    }

    /// Adds a delivery: the profiler's handler begins to run in the thread of the record.
    fn add_delivery(&mut self, head: &Head) {
        let (thread, settled) = self.thread(head);
        thread.give_up_before(head.epoch, settled);
        let events = std::mem::take(&mut thread.open);
        thread.deliveries.push_back(Delivery { time_ns: head.time_ns, events, stack: None });
        thread.delivered_epoch = Some(head.epoch);
    }

    /// Adds a stack that the kernel side copied.
    fn add_copy(&mut self, head: &Head, stack: StackIndex) {
        let (thread, settled) = self.thread(head);
        thread.give_up_before(head.epoch, settled);
        settled.extend(thread.open.drain(..).map(|open| open.settle(Ok(stack))));
        thread.copied = Some((head.epoch, stack));
    }

    /// Adds a stack that the kernel side copied although it also requested a stack from the profiler.
    fn add_spare_copy(&mut self, head: &Head, stack: StackIndex) {
        let (thread, _) = self.thread(head);
        let of_epoch = thread.open.iter_mut().filter(|open| open.of.event.head.epoch == head.epoch);
        of_epoch.for_each(|open| open.spare = Some(stack));
        thread.spare = Some((head.epoch, stack));
    }

    /// The events of the record's thread, and the list of settled events.
    fn thread(&mut self, head: &Head) -> (&mut ThreadEvents, &mut Vec<JoinedEvent>) {
        let thread = self.threads.entry(head.thread_id).or_default();
        thread.process_id = head.process_id;
        (thread, &mut self.settled)
    }

    /// Adds a sample that the profiler took in the thread at `time_ns` of CLOCK_MONOTONIC.
    fn add_sample(&mut self, thread_id: u32, time_ns: u64, stack: StackIndex) {
        let delivery = self.threads.get_mut(&thread_id).and_then(|thread| {
            let next = thread.deliveries.partition_point(|delivery| delivery.time_ns <= time_ns);
            thread.deliveries.get_mut(next.checked_sub(1)?)
        });
        // Only the first sample after a delivery answers the delivery. No event requested the other samples.
        if let Some(delivery) = delivery.filter(|delivery| delivery.stack.is_none()) {
            delivery.stack = Some(stack);
        }
    }

    /// Handles the end of a thread. From now on, another thread can have the same id.
    fn end_thread(&mut self, thread_id: u32) {
        let Self { threads, settled, .. } = self;
        let Some(thread) = threads.get_mut(&thread_id) else { return };
        let ended = thread.open.drain(..);
        settled.extend(ended.map(|open| {
            let reason = open.reason(LossReason::ThreadEnded);
            open.settle(Err(reason))
        }));
        thread.delivered_epoch = None;
        (thread.copied, thread.spare) = (None, None);
        if thread.deliveries.is_empty() {
            threads.remove(&thread_id);
        }
    }

    /// Call this after all samples of the process for deliveries until `until_ns` were added. The remaining deliveries get
    /// no sample.
    pub(crate) fn settle_until(&mut self, Process(process_id): Process, until_ns: u64) {
        self.settle(|thread| if thread.process_id == process_id { until_ns } else { 0 });
    }

    /// Settles the deliveries of each thread until its time.
    fn settle(&mut self, until_ns: impl Fn(&ThreadEvents) -> u64) {
        let Self { threads, settled, .. } = self;
        for thread in threads.values_mut() {
            let until_ns = until_ns(thread);
            while thread.deliveries.front().is_some_and(|delivery| delivery.time_ns <= until_ns) {
                let Some(delivery) = thread.deliveries.pop_front() else { break };
                settled.extend(delivery.events.into_iter().map(|open| {
                    let reason = open.reason(LossReason::Unanswered);
                    open.settle(delivery.stack.ok_or(reason))
                }));
            }
            if thread.deliveries.is_empty() {
                thread.delivered_epoch = None;
            }
        }
        threads.retain(|_, thread| !thread.is_idle());
    }

    /// Adds an event whose stack is already known.
    pub(crate) fn add_settled(&mut self, of: ThreadEvent, stack: StackIndex) {
        self.settled.push(JoinedEvent { of, user_stack: Ok(stack) });
    }

    /// Call this when the kernel side has ended. If a thread is still inside the system call of an event, the profiler
    /// does not answer the event. Then `waiting_stack` provides the stack of the event's thread.
    pub(crate) fn settle_waiting(&mut self, mut waiting_stack: impl FnMut(&Event) -> Option<StackIndex>) {
        let Self { threads, settled, .. } = self;
        for thread in threads.values_mut() {
            let is_in_call = |open: &mut OpenEvent| open.of.event.head.request == request::DEFERRED;
            settled.extend(thread.open.extract_if(.., is_in_call).map(|open| {
                let stack = waiting_stack(&open.of.event);
                open.settle(stack.ok_or(LossReason::StillWaiting))
            }));
        }
    }

    /// Call this at the end, when no more answers arrive.
    pub(crate) fn finish(&mut self) {
        self.settle(|_| u64::MAX);
        for (_, thread) in std::mem::take(&mut self.threads) {
            self.settled.extend(thread.open.into_iter().map(|open| {
                let reason = open.reason(LossReason::Unanswered);
                open.settle(Err(reason))
            }));
        }
    }

    /// The events that were settled since the last call.
    pub(crate) fn take_joined(&mut self) -> Vec<JoinedEvent> {
        std::mem::take(&mut self.settled)
    }
}

impl ThreadEvents {
    /// Called when the thread has reached `epoch`. Unanswered events of earlier epochs are lost.
    fn give_up_before(&mut self, epoch: u32, settled: &mut Vec<JoinedEvent>) {
        let is_lost = |open: &mut OpenEvent| open.of.event.head.epoch != epoch;
        settled.extend(self.open.extract_if(.., is_lost).map(|open| {
            let reason = open.reason(LossReason::Unanswered);
            open.settle(Err(reason))
        }));
    }

    fn is_idle(&self) -> bool {
        self.open.is_empty() && self.deliveries.is_empty() && self.copied.is_none() && self.spare.is_none()
    }
}

impl ThreadEvent {
    /// True if no stack was requested: no thread ended the wait, or the stack of the virtual thread was requested when it began to wait.
    fn needs_no_stack(&self) -> bool {
        match self.of {
            EventRow::Wake(EndedWait { waker, .. }) => waker != WakerKind::Thread,
            EventRow::Resumed(_) | EventRow::Returned(_) => true,
            EventRow::Sample(_) | EventRow::Parked(_) => false,
        }
    }
}

impl OpenEvent {
    fn settle(self, user_stack: Result<StackIndex, LossReason>) -> JoinedEvent {
        let user_stack = user_stack.or_else(|reason| self.spare.ok_or(reason));
        JoinedEvent { of: self.of, user_stack }
    }

    /// Why the event has no stack. If the kernel side gave no reason, the reason is `otherwise`.
    fn reason(&self, otherwise: LossReason) -> LossReason {
        match self.of.event.head.request {
            request::NO_HANDLER => LossReason::NoHandler,
            request::FAILED => LossReason::SignalFailed,
            _ => otherwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::events::Identity;
    use whittle_model::Metric;
    use whittle_model::ThreadIndex;

    const PROCESS: u32 = 5;
    const THREAD: u32 = 7;

    fn event(time_ns: u64, epoch: u32) -> ThreadEvent {
        let head = Head { kind: kind::CALLS, request: 1, ..delivery(time_ns, epoch) };
        let event = Event { head, weight: 1, ..Event::default() };
        ThreadEvent {
            event,
            of: EventRow::Sample(Metric::Syscalls),
            thread: ThreadIndex(0),
            carrier: None,
            kernel_frames: [].into(),
        }
    }

    fn delivery(time_ns: u64, epoch: u32) -> Head {
        Head { time_ns, process_id: PROCESS, thread_id: THREAD, epoch, kind: kind::DELIVERY, ..Head::default() }
    }

    /// Times of events with their stacks, ordered by time.
    fn outcomes(mut join: JoinStage) -> Vec<(u64, Result<u32, LossReason>)> {
        join.finish();
        let mut settled: Vec<_> = join.take_joined();
        settled.sort_by_key(|settled| settled.of.event.head.time_ns);
        settled.iter().map(|one| (one.of.event.head.time_ns, one.user_stack.map(|stack| stack.0))).collect()
    }

    /// Tests the diagram at the top of this file.
    #[test]
    fn a_lost_signal_is_not_answered_by_the_next_stack() {
        let mut join = JoinStage::default();
        join.add_event(event(10, 7));
        join.add_event(event(11, 7));
        join.add_delivery(&delivery(12, 7));
        join.add_event(event(20, 8));
        join.add_event(event(30, 9));
        join.add_delivery(&delivery(31, 9));
        join.add_sample(THREAD, 13, StackIndex(1));
        join.add_sample(THREAD, 32, StackIndex(2));
        let expected = [(10, Ok(1)), (11, Ok(1)), (20, Err(LossReason::Unanswered)), (30, Ok(2))];
        assert_eq!(outcomes(join), expected);
    }

    /// Tests each kind of answer that the previous stage produces.
    #[test]
    fn each_input_has_its_effect() {
        let mut join = JoinStage::default();
        let sample = |time_ns, stack| JoinInput::Sample { thread_id: THREAD, time_ns, stack: StackIndex(stack) };
        for input in [
            JoinInput::Event(event(10, 7)),
            JoinInput::Delivery(delivery(12, 7)),
            JoinInput::Event(event(20, 8)),
            JoinInput::Copy { head: Head { kind: kind::SPARE_STACK, ..delivery(21, 8) }, stack: StackIndex(3) },
            JoinInput::Event(event(30, 9)),
            JoinInput::Copy { head: Head { kind: kind::USER_STACK, ..delivery(31, 9) }, stack: StackIndex(4) },
            JoinInput::Event(event(40, 10)),
            JoinInput::End(Identity { thread_id: THREAD, row: ThreadIndex(0) }),
            sample(13, 1),
        ] {
            join.add(input);
        }
        let expected = [(10, Ok(1)), (20, Ok(3)), (30, Ok(4)), (40, Err(LossReason::ThreadEnded))];
        assert_eq!(outcomes(join), expected);
    }

    #[test]
    fn a_delivery_that_the_profiler_skipped_leaves_its_events_without_a_stack() {
        let mut join = JoinStage::default();
        join.add_event(event(10, 1));
        join.add_delivery(&delivery(11, 1));
        join.add_event(event(20, 2));
        join.add_delivery(&delivery(21, 2));
        // Only the second signal caused a sample.
        join.add_sample(THREAD, 22, StackIndex(5));
        assert_eq!(outcomes(join), [(10, Err(LossReason::Unanswered)), (20, Ok(5))]);
    }

    #[test]
    fn an_event_inside_the_handler_belongs_to_its_delivery() {
        let mut join = JoinStage::default();
        join.add_event(event(10, 1));
        join.add_delivery(&delivery(11, 1));
        join.add_event(event(12, 1));
        join.add_sample(THREAD, 13, StackIndex(5));
        join.add_sample(THREAD, 14, StackIndex(6));
        assert_eq!(outcomes(join), [(10, Ok(5)), (12, Ok(5))]);
    }

    #[test]
    fn a_thread_id_is_reused_without_mixing_the_threads() {
        let mut join = JoinStage::default();
        join.add_event(event(10, 3));
        join.add_delivery(&delivery(11, 3));
        join.add_event(event(12, 4));
        join.end_thread(THREAD);
        join.add_event(event(20, 3));
        join.add_delivery(&delivery(21, 3));
        join.add_sample(THREAD, 11, StackIndex(1));
        join.add_sample(THREAD, 25, StackIndex(2));
        assert_eq!(outcomes(join), [(10, Ok(1)), (12, Err(LossReason::ThreadEnded)), (20, Ok(2))]);
    }

    #[test]
    fn a_copy_answers_the_events_around_it_and_no_later_epoch() {
        let mut join = JoinStage::default();
        join.add_event(event(10, 1));
        join.add_copy(&delivery(11, 1), StackIndex(4));
        join.add_event(event(12, 1));
        join.add_event(event(13, 2));
        assert_eq!(outcomes(join), [(10, Ok(4)), (12, Ok(4)), (13, Err(LossReason::Unanswered))]);
    }

    #[test]
    fn a_spare_copy_counts_only_where_the_profiler_is_silent() {
        let mut join = JoinStage::default();
        for (time_ns, epoch) in [(10, 1), (20, 2)] {
            join.add_event(event(time_ns, epoch));
            join.add_spare_copy(&delivery(time_ns + 1, epoch), StackIndex(7));
            join.add_delivery(&delivery(time_ns + 2, epoch));
        }
        join.add_sample(THREAD, 13, StackIndex(5));
        assert_eq!(outcomes(join), [(10, Ok(5)), (20, Ok(7))]);
    }

    #[test]
    fn a_thread_that_still_waits_has_the_stack_of_the_dump() {
        let mut join = JoinStage::default();
        let mut waiting = event(10, 1);
        waiting.event.head.request = request::DEFERRED;
        join.add_event(waiting);
        join.settle_waiting(|event| (event.head.thread_id == THREAD).then_some(StackIndex(9)));
        assert_eq!(join.take_joined()[0].user_stack, Ok(StackIndex(9)));
    }

    fn wake(time_ns: u64, epoch: u32, waker: WakerKind) -> ThreadEvent {
        let ended = EndedWait { thread: ThreadIndex(1), waker, waited_ns: 5 };
        let mut wake = event(time_ns, epoch);
        (wake.event.head.kind, wake.event.head.request, wake.of) =
            (kind::WAKE, request::DEFERRED, EventRow::Wake(ended));
        wake
    }

    #[test]
    fn a_waker_has_the_stack_of_the_call_with_which_it_ended_the_wait() {
        let mut join = JoinStage::default();
        join.add_event(wake(10, 7, WakerKind::Thread));
        join.add_delivery(&delivery(12, 7));
        join.add_event(wake(20, 8, WakerKind::Thread));
        join.add_event(wake(30, 9, WakerKind::Thread));
        join.add_copy(&delivery(31, 9), StackIndex(2));
        join.add_sample(THREAD, 13, StackIndex(1));
        assert_eq!(outcomes(join), [(10, Ok(1)), (20, Err(LossReason::Unanswered)), (30, Ok(2))]);
    }

    /// The event of such a wake has the thread that waited, and its present epoch.
    #[test]
    fn a_wait_that_no_thread_ended_has_no_stack_and_waits_for_none() {
        let mut join = JoinStage::default();
        join.add_event(event(9, 7));
        join.add_event(wake(10, 7, WakerKind::Timer));
        assert_eq!(join.take_joined()[0].user_stack, Ok(StackIndex::ROOT));
        join.add_delivery(&delivery(12, 7));
        join.add_sample(THREAD, 13, StackIndex(1));
        assert_eq!(outcomes(join), [(9, Ok(1))]);
    }

    #[test]
    fn what_is_settled_early_is_settled_once() {
        let mut join = JoinStage::default();
        for round in 0..4 {
            join.add_event(event(u64::from(round) * 10, round));
            join.add_delivery(&delivery(u64::from(round) * 10 + 1, round));
            join.add_sample(THREAD, u64::from(round) * 10 + 2, StackIndex(round));
        }
        join.settle_until(Process(PROCESS + 1), u64::MAX);
        assert!(join.take_joined().is_empty());
        join.settle_until(Process(PROCESS), 15);
        assert_eq!(join.take_joined().len(), 2);
        assert_eq!(outcomes(join), [(20, Ok(2)), (30, Ok(3))]);
    }
}
