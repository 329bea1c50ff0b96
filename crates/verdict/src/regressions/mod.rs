//! Regressions in a fleet: which functions cost more, since when, and with which certainty.
//!
//! Input: sums by host and period, which the caller reads from the store. Output: words. This module answers two
//! questions:
//!
//! ```text
//! version_change   some hosts changed version, others did not
//!   cost by host, before and after ──> log(after / before) of each host ──> upgraded against others: Welch's t (many
//!   functions: moderated t) ──> Benjamini and Hochberg ──> gone again? moved within the package? ──> words
//!
//! unknown_date     the cause is unknown, or all hosts changed at once
//!   cost by host and period ──> mean over hosts by period ──> E-divisive with a t test ──> the same filters ──> words
//! ```
//!
//! **Why differences of differences, host by host.** A function's share differs by about 13 % between hosts (other
//! customers, other hardware), and by about 2 % between days on all hosts. A comparison of upgraded hosts with other
//! hosts mistakes the first difference for a change. A comparison of hosts with their own past mistakes the second
//! difference for a change. If samples are added up over hosts, both mistakes happen, and more samples make the wrong
//! answer look more certain. Computing a change for each host removes the first difference. Subtracting the other
//! hosts' mean change removes the second difference. The noise of one host in one period remains. So the unit of the
//! test is the host, not the sample.
//!
//! The test of single runs is `verify`. A comparison of two profiles without a test is `compare`.

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
