//! The answer: verdict, endpoints, functions, doubts. Raw numbers; words are fixed.

use super::design::{Better, Design};
use super::runs::Run;
use crate::Side;
use serde::{Deserialize, Serialize};

/// What the runs say; the same as JSON in `verification.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerificationView {
    /// The view's name: `verification`.
    pub view: String,
    /// The verdict over the primary endpoints.
    pub verdict: Verdict,
    /// The verdict as shown: `improved`, `looks like worse`.
    pub words: String,
    /// The verdict with its reason, in sentences.
    pub sentences: Vec<String>,
    /// What the program ends with: 0 improved, no relevant change or "looks like"; 4 worse; 5 inconclusive.
    pub exit_status: u8,
    /// What was fixed before.
    pub design: Design,
    /// How many runs count.
    pub run_counts: RunCounts,
    /// What costs are of: `message`, `unit`, `run`.
    pub per: String,
    /// Primary endpoints first, then the others.
    pub endpoints: Vec<EndpointView>,
    /// Functions. Missing: no profiled runs with functions.
    pub functions: Option<FunctionsComparison>,
    /// What makes the answer weaker, the gravest first.
    pub doubts: Vec<Doubt>,
    /// The runs as handed in.
    pub runs: Vec<Run>,
}

/// Runs that count, a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunCounts {
    /// Unprofiled runs of the baseline.
    pub baseline: usize,
    /// Unprofiled runs of the candidate.
    pub candidate: usize,
    /// Profiled runs of the baseline.
    pub baseline_profiled: usize,
    /// Profiled runs of the candidate.
    pub candidate_profiled: usize,
}

/// What is said of an endpoint, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The word.
    pub word: Word,
    /// Whether this design allows "looks like" only: one run a side, or sides one after the other.
    pub is_looks_like: bool,
}

/// A verdict's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// Better than the baseline.
    Improved,
    /// Worse than the baseline.
    Worse,
    /// Different, and nobody said which direction is better.
    Changed,
    /// Within the margin, shown by equivalence.
    NoRelevantChange,
    /// None of these could be shown.
    Inconclusive,
}

/// One endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndpointView {
    /// What kind of figure.
    pub kind: EndpointKind,
    /// Its name: `CPU time per message`, `requests_per_second`.
    pub name: String,
    /// `ns` for costs; missing: a printed metric, whose name has the unit.
    pub unit: Option<String>,
    /// Whether the verdict depends on it.
    pub is_primary: bool,
    /// Which direction is better.
    pub better: Better,
    /// The baseline's figures.
    pub baseline: SideFigures,
    /// The candidate's figures.
    pub candidate: SideFigures,
    /// How the change was tested. Missing: it could not be.
    pub method: Option<Method>,
    /// Candidate ÷ baseline, of geometric means. Missing: a side has no value.
    pub ratio: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low_ratio: Option<f64>,
    /// Upper end.
    pub high_ratio: Option<f64>,
    /// Two-sided p of "no change".
    pub p: Option<f64>,
    /// The same after Holm's correction over the primary endpoints; missing for others.
    pub adjusted_p: Option<f64>,
    /// Of the exact test without any distribution; missing: too few or too many runs.
    pub exact_p: Option<f64>,
    /// Of "the change is outside the margin" (two one-sided tests).
    pub equivalence_p: Option<f64>,
    /// Standard deviation from run to run, of the logarithm, so about a part of the value.
    pub noise_ratio: Option<f64>,
    /// The smallest change that these runs would have seen with 80 % probability.
    pub detectable_ratio: Option<f64>,
    /// What is said of it.
    pub verdict: Verdict,
    /// The same as a sentence.
    pub sentence: String,
}

/// What an endpoint measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// CPU time, of the system's accounts.
    Cpu,
    /// Elapsed time.
    Elapsed,
    /// A printed number.
    Metric,
    /// CPU time of the finding's samples.
    Finding,
}

/// One side of an endpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SideFigures {
    /// Geometric mean. Missing: no value.
    pub mean: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Each run's value.
    pub values: Vec<RunValue>,
}

/// One run's value of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunValue {
    /// Position in `runs` of the answer.
    pub run: usize,
    /// The value.
    pub value: f64,
}

/// How a change was tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Student's t on differences of logarithms within pairs.
    PairedT,
    /// Welch's t on logarithms.
    WelchT,
    /// One run a side, with an assumed noise.
    OneRunEach,
}

