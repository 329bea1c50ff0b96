//! The answer of `whittle try --all`.

use super::patch_view::PatchView;
use super::result::{Outcome, TrialView};
use serde::Serialize;
use whittle_findings::{ExpectedSaving, Finding, Trial, TriedTogether};

/// The exit status if a run failed.
const FAILED_EXIT_CODE: u8 = 1;
/// The exit statuses of trials, the most serious first.
const SERIOUS_FIRST: [u8; 4] = [FAILED_EXIT_CODE, 6, 4, 5];

/// The answer: all findings, and the findings together.
#[derive(Debug, Serialize)]
pub(super) struct TrialsView {
    /// The view's name: `trials`.
    pub(super) view: &'static str,
    /// The command line, without values that look like secrets.
    pub(super) command: String,
    /// All findings, in the order of `whittle findings`.
    pub(super) findings: Vec<Row>,
    /// The findings together. `None`: not tried together.
    pub(super) together: Option<TogetherView>,
    /// Why the findings were not tried together. `None`: they were.
    pub(super) not_together: Option<String>,
    /// The exit status of whittle.
    pub(super) exit_status: u8,
    /// The patch. `None`: the user wants none, or no finding has a result that a patch can have.
    pub(super) patch: Option<PatchView>,
}

/// A finding and the result of its trial.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// Number of the finding in `whittle findings`.
    pub(super) finding: usize,
    /// The finding's detector.
    pub(super) detector: String,
    /// The problem in a few words.
    pub(super) title: String,
    /// The expected saving. `None`: unknown.
    pub(super) expected: Option<ExpectedSaving>,
    /// The answer.
    pub(super) answer: Answer,
}

/// The answer of a finding's trial.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The trial has a result.
    Tried(Box<TrialView>),
    /// A run of the unchanged program failed, or the time ended. The reason.
    Failed(String),
    /// Nothing was run. The reason.
    Without(String),
}

/// The result of several findings together.
#[derive(Debug, Serialize)]
pub(super) struct TogetherView {
    /// Numbers of the findings in `whittle findings`.
    pub(super) findings: Vec<usize>,
    /// The detectors of the findings.
    pub(super) detectors: Vec<String>,
    /// The remedies and their places. A place of several findings is in the first of their trials.
    pub(super) trials: Vec<Trial>,
    /// The result and its evidence.
    #[serde(flatten)]
    pub(super) outcome: Outcome,
}

impl TrialsView {
    pub(super) fn new(
        command: String,
        findings: Vec<Row>,
        (together, not_together): (Option<TogetherView>, Option<String>),
    ) -> Self {
        let of_findings = findings.iter().filter_map(Row::exit_status);
        let statuses = of_findings.chain(together.as_ref().map(|together| together.outcome.exit_status));
        let exit_status = most_serious(statuses.collect());
        Self { view: "trials", command, findings, together, not_together, exit_status, patch: None }
    }
}

/// The most serious exit status. It is 0 if no trial has a serious one.
fn most_serious(statuses: Vec<u8>) -> u8 {
    SERIOUS_FIRST.into_iter().find(|status| statuses.contains(status)).unwrap_or(0)
}

impl Row {
    pub(super) fn new(finding: &Finding, answer: Answer) -> Self {
        Self {
            finding: finding.rank,
            detector: finding.detector.clone(),
            title: finding.title.clone(),
            expected: finding.expected.clone(),
            answer,
        }
    }

    /// The trial. `None`: no result.
    pub(super) fn trial(&self) -> Option<&TrialView> {
        match &self.answer {
            Answer::Tried(view) => Some(view),
            Answer::Failed(_) | Answer::Without(_) => None,
        }
    }

    /// The exit status of the trial. `None`: nothing was run.
    fn exit_status(&self) -> Option<u8> {
        match &self.answer {
            Answer::Tried(view) => Some(view.outcome.exit_status),
            Answer::Failed(_) => Some(FAILED_EXIT_CODE),
            Answer::Without(_) => None,
        }
    }
}

impl TogetherView {
    pub(super) fn new(tried: &[&TrialView], trials: Vec<Trial>, outcome: Outcome) -> Self {
        let findings = tried.iter().map(|view| view.finding).collect();
        let detectors = tried.iter().map(|view| view.detector.clone()).collect();
        Self { findings, detectors, trials, outcome }
    }

    /// The result for the experiment.
    pub(super) fn tried(&self) -> TriedTogether {
        let [ratio, low_ratio, high_ratio] = self.outcome.ratios();
        TriedTogether {
            detectors: self.detectors.clone(),
            result: self.outcome.result,
            ratio,
            low_ratio,
            high_ratio,
            runs_count: self.outcome.runs_count(),
            words: format!("{}: {}", self.detectors.join(", "), self.outcome.kept_words()),
            notes: self.outcome.notes.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_serious_exit_status_counts() {
        assert_eq!(most_serious(vec![0, 5, 4]), 4);
        assert_eq!(most_serious(vec![5, 6, 4, 1]), 1);
        assert_eq!((most_serious(vec![0, 0]), most_serious(Vec::new())), (0, 0));
    }
}
