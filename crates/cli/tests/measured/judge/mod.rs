//! Judging findings: programs with a known fault, and the same programs fixed, are collected, and what whittle finds
//! is held against what is known. The judge knows programs; it knows nothing of how findings are made.

mod collected;
mod held_out;
mod ledger;
mod programs;
mod verdict;

pub(crate) use collected::{Bench, Cost, Version};
pub(crate) use ledger::{Reviewed, Summary, write_ledger, write_verdicts};
pub(crate) use programs::{Place, Program, Set, held_out, shared_cases};
pub(crate) use verdict::{Saving, Verdict};
