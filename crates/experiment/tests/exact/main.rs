//! Tests with experiments on disk. Reading returns exactly what was written, so no test is repeated.

#![allow(clippy::unwrap_used, reason = "test code")]

mod bombs;
mod private_files;
mod round_trip;
mod segments;
