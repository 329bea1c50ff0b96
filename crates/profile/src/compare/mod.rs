//! Makes one profile of two versions of a program: runs of a baseline and of a candidate.
//!
//! ```text
//! runs of the baseline ──┐ alignment: equal code                 one tree of stacks; for each metric:
//!                        ├───────────────────────> merged tables ──────────────> baseline, candidate, delta, ratio
//! runs of the candidate ─┘ gets equal names                        per unit of work, or per second
//! ```

mod alignment;
mod compared;
mod counters;
mod per;
mod run;

pub use alignment::Rename;
pub use compared::compare;
pub use run::Run;
