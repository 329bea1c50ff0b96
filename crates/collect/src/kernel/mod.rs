//! The kernel-driven engine: the kernel decides when, the profiler in the JVM answers with the stack.
//!
//! ```text
//! BPF programs ──records──> reader (a thread) ──> join <── samples of the profiler in the JVM
//!   │ maps                                         │ events with stacks
//!   ├── accounts ──> call_accounts ──> syscalls    └──> rows ──> samples, sampled_calls
//!   └── threads  ──> states ─────────> thread_states
//! ```
//!
//! [`KernelSide`] is one collection's use of it. Without a profiler in the process (native programs,
//! a JVM before its agent is ready) the kernel side copies the stack itself.

mod calibration;
mod call_accounts;
mod due;
mod file_names;
mod join;
mod listener;
mod open_waits;
mod pace;
mod perf_events;
mod plan;
mod programs;
mod reader;
mod records;
mod rows;
mod side;
mod states;
mod thread_rows;
mod threads;
mod threads_of_before;

pub(crate) use listener::SharedPrograms;
pub(crate) use programs::KernelError;
pub(crate) use side::{EndedThread, KernelOptions, KernelSide, LiveThread};
pub(crate) use thread_rows::{CpuFigures, Life};
