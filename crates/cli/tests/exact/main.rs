//! The real `whittle` on stored experiments and profiles: its answers are exact, so no test is repeated.

#![allow(clippy::unwrap_used, reason = "test code")]

mod compare;
mod findings;
mod formats;
mod output;
mod report;
mod sql_syscalls;
#[path = "../support/mod.rs"]
mod support;
