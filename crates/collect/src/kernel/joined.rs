//! Which stack belongs to which event: the kernel's events on one side, the answers on the other.
//!
//! ```text
//! kernel       event e1 ── event e2 ── delivery d1 ─────────── event e3 ── (signal lost) ── event e4 ── delivery d2
//! epoch           7           7           7                       8                            9           9
//! profiler                                   └─ sample at t                                                  └─ sample
//! answered     e1, e2: by the sample after d1                   e3: never                   e4: by the sample after d2
//! ```
//!
//! An epoch ends whenever a thread may have left the user stack that a request is about. An answer
//! therefore counts for the events of its own epoch and for no others, however near in time they are.
//! Native stacks are copied by the kernel and answer at once; the profiler's samples come seconds later
//! and are matched to the delivery that they follow.
//!
//! This is pure: records in, events with their stacks out.

use super::records::{Event, Head, request};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use whittle_model::{LossReason, StackIndex, ThreadIndex};

/// An event that waits for its stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenEvent {
    pub(crate) event: Event,
    /// Row of threads: found when the event came, since the id can mean another thread later.
    thread: ThreadIndex,
    /// The stack in the kernel, leaf first; empty: user mode, or not taken.
    pub(crate) kernel_frames: Box<[u64]>,
    /// A copied stack, should the profiler not answer.
    spare: Option<StackIndex>,
}

/// An event with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) event: Event,
    pub(crate) thread: ThreadIndex,
    pub(crate) kernel_frames: Box<[u64]>,
    /// The user stack, or why there is none.
    pub(crate) user_stack: Result<StackIndex, LossReason>,
}

/// The run of the profiler's signal handler, and the events that it answers.
#[derive(Debug)]
struct Delivery {
    time_ns: u64,
    events: Vec<OpenEvent>,
    stack: Option<StackIndex>,
}

/// What is known of one thread.
#[derive(Debug, Default)]
struct ThreadEvents {
    /// Without an answer so far, in the order of their epochs.
    open: Vec<OpenEvent>,
    /// In the order of their times.
    deliveries: VecDeque<Delivery>,
    /// Epoch of the last delivery, if that is the last in `deliveries`.
    delivered_epoch: Option<u32>,
    /// The last copied stack, and the last that is only spare, with their epochs.
    copied: Option<(u32, StackIndex)>,
    spare: Option<(u32, StackIndex)>,
}

/// The join of events and answers, by thread.
#[derive(Debug, Default)]
pub(crate) struct Join {
    threads: FxHashMap<u32, ThreadEvents>,
    settled: Vec<Settled>,
}

