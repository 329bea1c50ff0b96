//! Tests with a running server and its clients in one process. The answers are exact, so no test is repeated.

#![allow(clippy::unwrap_used, reason = "test code")]

mod answers;
mod security;
mod support;
