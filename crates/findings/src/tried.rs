//! Results of trials that an experiment keeps, and the findings that they belong to.

use crate::remedy::Promise;
use crate::view::{Finding, FindingsView};
use serde::{Deserialize, Serialize};

/// The number increases when the meaning of the file changes.
const VERSION: u32 = 1;

/// The results of an experiment's trials: the file `tries.json` in its folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trials {
    version: u32,
    /// The last result of each finding.
    tries: Vec<Tried>,
}

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
    pub promise: Promise,
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

impl Default for Trials {
    fn default() -> Self {
        Self { version: VERSION, tries: Vec::new() }
    }
}

impl Trials {
    /// Reads the text of the file. `None`: the text is damaged, or a newer whittle wrote it.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|trials: &Self| trials.version == VERSION)
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.unwrap_or_else(|error| unreachable!("all keys are texts: {error}")) + "\n"
    }

    /// Adds a result. It replaces an earlier result of the same finding and remedy.
    pub fn add(&mut self, tried: Tried) {
        let is_same = |known: &Tried| {
            (&known.detector, &known.function, &known.remedy) == (&tried.detector, &tried.function, &tried.remedy)
        };
        self.tries.retain(|known| !is_same(known));
        self.tries.push(tried);
    }

    fn of(&self, finding: &Finding) -> Option<&Tried> {
        self.tries
            .iter()
            .rev()
            .find(|tried| tried.detector == finding.detector && tried.function == finding.calling.function)
    }
}

impl FindingsView {
    /// Adds the last result of a trial to each finding.
    pub fn add_tried(&mut self, trials: &Trials) {
        self.findings.iter_mut().for_each(|finding| finding.tried = trials.of(finding).cloned());
    }
}
