//! Tests of the fleet with servers and agents of other projects, which the tests start. They run on the same machine as
//! the tests, so `cargo xtask test` repeats a failed test.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "test code; prints its figures")]

mod push_agents;
#[path = "../support/mod.rs"]
mod support;
mod trino_server;
