//! Regressions over a fleet: which functions got dearer, when, and how sure that is.
//!
//! Sums by host and period in, words out; who reads the store is somebody else. Two questions:
//!
//! ```text
//! version_change   some hosts changed version, others did not
//!   cost by host, before and after ──> log(after / before) of each host ──> upgraded against others: Welch's t, of many
//!   functions the moderated t ──> Benjamini and Hochberg ──> gone again? moved within the package? ──> words
//!
//! unknown_date     nobody knows what happened, or all hosts changed at once
//!   cost by host and period ──> mean over hosts by period ──> E-divisive with a t test ──> the same filters ──> words
//! ```
//!
//! **Why differences in differences, host by host.** A function's share differs from host to host (other customers, other
//! hardware) by some 13 %, and on all hosts from day to day by some 2 %. Comparing upgraded hosts with others takes the first
//! for a change, comparing them with their own past the second, and adding up samples over hosts both, the more surely the more
//! samples there are. Each host's own change takes out the first, the others' mean change the second; what is left is noise
//! of one host in one period. So hosts are what is counted, not samples.
//!
//! The test of single runs is `verify`; a comparison of two profiles as they are is `compare`.

mod change_points;
mod costs;
mod discoveries;
mod error;
mod filters;
mod panel;
mod question;
mod saving;
mod series;
mod shift;
mod unknown_date;
mod version_change;
mod view;
mod words;

pub use costs::{FleetCosts, FunctionCosts, HostCosts, HostPeriod, Upgrade, Windows, domain_of};
pub use error::RegressionsError;
pub use question::{Measure, Question};
pub use saving::{FleetSaving, FleetUse, MachineUse, Saving, SavingKind, fleet_saving};
pub use unknown_date::unknown_date;
pub use version_change::version_change;
pub use view::{
    FunctionChange, HostCounts, LeftOut, LeftOutHost, Method, MovedWithin, NoPower, RegressionsView, StepView, Word,
};
