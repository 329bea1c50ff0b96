//! The difference of two means and its certainty, by Student's, the paired and Welch's t test.
//!
//! To compare costs by their ratio, pass logarithms. The difference is then the logarithm of the ratio of geometric
//! means. If noise is proportional to the value, as in run times, logarithms have the same noise on both sides.

use crate::distributions::{student_t_below, student_t_quantile, student_t_two_sided};

/// An estimated difference, candidate minus baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The estimate.
    pub value: f64,
    /// Standard error of the estimate, never negative.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error, above 0.
    pub freedom: f64,
}

/// Mean and unbiased variance. `None`: fewer than two values, or a value that is not finite.
pub fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (values.len() >= 2 && variance.is_finite()).then_some((mean, variance))
}

impl Difference {
    /// For independent values. The sides can have different variances. Each side needs at least two values.
    ///
    /// Source: B. L. Welch, Biometrika 34 (1947); degrees of freedom by F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
    pub fn welch(baseline: &[f64], candidate: &[f64]) -> Option<Self> {
        let ((mean_a, variance_a), (mean_b, variance_b)) =
            (mean_and_variance(baseline)?, mean_and_variance(candidate)?);
        let (count_a, count_b) = (baseline.len() as f64, candidate.len() as f64);
        Self::of_variances((mean_a, variance_a / count_a, count_a), (mean_b, variance_b / count_b, count_b))
    }

