//! What the runs of a trial show in addition to their times: output, written files, exit status, the agent's reports.

use super::agent_files::AgentFiles;
use super::agent_report::AgentReport;
use super::printed::{Compared, Source, compare, quoted};
use super::written::{FileBytes, FilesCompared, WrittenFiles};
use crate::interleaved::{Finished, Reader, Step};
use std::ops::ControlFlow;
use whittle_model::redact_command;
use whittle_profile::Side;
use whittle_terminal::Failure;

const NANOS_PER_SECOND: f64 = 1e9;
/// The exit status of a JVM that SIGTERM has ended.
const SIGTERM_STATUS: i32 = 143;

/// All runs of a trial so far.
pub(super) struct Observed<'a> {
    files: &'a AgentFiles,
    reader: &'a Reader,
    written: WrittenFiles,
    printed: Vec<(Side, String)>,
    /// The reports of the candidate's runs.
    reports: Vec<AgentReport>,
    /// Why the runs have no verdict. `None`: they can have one.
    pub(super) end: Option<End>,
}

/// Why a trial has no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// The agent did not change the places, or failed. The reason continues "not tried: ".
    NotTried(String),
    /// The program did not execute the places.
    NotExercised {
        /// An agent saw a class of a place.
        is_class_seen: bool,
    },
    /// The program's results differ. The words name the first difference.
    DifferentResults(String),
}

impl<'a> Observed<'a> {
    pub(super) fn new(files: &'a AgentFiles, reader: &'a Reader, written: WrittenFiles) -> Self {
        Self { files, reader, written, printed: Vec::new(), reports: Vec::new(), end: None }
    }

