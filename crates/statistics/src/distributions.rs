//! Student's t and the normal distribution: points and probabilities for tests and intervals.
//!
//! Every function accepts any number, including infinite numbers. If there is no answer, the result is NaN.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};

/// The point of Student's t, from -∞ to ∞. A value is below this point with the given `probability`.
pub fn student_t_quantile(probability: f64, freedom: f64) -> f64 {
    let is_asked = probability > 0.0 && probability < 1.0;
    match student_t(freedom) {
        // The upper half is computed from the lower half, which avoids the rounding error of 1 - p.
        Some(t) if is_asked && probability > 0.5 => -t.inverse_cdf(1.0 - probability),
        Some(t) if is_asked => t.inverse_cdf(probability),
        _ => f64::NAN,
    }
}

/// The 97.5 % point of Student's t. This is half the width of a 95 % interval, in standard errors.
pub fn student_t_975(freedom: f64) -> f64 {
    student_t_quantile(0.975, freedom)
}

/// The probability that Student's t is below a point.
pub fn student_t_below(point: f64, freedom: f64) -> f64 {
    match student_t(freedom) {
        Some(t) if !point.is_nan() => t.cdf(point),
        _ => f64::NAN,
    }
}

/// Probability that Student's t is at least this far from 0 on either side.
pub fn student_t_two_sided(point: f64, freedom: f64) -> f64 {
    // `min` is not used, because it returns the other number if one is NaN.
    let both = 2.0 * student_t_below(-point.abs(), freedom);
    if both > 1.0 { 1.0 } else { both }
}

/// The probability that a normally distributed value is below a point. The point is in standard deviations.
pub fn normal_below(point: f64) -> f64 {
    if point.is_nan() { f64::NAN } else { Normal::standard().cdf(point) }
}

/// The median of variances divided by their mean. This ratio is the median of chi-squared divided by the degrees of
/// freedom: 0.84 for 4 degrees of freedom, and 0.92 for 8.
pub fn median_of_variances(freedom: f64) -> f64 {
    let is_asked = freedom > 0.0 && freedom.is_finite();
    let chi_squared = is_asked.then(|| ChiSquared::new(freedom).ok()).flatten();
    chi_squared.map_or(f64::NAN, |it| it.inverse_cdf(0.5) / freedom)
}

fn student_t(freedom: f64) -> Option<StudentsT> {
    (freedom > 0.0 && freedom.is_finite()).then(|| StudentsT::new(0.0, 1.0, freedom).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t_is_that_of_the_tables() {
        for (freedom, t) in
            [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (8.0, 2.306), (18.0, 2.101), (120.0, 1.980), (1e6, 1.960)]
        {
            assert!((student_t_975(freedom) - t).abs() < 5e-4, "{freedom}: {}", student_t_975(freedom));
        }
    }

    #[test]
    fn variances_lie_below_their_mean_more_often_than_above() {
        // Medians of chi-squared in the tables: 1.386, 3.357, 7.344.
        for (freedom, median) in [(2.0, 1.386), (4.0, 3.357), (8.0, 7.344)] {
            assert!((median_of_variances(freedom) * freedom - median).abs() < 1e-3, "{freedom}");
        }
        assert!(median_of_variances(0.0).is_nan());
    }

    #[test]
    fn what_has_no_answer_is_not_a_number() {
        for (probability, freedom) in
            [(0.0, 3.0), (1.0, 3.0), (f64::NAN, 3.0), (0.5, 0.0), (0.5, -1.0), (0.5, f64::NAN)]
        {
            assert!(student_t_quantile(probability, freedom).is_nan(), "{probability} {freedom}");
        }
        assert!(student_t_two_sided(f64::NAN, 3.0).is_nan() && normal_below(f64::NAN).is_nan());
        assert_eq!(student_t_two_sided(f64::INFINITY, 3.0), 0.0);
        assert_eq!(student_t_two_sided(0.0, 3.0), 1.0);
    }
}
