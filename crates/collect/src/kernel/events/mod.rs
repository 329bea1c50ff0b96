//! Stage 2: events. A record contains a thread id. This stage finds the thread that had the id at that time, and walks
//! the stacks that the kernel side copied.
//!
//! ```text
//! record ─────────────────> stage ────┬──> output ──> stage 3
//! sample of the profiler ─> answers ──┘
//!                             │
//!                           lives       threads, from their beginnings to their ends
//!                           threads     which thread has which id
//!                           thread_rows its row of the threads table
//! ```

mod answers;
mod followed;
mod lives;
mod open_waits;
mod output;
mod stage;
mod thread_rows;
mod threads;
mod threads_of_before;
mod virtual_threads;

pub(crate) use answers::RecordedThreads;
pub(crate) use lives::Lives;
pub(crate) use open_waits::{Dumped, WaitingStacks};
pub(crate) use output::{EndedWait, EventRow, JoinInput, ThreadEvent};
pub(crate) use stage::EventStage;
pub(crate) use threads::Identity;
pub(crate) use threads_of_before::threads_of_before;
