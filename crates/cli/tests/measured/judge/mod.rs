//! The judge of findings. It collects programs with a known fault and their fixed versions, and compares whittle's
//! findings with the known faults. The judge does not depend on how whittle computes findings.

mod collected;
mod languages;
mod ledger;
mod marked;
mod programs;
mod verdict;

pub(crate) use collected::{Bench, Cost, Version};
pub(crate) use ledger::{Reviewed, Summary, write_ledger, write_verdicts};
pub(crate) use programs::{Place, Program, Saved, Set, marked_programs, shared_cases, write_savings};
pub(crate) use verdict::{Saving, Verdict};
