//! Statistics of few runs: medians, paired ratios, and how far a median can be believed.
//!
//! Numbers in, numbers out. Run times are not normally distributed (a disturbed run is slower, never faster), and there are
//! few of them, so nothing here assumes a distribution.

mod median;

pub use median::{Interval, median, median_interval, paired_ratios};
