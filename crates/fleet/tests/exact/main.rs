//! Tests with known segments and known answers. The answers are exact, so no test is repeated.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "test code; prints its figures")]

mod demo;
mod private_files;
mod push;
mod push_connections;
mod push_services;
mod queries;
mod regressions;
mod serve;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod trino_client;
