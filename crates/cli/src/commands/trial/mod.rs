//! `whittle try`: makes the change of a finding in the running program, and measures what it gives.
//!
//! ```text
//! finding ──> remedy and places ──> plan for the agent ──┐
//! the same command on both sides ── interleaved runs ────┼──> times ──> verdict
//!                                                        ├──> reports of the agent: changed? executed?
//!                                                        └──> output and written files: the same on both sides?
//! all findings ── one trial after the other ──> the kept remedies together ──> table
//! ```

mod agent_files;
mod agent_report;
mod all;
mod arguments;
mod attach;
mod attach_arguments;
mod chosen;
mod command;
mod content;
mod kept;
mod mask;
mod observed;
mod patch;
mod patch_view;
mod printed;
mod result;
mod text;
mod time_shares;
mod trials_text;
mod trials_view;
mod trying;
mod written;

pub(crate) use arguments::TryArguments;

use crate::interleaved::{Reader, TRIAL};
use crate::terminal::output;
use kept::{finish, folder, keep};
use result::TrialView;
use std::process::ExitCode;
use trying::Trying;
use whittle_findings::{Finding, Trial};
use whittle_terminal::Failure;

/// Tries one finding or all findings, prints the answer, keeps it in the experiment, and gives the exit status.
pub(crate) fn run(arguments: &TryArguments) -> Result<ExitCode, Failure> {
    let reader = Reader::new(&arguments.endpoint).map_err(|error| Failure::usage(format!("--metric: {error}")))?;
    let found = chosen::find(arguments)?;
    let trying = |command| Trying { arguments, profile: &found.profile, command, reader: &reader };
    match arguments.finding.as_deref() {
        Some(wanted) => {
            // The finding is checked before the user is asked about the command line.
            let chosen = chosen::choose(&found.view, wanted)?;
            let command = match arguments.attach.pid {
                Some(_) => Vec::new(),
                None => command::command(arguments, &found.profile)?,
            };
            one(&trying(&command), chosen)
        }
        None => {
            all::check(&found.view)?;
            all::run(&trying(&command::command(arguments, &found.profile)?), &found.view)
        }
    }
}

/// Tries one finding.
fn one(trying: &Trying<'_>, (finding, trial): (&Finding, &Trial)) -> Result<ExitCode, Failure> {
    let answer = &trying.arguments.answer;
    let folder = folder(trying, TRIAL)?;
    if !answer.quiet {
        output::note(&format!("trying {}", trial.words()));
    }
    let tried = match trying.arguments.attach.pid {
        Some(pid) => attach::tried(trying, pid, (finding, trial))?,
        None => {
            let trials = std::slice::from_ref(trial);
            (trying.shown(), trying.run(trials, (&folder, trying.arguments.time_box))?)
        }
    };
    let mut view = TrialView::new(finding, trial, tried);
    view.patch = patch::patch(trying, std::slice::from_ref(trial), &view.outcome);
    keep(&trying.arguments.experiment, &view);
    finish(trying, (&folder, &view), (&view.markdown(), view.patch.as_ref()))?;
    Ok(ExitCode::from(view.outcome.exit_status))
}
