//! The answer of findings: raw values, fixed names.

use crate::detector::{Endpoint, Figure, GainModel, Measure};
use crate::guide_blocks::GuideBlock;
use crate::trial_answer::TrialAnswer;
use crate::tried::{Tried, TriedTogether};
use serde::Serialize;
use std::collections::BTreeMap;
use whittle_bytecode::edit_site::{EditSite, OtherSite};

/// A finding with a smaller share is not reported. The base of the share is the total of the finding's threads.
pub(crate) const REPORTED_RATIO: f64 = 0.03;

/// The answer of [`findings`](crate::findings()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FindingsView {
    /// The view's name.
    pub view: &'static str,
    /// Filter expression that selects the samples. `None`: all samples.
    pub filter: Option<String>,
    /// Information that the findings themselves do not show.
    pub notes: Vec<String>,
    /// The work threads, which are the base of shares.
    pub work: Work,
    /// Warnings about the data, the most severe first. They come before the findings.
    pub quality: Vec<QualityFinding>,
    /// The findings, the largest expected saving first. Findings without a model of the saving are sorted by their share.
    /// Hot paths come after known causes, but before small ones.
    pub findings: Vec<Finding>,
    /// The last result of a trial of several findings together. `None`: they were not tried together.
    pub tried_together: Option<TriedTogether>,
    /// Matches of a detector that are too small for a finding.
    pub minor: Vec<Minor>,
    /// Matches of a detector that a condition denied, with a large share that no finding covers.
    pub denied: Vec<Denied>,
    /// The lengths of the parts of these lists that are not in the answer.
    pub left_out: LeftOut,
    /// Share of the work threads' CPU time that all findings cover. The shares of findings must not be added up.
    pub union_ratio: f64,
    /// Functions with a large inclusive share, but only with small paths.
    pub scattered: Vec<Scattered>,
    /// Fixed cost and cost per unit of work. `None`: the program did not report its work.
    pub units: Option<WorkUnits>,
    /// The function with the most CPU time outside all findings. `None`: findings cover all CPU time.
    pub largest_unexplained: Option<Unexplained>,
    /// Share of the work threads' CPU time on stacks without a frame of the program or its libraries. No finding can
    /// explain it.
    pub unplaced_ratio: f64,
    /// The innermost function with the most CPU time on such stacks, often code that the JVM generated, such as its SHA-512.
    /// `None`: all stacks have a frame of the program or its libraries.
    pub largest_unplaced: Option<Unexplained>,
    /// Number of patterns with all required data.
    pub checked_count: usize,
    /// Kinds of problems for which there is no pattern. They are the same for all experiments.
    pub unknown_classes: Vec<&'static str>,
    /// Detectors with missing data.
    pub not_checked: Vec<NotChecked>,
    /// The guide pages of the findings, by detector. Missing: not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub guides: Option<BTreeMap<String, Vec<GuideBlock>>>,
}

/// The threads that do the program's work, after warm-up.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Work {
    /// Groups of threads with similar names. The group with the most CPU time comes first.
    pub groups: Vec<ThreadGroup>,
    /// CPU time of these threads in the observed range. Missing if the samples are only counts, as in some files of other
    /// profilers.
    pub cpu_ns: Option<f64>,
    /// Number of CPU samples.
    pub samples_count: u64,
    /// Start of the observed range, nanoseconds since the experiment's start: the end of the warm-up.
    pub from_ns: u64,
    /// End of the observed range.
    pub to_ns: u64,
    /// How the end of the warm-up was determined, in one sentence.
    pub warm_up: String,
}

/// Threads with similar names.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ThreadGroup {
    /// The name of the pool, as in the filter `pool is "pool-3-thread-#"`, or the name of a thread without a pool.
    pub name: String,
    /// Number of threads.
    pub threads_count: usize,
    /// Share of the work threads' CPU time.
    pub cpu_ratio: f64,
}

/// A warning about the data.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QualityFinding {
    /// The name of the warning: `closure`, `truncated_stacks`, `warm_up`, `other_processes`, `stolen`, `cpu_quota`, `jvm_pauses`,
    /// `few_samples`, `guessed_package`.
    pub id: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The problem with its values, and the remedy.
    pub text: String,
}

/// The severity of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Values of findings can be wrong by more than their intervals.
    Serious,
    /// A fact that the reader should know.
    Note,
}

