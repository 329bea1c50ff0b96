//! The interval of a share of a weighted sum: samples have different weights, such as waits of seconds next to ticks of
//! 10 ms.

use crate::wilson::wilson;

/// The sums of one block of time. The samples of the share are also in the sums of all samples.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WeightedBlock {
    /// Sum of the weights of all samples.
    pub all: f64,
    /// Sum of the squared weights of all samples.
    pub all_squares: f64,
    /// Sum of the weights of the share's samples.
    pub own: f64,
    /// Sum of the squared weights of the share's samples.
    pub own_squares: f64,
}

/// The 95 % interval of the share `own / all` over all blocks.
///
/// A ratio of two sums has the variance Σw²(x−p)² / (Σw)². In this formula, x is 1 for samples of the share and 0 for
/// other samples (W. G. Cochran, Sampling Techniques, 6.3). The effective number of samples is the number of equal
/// samples with the same variance. For equal weights, it is the number of samples. If p is 0 or 1, it is Kish's
/// (Σw)² / Σw². The interval is Wilson's with this number, widened for bursts by the variance between blocks.
pub fn weighted_share(blocks: &[WeightedBlock]) -> (f64, f64) {
    let sum = |of: fn(&WeightedBlock) -> f64| blocks.iter().map(of).sum::<f64>();
    let (all, squares) = (sum(|block| block.all), sum(|block| block.all_squares));
    if all <= 0.0 || squares <= 0.0 {
        return (0.0, 1.0);
    }
    let p = (sum(|block| block.own) / all).clamp(0.0, 1.0);
    let variance_of = |block: &WeightedBlock| {
        let rest = (block.all_squares - block.own_squares).max(0.0);
        (1.0 - p).powi(2) * block.own_squares + p * p * rest
    };
    let variance: f64 = blocks.iter().map(variance_of).sum();
    let count = if variance > 0.0 { p * (1.0 - p) * all * all / variance } else { all * all / squares };
    wilson(p * count, count, dispersion(blocks, p, variance))
}

/// The variance between blocks divided by the variance of independent samples; at least 1.
fn dispersion(blocks: &[WeightedBlock], p: f64, variance: f64) -> f64 {
    let used = blocks.iter().filter(|block| block.all > 0.0).count();
    if used < 2 || variance <= 0.0 {
        return 1.0;
    }
    let between: f64 = blocks.iter().map(|block| (block.own - p * block.all).powi(2)).sum();
    (between / variance * used as f64 / (used - 1) as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of random numbers from 0 to 1 (Knuth's MMIX).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }
    }

    /// The coverage with weights, and the coverage if the number of samples is used instead. A sample belongs to the
    /// share with probability `own`, and `weight` gives its weight.
    fn coverage(truth: f64, count: usize, own: f64, weight: fn(&mut Random, bool) -> f64) -> (f64, f64) {
        const RUNS: usize = 4_000;
        let mut random = Random(1);
        let (mut with, mut without) = (0, 0);
        for _ in 0..RUNS {
            let mut blocks = [WeightedBlock::default(); 20];
            for _ in 0..count {
                let is_own = random.next() < own;
                let weight = weight(&mut random, is_own);
                let block = &mut blocks[(random.next() * 20.0) as usize];
                block.all += weight;
                block.all_squares += weight * weight;
                if is_own {
                    block.own += weight;
                    block.own_squares += weight * weight;
                }
            }
            let is_in = |(low, high): (f64, f64)| usize::from(low <= truth && truth <= high);
            let all: f64 = blocks.iter().map(|block| block.all).sum();
            let p = blocks.iter().map(|block| block.own).sum::<f64>() / all;
            with += is_in(weighted_share(&blocks));
            without += is_in(wilson(p * count as f64, count as f64, 1.0));
        }
        (with as f64 / RUNS as f64, without as f64 / RUNS as f64)
    }

    #[test]
    fn equal_weights_give_wilsons_interval() {
        let block = WeightedBlock { all: 200.0, all_squares: 2_000.0, own: 50.0, own_squares: 500.0 };
        let (low, high) = weighted_share(&[block]);
        let (wilson_low, wilson_high) = wilson(5.0, 20.0, 1.0);
        assert!((low - wilson_low).abs() < 1e-9 && (high - wilson_high).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn intervals_cover_the_true_share() {
        let (ticks, _) = coverage(0.1, 1_000, 0.1, |_, _| 0.01);
        // Nine of ten samples are ticks of 10 ms, the others are waits of about a second: three tenths of both are the share.
        let wait = |random: &mut Random, _| if random.next() < 0.1 { 0.5 + random.next() } else { 0.01 };
        let (waits, waits_by_count) = coverage(0.3, 1_000, 0.3, wait);
        // The share consists of waits, and the other samples are ticks.
        let own_wait = |random: &mut Random, is_own| if is_own { 0.5 + random.next() } else { 0.01 };
        let truth = 0.05 / (0.05 + 0.95 * 0.01);
        let (own_waits, own_by_count) = coverage(truth, 1_000, 0.05, own_wait);
        // Allocations, in sampling intervals: an object that is larger than the interval has its own size as weight.
        let size = |random: &mut Random, _| if random.next() < 0.02 { 1.0 + 19.0 * random.next() } else { 1.0 };
        let (bytes, bytes_by_count) = coverage(0.2, 2_000, 0.2, size);
        // A known limit: few samples with very different weights have most of the sum.
        let skewed = |random: &mut Random, _| {
            let mean = if random.next() < 0.02 { 20.0 } else { 1.0 };
            -random.next().ln() * mean
        };
        let (limit, _) = coverage(0.2, 2_000, 0.2, skewed);
        for covered in [ticks, waits, own_waits, bytes] {
            assert!((0.93..=0.97).contains(&covered), "{ticks} {waits} {own_waits} {bytes}");
        }
        assert!((0.91..=0.97).contains(&limit), "{limit}");
        assert!(
            waits_by_count < 0.9 && own_by_count < 0.9 && bytes_by_count < 0.9,
            "{waits_by_count} {own_by_count} {bytes_by_count}"
        );
    }
}
