//! The largest change in a series of values: the first split of E-divisive.
//!
//! Q measures how different two neighbouring pieces are. It compares the distances between values of different pieces
//! with the distances between values of the same piece:
//!
//! ```text
//! position      0 1 2 3 4 5 6 7
//! value         5 5 6 5 9 9 8 9
//!               ├ left ┤├right ┤   n = 4, m = 4
//! Q = n·m / (n + m) · ( 2·mean|left - right| - mean|left - left'| - mean|right - right'| )
//! ```
//!
//! The left piece begins with the series. The right piece can end before the end of the series, so a later change back
//! does not hide the first change. The result is the pair of pieces with the largest Q. This module does not test
//! whether the change is due to chance.
//!
//! Source: D. S. Matteson and N. A. James, A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data,
//! JASA 109 (2014), (5) to (7) with exponent 1. Time grows with the square of the length, memory with the length.

/// The two neighbouring pieces of a series that differ most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// Position of the first value of the right piece.
    pub position: usize,
    /// Position after the last value of the right piece, at most the length.
    pub end: usize,
    /// Q, in the unit of the values.
    pub dissimilarity: f64,
}

/// The split into pieces with at least `fewest` values each. Among equal splits, the first is returned. `None`: too few
/// values for two pieces, or a value that is not finite.
pub fn most_different_split(values: &[f64], fewest: usize) -> Option<Split> {
    let fewest = fewest.max(1);
    if values.len() < 2 * fewest || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let within_first = distances_from_start(values);
    let mut best: Option<Split> = None;
    // For each value, the sum of its distances to the values from `position` up to this value:
    // `to_earlier[k] = Σ |z_i - z_k|, position <= i < k`.
    let mut to_earlier = vec![0.0; values.len()];
    for position in (fewest..values.len()).rev() {
        for later in position + 1..values.len() {
            to_earlier[later] += (values[position] - values[later]).abs();
        }
        let mut within_right = 0.0;
        for end in position + 1..=values.len() {
            within_right += to_earlier[end - 1];
            if end - position < fewest {
                continue;
            }
            let between = within_first[end] - within_first[position] - within_right;
            let sums = Sums { left: within_first[position], right: within_right, between };
            let dissimilarity = sums.dissimilarity(position, end - position);
            // The loop runs from the end, so among equal splits the earliest remains.
            if best.is_none_or(|best| {
                dissimilarity > best.dissimilarity || dissimilarity == best.dissimilarity && position < best.position
            }) {
                best = Some(Split { position, end, dissimilarity });
            }
        }
    }
    best
}

/// For every `k` up to the length, the sum of the distances within the first `k` values.
fn distances_from_start(values: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; values.len() + 1];
    for (position, value) in values.iter().enumerate() {
        let to_earlier: f64 = values[..position].iter().map(|earlier| (earlier - value).abs()).sum();
        sums[position + 1] = sums[position] + to_earlier;
    }
    sums
}

/// Sums of distances. The distance of each pair of values is added once.
struct Sums {
    left: f64,
    right: f64,
    between: f64,
}

impl Sums {
    /// Q of pieces with this many values. A single value has no distances within its piece.
    fn dissimilarity(&self, left_count: usize, right_count: usize) -> f64 {
        let (n, m) = (left_count as f64, right_count as f64);
        let mean = |sum: f64, count: f64| if count > 1.0 { 2.0 * sum / (count * (count - 1.0)) } else { 0.0 };
        n * m / (n + m) * (2.0 * self.between / (n * m) - mean(self.left, n) - mean(self.right, m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_step_is_found_where_it_is() {
        let split = most_different_split(&[5.0, 5.0, 6.0, 5.0, 9.0, 9.0, 8.0, 9.0], 1).expect("values");
        assert_eq!((split.position, split.end), (4, 8));
        // The mean distance is 3.5 between the pieces, and 0.5 within each piece.
        assert!((split.dissimilarity - 2.0 * (2.0 * 3.5 - 0.5 - 0.5)).abs() < 1e-12, "{split:?}");
    }

    #[test]
    fn a_change_back_does_not_hide_the_change() {
        let values = [1.0, 1.1, 0.9, 1.0, 5.0, 5.1, 4.9, 5.0, 1.0, 1.1, 0.9, 1.0];
        let split = most_different_split(&values, 2).expect("values");
        assert_eq!((split.position, split.end), (4, 8));
    }

    #[test]
    fn too_few_values_and_those_that_are_no_numbers() {
        assert_eq!(most_different_split(&[1.0, 2.0, 3.0], 2), None);
        assert_eq!(most_different_split(&[], 0), None);
        assert_eq!(most_different_split(&[1.0, f64::NAN], 1), None);
        let equal = most_different_split(&[3.0; 6], 1).expect("values");
        assert_eq!((equal.position, equal.dissimilarity), (1, 0.0));
    }

    /// Computes the definition directly: all pairs of pieces, all distances.
    fn by_definition(values: &[f64], fewest: usize) -> f64 {
        let mut best = f64::NEG_INFINITY;
        for position in fewest..values.len() {
            for end in position + fewest..=values.len() {
                let (left, right) = (&values[..position], &values[position..end]);
                let between: f64 = left.iter().flat_map(|a| right.iter().map(move |b| (a - b).abs())).sum();
                let within = |piece: &[f64]| -> f64 {
                    piece.iter().flat_map(|a| piece.iter().map(move |b| (a - b).abs())).sum::<f64>() / 2.0
                };
                let sums = Sums { left: within(left), right: within(right), between };
                best = best.max(sums.dissimilarity(left.len(), right.len()));
            }
        }
        best
    }

    proptest! {
        #[test]
        fn it_is_the_largest_of_all_pairs_of_pieces(values in prop::collection::vec(-1e3..1e3_f64, 4..24), fewest in 1_usize..3) {
            let split = most_different_split(&values, fewest).expect("values");
            let expected = by_definition(&values, fewest);
            prop_assert!((split.dissimilarity - expected).abs() <= 1e-9 * expected.abs().max(1.0));
        }
    }
}
