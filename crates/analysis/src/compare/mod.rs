//! Two versions of a program side by side: a baseline and a candidate, one run or several each.
//!
//! ```text
//! runs of the baseline ──┐ alignment: equal code                 one tree of stacks, and of each metric
//!                        ├───────────────────────> merged tables ──────────────> baseline, candidate, delta, ratio
//! runs of the candidate ─┘ gets equal names                        per unit of work, or per second
//! ```
//!
//! A comparison is a [`Profile`](crate::Profile) over the merged runs, so that every view works on it, filters and
//! transforms too. Its samples have a side, and its sums are made side by side.

mod alignment;
mod compared;
mod function_runs;
mod moved;
mod overview;
mod part;
mod per;
mod run;
mod syscalls;
mod time_unit;

pub use alignment::Rename;
pub(crate) use compared::Compared;
pub use compared::{ComparedSide, Comparison, PerAnswer};
pub use moved::MovedCost;
pub use overview::{ComparedCounter, ComparisonView};
pub use part::Part;
pub(crate) use part::SummedMetrics;
pub use per::{Per, singular};
pub use run::Run;
pub use syscalls::{BothSides, ComparedSyscallRow, ComparedSyscallsView};
pub(crate) use time_unit::TimeUnit;
