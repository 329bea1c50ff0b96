//! The dates at which a series changed: E-divisive proposes dates, a t test decides.
//!
//! 1. Find the split with the most different pieces, and test these pieces. If the test finds a difference, split the
//!    series there and search each piece in the same way. This step allows ten times the error, and treats days as
//!    independent. With two changes, each change looks smaller than it is, and the rest of the series looks like a
//!    drift.
//! 2. Test every date again, with the pieces between its two neighbouring dates. Drop the weakest date. Repeat this
//!    until all dates pass at the real limit.
//!
//! Hunter (M. Fleming et al., ICPE 2023), now Apache Otava, works in the same way. Hunter uses a t test instead of
//! permutations, so the same series always gives the same answer. A series with fewer than a thousand periods is
//! searched without a window. Two steps are stricter here:
//!
//! - **The date was searched for.** Hunter tests the best of 55 dates as if it were the only date. With a limit of 1 %,
//!   this finds a change in a tenth of the series without a change. So p is multiplied by the number of possible dates
//!   (Bonferroni). This p is never too small.
//! - **Days resemble their neighbours.** If neighbouring residuals have the correlation r, n days have the information
//!   of n·(1 - r)/(1 + r) independent days. Error and degrees of freedom use this number (G. V. Bayley and J. M.
//!   Hammersley, 1946).

use whittle_statistics::{Difference, median, most_different_split};

/// Fewest periods on each side of a change. With fewer periods, a single outlier can decide the median.
pub(super) const FEWEST_PERIODS: usize = 3;
/// An outlier moves the mean but not the median, so the difference of the medians must be at least this share of the
/// difference of the means.
const LEAST_OF_MEDIANS: f64 = 0.5;
/// The search allows an error that is larger by this factor.
const WEAK: f64 = 10.0;
/// A higher correlation cannot be distinguished from a drift.
const LARGEST_CORRELATION: f64 = 0.9;

/// A change at a date.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChangePoint {
    /// Position of the first value after the change.
    pub(super) position: usize,
    /// Start of the piece before the change, and end of the piece after it.
    pub(super) around: (usize, usize),
    /// The value after the change minus the value before it.
    pub(super) difference: Difference,
    /// Probability of such a change at any possible date if nothing changed.
    pub(super) p: f64,
}

/// The changes of a series.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Changes {
    /// The changes, sorted by position.
    pub(super) points: Vec<ChangePoint>,
    /// p of the most likely change: the smallest p in `points`. If `points` is empty, p of the most different split.
    pub(super) p: f64,
}

/// Number of dates at which a series of this length can change. 0: the series is too short.
pub(super) fn date_count(length: usize) -> usize {
    (length + 1).saturating_sub(2 * FEWEST_PERIODS)
}

/// All changes of a series. `None`: the series is too short, or contains values that are not numbers.
pub(super) fn changes(values: &[f64], least_variance: f64, alpha_ratio: f64) -> Option<Changes> {
    let series = Tested { values, least_variance };
    let whole = series.proposed(0, values.len())?;
    let whole = series.tested(0, whole.position, values.len())?;
    let mut points = series.split((WEAK * alpha_ratio).min(0.5));
    series.merge(&mut points, alpha_ratio);
    // No change at this limit means no change at a smaller limit.
    let none = whole.p.max(alpha_ratio);
    let p = if points.is_empty() { none } else { points.iter().map(|point| point.p).fold(1.0, f64::min) };
    Some(Changes { points, p })
}

/// The difference between two consecutive pieces of a series, by a pooled t test. The test takes into account that
/// neighbouring values are correlated.
pub(super) fn difference(
    values: &[f64],
    (begin, position, end): (usize, usize, usize),
    least_variance: f64,
) -> Option<Difference> {
    let (before, after) = (values.get(begin..position)?, values.get(position..end)?);
    let plain = Difference::pooled(before, after)?;
    let correlation = correlation(before, after);
    let worth = (1.0 - correlation) / (1.0 + correlation);
    let freedom = ((plain.freedom + 2.0) * worth - 2.0).max(1.0);
    let sampling = least_variance * (1.0 / before.len() as f64 + 1.0 / after.len() as f64);
    let inflated = Difference { standard_error: plain.standard_error / worth.sqrt(), freedom, ..plain };
    Some(inflated.with_least_error(sampling.sqrt()))
}

/// Correlation of neighbouring residuals, never negative. A residual is a value minus its piece's mean.
fn correlation(before: &[f64], after: &[f64]) -> f64 {
    let residuals = |piece: &[f64]| -> Vec<f64> {
        let mean = piece.iter().sum::<f64>() / piece.len() as f64;
        piece.iter().map(|value| value - mean).collect()
    };
    let (before, after) = (residuals(before), residuals(after));
    let neighbours: f64 =
        [&before, &after].into_iter().flat_map(|piece| piece.windows(2)).map(|pair| pair[0] * pair[1]).sum();
    let squares: f64 = before.iter().chain(&after).map(|residual| residual * residual).sum();
    let count = (before.len() + after.len()) as f64;
    let correlation = neighbours / squares;
    // Subtracting a mean makes neighbours look less similar by (1 + 4r) / n. Here two means are subtracted (F. H. C.
    // Marriott and J. A. Pope, Biometrika 41, 1954).
    let correlation = correlation + 2.0 * (1.0 + 4.0 * correlation.max(0.0)) / count;
    if correlation.is_finite() { correlation.clamp(0.0, LARGEST_CORRELATION) } else { 0.0 }
}

