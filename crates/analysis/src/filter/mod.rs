//! The filter language: which samples count.
//!
//! ```text
//! thread ~ "worker-[0-9]+"      the thread's name matches a regular expression
//! thread = "main"               the thread is called this
//! time in 10s..20s              from 10 s to before 20 s after the start; either end can be left out
//! stack has "Foo.bar"           a frame of the stack is this function, hidden frames included
//! leaf is "Foo.bar"             the last frame that the view mode shows is this function
//! mode is system                user or system
//! event is cpu                  cpu, off_cpu, alloc …
//! reason is futex               why a thread did not execute: futex, socket, run_queue …
//! not … · … and … · … or … · (…)
//! ```

mod parser;
mod predicate;

pub use parser::{Filter, FilterError};
pub(crate) use predicate::{FilterContext, Predicate};
