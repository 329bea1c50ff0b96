//! The end of a collection: open events get their last answer, or no answer.

use super::KernelSide;
use crate::gathered::Gathered;
use crate::kernel::events::{JoinInput, WaitingStacks};
use crate::kernel::layout::kind;
use crate::kernel::pipeline::Pipeline;
use whittle_model::TableBuilder;

impl KernelSide {
    /// True if threads wait inside a system call now.
    pub(crate) fn has_waiting_threads(&self) -> bool {
        self.listener.threads().iter().any(|(_, value)| value.is_in_call != 0)
    }

    /// Reads the kernel side's data for the last time. Open waits become events that end at `end_ns`, with the stacks of
    /// `waiting`.
    pub(crate) fn finish_events(&mut self, (waiting, end_ns): (&WaitingStacks, u64), gathered: &mut Gathered) {
        self.pipeline.events.lives.expect_last_reading(end_ns);
        self.read_states(gathered);
        self.listener.finish();
        self.poll(gathered);
        self.pipeline.records.count_lost();
        let builder = &mut gathered.builder;
        self.add_open_waits(waiting, builder);
        self.add_open_virtual_waits(end_ns, builder);
        self.add_last_requests(builder);
        self.read_accounts(builder);
        let Pipeline { events, joined, .. } = &mut self.pipeline;
        joined.settle_waiting(|event| events.waiting_stack(event, waiting, builder));
        self.pipeline.write_joined(builder);
    }

    /// Call this after the last samples of the profiler were added. Events that have no answer by then get no stack.
    pub(crate) fn finish_join(&mut self, builder: &mut TableBuilder) {
        self.pipeline.joined.finish();
        self.pipeline.write_joined(builder);
        self.pipeline.rows.settle_monitor_waits(None, builder);
    }

    /// The kernel side reports a request at the next request of its connection. These are the last ones.
    fn add_last_requests(&mut self, builder: &mut TableBuilder) {
        for request in self.listener.last_requests() {
            self.pipeline.events.add_request(&request, builder);
        }
        self.write_requests(builder);
    }

    fn add_open_virtual_waits(&mut self, end_ns: u64, builder: &mut TableBuilder) {
        for wait in self.listener.last_virtual_waits(end_ns) {
            let event = self.pipeline.events.virtual_wait(&wait, builder);
            self.pipeline.joined.add(JoinInput::Event(event));
        }
    }

    fn add_open_waits(&mut self, waiting: &WaitingStacks, builder: &mut TableBuilder) {
        if self.listener.interval(kind::BLOCKED) == 0 {
            return;
        }
        let Pipeline { events, joined, .. } = &mut self.pipeline;
        let values = self.listener.threads();
        let waits = events.open_waits(&values, builder);
        let holders = events.holders(&values, waiting, builder);
        waits.into_iter().for_each(|event| joined.add(event));
        holders.into_iter().for_each(|(event, stack)| joined.add_settled(event, stack));
    }
}