/// Functions compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionsComparison {
    /// What costs are of: `message`, `unit`, `run`.
    pub per: String,
    /// Number of functions with enough samples.
    pub tested_count: usize,
    /// Samples a run below which a function is not tested.
    pub fewest_samples: f64,
    /// The part of the named functions that may be there by chance: 0.05.
    pub false_discovery_ratio: f64,
    /// Whether they "look like" it only.
    pub is_looks_like: bool,
    /// Functions that changed, the largest change first.
    pub changed: Vec<FunctionChange>,
    /// All functions with too few samples together. Missing: there is none.
    pub other: Option<FunctionChange>,
    /// Cost that moved within a class or package.
    pub moved: Vec<MovedCost>,
}

/// One function's change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionChange {
    /// Its name.
    pub name: String,
    /// The kind of its code; missing for the others together.
    pub kind: Option<String>,
    /// Mean exclusive CPU time per unit, nanoseconds.
    pub baseline_ns: f64,
    /// The same of the candidate.
    pub candidate_ns: f64,
    /// Candidate ÷ baseline, of geometric means. Missing: a side has no sample.
    pub ratio: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low_ratio: Option<f64>,
    /// Upper end.
    pub high_ratio: Option<f64>,
    /// p after Benjamini and Hochberg's correction. Missing: not tested with the functions.
    pub adjusted_p: Option<f64>,
    /// Samples a run, mean.
    pub samples: f64,
}

/// Functions of one class or package took over each other's cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovedCost {
    /// The class or package.
    pub within: String,
    /// Functions that cost less now.
    pub from: Vec<String>,
    /// Functions that cost more now.
    pub to: Vec<String>,
    /// CPU time per unit that moved, nanoseconds.
    pub moved_ns: f64,
    /// What all of the class or package costs now ÷ before.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub low_ratio: f64,
    /// Upper end.
    pub high_ratio: f64,
    /// In one sentence.
    pub sentence: String,
}

/// What makes an answer weaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// Which.
    pub kind: DoubtKind,
    /// In one sentence.
    pub text: String,
}

/// Kinds of doubt, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtKind {
    /// The two sides did not do the same work (handed in by who ran them).
    OutputsDiffer,
    /// One side after the other: a drift of the machine looks like a change.
    Sequential,
    /// Too few runs for a statement.
    TooFewRuns,
    /// Units of work are not known, or not of all runs.
    UnitsMissing,
    /// A run gave no usable value for an endpoint.
    ValueMissing,
    /// Warm-up had not ended (handed in).
    NotSteady,
    /// The machine became slower or faster during the runs.
    Drift,
    /// A run far from the others of its side.
    Outlier,
    /// Runs differ much from each other.
    Noise,
    /// The exact test does not agree with Student's.
    TestsDisagree,
    /// Too few samples of the finding.
    FewSamples,
    /// Times come from profiled runs.
    Profiled,
    /// Something else (handed in).
    Other,
}

/// Runs of both sides as handed in, in one bundle.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The runs, in any order.
    pub runs: &'a [Run],
    /// Functions of the profiled runs. Missing: none.
    pub functions: Option<&'a super::FunctionRuns>,
    /// Doubts that are known already, such as outputs that differ.
    pub doubts: &'a [Doubt],
}

impl EndpointView {
    /// One side's figures.
    pub fn side(&self, side: Side) -> &SideFigures {
        match side {
            Side::Baseline => &self.baseline,
            Side::Candidate => &self.candidate,
        }
    }
}

impl Word {
    /// As shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Improved => "improved",
            Self::Worse => "worse",
            Self::Changed => "changed",
            Self::NoRelevantChange => "no relevant change",
            Self::Inconclusive => "inconclusive",
        }
    }
}

impl Verdict {
    /// As shown: `improved`, `looks like improved`. Inconclusive is that in any design.
    pub fn words(self) -> String {
        let is_plain = !self.is_looks_like || self.word == Word::Inconclusive;
        if is_plain { self.word.name().to_owned() } else { format!("looks like {}", self.word.name()) }
    }

    /// What the program ends with: 4 worse, 5 inconclusive (or changed, and nobody said what is better), else 0. "Looks like"
    /// is always 0: it must not stop anything.
    pub const fn exit_status(self) -> u8 {
        match self.word {
            _ if self.is_looks_like => 0,
            Word::Worse => 4,
            Word::Inconclusive | Word::Changed => 5,
            Word::Improved | Word::NoRelevantChange => 0,
        }
    }
}
