//! Wakes: who ended the sampled waits, or could end them.

use crate::{StackIndex, ThreadIndex, WaitReason};

codes! {
    /// Who ended a wait.
    pub enum WakerKind {
        /// An observed thread, in a system call that ends such waits: it gave a lock back, wrote to a pipe, and so on.
        Thread = 0 "thread",
        /// A timer: the time of a sleep or a timeout is over.
        Timer = 1 "timer",
        /// Probably data, or another message, from the network: the thread waited for a socket or for events, and neither a timer nor
        /// a thread's system call ended the wait.
        Network = 2 "network",
        /// None of the others: an interrupt, such as the end of an access to a disk, or a thread of the kernel.
        Device = 3 "device",
        /// A thread of a process that is not observed.
        OtherProcess = 4 "other_process",
        /// The wait for a monitor had not ended when the collection ended. A thread dump of the JVM, just before the end, shows that this
        /// thread holds the monitor.
        Holder = 5 "holder",
    }
}

impl WakerKind {
    /// Whether it is an observed thread, so that a row has the thread and its stack.
    pub fn is_thread(self) -> bool {
        matches!(self, Self::Thread | Self::Holder)
    }
}

table! {
    /// One row per sampled wait whose end the kernel reported, in any order. Waits for a page of memory, stops by a signal, and waits
    /// that had not ended when the collection ended have no row, except those with the kind `holder`. Only these rows are in the table if
    /// the kernel has not all tracepoints for the others.
    ///
    /// A row belongs to the first sample with the event `off_cpu` of the same thread at `time_ns` or later. The sample has the
    /// stack that waited. It is missing if its record was lost, or if the kernel did not show the switch to the thread. Some samples
    /// have no row, because the wait ended before the kernel had stopped the thread.
    pub table WakeTable of Wake named "wakes" {
        /// When the wait ended, in nanoseconds since the experiment's start. The thread may have waited for a CPU after that. Of the kind
        /// `holder`: the end of the collection.
        time_ns: u64,
        /// Row of threads: the thread that waited.
        thread: ThreadIndex,
        /// Why the thread waited; never `none`.
        reason: WaitReason,
        /// Who ended the wait.
        kind: WakerKind,
        /// Row of threads: the thread that ended the wait, or holds the monitor. Missing: the kind is neither `thread` nor `holder`.
        waker: Option<ThreadIndex>,
        /// Row of stacks: the waker's stack, without frames of the kernel. Row 0, the empty stack: the kind is neither `thread` nor
        /// `holder`. Of the kind `holder`, the innermost frame is that of the method that took the monitor. A stack that could not be walked contains a frame of kind `truncated` with the reason.
        stack: StackIndex,
        /// Length of this single wait, in nanoseconds. Of the kind `holder`: until the end of the collection.
        duration_ns: u64,
        /// Waiting time that this row represents, in nanoseconds: the same as `duration_ns` of the sample.
        weight_ns: u64,
    }
}
