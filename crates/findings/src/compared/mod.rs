//! The findings of both sides of a comparison: which went away, which are new, and which are the same.
//!
//! ```text
//! runs of the baseline  ── findings of each run ──┐ same detector, and same calling method
//!                                                 ├── or same method with the line to edit ──> gone, new, same
//! runs of the candidate ── findings of each run ──┘ (names as in the comparison)
//! ```
//!
//! Detectors examine each run alone, because a comparison has no counters and no class files of its single runs. Findings
//! are those of the whole runs: filters and transforms of the comparison do not change them.

mod lists;
mod matching;
mod seen;
mod sentence;
mod text;

use crate::detector::Measure;
use crate::evaluate::findings;
use crate::options::FindingsOptions;
use lists::lists;
use seen::RunFindings;
use sentence::sentence;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};
use whittle_model::Metric;
use whittle_profile::sides::{Comparison, Side};
use whittle_profile::{AnalysisError, Profile, Query, SingleRuns};
use whittle_views::comparison::{ComparisonView, comparison_overview};
use whittle_views::definition::{Answered, Answerer, NoKeys, ViewError, keys};
use whittle_views::source::NoFiles;

/// The views with findings in a comparison.
pub const COMPARED: [Answerer; 2] = [
    Answerer {
        name: "overview",
        answer: |on, asked| {
            let OverviewKeys { findings } = keys(asked)?;
            let overview = comparison_overview(on.profile, on.query)?;
            let findings = if findings { Some(compared_findings(on.profile)?) } else { None };
            Ok(Answered::view(ComparedOverview { overview, findings }))
        },
    },
    Answerer {
        name: "findings",
        answer: |on, asked| {
            let NoKeys {} = keys(asked)?;
            Ok(Answered::view(compared_findings(on.profile)?))
        },
    },
];

/// The keys of the overview of a comparison.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OverviewKeys {
    /// Whether the answer contains the findings of both sides. The runs must be loaded again for them.
    #[serde(default)]
    findings: bool,
}

/// The overview of a comparison, with the findings of both sides.
#[derive(Debug, Clone, Serialize)]
struct ComparedOverview {
    #[serde(flatten)]
    overview: ComparisonView,
    /// Missing if they were not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<ComparedFindings>,
}

/// The findings of both sides of a comparison.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedFindings {
    /// The view's name.
    pub view: &'static str,
    /// The compared sides.
    pub comparison: Comparison,
    /// What these runs show, in one sentence. It is no verdict.
    pub sentence: String,
    /// Findings of the baseline that the candidate does not have. In each list, the largest share comes first.
    pub gone: Vec<ComparedFinding>,
    /// Findings of the candidate that the baseline does not have.
    pub new: Vec<ComparedFinding>,
    /// Findings that both sides have. On one side, the pattern can be too small for a finding.
    pub same: Vec<ComparedFinding>,
    /// Findings of one side that the other side cannot show, see `reason`.
    pub uncertain: Vec<ComparedFinding>,
    /// Information that the lists do not show.
    pub notes: Vec<String>,
}

/// A finding of one or both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedFinding {
    /// The detector.
    pub detector: String,
    /// The problem in a few words.
    pub title: String,
    /// The calling method, as displayed: the candidate's, or the baseline's if the candidate has no finding.
    pub function: String,
    /// Source file and line, `Log.java:41`: the line to edit, otherwise the calling line. `None`: unknown.
    pub place: Option<String>,
    /// The measure of the shares.
    pub measure: Measure,
    /// The baseline's values. `None`: the baseline does not have the pattern.
    pub baseline: Option<SeenOnSide>,
    /// The candidate's values. `None`: the candidate does not have the pattern.
    pub candidate: Option<SeenOnSide>,
    /// Why the finding is uncertain, or that the pattern is too small for a finding on one side. `None`: neither.
    pub reason: Option<String>,
}

/// The values of a finding on one side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeenOnSide {
    /// Number of the side's runs with the finding. 0: the pattern is too small for a finding in all runs.
    pub runs_count: usize,
    /// Share of the side's total in the measure, from 0 to 1: the mean of the runs with the finding, or with the small
    /// pattern.
    pub ratio: f64,
}

/// The last answer. Findings do not depend on the query, so they are computed once.
#[derive(Default)]
struct Known(Mutex<Option<ComparedFindings>>);

/// The findings of both sides.
///
/// # Errors
/// The profile is not a comparison, its runs cannot be loaded again, or a run is damaged.
fn compared_findings(profile: &Profile) -> Result<ComparedFindings, ViewError> {
    let known = profile.kept::<Known>();
    let mut known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = &*known {
        return Ok(known.clone());
    }
    let Some(runs) = profile.single_runs() else {
        return Err(ViewError::Missing(
            "the findings of this comparison are unknown, because its experiments are not at hand",
        ));
    };
    let computed = compute(profile, runs)?;
    Ok(known.insert(computed).clone())
}

fn compute(profile: &Profile, runs: &dyn SingleRuns) -> Result<ComparedFindings, AnalysisError> {
    let compared = profile.compared().ok_or(AnalysisError::NothingToCompare)?;
    let mut sides: [Vec<RunFindings>; 2] = Default::default();
    for (number, run) in compared.runs.iter().enumerate() {
        sides[run.side as usize].push(findings_of_run(runs, number, run.side)?);
    }
    let lists = lists(&sides);
    Ok(ComparedFindings {
        view: "findings",
        sentence: sentence(&lists, &compared.comparison, cpu_ns(profile)),
        comparison: compared.comparison.clone(),
        gone: lists.gone,
        new: lists.new,
        same: lists.same,
        uncertain: lists.uncertain,
        notes: vec![
            "Shares are shares of each side's total. If one cost becomes smaller, the shares of all other costs grow."
                .to_owned(),
        ],
    })
}

fn findings_of_run(runs: &dyn SingleRuns, number: usize, side: Side) -> Result<RunFindings, AnalysisError> {
    let unreadable =
        |reason| AnalysisError::UnreadableRun { run: format!("run {} ({})", number + 1, side.name()), reason };
    let profile = runs.load(number).map_err(unreadable)?;
    // The archive of the run has its class files. Files of this machine can be those of the other side.
    let code = NoFiles { reason: "comparisons read no sources" };
    let view = findings(&profile, &Query::default(), &FindingsOptions::default(), &code)?;
    let renamed = |name: &str| if side == Side::Baseline { runs.renamed(name) } else { name.to_owned() };
    Ok(RunFindings::new(&view, &renamed))
}

/// CPU time of both sides, in nanoseconds per unit. `None`: not measured.
fn cpu_ns(profile: &Profile) -> Option<[f64; 2]> {
    // The four sums of a metric begin with those of the baseline and of the candidate.
    let baseline = profile.manifest().metric_index(Metric::Cpu)?;
    Some([profile.totals()[baseline], profile.totals()[baseline + 1]])
}
