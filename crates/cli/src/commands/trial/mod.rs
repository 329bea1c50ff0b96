//! `whittle try`: makes the change of a finding in the running program, and measures what it gives.
//!
//! ```text
//! finding ──> remedy and places ──> plan for the agent ──┐
//! the same command on both sides ── interleaved runs ────┼──> times ──> verdict
//!                                                        ├──> reports of the agent: changed? executed?
//!                                                        └──> output and written files: the same on both sides?
//! ```

mod agent_files;
mod agent_report;
mod arguments;
mod chosen;
mod mask;
mod observed;
mod printed;
mod result;
mod text;
mod written;

pub(crate) use arguments::TryArguments;

use crate::interleaved::finding::Wanted;
use crate::interleaved::{
    Commands, Counts, Folder, ProfiledRuns, Reader, Runner, Settings, SideCommand, design, write_summary,
};
use crate::terminal::output;
use crate::tries;
use agent_files::{AgentFiles, OPTIONS_VARIABLE};
use chosen::Chosen;
use observed::Observed;
use result::TrialView;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;
use whittle_model::redact_command;
use whittle_profile::Side;
use whittle_render::{Format, Style, render};
use whittle_terminal::Failure;
use written::WrittenFiles;

/// A verdict needs this many pairs of runs. With fewer pairs, the noise between runs is unknown.
const FEWEST_PAIRS: usize = 2;

/// Tries the finding, prints the result, keeps it in the experiment, and gives the exit status.
pub(crate) fn run(arguments: &TryArguments) -> Result<ExitCode, Failure> {
    let reader = Reader::new(&arguments.endpoint).map_err(|error| Failure::usage(format!("--metric: {error}")))?;
    let chosen = chosen::choose(arguments)?;
    let command = chosen::command(arguments, &chosen.profile)?;
    let inputs = std::slice::from_ref(&arguments.experiment);
    let folder = Folder::new("trial", (arguments.output.as_deref(), arguments.force), inputs)?;
    if !arguments.quiet {
        output::note(&format!("trying {}", chosen.trial.words()));
    }
    let view = tried(arguments, (&chosen, command), (&folder, &reader))?;
    let text = view.markdown();
    folder.write(&render(&view, Format::Json, Style { is_coloured: false }), &text)?;
    write_summary(arguments.summary.as_deref(), &text)?;
    arguments.format.view_format().print(&view)?;
    if let Err(reason) = tries::keep(&arguments.experiment, view.tried()) {
        output::note(&format!("the experiment does not keep the result: {reason}"));
    }
    Ok(ExitCode::from(view.exit_status))
}

/// Runs both sides.
fn tried(
    arguments: &TryArguments,
    (chosen, command): (&Chosen, Vec<OsString>),
    (folder, reader): (&Folder, &Reader),
) -> Result<TrialView, Failure> {
    let files = AgentFiles::write(&chosen.trial, &chosen.profile.tables().archive)?;
    let left_out = [Some(arguments.experiment.clone()), arguments.output.clone(), Some(files.folder().to_owned())];
    let left_out: Vec<_> = left_out.into_iter().flatten().collect();
    let mut observed = Observed::new(&files, reader, WrittenFiles::new(&command, &left_out)?);
    let shown = shown(&command);
    let names = [shown.clone(), format!("{shown}, {}", chosen.trial.words())];
    let design = design(&arguments.endpoint, (reader, true), names)?;
    let of_user = std::env::var_os(OPTIONS_VARIABLE);
    let side = |side: Side| SideCommand {
        words: command.clone(),
        environment: vec![(OPTIONS_VARIABLE, files.options(side, of_user.as_deref()))],
    };
    let commands = Commands { baseline: side(Side::Baseline), candidate: side(Side::Candidate) };
    let runner = Runner::new(settings(arguments), (&commands, design), (folder, reader))?;
    let evidence = runner.run(&mut |step, run| observed.add_run(step, run))?;
    let verification = evidence.map(|evidence| evidence.evaluate(&[]));
    Ok(result::view(chosen, shown, (&observed, verification)))
}

fn settings(arguments: &TryArguments) -> Settings<'_> {
    Settings {
        counts: Counts { discarded: arguments.discard, timed: arguments.runs, profiled: 0 },
        profiled: ProfiledRuns { engine: "auto", interval: Duration::from_millis(10), metric: None },
        finding: Wanted::None,
        renames: &[],
        time_box: arguments.time_box,
        fewest_pairs: Some(FEWEST_PAIRS),
        ends_slow_candidate: true,
        is_quiet: arguments.quiet,
    }
}

/// The command line without values that look like secrets.
fn shown(command: &[OsString]) -> String {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    redact_command(&words).join(" ")
}
