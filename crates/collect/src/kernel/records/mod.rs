//! Stage 1: the records of the programs in the kernel, in the order of their times.
//!
//! ```text
//! ring buffer ──> reader (a thread) ──> listener (of one process, or of all) ──> held until they are due ──> stage 2
//! ```

mod due;
mod inboxes;
mod listener;
mod lost;
mod reader;
mod record;
mod stage;

pub(crate) use listener::{Listener, SharedPrograms};
pub(crate) use reader::PAUSE;
pub(crate) use record::Record;
pub(crate) use stage::RecordStage;
