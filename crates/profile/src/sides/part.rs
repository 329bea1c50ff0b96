//! The values of each metric in a comparison, and how they are computed from the sums of both sides.

use crate::sides::Side;
use serde::{Deserialize, Serialize};
use whittle_model::MetricDefinition;

/// The kind of a value in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The baseline's value.
    Baseline,
    /// The candidate's value.
    Candidate,
    /// Candidate minus baseline.
    Delta,
    /// Candidate divided by baseline. Missing if the baseline's value is 0.
    Ratio,
    /// The mean of both sides. If the mean is not 0, at least one side has a value.
    Both,
}

impl Part {
    /// The parts that are sums, in the order in which a comparison stores them for each metric.
    pub const SUMS: [Self; 4] = [Self::Baseline, Self::Candidate, Self::Delta, Self::Both];
    /// The parts of each metric that a table shows.
    pub const SHOWN: [Self; 4] = [Self::Baseline, Self::Candidate, Self::Delta, Self::Ratio];

    /// Position of this part in the list of metrics. `of_any_part` is the position of any part of the same metric. A
    /// ratio has the position of the first part.
    pub fn metric_index(self, of_any_part: usize) -> usize {
        let count = Self::SUMS.len();
        let position = Self::SUMS.iter().position(|sum| *sum == self).unwrap_or(0);
        of_any_part / count * count + position
    }

    /// The name in output, and after the colon in the metric syntax.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Candidate => "candidate",
            Self::Delta => "delta",
            Self::Ratio => "ratio",
            Self::Both => "both",
        }
    }

    /// The part with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::SHOWN.into_iter().chain([Self::Both]).find(|part| part.name() == name)
    }

    /// Computes the sum of a part from the sums of the sides. A ratio is not a sum.
    fn sum([baseline, candidate]: [f64; 2], part: Self) -> f64 {
        match part {
            Self::Baseline => baseline,
            Self::Candidate => candidate,
            Self::Delta | Self::Ratio => candidate - baseline,
            Self::Both => (baseline + candidate) / 2.0,
        }
    }
}

/// The metrics that are added up: the metrics of an experiment, or in a comparison four parts of each metric.
#[derive(Debug, Clone)]
pub struct SummedMetrics {
    /// The metrics of the experiment. In a comparison, each occurs once for every part of [`Part::SUMS`].
    pub definitions: Vec<MetricDefinition>,
    /// For each side, the factor that converts its sums to values per unit. Missing if nothing is compared.
    pub scales: Option<[f64; 2]>,
}

/// How a metric's sums are computed: which samples are added up, and which part of their sum is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SumSource {
    /// Position of the metric that selects the samples.
    pub metric: usize,
    pub part: Option<Part>,
}

impl SummedMetrics {
    /// How the sums of a metric are computed.
    pub fn source(&self, metric: usize) -> SumSource {
        match self.scales {
            None => SumSource { metric, part: None },
            Some(_) => {
                let part = Part::SUMS[metric % Part::SUMS.len()];
                SumSource { metric: Part::Baseline.metric_index(metric), part: Some(part) }
            }
        }
    }

    /// How many sums a metric's samples have: one for each side.
    pub fn sides(&self) -> usize {
        if self.scales.is_some() { Side::BOTH.len() } else { 1 }
    }

    /// Computes a part from the sums of each side. The results are multiples of a power of two. This makes additions
    /// exact in any order, so values that cancel out give 0 and not a rounding error.
    pub fn part_of_sums(&self, part: Part, [baseline, candidate]: [&[f64]; 2]) -> Vec<f64> {
        let scales = self.scales.unwrap_or([1.0, 1.0]);
        let total = |sums: &[f64], scale: f64| sums.iter().fold(0.0, |sum, one| sum + one * scale);
        let step = step(total(baseline, scales[0]) + total(candidate, scales[1]));
        let rounded = |sum: f64, scale: f64| (sum * scale / step).round() * step;
        let sides = baseline.iter().zip(candidate);
        sides.map(|(one, other)| Part::sum([rounded(*one, scales[0]), rounded(*other, scales[1])], part)).collect()
    }
}

/// The bits of an `f64` with its exponent. Without the other bits, a positive number is the next smaller power of two.
const EXPONENT_BITS: u64 = 0x7ff0_0000_0000_0000;

/// The power of two to which results are rounded. It is small enough to make the rounding invisible. It is large enough
/// for a mantissa of 53 bits to represent every sum up to the total plus half a step.
fn step(total: f64) -> f64 {
    let power = f64::from_bits(total.to_bits() & EXPONENT_BITS);
    if total > 0.0 && total.is_finite() { power * 2.0_f64.powi(-49) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_out_is_nothing() {
        let metrics = SummedMetrics { definitions: Vec::new(), scales: Some([1.0 / 3.0, 1.0 / 7.0]) };
        let baseline: Vec<f64> = (0..1000).map(|index| f64::from(index * 10_007 % 997)).collect();
        let candidate: Vec<f64> = baseline.iter().map(|sum| sum * 7.0 / 3.0).collect();
        let parts = |part| metrics.part_of_sums(part, [&baseline, &candidate]);
        let (before, after, delta) = (parts(Part::Baseline), parts(Part::Candidate), parts(Part::Delta));
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        assert!((sum(&before) - sum(&baseline) / 3.0).abs() < 1e-9 * sum(&before));
        assert_eq!(sum(&after) - sum(&before), sum(&delta));
        let backwards = delta.iter().rev().fold(0.0, |sum, one| sum + one);
        assert_eq!(sum(&delta) - backwards, 0.0);
    }
}
