//! The median of a few values, and an interval that contains the true median with known probability.

use serde::Serialize;

/// An interval for the true median.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Interval {
    /// Lower end, one of the values.
    pub low: f64,
    /// Upper end, one of the values.
    pub high: f64,
    /// Probability that such an interval contains the true median, 0 to 1. If there are too few values, this
    /// probability is smaller than requested, and the interval contains all values.
    pub coverage_ratio: f64,
}

/// The middle value, or the mean of the two middle values. `None`: there are no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some((sorted[(sorted.len() - 1) / 2] + upper) / 2.0)
}

/// The narrowest interval that contains the true median with at least the wanted probability. Its ends are the k-th
/// smallest and the k-th largest value. `None`: there are no values.
///
/// For any distribution, each value is below the true median with probability ½. So the number of values below the
/// median has a binomial distribution. The k-th smallest value is above the true median exactly if fewer than k of n
/// values are below the median. An interval for 95 % needs at least 6 values.
///
/// ```text
/// values   interval for 95 %          contains the median with
///      3   lowest to highest          75.0 %
///      5   lowest to highest          93.8 %
///      6   lowest to highest          96.9 %
///      9   2nd to 2nd from above      96.1 %
///     12   3rd to 3rd from above      96.1 %
/// ```
pub fn median_interval(values: &[f64], wanted_ratio: f64) -> Option<Interval> {
    let sorted = sorted(values);
    let last = sorted.len().checked_sub(1)?;
    let coverages = (0..=last / 2).map(|left_out| (left_out, coverage_ratio(sorted.len(), left_out)));
    let (left_out, coverage_ratio) = coverages
        .take_while(|(left_out, coverage)| *left_out == 0 || *coverage >= wanted_ratio)
        .last()
        .expect("zero values left out always fits");
    Some(Interval { low: sorted[left_out], high: sorted[last - left_out], coverage_ratio })
}

/// The ratio of each value to its partner in the same round. Pairs without a positive, finite ratio are left out. For
/// example, a short run time can become negative if the program's start-up time is subtracted.
pub fn paired_ratios(values: &[f64], partners: &[f64]) -> Vec<f64> {
    let pairs = values.iter().zip(partners).filter(|(value, partner)| **value > 0.0 && **partner > 0.0);
    pairs.map(|(value, partner)| value / partner).filter(|ratio| ratio.is_finite()).collect()
}

/// `1 - 2 · P(at most left_out of n fair coins show heads)`.
fn coverage_ratio(count: usize, left_out: usize) -> f64 {
    let mut term = 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX));
    let mut tail = 0.0;
    for heads in 0..=left_out {
        tail += term;
        term *= (count - heads) as f64 / (heads + 1) as f64;
    }
    (1.0 - 2.0 * tail).max(0.0)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
    }

    fn one_to(count: usize) -> Vec<f64> {
        (1..=count).map(|value| value as f64).collect()
    }

    #[test]
    fn few_values_give_the_whole_range_and_say_how_little_that_is_worth() {
        assert_eq!(median_interval(&[], 0.95), None);
        assert_eq!(median_interval(&[7.0], 0.95), Some(Interval { low: 7.0, high: 7.0, coverage_ratio: 0.0 }));
        assert_eq!(median_interval(&one_to(3), 0.95), Some(Interval { low: 1.0, high: 3.0, coverage_ratio: 0.75 }));
        assert_eq!(median_interval(&one_to(5), 0.95), Some(Interval { low: 1.0, high: 5.0, coverage_ratio: 0.9375 }));
    }

    /// Compares with published tables of the sign test.
    #[test]
    fn more_values_leave_the_outer_ones_out() {
        for (count, left_out, coverage) in
            [(6, 0, 0.96875), (8, 0, 0.9921875), (9, 1, 0.9609375), (12, 2, 0.961426), (20, 5, 0.958611)]
        {
            let interval = median_interval(&one_to(count), 0.95).unwrap_or_else(|| panic!("{count}"));
            let expected = ((left_out + 1) as f64, (count - left_out) as f64);
            assert_eq!((interval.low, interval.high), expected, "{count} values");
            assert!((interval.coverage_ratio - coverage).abs() < 1e-6, "{count} values: {interval:?}");
        }
    }

    /// All 2^n ways in which n values can be below or above the true median.
    fn coverage_by_counting(count: u32, left_out: u32) -> f64 {
        let holds = |ways: u32| (left_out + 1..count - left_out).contains(&ways.count_ones());
        (0..1_u32 << count).filter(|ways| holds(*ways)).count() as f64 / f64::from(1_u32 << count)
    }

    #[test]
    fn the_coverage_is_what_counting_all_cases_gives() {
        for count in 1..=14 {
            for left_out in 0..=(count - 1) / 2 {
                let (found, counted) =
                    (coverage_ratio(count as usize, left_out as usize), coverage_by_counting(count, left_out));
                assert!((found - counted).abs() < 1e-9, "{count} {left_out}: {found} against {counted}");
            }
        }
    }

    #[test]
    fn ratios_are_of_partners_and_only_where_there_is_one() {
        assert_eq!(paired_ratios(&[4.0, 9.0], &[2.0, 3.0]), [2.0, 3.0]);
        assert_eq!(paired_ratios(&[4.0, -0.1, 5.0, f64::NAN], &[0.0, 3.0, 2.0, 1.0]), [2.5]);
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median_of_the_values(values in prop::collection::vec(-1e9..1e9_f64, 1..60)) {
            let (middle, interval) = (median(&values), median_interval(&values, 0.95));
            let (middle, interval) = (middle.expect("values"), interval.expect("values"));
            prop_assert!(interval.low <= middle && middle <= interval.high);
            prop_assert!(values.len() < 6 || interval.coverage_ratio >= 0.95);
        }
    }
}
