//! The answer: verdict, endpoints, functions, warnings. Numbers are not rounded, and words are from fixed lists.

use crate::verify::{Design, Run};
use serde::{Deserialize, Serialize};
use whittle_profile::sides::{Better, Side};

/// Confidence of an interval that was not selected, and that no test of equivalence uses.
pub(super) const USUAL_INTERVAL_RATIO: f64 = 0.95;

/// The answer of a verification. It is the same as the JSON in `verification.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerificationView {
    /// The view's name: `verification`.
    pub view: String,
    /// The verdict on the program. It is `improved` only if the first endpoint improved.
    pub verdict: Verdict,
    /// The verdict as displayed: `improved`, `looks like worse`.
    pub words: String,
    /// The verdict with its reason, in sentences.
    pub sentences: Vec<String>,
    /// The exit status of the program: 0 improved, no relevant change or "looks like"; 4 worse; 5 inconclusive. It is always 0
    /// if the runs were not interleaved. "Inconclusive" also has 0 if a side of the program's endpoint has one value.
    pub exit_status: u8,
    /// The design.
    pub design: Design,
    /// Numbers of used runs.
    pub run_counts: RunCounts,
    /// The unit of costs: `message`, `unit`, `run`.
    pub per: String,
    /// Primary endpoints come first, then the other endpoints.
    pub endpoints: Vec<EndpointView>,
    /// The comparison of functions. `None`: no profiled runs with functions.
    pub functions: Option<FunctionsComparison>,
    /// Warnings that weaken the answer, the most severe first.
    pub doubts: Vec<Doubt>,
    /// The runs of the input.
    pub runs: Vec<Run>,
}

/// Number of used runs, by side.
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

/// The verdict on an endpoint, or on the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The word.
    pub word: Word,
    /// Whether this design allows only "looks like": one run per side, or one side after the other.
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
    /// Different, but the better direction is unknown.
    Changed,
    /// Proved to be within the margin by a test of equivalence.
    NoRelevantChange,
    /// No other verdict could be proved.
    Inconclusive,
}

/// One endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndpointView {
    /// The kind of value.
    pub kind: EndpointKind,
    /// The endpoint's name: `CPU time per message`, `requests_per_second`.
    pub name: String,
    /// `ns` for costs. `None`: a printed metric with the unit in its name.
    pub unit: Option<String>,
    /// Whether the endpoint was fixed before the runs. The other endpoints decide the overall verdict only if they are
    /// worse and the program shows no relevant change.
    pub is_primary: bool,
    /// The better direction.
    pub better: Better,
    /// The baseline's values.
    pub baseline: SideFigures,
    /// The candidate's values.
    pub candidate: SideFigures,
    /// The test of the change. `None`: the change could not be tested.
    pub method: Option<Method>,
    /// Candidate ÷ baseline, from geometric means. `None`: a side has no value.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low_ratio: Option<f64>,
    /// Upper end of this interval.
    pub high_ratio: Option<f64>,
    /// Two-sided p of the hypothesis "no change".
    pub p: Option<f64>,
    /// p after Holm's correction, for a primary endpoint over the primary endpoints, for other endpoints over all
    /// endpoints. `None`: the change could not be tested.
    pub adjusted_p: Option<f64>,
    /// p of the exact test, which assumes no distribution. `None`: too few or too many runs.
    pub exact_p: Option<f64>,
    /// The smallest p that the exact test can give with these runs. `None`: no exact test.
    #[serde(default)]
    pub smallest_exact_p: Option<f64>,
    /// p of the hypothesis "the change is outside the margin" (two one-sided tests).
    pub equivalence_p: Option<f64>,
    /// The interval that the test of equivalence compares with the margin: the ratio's 90 % interval if the error is 5 %.
    /// `None`: the change could not be tested, or an older answer.
    #[serde(default)]
    pub equivalence_interval: Option<RatioInterval>,
    /// Standard deviation of the logarithms between runs. This is approximately the noise as a share of the value.
    pub noise_ratio: Option<f64>,
    /// The smallest change that these runs detect with 80 % probability, after Holm's correction.
    pub detectable_ratio: Option<f64>,
    /// Number of runs that should have a value but have no usable value, 0 or more. If such a run exists, an endpoint of
    /// the whole program is inconclusive.
    #[serde(default)]
    pub missing_count: usize,
    /// What happened to the finding's calling method. `None`: not a finding.
    #[serde(default)]
    pub calling: Option<CallingMethod>,
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict as a sentence.
    pub sentence: String,
}

