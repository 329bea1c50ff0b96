//! Tests of the real `whittle` with stored experiments and profiles. Its answers are exact, so failed tests are not
//! repeated.

#![allow(clippy::unwrap_used, reason = "test code")]

mod compare;
mod debug_info;
mod findings;
mod formats;
mod output;
mod report;
mod secrets;
mod sql_syscalls;
#[path = "../support/mod.rs"]
mod support;
