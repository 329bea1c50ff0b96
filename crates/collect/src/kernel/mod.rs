//! The kernel-driven engine. The kernel decides when to sample, and the profiler in the JVM answers with the stack.
//!
//! A sample goes through four stages. Each stage is a struct with a separate state, and passes its output to the next
//! stage:
//!
//! ```text
//!              stage 1            stage 2             stage 3             stage 4
//! ring buffer ─────────> records ─────────> events ─────────> joined ─────────> rows ──> samples, sampled_calls
//!                                              ^
//!           samples of the profiler ───────────┘
//!
//! records ──> requests ──> requests
//! maps ──> exact ──> syscalls, syscall_latencies, thread_states, calibration
//! ```
//!
//! `Pipeline` owns the stages and runs the loop through them. [`KernelSide`] is one collection's use of the engine. If
//! there is no profiler in the process (native programs, a JVM before its agent is ready), the kernel side copies the
//! stack itself.
//!
//! The stages use these modules: `layout` (the bytes that the kernel side writes), `pace` and `plan` (settings of the
//! kernel side), `perf_events` and `programs` (loading), `file_names` and `peers`.

// The kernel side: its bytes, its settings, its programs.
mod batch;
mod call_tracepoints;
mod layout;
#[cfg(test)]
mod layout_test;
mod pace;
mod peers;
mod perf_events;
mod plan;
mod programs;
mod unpreempted;
mod virtual_returns;
mod virtual_waits;

// The stages, and next to them the exact values.
mod records;

mod exact;
mod file_names;
mod requests;

mod events;

mod joined;

mod monitor_waits;

mod rows;

// For the fuzzer.
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;

// All parts together.
mod pipeline;

mod side;

pub(crate) use events::{Dumped, WaitingStacks};
pub(crate) use perf_events::try_perf_event;
pub(crate) use pipeline::RecordedPart;
pub(crate) use plan::KernelOptions;
pub(crate) use records::SharedPrograms;
pub(crate) use requests::MOST_PER_SECOND as MOST_PARTS_PER_SECOND;
pub(crate) use side::KernelSide;
