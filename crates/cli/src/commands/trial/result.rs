//! The result of a trial: from evidence to an answer.

use super::agent_report::AgentReport;
use super::observed::{End, Observed};
use super::patch_view::PatchView;
use super::printed::Compared;
use super::written::{FileBytes, FilesCompared};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use whittle_findings::{Finding, Remedy, RemedyPromise, Trial, Tried, TriedResult};
use whittle_verdict::verify::{EndpointView, VerificationView, Word};

/// The exit status if the results of both sides differ. `whittle verify` has the exit statuses 0 to 5.
const DIFFERENT_RESULTS_EXIT_CODE: u8 = 6;
/// The exit status without a verdict, as for an inconclusive verdict.
const NO_VERDICT_EXIT_CODE: u8 = 5;

/// The answer of `whittle try` for one finding.
#[derive(Debug, Clone, Serialize)]
pub(super) struct TrialView {
    /// The view's name: `trial`.
    pub(super) view: &'static str,
    /// Number of the finding in `whittle findings`.
    pub(super) finding: usize,
    /// The finding's detector.
    pub(super) detector: String,
    /// The calling method of the finding, as displayed.
    pub(super) function: String,
    /// The remedy and its places.
    pub(super) trial: Trial,
    /// The command line, without values that look like secrets.
    pub(super) command: String,
    /// The result and its evidence.
    #[serde(flatten)]
    pub(super) outcome: Outcome,
    /// The patch. `None`: the user wants none.
    pub(super) patch: Option<PatchView>,
}

/// The result of a trial, and its evidence.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Outcome {
    /// The result.
    pub(super) result: TriedResult,
    /// The result in words.
    pub(super) words: String,
    /// The exit status of whittle.
    pub(super) exit_status: u8,
    /// Number of classes that the agent changed in the candidate's runs.
    pub(super) classes_count: usize,
    /// How often each place ran in one run of the candidate, or in one turn of the new code, on average, by the number of the
    /// place from 1.
    pub(super) runs_of_places: BTreeMap<usize, f64>,
    /// The largest capacity that the remedy gave an object of a place, by the number of the place.
    pub(super) capacities_of_places: BTreeMap<usize, u64>,
    /// The comparison of the printed lines in words. `None`: the runs were not compared.
    pub(super) output: Option<String>,
    /// The comparison of the written files in words. `None`: the runs were not compared.
    pub(super) files: Option<String>,
    /// What a reader of the result must know.
    pub(super) notes: Vec<String>,
    /// The verdict with all runs. `None`: no verdict.
    pub(super) verification: Option<VerificationView>,
    /// The turns in a running process. `None`: whittle has started the program for each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turns: Option<TurnsView>,
}

/// The turns of a trial in a running process.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct TurnsView {
    /// The process.
    pub(super) process_id: u32,
    /// The planned length of a turn.
    pub(super) turn_ns: u64,
    /// Number of turns that count, of both sides.
    pub(super) turns_count: usize,
}

