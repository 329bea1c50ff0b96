//! Tests of the fleet with servers and agents of other projects. The tests start these programs on the same machine, so
//! `cargo xtask test` repeats a failed test.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "test code; prints its figures")]

mod push_agents;
#[path = "../support/mod.rs"]
mod support;
mod trino_server;