    /// For independent values with the same variance on both sides. A side with very few values can be tested against a
    /// side with many values. Each side needs one value, and one side needs two values.
    ///
    /// Source: Student, Biometrika 6 (1908), for two samples as in R. A. Fisher, Metron 5 (1925).
    pub fn pooled(baseline: &[f64], candidate: &[f64]) -> Option<Self> {
        let (count_a, count_b) = (baseline.len() as f64, candidate.len() as f64);
        let freedom = count_a + count_b - 2.0;
        if baseline.is_empty() || candidate.is_empty() || freedom < 1.0 {
            return None;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let squares = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let (mean_a, mean_b) = (mean(baseline), mean(candidate));
        let variance = (squares(baseline, mean_a) + squares(candidate, mean_b)) / freedom;
        let standard_error = (variance * (1.0 / count_a + 1.0 / count_b)).sqrt();
        let value = mean_b - mean_a;
        (value.is_finite() && standard_error.is_finite()).then_some(Self { value, standard_error, freedom })
    }

    /// For values measured in pairs: `differences` contains candidate minus baseline for each pair. Two pairs are
    /// needed.
    ///
    /// Source: Student, Biometrika 6 (1908).
    pub fn paired(differences: &[f64]) -> Option<Self> {
        let (value, variance) = mean_and_variance(differences)?;
        let count = differences.len() as f64;
        Some(Self { value, standard_error: (variance / count).sqrt(), freedom: count - 1.0 })
    }

    /// Makes a difference from each side's mean, variance of the mean, and number of values.
    fn of_variances(a: (f64, f64, f64), b: (f64, f64, f64)) -> Option<Self> {
        let variance = a.1 + b.1;
        let satterthwaite = variance.powi(2) / (a.1.powi(2) / (a.2 - 1.0) + b.1.powi(2) / (b.2 - 1.0));
        // If all values are equal, their degrees of freedom are unknown.
        let freedom = if satterthwaite.is_finite() { satterthwaite } else { a.2 + b.2 - 2.0 };
        let value = b.0 - a.0;
        value.is_finite().then_some(Self { value, standard_error: variance.sqrt(), freedom })
    }

    /// The same difference, with a standard error of at least `standard_error`.
    #[must_use]
    pub fn with_least_error(self, standard_error: f64) -> Self {
        Self { standard_error: self.standard_error.max(standard_error), ..self }
    }

    /// The interval that contains the true difference with this probability.
    pub fn interval(&self, confidence_ratio: f64) -> (f64, f64) {
        let half = student_t_quantile(0.5 + confidence_ratio / 2.0, self.freedom) * self.standard_error;
        (self.value - half, self.value + half)
    }

    /// Probability of a difference at least as large as this difference, if the true difference is zero.
    pub fn p(&self) -> f64 {
        self.p_from(0.0)
    }

    fn p_from(&self, null: f64) -> f64 {
        let distance = self.value - null;
        if self.standard_error > 0.0 {
            student_t_two_sided(distance / self.standard_error, self.freedom)
        } else {
            f64::from(distance == 0.0)
        }
    }

    /// Probability of a difference this close to the middle of a range if the true difference is outside the range. A
    /// small value means that the true difference is inside the range. The result is the larger p of two one-sided
    /// tests. A p of 5 % means that the 90 % interval is within the range.
    ///
    /// Source: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
    pub fn equivalence_p(&self, low: f64, high: f64) -> f64 {
        let above_low = self.p_not_above(self.value - low);
        let below_high = self.p_not_above(high - self.value);
        above_low.max(below_high)
    }

    fn p_not_above(&self, distance: f64) -> f64 {
        if self.standard_error > 0.0 {
            student_t_below(-distance / self.standard_error, self.freedom)
        } else {
            f64::from(distance <= 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn too_few_values_have_no_difference() {
        assert_eq!(Difference::welch(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(Difference::paired(&[1.0]), None);
        assert_eq!(Difference::paired(&[1.0, f64::NAN]), None);
        assert_eq!(Difference::welch(&[1.0, f64::INFINITY], &[1.0, 2.0]), None);
    }

    #[test]
    fn with_one_variance_a_single_value_can_be_compared() {
        assert_eq!(Difference::pooled(&[1.0], &[2.0]), None);
        assert_eq!(Difference::pooled(&[], &[2.0, 3.0]), None);
        assert_eq!(Difference::pooled(&[f64::NAN, 1.0], &[2.0]), None);
        let found = Difference::pooled(&[1.0, 2.0, 3.0], &[5.0]).expect("values");
        assert_eq!((found.value, found.freedom), (3.0, 2.0));
        // The variance is 1, and is multiplied by 1/3 + 1.
        assert!((found.standard_error.powi(2) - 4.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn values_that_never_vary_are_certain() {
        let same = Difference::welch(&[2.0; 3], &[2.0; 3]).expect("values");
        assert_eq!((same.p(), same.interval(0.95), same.equivalence_p(-0.1, 0.1)), (1.0, (0.0, 0.0), 0.0));
        let other = Difference::welch(&[2.0; 3], &[3.0; 3]).expect("values");
        assert_eq!((other.p(), other.equivalence_p(-0.1, 0.1)), (0.0, 1.0));
    }

    proptest! {
        /// A test rejects exactly the values outside its interval, and equivalence means that the 90 % interval is
        /// within the range.
        #[test]
        fn tests_and_intervals_agree(a in prop::collection::vec(-1e3..1e3_f64, 2..12), b in prop::collection::vec(-1e3..1e3_f64, 2..12)) {
            let difference = Difference::welch(&a, &b).expect("values");
            let (low, high) = difference.interval(0.95);
            prop_assert_eq!(difference.p() < 0.05, low > 0.0 || high < 0.0);
            let (low, high) = difference.interval(0.90);
            let range = (-500.0, 500.0);
            prop_assert_eq!(difference.equivalence_p(range.0, range.1) < 0.05, low > range.0 && high < range.1);
        }

        #[test]
        fn sides_can_be_swapped(a in prop::collection::vec(-1e3..1e3_f64, 2..12), b in prop::collection::vec(-1e3..1e3_f64, 2..12)) {
            let (there, back) = (Difference::welch(&a, &b).expect("values"), Difference::welch(&b, &a).expect("values"));
            prop_assert!((there.value + back.value).abs() < 1e-9 && (there.p() - back.p()).abs() < 1e-9);
        }
    }
}
