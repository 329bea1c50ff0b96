//! One collection for `whittle collect` and `whittle stat`. Signals end the collection. A progress line shows its
//! state.

use crate::artefact::NewArtefact;
use crate::signals::{listen_for_signals, stop_with_input};
use crate::terminal::collect_progress::ProgressLine;
use crate::terminal::output;
use std::path::Path;
use std::process::ExitCode;
use whittle_collect::{CollectOptions, Error, Outcome, Stop, Target, collect};
use whittle_model::ExitStatus;
use whittle_terminal::Failure;

/// If a signal ended a program, shells report 128 + the number of the signal.
const SIGNAL_EXIT_BASE: i32 = 128;

/// A collection that has not started.
pub(crate) struct Collection {
    pub(crate) target: Target,
    pub(crate) options: CollectOptions,
    /// Largest size of the kept artefact in bytes. Missing: no artefact is kept.
    pub(crate) artefact_limit: Option<u64>,
    /// Whether the end of standard input ends the collection.
    pub(crate) stops_with_input: bool,
    pub(crate) is_quiet: bool,
}

/// A collection that has ended.
pub(crate) struct Collected {
    pub(crate) outcome: Outcome,
    /// The exit status of the program.
    pub(crate) exit_code: ExitCode,
}

impl Collection {
    /// Runs the collection.
    pub(crate) fn run(&self) -> Result<Collected, Failure> {
        let output = &self.options.output;
        let artefact = match (&self.target, self.artefact_limit) {
            (Target::Launch(command), Some(limit)) => Some(NewArtefact::keep(command, output, limit)?),
            _ => None,
        };
        let stop = Stop::default();
        listen_for_signals(&stop)?;
        if self.stops_with_input {
            stop_with_input(&stop);
        }
        let mut progress = ProgressLine::new(self.is_quiet);
        let collected = collect(&self.target, &self.options, &stop, &mut progress);
        progress.clear();
        let outcome = collected.map_err(failure)?;
        if let Some(artefact) = artefact {
            keep(artefact, output, self.is_quiet)?;
        }
        let exit_code = ExitCode::from(outcome.exit.map_or(0, exit_code));
        Ok(Collected { outcome, exit_code })
    }
}

/// The failure, with the exit status of a program that failed.
fn failure(error: Error) -> Failure {
    let exit = if let Error::NothingCollected { exit, .. } = &error { *exit } else { None };
    let failure = Failure::from(error);
    match exit.map_or(0, exit_code) {
        0 => failure,
        exit_code => Failure { exit_code, ..failure },
    }
}

/// Moves the artefact into the experiment, and prints its size and the files that it lacks.
fn keep(artefact: NewArtefact, experiment: &Path, is_quiet: bool) -> Result<(), Failure> {
    let ((files, bytes), left_out) = (artefact.size(), artefact.artefact.left_out.clone());
    artefact.move_into(experiment)?;
    if !is_quiet {
        let plural = if files == 1 { "" } else { "s" };
        output::note(&format!("kept artefact: {files} file{plural}, {:.1} MB", bytes as f64 / 1e6));
        left_out.iter().for_each(|sentence| output::note(sentence));
    }
    Ok(())
}

fn exit_code(exit: ExitStatus) -> u8 {
    let code = match exit {
        ExitStatus::Code(code) => code,
        ExitStatus::Signal(signal) => SIGNAL_EXIT_BASE + signal,
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}
