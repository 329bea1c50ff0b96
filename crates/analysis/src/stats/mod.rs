//! Statistics: medians and paired ratios of few runs, lines through points, and how far each can be believed.
//!
//! Numbers in, numbers out. Run times are not normally distributed (a disturbed run is slower, never faster), and there are
//! few of them, so what is said of runs assumes no distribution.

mod line_fit;
mod median;

pub use line_fit::{LineFit, student_t_975};
pub use median::{Interval, median, median_interval, paired_ratios};
