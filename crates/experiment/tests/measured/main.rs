//! Tests of the store with a third-party server. The tests start this server. Timing can vary, so `cargo xtask test`
//! repeats a failed test once.

#![allow(clippy::unwrap_used, reason = "test code")]

mod store_in_s3;
