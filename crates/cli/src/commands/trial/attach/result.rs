//! The result of a trial in a running JVM.

use super::super::agent_report::AgentReport;
use super::super::observed::End;
use super::super::result::{Outcome, TurnsView, notes, of_end, of_verification};
use super::follow::{Plan, Stopped};
use super::steady::steady;
use super::turns::{Turn, counted, is_restored, parse_turns, runs, too_many_wrong};
use crate::interleaved::Evidence;
use std::collections::{BTreeMap, BTreeSet};
use whittle_findings::Trial;
use whittle_profile::Side;
use whittle_terminal::Failure;
use whittle_verdict::verify::{Design, VerificationView};

/// A verdict needs this many pairs of turns. With fewer pairs, the noise between turns is unknown.
const FEWEST_PAIRS: usize = 2;

/// A finished trial in a running JVM.
pub(super) struct Attached {
    pub(super) process_id: u32,
    pub(super) plan: Plan,
    /// The agent's last report.
    pub(super) report: String,
}

impl Attached {
    /// Builds the answer. `cpu`: CPU time of the process in a turn. Fails if the trial has ended before it has an answer.
    pub(super) fn outcome(
        &self,
        (chosen, design): (&Trial, Design),
        stopped: Stopped,
        cpu: impl Fn(&Turn) -> Option<(u64, u64)>,
    ) -> Result<Outcome, Failure> {
        let turns = parse_turns(&self.report);
        let mut report = AgentReport::default();
        report.add(&self.report);
        let runs = runs(&turns, cpu);
        let steady = steady(&runs);
        let early = early_words(&stopped);
        let end = match stopped {
            Stopped::Answered(end) => Some(end),
            Stopped::Interrupted(failure) if runs.len() < 2 * FEWEST_PAIRS => return Err(too_few(failure)),
            Stopped::ProcessEnded if runs.len() < 2 * FEWEST_PAIRS => {
                return Err(too_few(Failure::new(format!("process {} has ended", self.process_id))));
            }
            _ => end_of_turns(&turns, &report).or_else(|| steady.is_none().then(still_changing)),
        };
        let runs = steady.unwrap_or_default().to_vec();
        let counted_count = runs.len();
        let evidence = Evidence { design, runs, doubts: Vec::new(), experiments: Vec::new() };
        let verification = end.is_none().then(|| evidence.evaluate(&[]));
        let has_begun = report.jvms_count > 0;
        let reports = if has_begun { std::slice::from_ref(&report) } else { &[] };
        let mut notes = notes(std::slice::from_ref(chosen), reports);
        if verification.is_some() {
            notes.extend(early);
            notes.extend(self.notes_on_turns());
        }
        notes.extend(self.note_on_restoring());
        Ok(self.answer((chosen, &report), (end, verification), (notes, &turns, counted_count)))
    }

    fn answer(
        &self,
        (chosen, report): (&Trial, &AgentReport),
        (end, verification): (Option<End>, Option<VerificationView>),
        (notes, turns, turns_count): (Vec<String>, &[Turn], usize),
    ) -> Outcome {
        let (result, words, exit_status) = match (&end, &verification) {
            (Some(end), _) => of_end(end),
            (None, Some(verification)) => of_verification(verification, chosen.promise, "turns"),
            (None, None) => of_end(&End::NotTried("no pair of turns is finished".to_owned())),
        };
        let classes: BTreeSet<&str> = report.changed.iter().map(|changed| changed.class.as_str()).collect();
        Outcome {
            turns: Some(TurnsView {
                process_id: self.process_id,
                turn_ns: u64::try_from(self.plan.turn.as_nanos()).unwrap_or(u64::MAX),
                turns_count,
            }),
            result,
            words,
            exit_status,
            classes_count: classes.len(),
            runs_of_places: runs_of_places(report, turns),
            capacities_of_places: report.capacities.clone(),
            output: None,
            files: None,
            notes,
            verification,
        }
    }

    fn notes_on_turns(&self) -> [String; 3] {
        [
            format!(
                "each run is a turn of {} s in the same process; the first turns do not count, because the JVM compiles the changed methods",
                self.plan.turn.as_secs_f64()
            ),
            "costs are those of the whole process per execution of the place, also of work that does not execute it"
                .to_owned(),
            "output and written files are not compared".to_owned(),
        ]
    }

    fn note_on_restoring(&self) -> Option<String> {
        let remains = "the agent could not restore all classes: the changed methods execute their old code";
        (is_restored(&self.report) == Some(false)).then(|| remains.to_owned())
    }
}

/// The note if not all turns are over.
fn early_words(stopped: &Stopped) -> Option<String> {
    match stopped {
        Stopped::Whole | Stopped::Answered(_) => None,
        Stopped::Interrupted(_) => Some("a signal ended the trial early".to_owned()),
        Stopped::ProcessEnded => Some("the process ended before the trial".to_owned()),
    }
}

fn too_few(failure: Failure) -> Failure {
    let message = format!("{}; an answer needs {FEWEST_PAIRS} pairs of turns after the first turns", failure.message);
    Failure { message, ..failure }
}

/// Why the turns have no verdict.
fn end_of_turns(turns: &[Turn], report: &AgentReport) -> Option<End> {
    if counted(turns).iter().all(|turn| turn.count() == 0) {
        return Some(End::NotExercised { is_class_seen: !report.changed.is_empty() || !report.refused.is_empty() });
    }
    too_many_wrong(counted(turns)).map(|ratio| {
        End::NotTried(format!(
            "{:.0} % of the executions were by calls of the method that are longer than a turn, so old and new code did not \
             take turns; a longer --turn can help",
            ratio * 100.0
        ))
    })
}

/// Why there is no verdict if no turns are steady.
fn still_changing() -> End {
    let reason = "the difference between old and new code was still changing at the end, because the JVM was still compiling; \
                  a longer --for helps, or a machine with free CPUs";
    End::NotTried(reason.to_owned())
}

/// How often each place ran in a turn of the new code, on average.
fn runs_of_places(report: &AgentReport, turns: &[Turn]) -> BTreeMap<usize, f64> {
    let new_count = turns.iter().filter(|turn| turn.side == Side::Candidate).count().max(1) as f64;
    report.runs.iter().map(|(place, count)| (*place, *count as f64 / new_count)).collect()
}
