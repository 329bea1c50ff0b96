//! Checks the workloads and servers that other tests need, and starts them. `cargo xtask test` repeats failed tests.

#![allow(clippy::unwrap_used, reason = "test code")]

mod servers;
mod workloads;
