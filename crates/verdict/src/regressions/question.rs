//! The question to a fleet, which must be fixed before the values are examined.

use crate::regressions::RegressionsError;
use serde::{Deserialize, Serialize};

/// Limits of error, and watched functions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Probability of a false alarm for an unchanged watched function. It is also the probability that a true value is
    /// outside its interval.
    pub alpha_ratio: f64,
    /// The share of false discoveries among all functions named as changed. In a fleet without changes: the probability
    /// of any alarm.
    pub false_discovery_ratio: f64,
    /// A function counts as unchanged if the data proves that it changed by less than this margin.
    pub margin_ratio: f64,
    /// The unit of costs. `None`: per unit of work if enough hosts have units, otherwise as a share.
    pub measure: Option<Measure>,
    /// Names of functions chosen in advance. The allowed error is distributed over these functions only (Holm), so
    /// smaller changes are detected.
    pub watched: Vec<String>,
}

/// The divisor of a host's cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The host's whole CPU time. The amount of traffic has no effect. A change common to all functions is invisible.
    Share,
    /// Units of work: cost per unit, in nanoseconds.
    PerUnit,
}

impl Default for Question {
    /// One false alarm in a hundred, and a margin of 5 %.
    fn default() -> Self {
        Self { alpha_ratio: 0.01, false_discovery_ratio: 0.01, margin_ratio: 0.05, measure: None, watched: Vec::new() }
    }
}

impl Question {
    pub(super) fn validate(&self) -> Result<(), RegressionsError> {
        let ratios = [
            ("the error of a test", self.alpha_ratio),
            ("the share of false discoveries", self.false_discovery_ratio),
            ("the margin", self.margin_ratio),
        ];
        let is_wrong = |value: f64| !(value > 0.0 && value < 1.0);
        match ratios.into_iter().find(|(_, value)| is_wrong(*value)) {
            Some((name, value)) => Err(RegressionsError::Ratio { name, value }),
            None => Ok(()),
        }
    }

    pub(super) fn confidence_ratio(&self) -> f64 {
        1.0 - self.alpha_ratio
    }

    pub(super) fn is_watched(&self, name: &str) -> bool {
        self.watched.iter().any(|watched| watched == name)
    }
}
