//! Latencies of calls: a histogram with ranges that double in width, and quantiles.

use std::f64::consts::LN_2;
use whittle_model::SyscallLatencyTable;

/// Number of buckets. Bucket k counts the calls that took at least 2^k ns and less than 2^(k+1) ns.
const BUCKET_COUNT: usize = u64::BITS as usize;

/// Terms of the series for a power of two. The next term is less than 10^-17.
const SERIES_TERMS: u32 = 17;

/// A histogram of call latencies. Its counts can be fractions, because a share of the calls gets the same share of each
/// bucket.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies {
    buckets: [f64; BUCKET_COUNT],
    /// The longest call.
    pub longest_ns: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { buckets: [0.0; BUCKET_COUNT], longest_ns: 0 }
    }
}

impl Latencies {
    /// Adds row `row` of a latency table.
    pub fn add_row(&mut self, table: &SyscallLatencyTable, row: usize) {
        self.buckets[table.bucket[row] as usize] += table.count[row] as f64;
    }

    /// Adds `count` calls with this latency.
    pub fn add_calls(&mut self, latency_ns: u64, count: f64) {
        self.buckets[latency_ns.checked_ilog2().unwrap_or(0) as usize] += count;
        self.longest_ns = self.longest_ns.max(latency_ns);
    }

    /// Adds `other`, scaled to `count` calls.
    pub fn add_scaled(&mut self, other: &Self, count: f64) {
        let calls = other.count();
        let factor = if calls > 0.0 { count / calls } else { 0.0 };
        self.buckets.iter_mut().zip(other.buckets).for_each(|(sum, more)| *sum += more * factor);
        self.longest_ns = self.longest_ns.max(other.longest_ns);
    }

    /// Number of calls.
    pub fn count(&self) -> f64 {
        self.buckets.iter().sum()
    }

    /// The latency that a share of the calls (0 to 1) does not exceed. The value is interpolated within its bucket, as
    /// if the logarithms of latencies were evenly distributed. It is at most the longest latency. Missing if there are
    /// no calls.
    pub fn quantile_ns(&self, share: f64) -> Option<f64> {
        let wanted = self.count() * share;
        let mut before = 0.0;
        for (bucket, calls) in self.buckets.iter().enumerate().filter(|(_, calls)| **calls > 0.0) {
            if before + calls >= wanted {
                let within = ((wanted - before) / calls).clamp(0.0, 1.0);
                let latency_ns = 2_f64.powi(bucket as i32) * power_of_two(within);
                return Some(if self.longest_ns > 0 { latency_ns.min(self.longest_ns as f64) } else { latency_ns });
            }
            before += calls;
        }
        (before > 0.0).then_some(self.longest_ns as f64)
    }
}

/// 2 to the power of `exponent`, which is between 0 and 1. It is computed as a series, because `powf` has a table of
/// 4 KB, and each report file would contain it.
fn power_of_two(exponent: f64) -> f64 {
    let x = exponent * LN_2;
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..=SERIES_TERMS {
        term *= x / f64::from(n);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_in_the_bucket_that_holds_them() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.quantile_ns(0.5), None);
        (0..98).for_each(|_| latencies.add_calls(1_100, 1.0));
        latencies.add_calls(70_000, 2.0);
        let half = latencies.quantile_ns(0.5).expect("calls");
        assert!((1_024.0..2_048.0).contains(&half), "{half}");
        let most = latencies.quantile_ns(0.99).expect("calls");
        assert!((65_536.0..=70_000.0).contains(&most), "{most}");
        assert_eq!(latencies.quantile_ns(1.0), Some(70_000.0), "never above the longest");
    }

    #[test]
    fn powers_of_two_are_exact_to_the_last_digits() {
        for exponent in [0.0, 0.1, 0.25, 0.5, 0.9, 1.0] {
            let (power, known) = (power_of_two(exponent), 2_f64.powf(exponent));
            assert!((power - known).abs() <= 2.0 * f64::EPSILON, "{exponent}: {power}, not {known}");
        }
    }

    #[test]
    fn a_scaled_part_has_the_same_quantiles() {
        let (mut whole, mut part) = (Latencies::default(), Latencies::default());
        whole.add_calls(0, 3.0);
        whole.add_calls(5_000, 9.0);
        part.add_scaled(&whole, 4.0);
        assert_eq!(part.count(), 4.0);
        assert!((part.quantile_ns(0.7).unwrap_or(0.0) - whole.quantile_ns(0.7).unwrap_or(1.0)).abs() < 1e-6);
    }
}
