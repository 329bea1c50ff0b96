//! What findings say: figures raw, words fixed.

use super::detector::{Endpoint, Figure, GainModel, Measure};
use serde::Serialize;

/// Findings with a smaller share of what their threads did are not told.
pub(crate) const REPORTED_RATIO: f64 = 0.03;

/// The answer of [`Profile::findings`](crate::Profile::findings).
#[derive(Debug, Clone, Serialize)]
pub struct FindingsView {
    /// The view's name.
    pub view: &'static str,
    /// Which samples count, in the language of filters. Missing: all.
    pub filter: Option<String>,
    /// What a reader has to know.
    pub notes: Vec<String>,
    /// What shares are of.
    pub work: Work,
    /// Doubts about the data, the worst first: they come before any finding.
    pub quality: Vec<QualityFinding>,
    /// The findings, the largest expected saving first; those without a prediction by what is spent.
    pub findings: Vec<Finding>,
    /// What fits a detector and is too small for a finding: not worth more than its share.
    pub minor: Vec<Minor>,
    /// Share of the work threads' CPU time that any finding owns; shares of findings are not added up.
    pub union_ratio: f64,
    /// Functions with a large inclusive share to which no single path leads.
    pub scattered: Vec<Scattered>,
    /// Fixed cost and cost per unit of work. Missing: the program did not say how much work it did.
    pub units: Option<WorkUnits>,
    /// The function with the most CPU time that no finding owns. Missing: no such CPU time.
    pub largest_unexplained: Option<Unexplained>,
    /// Number of detectors whose data was there.
    pub checked_count: usize,
    /// Detectors whose data is missing.
    pub not_checked: Vec<NotChecked>,
}

/// The threads that do the program's work, after warm-up.
#[derive(Debug, Clone, Serialize)]
pub struct Work {
    /// Groups of threads with like names, by CPU time, the largest first.
    pub groups: Vec<ThreadGroup>,
    /// Their CPU time in the observed range.
    pub cpu_ns: f64,
    /// Number of CPU samples.
    pub samples_count: u64,
    /// Start of what counts, nanoseconds since the experiment's start: the end of the warm-up.
    pub from_ns: u64,
    /// End of what counts.
    pub to_ns: u64,
    /// Why the warm-up was taken to end there, one sentence.
    pub warm_up: String,
}

/// Threads with like names.
#[derive(Debug, Clone, Serialize)]
pub struct ThreadGroup {
    /// The name, numbers as `#`: `pool-#-thread-#`.
    pub name: String,
    /// How many threads.
    pub threads_count: usize,
    /// Share of the work threads' CPU time.
    pub cpu_ratio: f64,
}

/// A doubt about the data.
#[derive(Debug, Clone, Serialize)]
pub struct QualityFinding {
    /// The word for it: `closure`, `truncated_stacks`, `warm_up`, `other_processes`, `stolen`, `cpu_quota`, `few_samples`.
    pub id: &'static str,
    /// How bad.
    pub severity: Severity,
    /// What, with figures, and what to do.
    pub text: String,
}

/// How much a doubt weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Figures below can be wrong by more than their intervals.
    Serious,
    /// To be kept in mind.
    Note,
}

/// A cause with its place, its evidence and what a fix is expected to save.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Its number in this answer, from 1: `--report 1`.
    pub rank: usize,
    /// The detector.
    pub detector: String,
    /// What is wrong, in a few words.
    pub title: String,
    /// How sure.
    pub confidence: Confidence,
    /// What was asked of the data and what it said.
    pub criteria: Vec<Criterion>,
    /// "Spent here".
    pub spent: Spent,
    /// "Expected saving". Missing: not predicted, see `saving_note`.
    pub expected: Option<ExpectedSaving>,
    /// The model's assumption, or why there is no prediction.
    pub saving_note: String,
    /// Fixed or by the unit of work. Missing: the program did not say how much work it did.
    pub unit_cost: Option<UnitCost>,
    /// The heaviest function of the pattern, as shown.
    pub anchor: String,
    /// Who calls.
    pub calling: CallingPlace,
    /// Where the edit goes.
    pub site: SiteAnswer,
    /// Figures with units.
    pub evidence: Vec<Evidence>,
    /// What to do.
    pub fix: String,
    /// What a profile cannot see and a person has to check before the change.
    pub check_first: Vec<String>,
    /// The page of the user's guide: `findings/unbuffered-write.md`.
    pub page: String,
    /// Selects the finding's samples, in the language of filters.
    pub filter: String,
    /// Functions of the pattern, as shown: those that `filter` names.
    #[serde(skip)]
    pub anchors: Vec<String>,
}