impl Join {
    /// Adds an event of the thread in row `thread_row`.
    pub(crate) fn add_event(&mut self, event: Event, thread_row: ThreadIndex, kernel_frames: Box<[u64]>) {
        let Self { threads, settled, .. } = self;
        let thread = threads.entry(event.head.thread_id).or_default();
        let epoch = event.head.epoch;
        let spare = thread.spare.filter(|(spare, _)| *spare == epoch).map(|(_, stack)| stack);
        let open = OpenEvent { event, thread: thread_row, kernel_frames, spare };
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

    /// The profiler's handler begins to run in the thread.
    pub(crate) fn add_delivery(&mut self, head: &Head) {
        let Self { threads, settled, .. } = self;
        let thread = threads.entry(head.thread_id).or_default();
        thread.give_up_before(head.epoch, settled);
        let events = std::mem::take(&mut thread.open);
        thread.deliveries.push_back(Delivery { time_ns: head.time_ns, events, stack: None });
        thread.delivered_epoch = Some(head.epoch);
    }

    /// A stack that the kernel side copied.
    pub(crate) fn add_copy(&mut self, head: &Head, stack: StackIndex) {
        let Self { threads, settled, .. } = self;
        let thread = threads.entry(head.thread_id).or_default();
        thread.give_up_before(head.epoch, settled);
        settled.extend(thread.open.drain(..).map(|open| open.settle(Ok(stack))));
        thread.copied = Some((head.epoch, stack));
    }

    /// A stack that the kernel side copied although it asked the profiler as well.
    pub(crate) fn add_spare_copy(&mut self, head: &Head, stack: StackIndex) {
        let thread = self.threads.entry(head.thread_id).or_default();
        let of_epoch = thread.open.iter_mut().filter(|open| open.event.head.epoch == head.epoch);
        of_epoch.for_each(|open| open.spare = Some(stack));
        thread.spare = Some((head.epoch, stack));
    }

    /// A sample that the profiler took in the thread at `time_ns` of CLOCK_MONOTONIC.
    pub(crate) fn add_sample(&mut self, thread_id: u32, time_ns: u64, stack: StackIndex) {
        let delivery = self.threads.get_mut(&thread_id).and_then(|thread| {
            let next = thread.deliveries.partition_point(|delivery| delivery.time_ns <= time_ns);
            thread.deliveries.get_mut(next.checked_sub(1)?)
        });
        // Others were asked for by nobody: the first one after a delivery answers it.
        if let Some(delivery) = delivery.filter(|delivery| delivery.stack.is_none()) {
            delivery.stack = Some(stack);
        }
    }

    /// The thread has ended: another one can have its id from now on.
    pub(crate) fn end_thread(&mut self, thread_id: u32) {
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

    /// All samples of deliveries until `until_ns` have been added: what has none by now gets none.
    pub(crate) fn settle_until(&mut self, until_ns: u64) {
        let Self { threads, settled, .. } = self;
        for thread in threads.values_mut() {
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

    /// The kernel side has ended. Threads that are still inside the call in which an event happened do not
    /// come back to answer it: `waiting_stack` knows the stack of an event's thread.
    pub(crate) fn settle_waiting(&mut self, mut waiting_stack: impl FnMut(&Event) -> Option<StackIndex>) {
        let Self { threads, settled, .. } = self;
        for thread in threads.values_mut() {
            let is_in_call = |open: &mut OpenEvent| open.event.head.request == request::DEFERRED;
            settled.extend(thread.open.extract_if(.., is_in_call).map(|open| {
                let stack = waiting_stack(&open.event);
                open.settle(stack.ok_or(LossReason::StillWaiting))
            }));
        }
    }

    /// The end: nothing is answered any more.
    pub(crate) fn finish(&mut self) {
        self.settle_until(u64::MAX);
        for (_, thread) in std::mem::take(&mut self.threads) {
            self.settled.extend(thread.open.into_iter().map(|open| {
                let reason = open.reason(LossReason::Unanswered);
                open.settle(Err(reason))
            }));
        }
    }

    /// The events that were settled since the last call.
    pub(crate) fn take_settled(&mut self) -> Vec<Settled> {
        std::mem::take(&mut self.settled)
    }
}

impl ThreadEvents {
    /// The thread has come to `epoch`: what waits from earlier ones was lost.
    fn give_up_before(&mut self, epoch: u32, settled: &mut Vec<Settled>) {
        let is_lost = |open: &mut OpenEvent| open.event.head.epoch != epoch;
        settled.extend(self.open.extract_if(.., is_lost).map(|open| {
            let reason = open.reason(LossReason::Unanswered);
            open.settle(Err(reason))
        }));
    }

    fn is_idle(&self) -> bool {
        self.open.is_empty() && self.deliveries.is_empty() && self.copied.is_none() && self.spare.is_none()
    }
}

impl OpenEvent {
    fn settle(self, user_stack: Result<StackIndex, LossReason>) -> Settled {
        let user_stack = user_stack.or_else(|reason| self.spare.ok_or(reason));
        Settled { event: self.event, thread: self.thread, kernel_frames: self.kernel_frames, user_stack }
    }

    /// Why the event has no stack: what the kernel side said of the request, else `otherwise`.
    fn reason(&self, otherwise: LossReason) -> LossReason {
        match self.event.head.request {
            request::NO_HANDLER => LossReason::NoHandler,
            request::FAILED => LossReason::SignalFailed,
            _ => otherwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::records::kind;
    use super::*;

    const THREAD: u32 = 7;

    fn event(time_ns: u64, epoch: u32) -> Event {
        let head = Head { time_ns, thread_id: THREAD, epoch, kind: kind::CALLS, request: 1, ..Head::default() };
        Event { head, weight: 1, ..Event::default() }
    }

    fn delivery(time_ns: u64, epoch: u32) -> Head {
        Head { time_ns, thread_id: THREAD, epoch, kind: kind::DELIVERY, ..Head::default() }
    }

    /// Times of events with their stacks, in the order of time.
    fn outcomes(mut join: Join) -> Vec<(u64, Result<u32, LossReason>)> {
        join.finish();
        let mut settled: Vec<_> = join.take_settled();
        settled.sort_by_key(|settled| settled.event.head.time_ns);
        settled.iter().map(|one| (one.event.head.time_ns, one.user_stack.map(|stack| stack.0))).collect()
    }

    /// The drawing at the top of this file.
    #[test]
    fn a_lost_signal_is_not_answered_by_the_next_stack() {
        let mut join = Join::default();
        join.add_event(event(10, 7), ThreadIndex(0), [].into());
        join.add_event(event(11, 7), ThreadIndex(0), [].into());
        join.add_delivery(&delivery(12, 7));
        join.add_event(event(20, 8), ThreadIndex(0), [].into());
        join.add_event(event(30, 9), ThreadIndex(0), [].into());
        join.add_delivery(&delivery(31, 9));
        join.add_sample(THREAD, 13, StackIndex(1));
        join.add_sample(THREAD, 32, StackIndex(2));
        let expected = [(10, Ok(1)), (11, Ok(1)), (20, Err(LossReason::Unanswered)), (30, Ok(2))];
        assert_eq!(outcomes(join), expected);
    }

    #[test]
    fn a_delivery_that_the_profiler_skipped_leaves_its_events_without_a_stack() {
        let mut join = Join::default();
        join.add_event(event(10, 1), ThreadIndex(0), [].into());
        join.add_delivery(&delivery(11, 1));
        join.add_event(event(20, 2), ThreadIndex(0), [].into());
        join.add_delivery(&delivery(21, 2));
        // Only the second one sampled.
        join.add_sample(THREAD, 22, StackIndex(5));
        assert_eq!(outcomes(join), [(10, Err(LossReason::Unanswered)), (20, Ok(5))]);
    }

    #[test]
    fn an_event_inside_the_handler_belongs_to_its_delivery() {
        let mut join = Join::default();
        join.add_event(event(10, 1), ThreadIndex(0), [].into());
        join.add_delivery(&delivery(11, 1));
        join.add_event(event(12, 1), ThreadIndex(0), [].into());
        join.add_sample(THREAD, 13, StackIndex(5));
        join.add_sample(THREAD, 14, StackIndex(6));
        assert_eq!(outcomes(join), [(10, Ok(5)), (12, Ok(5))]);
    }

    #[test]
    fn a_thread_id_is_reused_without_mixing_the_threads() {
        let mut join = Join::default();
        join.add_event(event(10, 3), ThreadIndex(0), [].into());
        join.add_delivery(&delivery(11, 3));
        join.add_event(event(12, 4), ThreadIndex(0), [].into());
        join.end_thread(THREAD);
        join.add_event(event(20, 3), ThreadIndex(0), [].into());
        join.add_delivery(&delivery(21, 3));
        join.add_sample(THREAD, 11, StackIndex(1));
        join.add_sample(THREAD, 25, StackIndex(2));
        assert_eq!(outcomes(join), [(10, Ok(1)), (12, Err(LossReason::ThreadEnded)), (20, Ok(2))]);
    }

    #[test]
    fn a_copy_answers_the_events_around_it_and_no_later_epoch() {
        let mut join = Join::default();
        join.add_event(event(10, 1), ThreadIndex(0), [].into());
        join.add_copy(&delivery(11, 1), StackIndex(4));
        join.add_event(event(12, 1), ThreadIndex(0), [].into());
        join.add_event(event(13, 2), ThreadIndex(0), [].into());
        assert_eq!(outcomes(join), [(10, Ok(4)), (12, Ok(4)), (13, Err(LossReason::Unanswered))]);
    }

    #[test]
    fn a_spare_copy_counts_only_where_the_profiler_is_silent() {
        let mut join = Join::default();
        for (time_ns, epoch) in [(10, 1), (20, 2)] {
            join.add_event(event(time_ns, epoch), ThreadIndex(0), [].into());
            join.add_spare_copy(&delivery(time_ns + 1, epoch), StackIndex(7));
            join.add_delivery(&delivery(time_ns + 2, epoch));
        }
        join.add_sample(THREAD, 13, StackIndex(5));
        assert_eq!(outcomes(join), [(10, Ok(5)), (20, Ok(7))]);
    }

    #[test]
    fn a_thread_that_still_waits_has_the_stack_of_the_dump() {
        let mut join = Join::default();
        let mut waiting = event(10, 1);
        waiting.head.request = request::DEFERRED;
        join.add_event(waiting, ThreadIndex(0), [].into());
        join.settle_waiting(|event| (event.head.thread_id == THREAD).then_some(StackIndex(9)));
        assert_eq!(join.take_settled()[0].user_stack, Ok(StackIndex(9)));
    }

    #[test]
    fn what_is_settled_early_is_settled_once() {
        let mut join = Join::default();
        for round in 0..4 {
            join.add_event(event(u64::from(round) * 10, round), ThreadIndex(0), [].into());
            join.add_delivery(&delivery(u64::from(round) * 10 + 1, round));
            join.add_sample(THREAD, u64::from(round) * 10 + 2, StackIndex(round));
        }
        join.settle_until(15);
        assert_eq!(join.take_settled().len(), 2);
        assert_eq!(outcomes(join), [(20, Ok(2)), (30, Ok(3))]);
    }
}
