//! The result of a trial.

use crate::remedy::RemedyPromise;
use serde::{Deserialize, Serialize};

/// The result of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Tried {
    /// The detector of the finding.
    pub detector: String,
    /// The calling method of the finding, as displayed.
    pub function: String,
    /// The name of the remedy: `buffer-output`.
    pub remedy: String,
    /// What the result means.
    pub promise: RemedyPromise,
    /// The result.
    pub result: TriedResult,
    /// Candidate ÷ baseline of the first endpoint. `None`: the result has no measured change.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's interval.
    pub low_ratio: Option<f64>,
    /// Upper end of this interval.
    pub high_ratio: Option<f64>,
    /// Number of runs of each side.
    pub runs_count: usize,
    /// The result in words: `improved, −81 % (95 % interval −83 to −79 %) CPU time per document, 5 runs per side`.
    pub words: String,
    /// What a reader of the result must know.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The result of a trial of several findings together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TriedTogether {
    /// The detectors of the findings.
    pub detectors: Vec<String>,
    /// The result.
    pub result: TriedResult,
    /// Candidate ÷ baseline of the first endpoint. `None`: the result has no measured change.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's interval.
    pub low_ratio: Option<f64>,
    /// Upper end of this interval.
    pub high_ratio: Option<f64>,
    /// Number of runs of each side.
    pub runs_count: usize,
    /// The findings and the result in words.
    pub words: String,
    /// What a reader of the result must know.
    pub notes: Vec<String>,
}

/// The result of a trial in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TriedResult {
    /// Better than the baseline.
    Improved,
    /// Worse than the baseline.
    Worse,
    /// Different, but the better direction is unknown.
    Changed,
    /// Proved to be within the margin.
    NoRelevantChange,
    /// The runs prove nothing.
    Inconclusive,
    /// The program printed or wrote something else with the remedy.
    DifferentResults,
    /// The program did not execute the changed places.
    NotExercised,
    /// The agent did not change the places, or failed.
    NotTried,
}
