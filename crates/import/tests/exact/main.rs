//! Tests with real and handwritten files of other tools. Results are exact, so no test is repeated.

#![allow(clippy::unwrap_used, reason = "test code")]

mod bombs;
mod damage;
mod foreign;
mod hand_made;
mod otlp;
mod perf_records;
mod pprof_messages;
mod recordings;
