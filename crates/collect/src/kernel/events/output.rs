//! The output of this stage, which is the input of the next stage: events and their possible answers.

use super::threads::Identity;
use crate::kernel::layout::{Event, Head};
use whittle_model::{Metric, StackIndex, ThreadIndex, WakerKind};

/// An event, or something that can answer events.
#[derive(Debug)]
pub(crate) enum JoinInput {
    /// An event that needs a stack.
    Event(ThreadEvent),
    /// The profiler's handler begins to run. The handler's sample answers the events of the epoch.
    Delivery(Head),
    /// A stack that the kernel side copied. A copy of kind `SPARE_STACK` is used only if there is no other answer.
    Copy { head: Head, stack: StackIndex },
    /// A sample that the profiler took at a time of CLOCK_MONOTONIC.
    Sample { thread_id: u32, time_ns: u64, stack: StackIndex },
    /// The thread has ended. From now on, another thread can have its id.
    End(Identity),
}

/// The row that an event becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventRow {
    /// A sample of a metric.
    Sample(Metric),
    /// The end of a sampled wait. The stack is the waker's.
    Wake(EndedWait),
    /// The begin of a virtual thread's sampled wait, with the stack, and its end, with the weight. Both have the same number.
    Parked(u64),
    Resumed(u64),
    /// A virtual thread with this number returns to its carrier, after a wait without a stack.
    Returned(u64),
}

/// A sampled wait that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EndedWait {
    /// Row of the thread that waited.
    pub(crate) thread: ThreadIndex,
    pub(crate) waker: WakerKind,
    pub(crate) waited_ns: u64,
}

/// An event and its thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThreadEvent {
    pub(crate) event: Event,
    pub(crate) of: EventRow,
    /// Row of the threads table. The row was found when the event arrived, because another thread can have the id
    /// later.
    pub(crate) thread: ThreadIndex,
    /// Row of the carrier whose wait this is, if it is the wait of a virtual thread that keeps its carrier, or row of the carrier to
    /// which it returns. Then `thread` is the row of the virtual thread.
    pub(crate) carrier: Option<ThreadIndex>,
    /// The stack in the kernel, leaf first. Empty: the thread was in user mode, or the stack was not taken.
    pub(crate) kernel_frames: Box<[u64]>,
}