/// An interval of candidate ÷ baseline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// Probability that the interval contains the true ratio: 0.9. Above 0, below 1.
    pub confidence_ratio: f64,
    /// Lower end, above 0.
    pub low_ratio: f64,
    /// Upper end.
    pub high_ratio: f64,
}

/// The quantity that an endpoint measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// CPU time, as accounted by the system.
    Cpu,
    /// Elapsed time.
    Elapsed,
    /// A value that the program printed.
    Metric,
    /// The cost of the finding's samples: CPU time or waiting time.
    Finding,
}

/// What happened to the finding's calling method between baseline and candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallingMethod {
    /// The candidate has the method, and the pattern's cost did not move to other callers.
    Present,
    /// Other callers took over the pattern's cost, for example because the method was renamed, moved, split or inlined.
    /// The endpoint contains the pattern's cost below any caller.
    Moved,
    /// No stack of the candidate has the method, and no other caller took over the pattern's cost. The endpoint is
    /// inconclusive.
    Gone,
}

/// One side of an endpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SideFigures {
    /// Geometric mean. `None`: no value.
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

/// The test of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Student's t on differences of logarithms within pairs.
    PairedT,
    /// Welch's t on logarithms.
    WelchT,
    /// One run per side, with an assumed noise.
    OneRunEach,
}

/// The comparison of functions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionsComparison {
    /// The unit of costs: `message`, `unit`, `run`.
    pub per: String,
    /// Number of functions with enough samples.
    pub tested_count: usize,
    /// Functions with fewer samples per run are not tested.
    pub fewest_samples: f64,
    /// The share of false discoveries that is allowed among the named functions: 0.05.
    pub false_discovery_ratio: f64,
    /// Confidence of the intervals of `changed`: above 95 %, because these functions were selected for their large change.
    /// On average, at most the share `false_discovery_ratio` of these intervals misses the true change.
    #[serde(default = "usual_interval")]
    pub interval_ratio: f64,
    /// Whether the design allows only the statement "looks like changed".
    pub is_looks_like: bool,
    /// Functions that changed, the largest change first.
    pub changed: Vec<FunctionChange>,
    /// One row for all functions with too few samples. `None`: there are no such functions.
    pub other: Option<FunctionChange>,
    /// Cost that moved within a class or package.
    pub moved: Vec<MovedCost>,
}

/// Older answers have intervals without a correction.
fn usual_interval() -> f64 {
    USUAL_INTERVAL_RATIO
}

/// One function's change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionChange {
    /// The function's name.
    pub name: String,
    /// Kind of code. `None` for the row of other functions.
    pub kind: Option<String>,
    /// The baseline's mean exclusive CPU time per unit, nanoseconds.
    pub baseline_ns: f64,
    /// The candidate's mean exclusive CPU time per unit, nanoseconds.
    pub candidate_ns: f64,
    /// Candidate ÷ baseline, from geometric means. `None`: a side has no sample.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's interval. Its confidence is `interval_ratio` of the comparison, or 95 % for the row of other
    /// functions.
    pub low_ratio: Option<f64>,
    /// Upper end of this interval.
    pub high_ratio: Option<f64>,
    /// p after Benjamini and Hochberg's correction. `None`: this row was not tested together with the functions.
    pub adjusted_p: Option<f64>,
    /// Mean number of samples per run.
    pub samples: f64,
}

