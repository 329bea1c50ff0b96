//! The two sides of a comparison: the parts that samples, sums and metrics use.
//!
//! A comparison is a [`Profile`](crate::profile::Profile) over the merged runs of both sides. Its samples have a side,
//! and its sums are computed for each side.

mod better;
mod compared;
mod part;
mod per;
mod side;
mod time_unit;

pub use better::Better;
pub use compared::{Compared, ComparedRun};
pub use compared::{ComparedCounter, ComparedSide, Comparison, PerAnswer};
pub use part::Part;
pub use part::SummedMetrics;
pub use per::{Per, singular};
pub use side::Side;
pub use time_unit::TimeUnit;
