//! Tests of the real `whittle` with running programs. Machines are shared and JVMs can be slow, so `cargo xtask test`
//! runs a failed test a second time. To run these tests by hand, set RUST_TEST_THREADS=1.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "test code; prints its figures")]

mod agent;
mod agent_pods;
mod case1;
mod case2;
mod case4;
mod case5;
mod endings;
mod estimated_waits;
mod faults;
mod findings_cases;
mod goals;
mod hostile;
mod hypotheses;
mod instrument;
mod items;
mod jmh;
mod judge;
mod jvm_pauses;
mod kept;
mod kernel_closure;
mod kernel_faults;
mod kernel_follow;
mod kernel_join;
mod kernel_meanings;
mod kernel_native;
mod kernel_syscalls;
mod kernel_waits;
mod lab;
mod requests;
mod secrets;
mod source;
mod sql;
mod statements;
#[path = "../support/mod.rs"]
mod support;
mod tolerance;
mod trial;
mod trial_attached;
mod trial_wrong;
mod truth;
mod verify;
mod verify_refactored;
mod view;
mod virtual_waits;
mod wakers;
