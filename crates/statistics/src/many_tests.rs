//! Several tests at once: Holm's correction for a few tests that were chosen in advance, and Benjamini and Hochberg's
//! correction for many tests.
//!
//! Both functions return corrected p-values. Compare them with the limit that is used for a single test. A p-value that
//! is not a number is treated as 1.

/// Holm's correction. The probability of any false alarm among all tests is below the limit.
///
/// Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
pub fn holm(ps: &[f64]) -> Vec<f64> {
    let count = ps.len();
    let mut adjusted = vec![1.0; count];
    let mut largest = 0.0_f64;
    for (rank, index) in ascending(ps).into_iter().enumerate() {
        largest = largest.max(((count - rank) as f64 * known(ps[index])).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

/// Benjamini and Hochberg's correction. On average, the share of false alarms among the reported changes is below the
/// limit.
///
/// Source: Y. Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995).
pub fn benjamini_hochberg(ps: &[f64]) -> Vec<f64> {
    let count = ps.len();
    let mut adjusted = vec![1.0; count];
    let mut smallest = 1.0_f64;
    for (rank, index) in ascending(ps).into_iter().enumerate().rev() {
        smallest = smallest.min(known(ps[index]) * count as f64 / (rank + 1) as f64);
        adjusted[index] = smallest;
    }
    adjusted
}

/// The confidence of intervals that are shown only for selected values. Of `tested` values, `selected` were selected, for
/// example by [`benjamini_hochberg`] with the limit `error_ratio`. On average, the share of the shown intervals that miss
/// their true value is at most `error_ratio`. With the usual confidence, this share can be much larger, because a value
/// that is large by chance is selected more easily.
///
/// Source: Y. Benjamini and D. Yekutieli, Journal of the American Statistical Association 100 (2005), 71-81.
pub fn selected_confidence_ratio(selected: usize, tested: usize, error_ratio: f64) -> f64 {
    if tested == 0 { 1.0 - error_ratio } else { 1.0 - error_ratio * selected.min(tested) as f64 / tested as f64 }
}

fn known(p: f64) -> f64 {
    if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
}

fn ascending(ps: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|a, b| known(ps[*a]).total_cmp(&known(ps[*b])));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_and_what_is_not_a_number() {
        assert!(holm(&[]).is_empty() && benjamini_hochberg(&[]).is_empty());
        assert_eq!(holm(&[f64::NAN, 0.01]), [1.0, 0.02]);
        assert_eq!(benjamini_hochberg(&[f64::NAN, 0.01]), [1.0, 0.02]);
    }

    #[test]
    fn fewer_selected_values_have_wider_intervals() {
        assert_eq!(
            [0, 1, 5, 10, 20].map(|selected| selected_confidence_ratio(selected, 10, 0.05)),
            [1.0, 0.995, 0.975, 0.95, 0.95]
        );
        assert_eq!(selected_confidence_ratio(0, 0, 0.05), 0.95);
    }

    proptest! {
        /// The authors' definition: find the largest rank k with p(k) ≤ k/m · q. Reject this rank and all ranks below
        /// it.
        #[test]
        fn benjamini_and_hochberg_reject_by_ranks(ps in prop::collection::vec(0.0..0.2_f64, 1..40)) {
            let mut sorted = ps.clone();
            sorted.sort_by(f64::total_cmp);
            let is_below = |rank: usize| sorted[rank] <= 0.05 * (rank + 1) as f64 / ps.len() as f64;
            let rejected = (0..ps.len()).rev().find(|rank| is_below(*rank)).map_or(0, |rank| rank + 1);
            let found = benjamini_hochberg(&ps).into_iter().filter(|p| *p <= 0.05 + 1e-15).count();
            prop_assert_eq!(found, rejected);
        }

        /// Compares p(k) with α / (m - k) step by step, until the first p above its limit.
        #[test]
        fn holm_rejects_step_by_step(ps in prop::collection::vec(0.0..0.2_f64, 1..20)) {
            let mut sorted = ps.clone();
            sorted.sort_by(f64::total_cmp);
            let rejected = (0..ps.len()).take_while(|rank| sorted[*rank] <= 0.05 / (ps.len() - rank) as f64).count();
            let found = holm(&ps).into_iter().filter(|p| *p <= 0.05 + 1e-15).count();
            prop_assert_eq!(found, rejected);
        }
    }
}
