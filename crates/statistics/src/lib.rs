#![doc = include_str!("../README.md")]

mod detectable_effect;
mod difference;
mod distributions;
mod e_divisive;
mod exact_test;
mod line_fit;
mod many_tests;
mod median;
mod moderated_t;
mod shrunken_effects;
mod trigamma;
mod weighted_share;
mod wilson;

pub use detectable_effect::{Plan, detectable_ratio};
pub use difference::{Difference, mean_and_variance};
pub use distributions::{
    median_of_variances, normal_below, student_t_975, student_t_below, student_t_quantile, student_t_two_sided,
};
pub use e_divisive::{Split, most_different_split};
pub use exact_test::{permutation_p, sign_flip_p, smallest_permutation_p, smallest_sign_flip_p};
pub use line_fit::LineFit;
pub use many_tests::{benjamini_hochberg, holm, selected_confidence_ratio};
pub use median::{Interval, median, median_interval, paired_ratios};
pub use moderated_t::{LoggedRuns, ModeratedT};
pub use shrunken_effects::{Observed, ShrunkenEffects, Spread};
pub use trigamma::{trigamma, trigamma_inverse};
pub use weighted_share::{WeightedBlock, weighted_share};
pub use wilson::{dispersion, wilson};
