//! A trial in a running JVM: the changed methods execute their old and their new code in turns.
//!
//! ```text
//! attach ── plan ──> the agent changes the methods ── turns: old new new old … ──> the agent restores the methods
//!                                                     └ times and executions of each turn ┐
//! CPU time of the process, read often ────────────────────────────────────────────────────┴──> runs ──> verdict
//! ```

mod follow;
mod result;
mod steady;
mod turns;

use super::agent_files::{class_files_of, place_lines};
use super::arguments::TryArguments;
use super::result::Outcome;
use super::trying::Trying;
use crate::interleaved::{Reader, design};
use crate::terminal::output;
use crate::terminal::run_progress::RunProgress;
use follow::{Plan, Stopped};
use result::Attached;
use std::time::Duration;
use whittle_collect::{AttachedTrial, TrialPaths};
use whittle_findings::{Finding, Remedy, Trial};
use whittle_model::redact_command;
use whittle_terminal::Failure;
use whittle_verdict::verify::Design;

/// The time of all turns, if the command line sets none.
const USUAL_TIME: Duration = Duration::from_secs(60);
/// The name of a unit of work.
const UNIT: &str = "execution";

/// Tries the finding in a running JVM. Returns what was tried, a process with its command line, and the result.
pub(super) fn tried(
    trying: &Trying<'_>,
    process_id: u32,
    (finding, chosen): (&Finding, &Trial),
) -> Result<(String, Outcome), Failure> {
    let arguments = trying.arguments;
    check_remedy(finding, chosen)?;
    let trials = std::slice::from_ref(chosen);
    let plan = Plan { turn: arguments.attach.turn, all: arguments.time_box.unwrap_or(USUAL_TIME) };
    let design = design_of(arguments, process_id, chosen)?;
    let class_files = class_files_of(trials, &trying.profile.tables().archive)?;
    let mut progress = RunProgress::new(arguments.answer.quiet)?;
    let text = |paths: &TrialPaths| {
        let head = format!("report\t{}\nturns\t{}\n", paths.report.display(), plan.turn.as_millis());
        head + &place_lines(trials, &paths.class_files)
    };
    let mut trial = AttachedTrial::start(process_id, &class_files, text)?;
    let command = format!("process {process_id}: {}", redact_command(&trial.command_line()).join(" "));
    let (stopped, report) = follow::follow(&mut trial, plan, &mut progress);
    progress.clear();
    let restored = match stopped {
        Stopped::ProcessEnded => Ok(()),
        _ => trial.end(),
    };
    let attached = Attached {
        process_id,
        plan,
        report: trial.report().filter(|last| last.starts_with("ready")).unwrap_or(report),
    };
    let outcome = attached.outcome((chosen, design), stopped, |turn| trial.cpu_between(turn.begin_ns, turn.end_ns));
    if let Err(error) = restored {
        output::note(&format!(
            "the agent did not restore the methods ({error}); it does this itself within 2 s after whittle's end, if the JVM executes its thread"
        ));
    }
    Ok((command, outcome?))
}

/// Fails if the remedy must not be switched in a running program.
fn check_remedy(finding: &Finding, chosen: &Trial) -> Result<(), Failure> {
    let remedy = Remedy::of_id(&chosen.remedy);
    let reason = remedy.map_or(Some("whittle does not know it"), Remedy::why_not_attached);
    reason.map_or(Ok(()), |reason| {
        Err(Failure::new(format!(
            "the remedy {} cannot be switched on and off in a running program, because {reason}; try it with a program that \
             whittle starts: whittle try … {} -- java …",
            chosen.remedy, finding.rank
        )))
    })
}

fn design_of(arguments: &TryArguments, process_id: u32, chosen: &Trial) -> Result<Design, Failure> {
    let reader = Reader::new(&arguments.endpoint).map_err(|error| Failure::usage(format!("--metric: {error}")))?;
    let process = format!("process {process_id}");
    let names = [process.clone(), format!("{process}, {}", chosen.words())];
    let mut design = design(&arguments.endpoint, (&reader, true), names)?;
    design.unit.get_or_insert_with(|| UNIT.to_owned());
    Ok(design)
}