/// Functions of one class or package took over each other's cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovedCost {
    /// The class or package.
    pub within: String,
    /// Functions that cost less.
    pub from: Vec<String>,
    /// Functions that cost more.
    pub to: Vec<String>,
    /// The moved CPU time per unit, nanoseconds.
    pub moved_ns: f64,
    /// Total cost of the class or package: candidate ÷ baseline.
    pub ratio: f64,
    /// Lower end of the ratio's 95 % interval.
    pub low_ratio: f64,
    /// Upper end of this interval.
    pub high_ratio: f64,
    /// Whether cost only may have moved: the interval does not exclude that the total changed, or one side ran after the
    /// other.
    #[serde(default)]
    pub is_looks_like: bool,
    /// The moved cost in one sentence.
    pub sentence: String,
}

/// A warning that weakens an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// Kind of the warning.
    pub kind: DoubtKind,
    /// The warning in one sentence.
    pub text: String,
}

/// Kinds of warnings, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtKind {
    /// The program fixes its run time but not its work, so the cost per run misleads. It is shown before the verdict.
    FixedRunTime,
    /// The two sides did different work. The caller reports this.
    OutputsDiffer,
    /// Another endpoint than the program's is worse, and the verdict is not "worse".
    WorseElsewhere,
    /// The finding's calling method is gone from the candidate, or its cost moved to other callers.
    CallingMethod,
    /// One side ran after the other, so a drift of the machine looks like a change.
    Sequential,
    /// Too few runs for a statement.
    TooFewRuns,
    /// Units of work are unknown, at least for some runs.
    UnitsMissing,
    /// A run gave no usable value for an endpoint.
    ValueMissing,
    /// The warm-up had not ended. The caller reports this.
    NotSteady,
    /// The machine became slower or faster during the runs.
    Drift,
    /// A run differs greatly from the other runs of its side.
    Outlier,
    /// Runs vary greatly.
    Noise,
    /// The exact test disagrees with Student's t test.
    TestsDisagree,
    /// The runs are too few for the exact test, so the verdict assumes normal noise.
    ExactTestTooWeak,
    /// Too few samples of the finding.
    FewSamples,
    /// Times come from profiled runs.
    Profiled,
    /// Another warning of the caller.
    Other,
}

/// The input of a verification: runs of both sides.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The runs, in any order.
    pub runs: &'a [Run],
    /// Functions of the profiled runs. `None`: the caller has no functions.
    pub functions: Option<&'a crate::verify::FunctionRuns>,
    /// Warnings that are already known, such as outputs that differ.
    pub doubts: &'a [Doubt],
}

impl EndpointView {
    /// The values of one side.
    pub fn side(&self, side: Side) -> &SideFigures {
        match side {
            Side::Baseline => &self.baseline,
            Side::Candidate => &self.candidate,
        }
    }
}

impl EndpointKind {
    /// Whether a missing value makes the endpoint inconclusive. This is true for all endpoints of the whole program.
    pub(super) const fn needs_all_runs(self) -> bool {
        !matches!(self, Self::Finding)
    }
}

impl Word {
    /// The name as displayed.
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
    /// The verdict as displayed: `improved`, `looks like improved`. "Inconclusive" is the same in any design.
    pub fn words(self) -> String {
        let is_plain = !self.is_looks_like || self.word == Word::Inconclusive;
        if is_plain { self.word.name().to_owned() } else { format!("looks like {}", self.word.name()) }
    }

    /// Whether the verdict states a change.
    pub(crate) const fn is_a_change(self) -> bool {
        matches!(self.word, Word::Improved | Word::Worse | Word::Changed)
    }

    /// The exit status: 4 worse, 5 inconclusive or changed in an unknown direction, otherwise 0. A design that allows only
    /// "looks like" always gives 0, also for "inconclusive", because it must not stop a build.
    pub const fn exit_status(self) -> u8 {
        match self.word {
            _ if self.is_looks_like => 0,
            Word::Worse => 4,
            Word::Inconclusive | Word::Changed => 5,
            Word::Improved | Word::NoRelevantChange => 0,
        }
    }
}