    /// Looks at a finished run. `Break`: the trial has no verdict, so no further run is needed.
    pub(super) fn add_run(&mut self, step: &Step, run: &Finished<'_>) -> Result<ControlFlow<()>, Failure> {
        let report = self.files.take_report(step.side)?;
        self.end = match step.side {
            Side::Baseline => report.failed.clone().map(End::NotTried),
            Side::Candidate => self.end_of_candidate(&report, run),
        };
        self.reports.extend((step.side == Side::Candidate).then_some(report));
        if self.end.is_some() {
            return Ok(ControlFlow::Break(()));
        }
        // A failed baseline has no results to compare, and the caller reports the failure.
        if run.measured.exit_code == Some(0) {
            self.written.add_run(step.side);
            self.printed.push((step.side, self.without_numbers(&run.measured.stdout)));
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end_of_candidate(&self, report: &AgentReport, run: &Finished<'_>) -> Option<End> {
        if let Some(reason) = why_not_tried(report) {
            return Some(End::NotTried(reason));
        }
        if report.runs_count() == 0 {
            return Some(End::NotExercised { is_class_seen: !report.changed.is_empty() || !report.refused.is_empty() });
        }
        if let Some(text) = report.broken_condition() {
            return Some(End::DifferentResults(text.to_owned()));
        }
        let has_baseline = self.printed.iter().any(|(side, _)| *side == Side::Baseline);
        let ended = how_it_failed(run)?;
        let last = last_line(&run.measured.stderr);
        has_baseline.then(|| End::DifferentResults(format!("{ended}; its last line: {last}")))
    }

    /// The output without lines that contain the user's metrics.
    fn without_numbers(&self, text: &str) -> String {
        let lines = text.lines().filter(|line| !self.reader.has_number(line));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// The comparison of the output of both sides.
    pub(super) fn output(&self) -> Compared {
        let of = |side: Side| -> Vec<String> {
            self.printed.iter().filter(|(of, _)| *of == side).map(|(_, text)| text.clone()).collect()
        };
        compare(Source::Output, &of(Side::Baseline), &of(Side::Candidate))
    }

    /// The comparison of the written files. `None`: the working folder has too many files.
    pub(super) fn written(&self, bytes: FileBytes) -> Option<FilesCompared> {
        self.written.compare(bytes)
    }

    /// The reports of the candidate's runs.
    pub(super) fn reports(&self) -> &[AgentReport] {
        &self.reports
    }
}

/// How a run failed, in words. `None`: it ended by itself, with exit status 0.
fn how_it_failed(run: &Finished<'_>) -> Option<String> {
    // A program that whittle ends can have any exit status, also 0.
    if let Some(limit) = run.limit {
        return Some(format!("the program did not end within {:.0} s, so whittle ended it", limit.as_secs_f64()));
    }
    match run.measured.exit_code {
        Some(0) => None,
        Some(SIGTERM_STATUS) => Some(format!("SIGTERM ended the program, exit status {SIGTERM_STATUS} instead of 0")),
        Some(code) => Some(format!("the program ended with exit status {code} instead of 0")),
        None => {
            Some(format!("a signal ended the program after {:.0} s", run.measured.elapsed_ns as f64 / NANOS_PER_SECOND))
        }
    }
}

/// The last line that the program printed, short and without values that look like secrets. Messages of the JVM are left out.
fn last_line(text: &str) -> String {
    let is_programs =
        |line: &&str| !line.trim().is_empty() && !line.starts_with("Picked up ") && !line.contains("VM warning:");
    let last = text.lines().rev().find(is_programs).unwrap_or_default();
    let words: Vec<String> = last.split(' ').map(str::to_owned).collect();
    quoted(&redact_command(&words).join(" "))
}

/// Why the agent did not make the change. `None`: it made the change at a place that was executed, or it refused no place.
fn why_not_tried(report: &AgentReport) -> Option<String> {
    if let Some(reason) = &report.failed {
        return Some(format!("the agent failed: {reason}"));
    }
    if report.jvms_count == 0 {
        return Some(
            "no JVM of the program has loaded the agent: it needs the variable JAVA_TOOL_OPTIONS, which scripts and \
             containers can drop, and a JVM with the module java.instrument; a JVM of another user cannot read the agent's files"
                .to_owned(),
        );
    }
    // Another place can be changed but not executed.
    report.refused.values().next().filter(|_| report.runs_count() == 0).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use whittle_collect::MeasuredRun;

    #[test]
    fn the_answer_says_how_a_run_failed() {
        let failed = |exit_code: Option<i32>, limit_s: Option<u64>| {
            let measured = MeasuredRun {
                exit_code,
                stdout: String::new(),
                stderr: String::new(),
                elapsed_ns: 2_100_000_000,
                user_cpu_ns: 0,
                system_cpu_ns: 0,
                peak_rss_bytes: 0,
                mean_rss_bytes: None,
            };
            how_it_failed(&Finished { measured: &measured, limit: limit_s.map(Duration::from_secs) })
        };
        assert_eq!(failed(Some(0), None), None);
        let words = |exit_code, limit_s| failed(exit_code, limit_s).unwrap_or_default();
        assert_eq!(words(Some(3), None), "the program ended with exit status 3 instead of 0");
        assert_eq!(words(Some(143), None), "SIGTERM ended the program, exit status 143 instead of 0");
        assert_eq!(words(None, None), "a signal ended the program after 2 s");
        for exit_code in [Some(143), Some(0), None] {
            assert_eq!(words(exit_code, Some(40)), "the program did not end within 40 s, so whittle ended it");
        }
    }

    #[test]
    fn the_last_line_is_the_programs() {
        let text = "Picked up JAVA_TOOL_OPTIONS: x\nno room\nOpenJDK 64-Bit Server VM warning: y\n\n";
        assert_eq!(last_line(text), "\"no room\"");
        assert!(last_line(&"x".repeat(500)).len() < 100);
    }

    #[test]
    fn a_trial_needs_a_changed_place() {
        let why = |text: &str| {
            let mut report = AgentReport::default();
            report.add(text);
            why_not_tried(&report).unwrap_or_default()
        };
        assert!(why("").contains("JAVA_TOOL_OPTIONS"));
        assert_eq!(why("ready\nrefused\t1\ta/B\tthe class differs"), "the class differs");
        let other = "ready\nrefused\t1\ta/B\tthe class differs\nchanged\t2\ta/C\t1\t2\n";
        assert_eq!(why(other), "the class differs");
        assert_eq!(why(&format!("{other}runs\t2\t5\n")), "");
        assert_eq!(why("ready\nfailed\tno memory"), "the agent failed: no memory");
        assert_eq!(why("ready"), "", "the class was not loaded, so its places ran 0 times");
    }
}
