//! Tests of few runs without an assumed distribution. They try all ways to distribute the runs to the two sides.
//!
//! With few runs, the tests cannot be very certain: the smallest probability is 2 divided by the number of ways.
//!
//! ```text
//! runs per side  ways, unpaired   smallest p   ways, paired   smallest p
//!           3                20        0.10               8        0.25
//!           4                70        0.029             16        0.125
//!           5               252        0.008             32        0.063
//!           6               924        0.002             64        0.031
//! ```

/// Maximum number of ways. More ways take too long, and many runs do not need an exact test. 8 runs against 8 runs have
/// 12,870 ways, and 15 pairs have 32,768 ways.
const MOST_WAYS: f64 = 40_000.0;
/// Sums with a smaller relative difference are treated as equal. Rounding errors depend on the order of addition.
const SAME: f64 = 1e-9;

/// Probability of a difference at least this large if the values are distributed to the two sides by chance. `None`: a
/// side has no values, a value is not finite, or there are too many ways.
///
/// Source: R. A. Fisher, The Design of Experiments (1935), 21; E. J. G. Pitman, Supplement to the JRSS 4 (1937).
pub fn permutation_p(baseline: &[f64], candidate: &[f64]) -> Option<f64> {
    let all: Vec<f64> = baseline.iter().chain(candidate).copied().collect();
    if baseline.is_empty() || candidate.is_empty() || !are_finite(&all) || ways(all.len(), baseline.len()) > MOST_WAYS {
        return None;
    }
    // The sum of one side is enough, because the other side has the remaining values.
    let expected = all.iter().sum::<f64>() * candidate.len() as f64 / all.len() as f64;
    let observed = (candidate.iter().sum::<f64>() - expected).abs();
    let mut counter = Counter { observed: observed - tolerance(&all), expected, extreme: 0, ways: 0 };
    counter.deal(&all, candidate.len(), 0.0);
    Some(counter.extreme as f64 / counter.ways as f64)
}

/// Probability that the mean of these differences is at least this far from 0 if each sign is random. `None`: there are
/// no differences, a difference is not finite, or there are too many ways.
///
/// Source: R. A. Fisher, The Design of Experiments (1935), 21.
pub fn sign_flip_p(differences: &[f64]) -> Option<f64> {
    let ways = 2.0_f64.powi(i32::try_from(differences.len()).unwrap_or(i32::MAX));
    if differences.is_empty() || !are_finite(differences) || ways > MOST_WAYS {
        return None;
    }
    let observed = differences.iter().sum::<f64>().abs() - tolerance(differences);
    let sum = |signs: u32| -> f64 {
        let signed = |(bit, value): (usize, &f64)| if signs >> bit & 1 == 1 { -value } else { *value };
        differences.iter().enumerate().map(signed).sum()
    };
    let extreme = (0..ways as u32).filter(|signs| sum(*signs).abs() >= observed).count();
    Some(extreme as f64 / ways)
}

/// The smallest p of [`sign_flip_p`] with this many pairs.
pub fn smallest_sign_flip_p(pairs: usize) -> f64 {
    (2.0 / 2.0_f64.powf(pairs as f64)).min(1.0)
}

/// The smallest p of [`permutation_p`] with these numbers of values. If the sides have the same number of values, the two
/// sides can also be exchanged, so two ways are the furthest.
pub fn smallest_permutation_p(baseline: usize, candidate: usize) -> f64 {
    let furthest = if baseline == candidate { 2.0 } else { 1.0 };
    (furthest / ways(baseline + candidate, baseline)).min(1.0)
}

/// Counts the ways to fill a side.
struct Counter {
    observed: f64,
    expected: f64,
    extreme: u64,
    ways: u64,
}

impl Counter {
    /// Assigns each value to one of the two sides.
    fn deal(&mut self, values: &[f64], wanted: usize, sum: f64) {
        match values {
            _ if wanted == 0 => {
                self.ways += 1;
                self.extreme += u64::from((sum - self.expected).abs() >= self.observed);
            }
            [first, rest @ ..] if values.len() >= wanted => {
                self.deal(rest, wanted - 1, sum + first);
                self.deal(rest, wanted, sum);
            }
            _ => {}
        }
    }
}

fn ways(all: usize, chosen: usize) -> f64 {
    (0..chosen).map(|taken| (all - taken) as f64 / (taken + 1) as f64).product()
}

fn are_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

fn tolerance(values: &[f64]) -> f64 {
    SAME * values.iter().map(|value| value.abs()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_furthest_of_all_ways_is_two_in_their_number() {
        assert_eq!(permutation_p(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), Some(2.0 / 20.0));
        assert_eq!(permutation_p(&[1.0; 5], &[2.0; 5]), Some(2.0 / 252.0));
        assert_eq!(sign_flip_p(&[0.1, 0.2, 0.3, 0.4, 0.5]), Some(2.0 / 32.0));
    }

    #[test]
    fn the_smallest_p_is_known_before_the_runs() {
        assert_eq!([3, 5, 6, 7].map(smallest_sign_flip_p), [0.25, 0.0625, 0.03125, 0.015_625]);
        assert_eq!((smallest_sign_flip_p(0), smallest_permutation_p(0, 0)), (1.0, 1.0));
        assert_eq!(smallest_permutation_p(5, 5), 2.0 / 252.0);
        for (a, b) in [(3, 3), (2, 5), (4, 1), (5, 6)] {
            let found = permutation_p(&vec![0.0; a], &vec![1.0; b]).expect("few ways");
            assert!((found - smallest_permutation_p(a, b)).abs() < 1e-12, "{a} {b}: {found}");
        }
    }

    #[test]
    fn equal_sides_are_certain_to_be_as_far_apart() {
        assert_eq!(permutation_p(&[1.0, 1.0], &[1.0, 1.0]), Some(1.0));
        assert_eq!(sign_flip_p(&[0.0, 0.0]), Some(1.0));
    }

    /// Fisher's example: Darwin's maize, 15 pairs. In 863 + 863 of 32,768 ways, the difference is at least this large
    /// (The Design of Experiments, 21).
    #[test]
    fn darwins_maize() {
        let eighths = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];
        assert_eq!(sign_flip_p(&eighths), Some(1726.0 / 32768.0));
    }

    #[test]
    fn no_answer_without_values_or_with_too_many() {
        assert_eq!(permutation_p(&[], &[1.0]), None);
        assert_eq!(permutation_p(&[f64::NAN], &[1.0]), None);
        assert_eq!(permutation_p(&[1.0; 15], &[1.0; 15]), None);
        assert_eq!(sign_flip_p(&[]), None);
        assert_eq!(sign_flip_p(&[1.0; 40]), None);
    }
}
