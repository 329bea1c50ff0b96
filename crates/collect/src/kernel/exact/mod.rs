//! Exact values, without samples. The programs in the kernel count these values and keep them in maps.
//!
//! ```text
//! map `accounts` ──> call_accounts ──> syscalls, syscall_latencies ─┐
//! map `threads` ───> states ─────────> thread_states ───────────────┼──> calibration
//! ```

mod calibration;
mod call_accounts;
mod states;

pub(crate) use calibration::{ExactValues, calibration};
pub(crate) use call_accounts::CallAccounts;
pub(crate) use states::{ThreadStates, wait_reason};