/// A cause with its place, its evidence and the expected saving of a fix.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Finding {
    /// Number of the finding in this answer, from 1: `--report 1`.
    pub rank: usize,
    /// The detector.
    pub detector: String,
    /// The problem in a few words.
    pub title: String,
    /// How certain the finding is.
    pub confidence: Confidence,
    /// The conditions on the data, and their results.
    pub criteria: Vec<Criterion>,
    /// The value "Spent here".
    pub spent: Spent,
    /// The value "Expected saving". `None`: the data for a range is missing, see `saving_note`.
    pub expected: Option<ExpectedSaving>,
    /// The model's assumption, or why there is no prediction.
    pub saving_note: String,
    /// Fixed cost or cost per unit of work. `None`: the program did not report its work.
    pub unit_cost: Option<UnitCost>,
    /// The heaviest function of the pattern, as displayed.
    pub anchor: String,
    /// The caller.
    pub calling: CallingPlace,
    /// The line to edit.
    pub site: SiteAnswer,
    /// Values that support the finding, with units.
    pub evidence: Vec<Evidence>,
    /// The fix.
    pub fix: String,
    /// Facts that a profile cannot show and that a person must check before the change.
    pub check_first: Vec<String>,
    /// The page of the user's guide: `findings/unbuffered-write.md`.
    pub page: String,
    /// Filter expression that selects the finding's samples.
    pub filter: String,
    /// The functions of the pattern that `filter` contains, as displayed.
    #[serde(skip)]
    pub anchors: Vec<String>,
    /// The calling line in the code that calls the pattern, which can be a library. `None`: native code, or unknown.
    #[serde(skip)]
    pub call: Option<OtherSite>,
    /// Whether the fix can be tried without an edit.
    pub trial: TrialAnswer,
    /// The result of the last trial. `None`: not tried.
    pub tried: Option<Tried>,
}

/// A match of a detector that is too small for a finding.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Minor {
    /// The detector.
    pub detector: String,
    /// The problem in a few words.
    pub title: String,
    /// The calling method, as displayed.
    pub function: String,
    /// Source file without folders. `None`: unknown.
    pub file: Option<String>,
    /// The line with the largest share. `None`: unknown.
    pub line: Option<u32>,
    /// The share of the work threads' total in `measure`.
    pub program_ratio: f64,
    /// The measure of the share.
    pub measure: Measure,
    /// The expected saving. `None`: unknown.
    pub expected: Option<ExpectedSaving>,
}

impl Minor {
    /// What a fix can give, as a share of the work threads' time: the order of small patterns.
    pub(crate) fn worth(&self) -> f64 {
        let high = self.expected.as_ref().map_or(0.0, |expected| expected.program_high_ratio);
        high.max(self.program_ratio)
    }
}

/// How many elements of the lists are not in the answer, because the lists are long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LeftOut {
    /// Findings.
    pub findings: usize,
    /// Patterns that are too small for a finding.
    pub minor: usize,
    /// Denied candidates.
    pub denied: usize,
}

/// Stacks that look like a pattern, but a condition denied the finding.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Denied {
    /// The detector.
    pub detector: String,
    /// The problem in a few words.
    pub title: String,
    /// The calling method, as displayed.
    pub function: String,
    /// Source file without folders. `None`: unknown.
    pub file: Option<String>,
    /// The line with the largest share. `None`: unknown.
    pub line: Option<u32>,
    /// The share of the work threads' total in the detector's measure.
    pub program_ratio: f64,
    /// The measure of the share.
    pub measure: Measure,
    /// The condition that is not met, with its value.
    pub reason: String,
}

/// The certainty of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// One weak indicator.
    Possible,
    /// Only the frames show the problem.
    Likely,
    /// Frames and counters agree.
    Certain,
}

/// A condition on the data and its result.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Criterion {
    /// The condition in words: `1.1 bytes per call (required: at most 512)`.
    pub text: String,
    /// Whether the condition is met. `None`: the data is missing.
    pub holds: Option<bool>,
}

/// A finding's share with its interval. It refers to this experiment only.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Spent {
    /// The measure.
    pub measure: Measure,
    /// Share of the base `of`.
    pub ratio: f64,
    /// Lower end of the 95 % interval (Wilson, widened for bursts).
    pub low_ratio: f64,
    /// Upper end of the interval.
    pub high_ratio: f64,
    /// The base of the share: `CPU time of main after the warm-up`.
    pub of: String,
    /// The amount: nanoseconds, or bytes for `alloc_bytes`.
    pub value: f64,
    /// Number of samples in the sum.
    pub samples_count: u64,
    /// Share of the total over all work threads.
    pub program_ratio: f64,
    /// For elapsed time: the share in each group of threads, weighted by the groups' CPU time. Many threads that wait for others
    /// all the time have a small weight. For other measures, the same as `program_ratio`.
    pub work_ratio: f64,
}

impl Spent {
    /// The share that decides whether a finding is large enough to be reported.
    pub(crate) fn largest_ratio(&self) -> f64 {
        self.program_ratio.max(self.work_ratio)
    }
}

