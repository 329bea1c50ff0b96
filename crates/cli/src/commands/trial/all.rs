//! Tries all findings: first each finding alone, and then together the findings whose remedies keep the program's meaning.

use super::kept::{finish, folder, keep, keep_together};
use super::patch::patch;
use super::patch_view::PatchView;
use super::result::TrialView;
use super::time_shares::TimeShares;
use super::trials_view::{Answer, Row, TogetherView, TrialsView};
use super::trying::Trying;
use crate::interleaved::Folder;
use crate::terminal::output;
use crate::terminal::run_progress::{INTERRUPTED_EXIT_CODE, RunProgress};
use std::process::ExitCode;
use whittle_findings::{Finding, FindingsView, RemedyPromise, Trial, TrialAnswer, TriedResult};
use whittle_render::{Format, Style, render};
use whittle_terminal::Failure;

/// Fails if no finding can be tried.
pub(super) fn check(findings: &FindingsView) -> Result<(), Failure> {
    if findings.findings.iter().any(|finding| possible(finding).is_some()) {
        return Ok(());
    }
    let why = match findings.findings.len() {
        0 => "the experiment has no finding",
        _ => "no finding can be tried; whittle findings shows the reasons",
    };
    Err(Failure::new(why.to_owned()))
}

/// Tries all findings, prints the answer, keeps it in the experiment, and gives the exit status.
pub(super) fn run(trying: &Trying<'_>, findings: &FindingsView) -> Result<ExitCode, Failure> {
    let folder = folder(trying, "trials")?;
    let mut sequence = Sequence::new(trying, &folder)?;
    let rows = sequence.each_alone(&findings.findings)?;
    let (together, together_note) = match sequence.together(&rows) {
        Ok(together) => (Some(together), None),
        Err(reason) => (None, Some(reason)),
    };
    let kept = together.as_ref().map(TogetherView::tried);
    keep_together(&trying.arguments.experiment, kept);
    let mut view = TrialsView::new(trying.shown(), rows, (together, together_note));
    view.patch = patch_of(trying, &view);
    finish(trying, (&folder, &view), (&view.markdown(), view.patch.as_ref()))?;
    Ok(ExitCode::from(view.exit_status))
}

fn possible(finding: &Finding) -> Option<&Trial> {
    match &finding.trial {
        TrialAnswer::Possible(trial) => Some(trial),
        TrialAnswer::Impossible { .. } => None,
    }
}

/// Trials, one after the other.
struct Sequence<'a> {
    trying: &'a Trying<'a>,
    folder: &'a Folder,
    times: TimeShares,
    signals: RunProgress,
    is_interrupted: bool,
}

impl<'a> Sequence<'a> {
    fn new(trying: &'a Trying<'a>, folder: &'a Folder) -> Result<Self, Failure> {
        let times = TimeShares::new(trying.arguments.time_box);
        let signals = RunProgress::new(true)?;
        Ok(Self { trying, folder, times, signals, is_interrupted: false })
    }

    /// Tries each finding. Fails if the first trial fails, because the others run the same program.
    fn each_alone(&mut self, findings: &[Finding]) -> Result<Vec<Row>, Failure> {
        let count = findings.iter().filter(|finding| possible(finding).is_some()).count();
        let (mut rows, mut number): (Vec<Row>, usize) = (Vec::new(), 0);
        for finding in findings {
            let answer = match &finding.trial {
                TrialAnswer::Impossible { reason } => Answer::Without(format!("not possible: {reason}")),
                TrialAnswer::Possible(trial) => {
                    number += 1;
                    let known = rows.iter().find_map(|row| row.trial().filter(|known| known.trial == *trial));
                    match known.cloned() {
                        Some(known) => self.known(finding, &known),
                        None => self.alone((finding, trial), (number, count))?,
                    }
                }
            };
            rows.push(Row::new(finding, answer));
        }
        Ok(rows)
    }

    /// The answer of another finding with the same places and the same remedy.
    fn known(&self, finding: &Finding, known: &TrialView) -> Answer {
        let mut view = TrialView::new(finding, &known.trial, (known.command.clone(), known.outcome.clone()));
        view.outcome.notes.push(format!("the same places as finding {}, so they were tried once", known.finding));
        keep(&self.trying.arguments.experiment, &view);
        Answer::Tried(Box::new(view))
    }