/// What fits a detector and is too small for a finding.
#[derive(Debug, Clone, Serialize)]
pub struct Minor {
    /// The detector.
    pub detector: String,
    /// What is wrong, in a few words.
    pub title: String,
    /// Who calls, as shown.
    pub function: String,
    /// Source file without folders. Missing: not known.
    pub file: Option<String>,
    /// The line with the most of it. Missing: not known.
    pub line: Option<u32>,
    /// What a fix could be worth: share of the work threads' time.
    pub program_ratio: f64,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// One weak indicator.
    Possible,
    /// Frames only.
    Likely,
    /// Frames and counters agree.
    Certain,
}

/// A question to the data and its answer.
#[derive(Debug, Clone, Serialize)]
pub struct Criterion {
    /// In words: `1.1 bytes a call, at most 512`.
    pub text: String,
    /// Whether it holds. Missing: the data is missing.
    pub holds: Option<bool>,
}

/// A share with its interval, "in this experiment".
#[derive(Debug, Clone, Serialize)]
pub struct Spent {
    /// What is added up.
    pub measure: Measure,
    /// Share of `of`.
    pub ratio: f64,
    /// Lower end of the 95 % interval (Wilson, widened for bursts).
    pub low_ratio: f64,
    /// Upper end.
    pub high_ratio: f64,
    /// What it is a share of: `CPU time of main`.
    pub of: String,
    /// The value itself: nanoseconds, or bytes for `alloc_bytes`.
    pub value: f64,
    /// Number of samples that it is the sum of.
    pub samples_count: u64,
    /// Share of all work threads' measure.
    pub program_ratio: f64,
}

/// A prediction.
#[derive(Debug, Clone, Serialize)]
pub struct ExpectedSaving {
    /// Share of `endpoint` of the threads that `spent` names.
    pub ratio: f64,
    /// Which time.
    pub endpoint: Endpoint,
    /// How it was predicted.
    pub model: GainModel,
    /// True if usually more is saved.
    pub at_least: bool,
    /// Share of the same time of all work threads.
    pub program_ratio: f64,
}

/// Who calls: the deepest frame of the program's own code, and the library's before it.
#[derive(Debug, Clone, Serialize)]
pub struct CallingPlace {
    /// The function as shown.
    pub function: String,
    /// Source file without folders. Missing: not known.
    pub file: Option<String>,
    /// The line with the most of the finding. Missing: not known.
    pub line: Option<u32>,
    /// Its text. Missing: source not found.
    pub text: Option<String>,
    /// All lines, the largest part first.
    pub lines: Vec<LinePart>,
    /// The third-party function between, where the call is a library's. Missing: the program itself calls.
    pub library: Option<LibraryPlace>,
}

/// A line's part of a finding.
#[derive(Debug, Clone, Serialize)]
pub struct LinePart {
    /// Source line. Missing: not known.
    pub line: Option<u32>,
    /// Its share of the finding.
    pub ratio: f64,
}

/// The place in a third-party library.
#[derive(Debug, Clone, Serialize)]
pub struct LibraryPlace {
    /// The function as shown.
    pub function: String,
    /// Source file without folders. Missing: not known.
    pub file: Option<String>,
    /// Source line. Missing: not known.
    pub line: Option<u32>,
    /// File name of the jar. Missing: not known.
    pub jar: Option<String>,
}

/// The edit site, or why there is none.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum SiteAnswer {
    /// Found.
    Found(Box<EditSite>),
    /// Not found, in words that go on from "site not found: ".
    NotFound {
        /// Why, and what to look for.
        reason: String,
    },
    /// There is no line to edit.
    None,
}