/// A prediction: a range that contains the saving for about nine programs in ten.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExpectedSaving {
    /// The saving according to the model alone, as a share of the time of the finding's threads: what was measured, less
    /// what usually remains. Measured programs differ from it, so `low_ratio` and `high_ratio` are the prediction.
    pub modelled_ratio: f64,
    /// Lower end of the saving, as a share of the time of the finding's threads. `endpoint` is the kind of time.
    pub low_ratio: f64,
    /// Upper end.
    pub high_ratio: f64,
    /// The kind of time.
    pub endpoint: Endpoint,
    /// The model of the prediction.
    pub model: GainModel,
    /// Lower end of the saving, as a share of the time of all work threads.
    pub program_low_ratio: f64,
    /// Upper end.
    pub program_high_ratio: f64,
}

impl ExpectedSaving {
    /// Whether the lower end follows from a model. Without a model, it is zero.
    pub fn is_modelled(&self) -> bool {
        self.model != GainModel::None
    }

    /// The middle of the range, as a share of the time of all work threads.
    pub fn middle_of_program(&self) -> f64 {
        f64::midpoint(self.program_low_ratio, self.program_high_ratio)
    }
}

/// The caller: the deepest frame of the program's own code, and the library's frame between this frame and the pattern.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CallingPlace {
    /// The function as displayed.
    pub function: String,
    /// Source file without folders. `None`: unknown.
    pub file: Option<String>,
    /// The line with the largest share of the finding. `None`: unknown.
    pub line: Option<u32>,
    /// Text of the line. `None`: source not found.
    pub text: Option<String>,
    /// All lines, the largest share first.
    pub lines: Vec<LinePart>,
    /// The third-party function between the caller and the pattern. `None`: there is no library between them.
    pub library: Option<LibraryPlace>,
}

/// A line's share of a finding.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinePart {
    /// Source line. `None`: unknown.
    pub line: Option<u32>,
    /// The line's share of the finding.
    pub ratio: f64,
}

/// The place in a third-party library.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LibraryPlace {
    /// The function as displayed.
    pub function: String,
    /// Source file without folders. `None`: unknown.
    pub file: Option<String>,
    /// Source line. `None`: unknown.
    pub line: Option<u32>,
    /// File name of the jar. `None`: unknown.
    pub jar: Option<String>,
}

/// The line to edit, or the reason why it is missing.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SiteAnswer {
    /// Found.
    Found(Box<EditSite>),
    /// The line was not found.
    NotFound {
        /// The reason, and what to search for. The words continue the sentence "site not found: ".
        reason: String,
    },
    /// There is no line to edit.
    None,
}

/// A value that supports a finding.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Evidence {
    /// The counter.
    pub figure: Figure,
    /// The counter's value.
    pub value: f64,
    /// The value in words: `754,662 system calls per second`.
    pub text: String,
}

/// A function with a large total cost and a small cost on each path.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Scattered {
    /// The function as displayed.
    pub function: String,
    /// Inclusive share of the work threads' CPU time.
    pub ratio: f64,
    /// Number of paths that lead to the function.
    pub paths_count: usize,
    /// The largest path's share.
    pub largest_path_ratio: f64,
    /// The rank of the finding that covers most of the cost. `None`: no finding.
    pub finding: Option<usize>,
}

/// The work that the program reported, and how its CPU time depends on the amount of work.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WorkUnits {
    /// The unit: `messages`.
    pub unit: String,
    /// Number of units after the warm-up.
    pub units: f64,
    /// Whether the work varied enough over time to separate fixed cost from cost per unit.
    pub varies: bool,
    /// Packages of the application, by CPU time, the largest first.
    pub packages: Vec<PackageCost>,
}

/// A package's cost, including its calls to code outside the application.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PackageCost {
    /// The package, with dots.
    pub package: String,
    /// Share of the work threads' CPU time.
    pub ratio: f64,
    /// The cost.
    pub cost: UnitCost,
}

/// Fixed cost or cost per unit of work.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnitCost {
    /// The unit: `messages`.
    pub unit: String,
    /// CPU time for each unit, nanoseconds, fixed cost included.
    pub cpu_ns_per_unit: f64,
    /// Whether the cost grows with the work.
    pub kind: CostKind,
    /// The fixed part of the cost, 0 to 1. It also exists at zero work. `None`: the work hardly varied.
    pub fixed_ratio: Option<f64>,
    /// Lower end of the 95 % interval of `fixed_ratio`.
    pub low_ratio: Option<f64>,
    /// Upper end of this interval.
    pub high_ratio: Option<f64>,
}

/// Whether a cost grows with the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CostKind {
    /// Most of the cost exists even without work.
    Fixed,
    /// Most of the cost grows with the work.
    PerUnit,
    /// The data does not show whether the cost grows.
    NotTold,
}

/// CPU time that no finding covers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Unexplained {
    /// The function as displayed.
    pub function: String,
    /// The function's exclusive share of the work threads' CPU time.
    pub ratio: f64,
}

/// A detector that could not be checked.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NotChecked {
    /// The detector.
    pub detector: String,
    /// The problem in a few words.
    pub title: String,
    /// The missing data and how to get it. The words continue the sentence "needs ".
    pub needs: String,
}
