//! The values that a comparison shows of each metric, and how they follow from the sums of both sides.

use crate::Side;
use serde::{Deserialize, Serialize};
use whittle_model::MetricDefinition;

/// Which value of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// That of the baseline.
    Baseline,
    /// That of the candidate.
    Candidate,
    /// Candidate less baseline.
    Delta,
    /// Candidate divided by baseline; missing where the baseline has nothing.
    Ratio,
    /// The mean of both sides: where it is not 0, one of them has something.
    Both,
}

impl Part {
    /// The parts that are sums, in the order in which a comparison has them for each metric.
    pub(crate) const SUMS: [Self; 4] = [Self::Baseline, Self::Candidate, Self::Delta, Self::Both];
    /// The parts that a table shows of each metric.
    pub(crate) const SHOWN: [Self; 4] = [Self::Baseline, Self::Candidate, Self::Delta, Self::Ratio];

    /// Position of this sum's metric, given that of any part of the same metric; a ratio stands where the first one does.
    pub(crate) fn metric_index(self, of_any_part: usize) -> usize {
        let count = Self::SUMS.len();
        let position = Self::SUMS.iter().position(|sum| *sum == self).unwrap_or(0);
        of_any_part / count * count + position
    }

    /// The word in output and behind the colon of a metric.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Candidate => "candidate",
            Self::Delta => "delta",
            Self::Ratio => "ratio",
            Self::Both => "both",
        }
    }

    /// The part with a name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::SHOWN.into_iter().chain([Self::Both]).find(|part| part.name() == name)
    }

    /// The sum, made of the sums of the sides; a ratio is none.
    fn sum([baseline, candidate]: [f64; 2], part: Self) -> f64 {
        match part {
            Self::Baseline => baseline,
            Self::Candidate => candidate,
            Self::Delta | Self::Ratio => candidate - baseline,
            Self::Both => (baseline + candidate) / 2.0,
        }
    }
}

/// The metrics that are added up: those of an experiment, or in a comparison four parts of each.
#[derive(Debug, Clone)]
pub(crate) struct SummedMetrics {
    /// The metrics of the experiment. In a comparison each stands there once for every part of [`Part::SUMS`].
    pub(crate) definitions: Vec<MetricDefinition>,
    /// What a unit of each side's sums counts for. Missing: nothing is compared.
    pub(crate) scales: Option<[f64; 2]>,
}

/// How a metric's sums are made: which sum of samples, and which part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SumSource {
    /// Position of a metric whose samples count.
    pub(crate) metric: usize,
    pub(crate) part: Option<Part>,
}

impl SummedMetrics {
    /// How the sums of a metric are made.
    pub(crate) fn source(&self, metric: usize) -> SumSource {
        match self.scales {
            None => SumSource { metric, part: None },
            Some(_) => {
                let part = Part::SUMS[metric % Part::SUMS.len()];
                SumSource { metric: Part::Baseline.metric_index(metric), part: Some(part) }
            }
        }
    }

    /// How many sums are made of each metric's samples: one for each side.
    pub(crate) fn sides(&self) -> usize {
        if self.scales.is_some() { Side::BOTH.len() } else { 1 }
    }

    /// A part of sums, given those of each side. The results are multiples of one power of two, chosen so that whatever is
    /// added up of them, in whatever order, is exact: what cancels out is 0 and not a rounding error.
    pub(crate) fn part_of_sums(&self, part: Part, [baseline, candidate]: [&[f64]; 2]) -> Vec<f64> {
        let scales = self.scales.unwrap_or([1.0, 1.0]);
        let total = |sums: &[f64], scale: f64| sums.iter().fold(0.0, |sum, one| sum + one * scale);
        let step = step(total(baseline, scales[0]) + total(candidate, scales[1]));
        let rounded = |sum: f64, scale: f64| (sum * scale / step).round() * step;
        let sides = baseline.iter().zip(candidate);
        sides.map(|(one, other)| Part::sum([rounded(*one, scales[0]), rounded(*other, scales[1])], part)).collect()
    }
}

/// A power of two, small enough that rounding to its multiples changes nothing that anybody sees, large enough that the
/// mantissa of a number (53 bits) holds every sum up to the total and half a step.
fn step(total: f64) -> f64 {
    if total > 0.0 && total.is_finite() { 2.0_f64.powi(total.log2().ceil() as i32 - 50) } else { 1.0 }
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