/// A line to edit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EditSite {
    /// The class as the JVM names it.
    pub class: String,
    /// The method, name only: `<init>`.
    pub method: String,
    /// Source file without folders. Missing: not known.
    pub file: Option<String>,
    /// Line. Missing: compiled without.
    pub line: Option<u32>,
    /// What stands there: `new java.io.FileOutputStream(…), kept in field CrcOut.w`.
    pub what: String,
    /// The line's text. Missing: source not found.
    pub text: Option<String>,
    /// How it was found, one step a sentence, from the call to the site.
    pub steps: Vec<String>,
    /// Other places that are as good: assignments of the same field.
    pub others: Vec<OtherSite>,
    /// The field that holds the object. Missing: none does.
    pub field: Option<FieldUse>,
    /// The number that stands there, where it is a constant.
    pub constant: Option<f64>,
}

/// Another line that may have to be edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherSite {
    /// `c01.Slow$CrcOut.<init>`.
    pub function: String,
    /// Source file without folders. Missing: not known.
    pub file: Option<String>,
    /// Line. Missing: compiled without.
    pub line: Option<u32>,
    /// What stands there.
    pub what: String,
}

/// A field, and what else uses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldUse {
    /// `c01.Slow$CrcOut.w`.
    pub field: String,
    /// Its declaration: `final java.io.OutputStream w`.
    pub declaration: String,
    /// Line of the declaration. Missing: source not found.
    pub line: Option<u32>,
    /// Uses besides the calling line and the site, which an edit must respect: `close(), line 6: w.close()`.
    pub uses: Vec<OtherSite>,
}

/// A figure that supports a finding.
#[derive(Debug, Clone, Serialize)]
pub struct Evidence {
    /// Which.
    pub figure: Figure,
    /// Its value.
    pub value: f64,
    /// In words: `754,662 system calls a second`.
    pub text: String,
}

/// A function whose cost is large in sum and small on each path.
#[derive(Debug, Clone, Serialize)]
pub struct Scattered {
    /// The function as shown.
    pub function: String,
    /// Inclusive share of the work threads' CPU time.
    pub ratio: f64,
    /// Number of paths that lead to it.
    pub paths_count: usize,
    /// Share of the largest of them.
    pub largest_path_ratio: f64,
    /// The finding that owns most of it, by rank. Missing: none.
    pub finding: Option<usize>,
}

/// The work that the program said it did, and what of its CPU time grows with it.
#[derive(Debug, Clone, Serialize)]
pub struct WorkUnits {
    /// The unit: `messages`.
    pub unit: String,
    /// How many after the warm-up.
    pub units: f64,
    /// Whether the work varied enough over time to tell fixed cost from cost per unit.
    pub varies: bool,
    /// Packages of the application, by CPU time, the largest first.
    pub packages: Vec<PackageCost>,
}

/// The cost of a package's code with what it calls outside the application.
#[derive(Debug, Clone, Serialize)]
pub struct PackageCost {
    /// The package, with dots.
    pub package: String,
    /// Share of the work threads' CPU time.
    pub ratio: f64,
    /// What it is made of.
    pub cost: UnitCost,
}

/// A cost, fixed or by the unit of work.
#[derive(Debug, Clone, Serialize)]
pub struct UnitCost {
    /// The unit: `messages`.
    pub unit: String,
    /// CPU time for each unit, nanoseconds, fixed cost included.
    pub cpu_ns_per_unit: f64,
    /// Whether it grows with the work.
    pub kind: CostKind,
    /// Share that is there without any work. Missing: the work hardly varied.
    pub fixed_ratio: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low_ratio: Option<f64>,
    /// Upper end.
    pub high_ratio: Option<f64>,
}

/// Whether a cost grows with the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CostKind {
    /// Most of it is there without any work.
    Fixed,
    /// Most of it grows with the work.
    PerUnit,
    /// The data does not say.
    NotTold,
}

/// CPU time that no detector knows.
#[derive(Debug, Clone, Serialize)]
pub struct Unexplained {
    /// The function as shown.
    pub function: String,
    /// Its exclusive share of the work threads' CPU time.
    pub ratio: f64,
}

/// A detector that could not be asked.
#[derive(Debug, Clone, Serialize)]
pub struct NotChecked {
    /// The detector.
    pub detector: String,
    /// What is wrong, in a few words.
    pub title: String,
    /// What is missing and how to get it, in words that go on from "needs ".
    pub needs: String,
}