    fn alone(
        &mut self,
        (finding, trial): (&Finding, &Trial),
        (number, count): (usize, usize),
    ) -> Result<Answer, Failure> {
        if self.is_interrupted {
            return Ok(Answer::Without("not tried: interrupted".to_owned()));
        }
        // The findings together are one more trial.
        let left = count - number + 1 + usize::from(count > 1);
        self.note(&format!("trial {number} of {count}: finding {}, {}", finding.rank, trial.words()));
        let folder = self.folder.trial(&finding.rank.to_string())?;
        let tried = self.trying.run(std::slice::from_ref(trial), (&folder, self.times.next(left)));
        let interrupted = self.signals.check_signals().is_err();
        self.is_interrupted |= interrupted;
        let outcome = match tried {
            Ok(outcome) => outcome,
            Err(failure) if number == 1 => return Err(failure),
            Err(failure) if failure.exit_code == INTERRUPTED_EXIT_CODE => {
                return Ok(Answer::Without("not tried: interrupted".to_owned()));
            }
            Err(failure) => return Ok(Answer::Failed(failure.message)),
        };
        let view = TrialView::new(finding, trial, (self.trying.shown(), outcome));
        keep(&self.trying.arguments.experiment, &view);
        folder.write(&render(&view, Format::Json, Style { is_coloured: false }), &view.markdown())?;
        self.note(&format!("finding {}: {}", finding.rank, view.outcome.words));
        Ok(Answer::Tried(Box::new(view)))
    }

    /// Tries the findings together whose remedies keep the meaning. The error is the reason why they were not tried.
    fn together(&mut self, rows: &[Row]) -> Result<TogetherView, String> {
        let tried: Vec<&TrialView> = rows.iter().filter_map(Row::trial).filter(|view| is_for_together(view)).collect();
        let trials = union(tried.iter().map(|view| &view.trial));
        if trials.len() < 2 {
            return Err("fewer than two remedies keep the meaning of the program and are not worse alone".to_owned());
        }
        if self.is_interrupted {
            return Err("interrupted".to_owned());
        }
        let names: Vec<String> = tried.iter().map(|view| view.finding.to_string()).collect();
        self.note(&format!("findings {} together", names.join(", ")));
        let folder = self.folder.trial("together").map_err(|failure| failure.message)?;
        let outcome = self.trying.run(&trials, (&folder, self.times.next(1))).map_err(|failure| failure.message)?;
        Ok(TogetherView::new(&tried, trials, outcome))
    }

    fn note(&self, text: &str) {
        if !self.trying.arguments.answer.quiet {
            output::note(text);
        }
    }
}

/// The patch of the findings together, or of the only finding that improved.
fn patch_of(trying: &Trying<'_>, view: &TrialsView) -> Option<PatchView> {
    if let Some(together) = &view.together {
        return patch(trying, &together.trials, &together.outcome);
    }
    let mut trials = view.findings.iter().filter_map(Row::trial).filter(|view| is_for_together(view));
    let first = trials.next()?;
    patch(trying, std::slice::from_ref(&first.trial), &first.outcome)
}

/// Whether a finding is tried together with others: its remedy keeps the meaning, and alone it was not worse.
fn is_for_together(view: &TrialView) -> bool {
    let results =
        [TriedResult::Improved, TriedResult::Changed, TriedResult::NoRelevantChange, TriedResult::Inconclusive];
    view.trial.promise == RemedyPromise::Kept && results.contains(&view.outcome.result)
}

/// The trials without places that an earlier trial has. An instruction can have one remedy only.
fn union<'a>(trials: impl Iterator<Item = &'a Trial>) -> Vec<Trial> {
    let mut all: Vec<Trial> = Vec::new();
    for trial in trials {
        let is_new = |place: &&whittle_findings::TrialPlace| {
            all.iter().flat_map(|known| &known.places).all(|known| known.instruction != place.instruction)
        };
        let places: Vec<_> = trial.places.iter().filter(is_new).cloned().collect();
        if !places.is_empty() {
            all.push(Trial { places, ..trial.clone() });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_findings::{SiteInstruction, TrialPlace};

    fn trial(remedy: &str, indexes: &[u32]) -> Trial {
        let place = |index: &u32| TrialPlace {
            words: format!("place {index}"),
            file: None,
            line: None,
            is_in_library: false,
            instruction: SiteInstruction {
                class: "a/Log".to_owned(),
                method: "put".to_owned(),
                descriptor: "()V".to_owned(),
                bytecode_index: *index,
                operation: "new java/io/FileOutputStream".to_owned(),
            },
        };
        Trial {
            remedy: remedy.to_owned(),
            title: String::new(),
            promise: RemedyPromise::Kept,
            condition: String::new(),
            places: indexes.iter().map(place).collect(),
        }
    }

    #[test]
    fn a_place_of_several_findings_counts_once() {
        let trials = [trial("buffer-output", &[5, 9]), trial("presize", &[9]), trial("buffer-output", &[9, 12])];
        let together = union(trials.iter());
        assert_eq!(together, [trial("buffer-output", &[5, 9]), trial("buffer-output", &[12])]);
    }
}