struct Tested<'a> {
    values: &'a [f64],
    /// The variance of a value if sampling were the only noise.
    least_variance: f64,
}

impl Tested<'_> {
    /// Possible dates of changes, sorted. Each found date splits its piece of the series into two pieces, which are
    /// searched again.
    fn split(&self, limit: f64) -> Vec<ChangePoint> {
        let (mut found, mut open) = (Vec::new(), vec![(0, self.values.len())]);
        while let Some((begin, end)) = open.pop() {
            if let Some(point) = self.proposed(begin, end).filter(|point| point.p <= limit) {
                found.push(point);
                open.extend([(begin, point.position), (point.position, end)]);
            }
        }
        found.sort_by_key(|point| point.position);
        found
    }

    /// Tests each date with the pieces between its neighbouring dates. Drops the weakest date and repeats the tests,
    /// until all dates pass.
    fn merge(&self, points: &mut Vec<ChangePoint>, limit: f64) {
        let mut is_tested = false;
        loop {
            let positions: Vec<usize> = points.iter().map(|point| point.position).collect();
            for (index, point) in points.iter_mut().enumerate() {
                let begin = index.checked_sub(1).map_or(0, |before| positions[before]);
                let end = positions.get(index + 1).copied().unwrap_or(self.values.len());
                if !is_tested || point.around != (begin, end) {
                    *point = self.tested(begin, point.position, end).unwrap_or(ChangePoint { p: 1.0, ..*point });
                }
            }
            is_tested = true;
            let weakest = (0..points.len()).max_by(|a, b| points[*a].p.total_cmp(&points[*b].p));
            match weakest.filter(|weakest| points[*weakest].p > limit) {
                Some(weakest) => drop(points.remove(weakest)),
                None => return,
            }
        }
    }

    /// The split with the most different pieces. Only these two pieces are tested, as if their values were independent.
    fn proposed(&self, begin: usize, end: usize) -> Option<ChangePoint> {
        let split = most_different_split(self.values.get(begin..end)?, FEWEST_PERIODS)?;
        let (position, piece_end) = (begin + split.position, begin + split.end);
        let difference = Difference::pooled(&self.values[begin..position], &self.values[position..piece_end])?;
        Some(self.point((begin, position, piece_end), difference))
    }

    fn tested(&self, begin: usize, position: usize, end: usize) -> Option<ChangePoint> {
        let difference = difference(self.values, (begin, position, end), self.least_variance)?;
        let point = self.point((begin, position, end), difference);
        let medians = median(&self.values[position..end])? - median(&self.values[begin..position])?;
        let is_step = medians * difference.value >= LEAST_OF_MEDIANS * difference.value.powi(2);
        Some(if is_step { point } else { ChangePoint { p: 1.0, ..point } })
    }

    fn point(&self, (begin, position, end): (usize, usize, usize), difference: Difference) -> ChangePoint {
        let p = (difference.p() * date_count(self.values.len()) as f64).min(1.0);
        ChangePoint { position, around: (begin, end), difference, p }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small random numbers around zero.
    fn noise(count: usize) -> Vec<f64> {
        let mut numbers = whittle_testkit::Seeded::new(3);
        (0..count).map(|_| 0.02 * numbers.normal()).collect()
    }

    fn with_steps(count: usize, steps: &[(usize, f64)]) -> Vec<f64> {
        let level = |position: usize| steps.iter().filter(|step| step.0 <= position).map(|step| step.1).sum::<f64>();
        noise(count).into_iter().enumerate().map(|(position, noise)| noise + level(position)).collect()
    }

    fn positions(values: &[f64]) -> Vec<usize> {
        changes(values, 0.0, 0.01).expect("values").points.iter().map(|point| point.position).collect()
    }

    #[test]
    fn steps_are_found_and_nothing_else() {
        assert!(positions(&with_steps(60, &[])).is_empty());
        assert_eq!(positions(&with_steps(60, &[(40, 0.1)])), [40]);
        assert_eq!(positions(&with_steps(60, &[(20, 0.1), (40, -0.1)])), [20, 40]);
        assert_eq!(positions(&with_steps(60, &[(15, 0.2), (30, 0.2), (45, -0.2)])), [15, 30, 45]);
    }

    #[test]
    fn an_outlier_is_no_change_wherever_it_is() {
        for position in [0, 2, 30, 57, 59] {
            let mut values = with_steps(60, &[]);
            values[position] = 0.5;
            assert!(positions(&values).is_empty(), "{position}");
        }
    }

    #[test]
    fn a_short_or_constant_series_says_nothing() {
        assert_eq!(changes(&[1.0; 5], 0.0, 0.01), None);
        assert_eq!(changes(&[f64::NAN; 9], 0.0, 0.01), None);
        assert!(changes(&[1.0; 9], 0.0, 0.01).expect("values").points.is_empty());
        assert_eq!((date_count(5), date_count(6), date_count(60)), (0, 1, 55));
    }
}
