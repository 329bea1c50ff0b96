//! Decides whether a program became better or worse, and with which certainty. Input: runs. Output: a verdict. This
//! crate does no I/O.
//!
//! [`verify`] compares runs of two versions. [`regressions`] compares a fleet's hosts before and after a change.
//! Formulas are in `whittle-statistics`.

pub mod regressions;
pub mod verify;
