//! Filters select the samples that count.
//!
//! ```text
//! thread ~ "worker-[0-9]+"      the thread's name matches a regular expression
//! thread = "main"               the thread has this name; also `thread is "main"` and `thread=main`
//! time in 10s..20s              from 10 s to before 20 s after the start; either end can be left out
//! thread = #12                  the thread with this number, for names that are not unique
//! pool is "pool-3-thread-#"     the thread is part of the pool with this name
//! pool is #12                   the pool of the thread with this number, for names that are not unique
//! stack has "Foo.bar"           a frame of the stack is this function, hidden frames included
//! stack has fragment "A.f > B.g"   in the stack that the view mode shows, A.f directly calls B.g
//! leaf is "Foo.bar"             the last frame that the view mode shows is this function
//! stack has package "java.util"    a frame is in the package or in one inside it; also with `leaf is`
//! stack has binary "libc.so.6"     a frame is in the file, by name or path; also with `leaf is`
//! mode is system                user or system
//! event is cpu                  cpu, off_cpu, alloc …
//! reason is futex               why a thread did not execute: futex, socket, run_queue …
//! wait is lock                  what a thread waited for: lock, queue, connection_pool, idle …
//! code is own                   whose code was executed: own, library, jdk, native, jvm, gc, jit, kernel, unknown
//! class is "byte[]"             allocated objects of this class; the package can be left out
//! file is "tcp 10.0.0.7:5432"   the file, or the peer of a socket, that a thread waited for; also for system calls
//! request is "GET /slow"       the thread answered a request with this name
//! request contains "/orders"    the thread answered a request with this text in its name
//! request_time > 500ms          the thread answered a request that took longer
//! side is baseline              in a comparison: baseline or candidate
//! not … · … and … · … or … · (…)
//! ```
//!
//! Filters test the stacks as they are before transforms.

mod parser;
mod predicate;

pub use parser::{Filter, FilterError};
pub use predicate::{FilterContext, Predicate};
