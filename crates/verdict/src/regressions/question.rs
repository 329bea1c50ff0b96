//! What is asked, fixed before anybody looks at the figures.

use super::error::RegressionsError;
use serde::{Deserialize, Serialize};

/// Limits of error, and what is looked at first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Probability of an alarm for a watched function that did not change; also what intervals leave out.
    pub alpha_ratio: f64,
    /// Of all functions named as changed the part that may be there by chance; in a fleet where nothing changed, the probability
    /// of any alarm.
    pub false_discovery_ratio: f64,
    /// A function that changed by less than this counts as unchanged, if that can be shown.
    pub margin_ratio: f64,
    /// What costs are measured by. Missing: per unit of work where enough hosts know it, else as a share.
    pub measure: Option<Measure>,
    /// Names of functions chosen before: the error is shared among them (Holm) and not with all others, so that more is seen.
    pub watched: Vec<String>,
}

/// What a host's cost is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// By the host's whole CPU time: traffic does not matter. A change that all functions share cannot be seen.
    Share,
    /// By units of work: cost of a unit, in nanoseconds.
    PerUnit,
}

impl Default for Question {
    /// One false alarm in a hundred, changes from 5 % on.
    fn default() -> Self {
        Self { alpha_ratio: 0.01, false_discovery_ratio: 0.01, margin_ratio: 0.05, measure: None, watched: Vec::new() }
    }
}

impl Question {
    pub(super) fn validate(&self) -> Result<(), RegressionsError> {
        let ratios = [
            ("the error of a test", self.alpha_ratio),
            ("the part of false discoveries", self.false_discovery_ratio),
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