/// Builds the result of trials that were made together. `verification`: the verdict on the times of the runs.
pub(super) fn outcome(
    trials: &[Trial],
    (observed, verification): (&Observed<'_>, Option<VerificationView>),
) -> Outcome {
    let promise = match trials.iter().all(|trial| trial.promise == RemedyPromise::Kept) {
        true => RemedyPromise::Kept,
        false => RemedyPromise::Bound,
    };
    let is_compared = observed.end.is_none();
    let output = is_compared.then(|| observed.output());
    let files = is_compared.then(|| observed.written(file_bytes(trials)));
    let differences = [&output, &files.clone().flatten().map(|files| files.compared)].map(difference);
    let end = observed.end.clone().or_else(|| differences.into_iter().flatten().next().map(End::DifferentResults));
    let verification = verification.filter(|_| end.is_none());
    let (result, words, exit_status) = match (&end, &verification) {
        (Some(end), _) => of_end(end),
        (None, Some(verification)) => of_verification(verification, promise, "runs"),
        (None, None) => of_end(&End::NotTried("no pair of runs is finished".to_owned())),
    };
    let reports = observed.reports();
    let classes: BTreeSet<&str> =
        reports.iter().flat_map(|report| &report.changed).map(|changed| changed.class.as_str()).collect();
    Outcome {
        result,
        words,
        exit_status,
        classes_count: classes.len(),
        runs_of_places: runs_of_places(reports),
        capacities_of_places: capacities_of_places(reports),
        output: output.map(|output| output_words(&output)),
        files: files.map(|files| files_words(files.as_ref())),
        notes: notes(trials, reports),
        verification,
        turns: None,
    }
}

/// What the remedies do with the bytes of files.
fn file_bytes(trials: &[Trial]) -> FileBytes {
    let mut remedies = trials.iter().filter_map(|trial| Remedy::of_id(&trial.remedy));
    if remedies.any(|remedy| remedy.compresses) { FileBytes::Compressed } else { FileBytes::Same }
}

fn difference(compared: &Option<Compared>) -> Option<String> {
    match compared {
        Some(Compared::Different { difference }) => Some(difference.clone()),
        _ => None,
    }
}

/// Result, words and exit status without a verdict.
pub(super) fn of_end(end: &End) -> (TriedResult, String, u8) {
    match end {
        End::NotTried(reason) => (TriedResult::NotTried, format!("not tried: {reason}"), NO_VERDICT_EXIT_CODE),
        End::NotExercised { is_class_seen } => {
            let reason = match is_class_seen {
                true => "the program did not execute the place in this run",
                false => "no JVM with the agent loaded the class of the place, or it ended before it could report",
            };
            let words = format!("not exercised: {reason}, so nothing was tried");
            (TriedResult::NotExercised, words, NO_VERDICT_EXIT_CODE)
        }
        End::DifferentResults(difference) => (
            TriedResult::DifferentResults,
            format!("different results: {difference}; the remedy changes what the program does"),
            DIFFERENT_RESULTS_EXIT_CODE,
        ),
    }
}

/// Result, words and exit status of a verdict on the times. `what`: runs or turns.
pub(super) fn of_verification(
    view: &VerificationView,
    promise: RemedyPromise,
    what: &str,
) -> (TriedResult, String, u8) {
    let result = match view.verdict.word {
        Word::Improved => TriedResult::Improved,
        Word::Worse => TriedResult::Worse,
        Word::Changed => TriedResult::Changed,
        Word::NoRelevantChange => TriedResult::NoRelevantChange,
        Word::Inconclusive => TriedResult::Inconclusive,
    };
    let change = view.endpoints.first().and_then(|endpoint| Some((endpoint.change_in_words()?, &endpoint.name)));
    let change = change.map(|(change, name)| format!(", {change} {name}")).unwrap_or_default();
    let runs = view.run_counts.candidate;
    let bound = match promise {
        RemedyPromise::Kept => "",
        RemedyPromise::Bound => "; not a fix: the remedy does other work than a fix",
    };
    (result, format!("{}{change}; {runs} {what} per side{bound}", view.words), view.exit_status)
}

/// The largest capacities in all runs of the candidate.
pub(super) fn capacities_of_places(reports: &[AgentReport]) -> BTreeMap<usize, u64> {
    let mut largest: BTreeMap<usize, u64> = BTreeMap::new();
    for (place, capacity) in reports.iter().flat_map(|report| &report.capacities) {
        let known = largest.entry(*place).or_default();
        *known = (*known).max(*capacity);
    }
    largest
}

/// How often each place ran per run of the candidate.
fn runs_of_places(reports: &[AgentReport]) -> BTreeMap<usize, f64> {
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    for (place, count) in reports.iter().flat_map(|report| &report.runs) {
        *sums.entry(*place).or_default() += *count as f64 / reports.len() as f64;
    }
    sums
}

fn output_words(compared: &Compared) -> String {
    match compared {
        Compared::Same { unsteady_count: 0 } => {
            "the program printed the same on both sides, apart from times".to_owned()
        }
        Compared::Same { unsteady_count: 1 } => {
            "the program printed the same on both sides, apart from times and 1 line that differs from run to run"
                .to_owned()
        }
        Compared::Same { unsteady_count } => format!(
            "the program printed the same on both sides, apart from times and {unsteady_count} lines that differ from run to run"
        ),
        Compared::Different { difference } => format!("different: {difference}"),
    }
}

fn files_words(files: Option<&FilesCompared>) -> String {
    let Some(files) = files else { return "not compared, because the working folder has too many files".to_owned() };
    if let Compared::Different { difference } = &files.compared {
        return format!("different: {difference}");
    }
    let left_out = [
        left_out(&files.unsteady, "differ from run to run"),
        left_out(&files.unreadable, "have other compressed bytes, as expected"),
    ]
    .concat();
    let same = match files.same_count {
        0 => "no written file was found in the working folder or at a path of the command line".to_owned(),
        1 => "1 written file is the same on both sides".to_owned(),
        count => format!("{count} written files are the same on both sides"),
    };
    match (files.same_count, left_out.is_empty()) {
        (0, false) => format!("no file was compared{left_out}"),
        _ => format!("{same}{left_out}"),
    }
}

/// Names the files that were not compared. Empty: there are none.
fn left_out(files: &[String], why: &str) -> String {
    match files {
        [] => String::new(),
        [one] => format!("; files that were not compared, because they {why}: {one}"),
        [one, rest @ ..] => {
            format!("; files that were not compared, because they {why}: {one} and {} more", rest.len())
        }
    }
}

pub(super) fn notes(trials: &[Trial], reports: &[AgentReport]) -> Vec<String> {
    let mut notes: BTreeSet<String> = reports.iter().flat_map(|report| report.notes.iter().cloned()).collect();
    notes.extend(reports.iter().flat_map(|report| &report.changed).filter_map(|changed| changed.note()));
    let remedies = trials.iter().filter_map(|trial| Remedy::of_id(&trial.remedy));
    notes.extend(remedies.filter_map(|remedy| Some(format!("a fix can save more: {}", remedy.more.as_ref()?))));
    for (number, place) in (1..).zip(trials.iter().flat_map(|trial| &trial.places)) {
        let refused = reports.iter().find_map(|report| report.refused.get(&number));
        let has_run = reports.iter().any(|report| report.runs.get(&number).is_some_and(|count| *count > 0));
        match refused {
            Some(reason) => drop(notes.insert(format!("{} was not changed: {reason}", place.words))),
            None if !has_run && !reports.is_empty() => drop(notes.insert(format!("{} was not executed", place.words))),
            None => {}
        }
        if place.is_in_library {
            notes.insert(format!("{} is in a library, and not in the program's own code", place.words));
        }
    }
    notes.into_iter().collect()
}

impl Outcome {
    /// The first endpoint of the verdict.
    fn first_endpoint(&self) -> Option<&EndpointView> {
        self.verification.as_ref()?.endpoints.first()
    }

    /// Candidate ÷ baseline of the first endpoint, and the ends of the interval.
    pub(super) fn ratios(&self) -> [Option<f64>; 3] {
        let first = self.first_endpoint();
        [|it: &EndpointView| it.ratio, |it: &EndpointView| it.low_ratio, |it: &EndpointView| it.high_ratio]
            .map(|value| first.and_then(value))
    }

    /// The change of the first endpoint: `−52 % (95 % interval −57 to −46 %)`. `None`: no measured change.
    pub(super) fn change(&self) -> Option<String> {
        self.first_endpoint()?.change_in_words()
    }

    /// Number of runs of each side.
    pub(super) fn runs_count(&self) -> usize {
        self.verification.as_ref().map_or(0, |view| view.run_counts.candidate)
    }

    /// The result in words for the experiment, which keeps no output of the program.
    pub(super) fn kept_words(&self) -> &str {
        match self.result {
            TriedResult::DifferentResults => "different results: the remedy changes what the program does",
            _ => &self.words,
        }
    }

    /// The verdict with its reason, in sentences.
    pub(super) fn reasons(&self) -> Vec<String> {
        self.verification.iter().flat_map(|view| view.sentences.iter().cloned()).collect()
    }

    /// What weakens the verdict.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.verification.iter().flat_map(|view| view.doubts.iter().map(|doubt| doubt.text.clone())).collect()
    }
}

impl TrialView {
    pub(super) fn new(finding: &Finding, trial: &Trial, (command, outcome): (String, Outcome)) -> Self {
        Self {
            view: "trial",
            finding: finding.rank,
            detector: finding.detector.clone(),
            function: finding.calling.function.clone(),
            trial: trial.clone(),
            command,
            outcome,
            patch: None,
        }
    }

    /// The result for the experiment.
    pub(super) fn tried(&self) -> Tried {
        let [ratio, low_ratio, high_ratio] = self.outcome.ratios();
        Tried {
            detector: self.detector.clone(),
            function: self.function.clone(),
            remedy: self.trial.remedy.clone(),
            promise: self.trial.promise,
            result: self.outcome.result,
            ratio,
            low_ratio,
            high_ratio,
            runs_count: self.outcome.runs_count(),
            words: format!("{} ({})", self.outcome.kept_words(), self.trial.title),
            notes: self.outcome.notes.clone(),
        }
    }
}
