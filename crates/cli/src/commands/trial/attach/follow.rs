//! Follows a trial in a running JVM until its last turn.

use super::super::agent_report::AgentReport;
use super::super::observed::End;
use super::turns::parse_turns;
use crate::terminal::run_progress::RunProgress;
use std::thread;
use std::time::{Duration, Instant};
use whittle_collect::AttachedTrial;
use whittle_terminal::Failure;

/// How often the CPU time of the process is read. Between two readings it is interpolated, so this is small compared to a turn.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How often the agent's report is read.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// A garbage collection or a busy machine can delay turns by this many turns in total.
const LATE_TURNS: u32 = 2;

/// How the agent reports that it cannot start a trial now.
const REFUSAL: &str = "java.lang.IllegalStateException: ";

/// How long the trial takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) turn: Duration,
    pub(super) all: Duration,
}

impl Plan {
    fn turns_count(&self) -> usize {
        (self.all.as_nanos() / self.turn.as_nanos().max(1)) as usize
    }
}

/// Why no further turn is needed.
pub(super) enum Stopped {
    /// All turns are over.
    Whole,
    /// The agent's report is an answer.
    Answered(End),
    /// A signal arrived.
    Interrupted(Failure),
    /// The process has ended.
    ProcessEnded,
}

/// Waits for the turns. Returns the last report too, because a process that has ended may have taken its file along.
pub(super) fn follow(trial: &mut AttachedTrial, plan: Plan, progress: &mut RunProgress) -> (Stopped, String) {
    let begin = Instant::now();
    let mut report = trial.report().unwrap_or_default();
    if let Some(end) = end_of(&report) {
        return (Stopped::Answered(end), report);
    }
    let mut next_report = begin;
    loop {
        let left = plan.all.saturating_sub(begin.elapsed());
        if let Err(failure) = progress.show("old and new code in turns", Some(left)) {
            return (Stopped::Interrupted(failure), report);
        }
        thread::sleep(POLL_INTERVAL);
        if !trial.poll() {
            return (Stopped::ProcessEnded, report);
        }
        if Instant::now() < next_report {
            continue;
        }
        next_report = Instant::now() + REPORT_INTERVAL;
        report = trial.report().unwrap_or(report);
        if let Some(end) = end_of(&report) {
            return (Stopped::Answered(end), report);
        }
        let is_late = begin.elapsed() > plan.all + LATE_TURNS * plan.turn;
        if is_late || parse_turns(&report).len() >= plan.turns_count() {
            return (Stopped::Whole, report);
        }
    }
}

/// Why the trial needs no further turn.
pub(super) fn end_of(report: &str) -> Option<End> {
    let mut read = AgentReport::default();
    read.add(report);
    if let Some(failure) = &read.failed {
        let reason = failure.strip_prefix(REFUSAL).map(str::to_owned);
        return Some(End::NotTried(reason.unwrap_or_else(|| format!("the agent failed: {failure}"))));
    }
    if read.jvms_count == 0 {
        let reason =
            "the agent wrote no report; if this JVM has the agent of another version of whittle, restart the JVM";
        return Some(End::NotTried(reason.to_owned()));
    }
    if let Some(reason) = read.refused.values().next().filter(|_| read.changed.is_empty()) {
        return Some(End::NotTried(reason.clone()));
    }
    read.broken_condition().map(|text| End::DifferentResults(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_can_be_an_answer() {
        let words = |report: &str| match end_of(report) {
            Some(End::NotTried(reason)) => reason,
            Some(End::DifferentResults(text)) => format!("different: {text}"),
            _ => String::new(),
        };
        assert!(words("").starts_with("the agent wrote no report"));
        assert_eq!(words("failed\t-\tno room\n"), "the agent failed: no room");
        assert_eq!(words("failed\t-\tjava.lang.IllegalStateException: not now\n"), "not now");
        assert_eq!(words("ready\nrefused\t1\ta/B\tthe class differs\n"), "the class differs");
        let other = "ready\nrefused\t1\ta/B\tthe class differs\nchanged\t2\ta/C\t1\t2\n";
        assert_eq!(words(other), "");
        assert_eq!(words(&format!("{other}runs\t2\t5\nbroken\t2\tit was read\n")), "different: it was read");
    }

    #[test]
    fn the_time_has_whole_turns() {
        let plan = Plan { turn: Duration::from_secs(2), all: Duration::from_secs(61) };
        assert_eq!(plan.turns_count(), 30);
    }
}
