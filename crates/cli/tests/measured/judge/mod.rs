//! Judging findings: programs with a known fault, and the same programs fixed, are collected, and whittle's
//! findings are compared with the known faults. The judge does not depend on how findings are made.

mod collected;
mod held_out;
mod ledger;
mod programs;
mod verdict;

pub(crate) use collected::{Bench, Cost, Version};
pub(crate) use ledger::{Reviewed, Summary, write_ledger, write_verdicts};
pub(crate) use programs::{Place, Program, Set, held_out, shared_cases};
pub(crate) use verdict::{Saving, Verdict};
