//! Computes, before the first run, the change that a given number of runs can detect.
//!
//! The result is the smallest change that a test with the given error finds with 80 % probability. Two points of
//! Student's t are added, one for the error and one for the power. The sum is multiplied by the standard error of the
//! difference of logarithms. Source: J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd edition,
//! 2.4, with t instead of z because there are few runs.

use crate::distributions::student_t_quantile;

/// Probability of detecting an existing change.
const POWER: f64 = 0.8;
/// Maximum number of runs per side. More runs are not practical.
const MOST_RUNS: usize = 1000;

/// The design of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Standard deviation of log(value) from run to run. It is about 0.03 if runs differ by 3 %.
    pub noise_ratio: f64,
    /// Number of samples of the function in a run. Fewer samples cause more noise. Infinite for values that are not
    /// sampled.
    pub samples: f64,
    /// Runs per side.
    pub runs: usize,
    /// True if runs are compared in pairs. Then there are half as many degrees of freedom.
    pub is_paired: bool,
    /// Probability of reporting a change if nothing changed.
    pub alpha_ratio: f64,
}

/// The smallest change that is detected with 80 % probability, from the standard error of a difference of logarithms.
/// `None`: the error is unknown.
pub fn detectable_ratio(standard_error: f64, freedom: f64, alpha_ratio: f64) -> Option<f64> {
    let points = student_t_quantile(1.0 - alpha_ratio / 2.0, freedom) + student_t_quantile(POWER, freedom);
    let ratio = 1.0 - (-points * standard_error).exp();
    ratio.is_finite().then_some(ratio)
}

impl Plan {
    /// Variance of one run's logarithm.
    fn variance(&self) -> f64 {
        self.noise_ratio.powi(2) + 1.0 / self.samples
    }

    /// Degrees of freedom. `None`: fewer than two runs per side.
    fn freedom(&self) -> Option<f64> {
        let runs = self.runs.checked_sub(1).filter(|runs| *runs > 0)? as f64;
        Some(if self.is_paired { runs } else { 2.0 * runs })
    }

    /// The smallest detectable decrease of the candidate, as a share of the baseline. `None`: fewer than two runs per
    /// side, or unknown noise.
    pub fn detectable_ratio(&self) -> Option<f64> {
        detectable_ratio((2.0 * self.variance() / self.runs as f64).sqrt(), self.freedom()?, self.alpha_ratio)
    }

    /// The number of runs per side, at least two, that detects a change of this size. `None`: more than a thousand.
    pub fn runs_for(&self, wanted_ratio: f64) -> Option<usize> {
        let sees = |runs: &usize| {
            let detectable = Self { runs: *runs, ..*self }.detectable_ratio();
            detectable.is_some_and(|ratio| ratio <= wanted_ratio)
        };
        (2..=MOST_RUNS).find(sees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(noise_ratio: f64, samples: f64, runs: usize) -> Plan {
        Plan { noise_ratio, samples, runs, is_paired: false, alpha_ratio: 0.05 }
    }

    /// Compares results with the table that was used to choose the project's statistics. The table contains percentages
    /// by noise, runs and samples.
    #[test]
    fn the_smallest_changes_are_those_of_the_table() {
        const SAMPLES: [f64; 3] = [100.0, 1e3, 1e4];
        let table = [
            (0.01, 3, [26.0, 9.6, 4.2]),
            (0.01, 5, [18.0, 6.5, 2.8]),
            (0.01, 10, [12.5, 4.3, 1.9]),
            (0.03, 3, [27.0, 12.4, 9.2]),
            (0.03, 5, [19.0, 8.4, 6.2]),
            (0.03, 10, [12.9, 5.6, 4.1]),
            (0.05, 3, [29.0, 16.4, 14.3]),
            (0.05, 5, [20.0, 11.3, 9.8]),
            (0.05, 10, [13.8, 7.5, 6.5]),
            (0.10, 3, [35.0, 27.0, 26.0]),
            (0.10, 5, [25.0, 19.0, 18.0]),
            (0.10, 10, [17.0, 13.0, 12.5]),
        ];
        for (noise, runs, percents) in table {
            for (samples, percent) in SAMPLES.into_iter().zip(percents) {
                let found = plan(noise, samples, runs).detectable_ratio().expect("runs") * 100.0;
                assert!((found - percent).abs() < 0.51, "{noise} {runs} {samples}: {found} against {percent}");
            }
        }
    }

    #[test]
    fn one_run_a_side_sees_nothing() {
        assert_eq!(plan(0.03, 1e3, 1).detectable_ratio(), None);
        assert_eq!(plan(0.03, 1e3, 0).detectable_ratio(), None);
        assert_eq!(plan(f64::NAN, 1e3, 5).detectable_ratio(), None);
    }

    #[test]
    fn runs_are_as_many_as_the_change_needs() {
        let unsampled = plan(0.03, f64::INFINITY, 2);
        let runs = unsampled.runs_for(0.05).expect("few enough");
        assert!(Plan { runs, ..unsampled }.detectable_ratio() <= Some(0.05));
        assert!(Plan { runs: runs - 1, ..unsampled }.detectable_ratio() > Some(0.05));
        assert!(Plan { is_paired: true, ..unsampled }.runs_for(0.05) >= Some(runs));
        assert_eq!(plan(0.5, 1.0, 2).runs_for(0.001), None);
    }
}
