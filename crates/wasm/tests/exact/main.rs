//! The engine as WebAssembly: its answers are exact, so no test is repeated.

#![allow(clippy::unwrap_used, reason = "test code")]

mod node;
