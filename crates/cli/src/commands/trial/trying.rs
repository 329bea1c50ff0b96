//! Runs one command with and without remedies.

use super::agent_files::{AgentFiles, OPTIONS_VARIABLE};
use super::arguments::TryArguments;
use super::observed::Observed;
use super::result::{Outcome, outcome};
use super::written::WrittenFiles;
use crate::interleaved::finding::Wanted;
use crate::interleaved::{Commands, Counts, Folder, ProfiledRuns, Reader, Runner, Settings, SideCommand, design};
use std::ffi::OsString;
use std::time::Duration;
use whittle_collect::ServerLoad;
use whittle_findings::Trial;
use whittle_model::redact_command;
use whittle_profile::{Profile, Side};
use whittle_terminal::Failure;

/// A verdict needs this many pairs of runs. With fewer pairs, the noise between runs is unknown.
const FEWEST_PAIRS: usize = 2;

/// What all trials of a command share.
pub(super) struct Trying<'a> {
    pub(super) arguments: &'a TryArguments,
    pub(super) profile: &'a Profile,
    pub(super) command: &'a [OsString],
    pub(super) reader: &'a Reader,
}

impl Trying<'_> {
    /// Runs both sides. The candidate has all remedies. No run begins after `time_box`.
    pub(super) fn run(
        &self,
        trials: &[Trial],
        (folder, time_box): (&Folder, Option<Duration>),
    ) -> Result<Outcome, Failure> {
        let files = AgentFiles::write(trials, &self.profile.tables().archive)?;
        let arguments = self.arguments;
        let output = arguments.answer.output.clone();
        let left_out = [Some(arguments.experiment.clone()), output, Some(files.folder().to_owned())];
        let left_out: Vec<_> = left_out.into_iter().flatten().collect();
        let mut observed = Observed::new(&files, self.reader, WrittenFiles::new(self.command, &left_out)?);
        let changes: Vec<String> = trials.iter().map(Trial::words).collect();
        let names = [self.shown(), format!("{}, {}", self.shown(), changes.join("; "))];
        let design = design(&arguments.endpoint, (self.reader, true), names)?;
        let of_user = std::env::var_os(OPTIONS_VARIABLE);
        let side = |side: Side| SideCommand {
            words: self.command.to_vec(),
            environment: vec![(OPTIONS_VARIABLE, files.options(side, of_user.as_deref()))],
        };
        let commands = Commands { baseline: side(Side::Baseline), candidate: side(Side::Candidate) };
        let load = arguments.server.load();
        let settings = self.settings(time_box, load.as_ref());
        let runner = Runner::new(settings, (&commands, design), (folder, self.reader))?;
        let evidence = runner.run(&mut |step, run| observed.add_run(step, run))?;
        let verification = evidence.map(|evidence| evidence.evaluate(&[]));
        Ok(outcome(trials, (&observed, verification)))
    }

    /// The command line without values that look like secrets.
    pub(super) fn shown(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        redact_command(&words).join(" ")
    }

    fn settings<'s>(&self, time_box: Option<Duration>, server: Option<&'s ServerLoad>) -> Settings<'s> {
        let arguments = self.arguments;
        Settings {
            counts: Counts { discarded: arguments.discard, timed: arguments.runs, profiled: 0 },
            profiled: ProfiledRuns { engine: "auto", interval: Duration::from_millis(10), metric: None },
            finding: Wanted::None,
            renames: &[],
            time_box,
            fewest_pairs: Some(FEWEST_PAIRS),
            ends_slow_candidate: true,
            server,
            is_quiet: arguments.answer.quiet,
        }
    }
}
