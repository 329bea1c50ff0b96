//! `whittle verify`: checks whether the changed program is better, by how much, and how certain the result is.
//!
//! ```text
//! two command lines ── interleaved runs ──────┐
//! kept artefact + command line ── the same ───┼──> evidence ──> verdict ──> text, JSON, Markdown, exit status
//! two sets of experiments ── their samples ───┘
//! ```

mod arguments;
mod experiments;
mod sides;

pub(crate) use arguments::VerifyArguments;

use crate::interleaved::finding::Wanted;
use crate::interleaved::{Counts, Folder, ProfiledRuns, Reader, Runner, Settings, design, write_summary};
use crate::terminal::long_work::say_if_long;
use crate::terminal::output;
use arguments::Accepted;
use sides::Sides;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use whittle_profile::Side;
use whittle_render::{Format, Style, render};
use whittle_terminal::Failure;
use whittle_verdict::verify::{Order, VerificationView, Word, markdown};

/// The limitation of a comparison of experiments.
const NOT_INTERLEAVED: &str = "the runs were not interleaved: a change of the machine between the runs cannot be distinguished from a \
                               change of the program, so every difference may be due to chance";
/// Why a baseline is not run again.
const WITHOUT_ARTEFACT: &str = "the experiment has no kept artefact, so its program is not run again: whittle collects the candidate \
                                and compares it with the experiment; whittle collect --keep-artefact keeps an artefact";
/// Why `--metric` does not fit experiments.
const WITHOUT_OUTPUT: &str = "--metric reads the output of running programs, but experiments are not run again: use --metric with whittle \
                              collect; the numbers in an experiment are endpoints without --metric";

/// Verifies, prints, and gives the exit status.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    let reader = Reader::new(&arguments.endpoint).map_err(|error| Failure::usage(format!("--metric: {error}")))?;
    let folder_of_copy = tempfile::Builder::new().prefix("whittle-artefact-").tempdir()?;
    let sides = Sides::of(arguments, folder_of_copy.path())?;
    if matches!(sides, Sides::Experiments(..)) && arguments.endpoint.metric.is_some() {
        return Err(Failure::usage(WITHOUT_OUTPUT.to_owned()));
    }
    let prints = !matches!(sides, Sides::Experiments(..));
    let design = design(&arguments.endpoint, (&reader, prints), sides.names())?;
    let inputs: Vec<PathBuf> = sides.inputs().into_iter().chain(arguments.against.clone()).collect();
    let folder = Folder::new("verification", (arguments.answer.output.as_deref(), arguments.answer.force), &inputs)?;
    let runner = |commands, design| Runner::new(settings(arguments), (commands, design), (&folder, &reader));
    let evidence = match &sides {
        Sides::Commands(commands, _) => runner(commands, design)?
            .run(&mut |_, _| Ok(ControlFlow::Continue(())))?
            .unwrap_or_else(|| unreachable!("no run ends the verification")),
        Sides::Experiments(paths, _) => experiments::evidence(arguments, design, paths)?,
        Sides::KeptWithoutArtefact(kept, commands, _) => {
            if !arguments.answer.quiet {
                output::note(WITHOUT_ARTEFACT);
            }
            let collected = runner(commands, design.clone())?.collect_candidate()?;
            let paths = [(Side::Baseline, kept.clone())].into_iter().chain(collected);
            experiments::evidence(arguments, design, &paths.collect::<Vec<_>>())?
        }
    };
    if evidence.design.order == Order::Sequential && !arguments.answer.quiet {
        output::note(NOT_INTERLEAVED);
    }
    let view = say_if_long("evaluating …", || evidence.evaluate(&arguments.rename));
    write(arguments, &folder, &view)?;
    arguments.answer.format.view_format().print(&view)?;
    if let Some(folder) = folder.kept().filter(|_| !arguments.answer.quiet) {
        output::note(&format!("all files are in {0}; next: whittle view {0}", folder.display()));
    }
    Ok(status(arguments, &view))
}

/// The runs that the command line asks for.
fn settings(arguments: &VerifyArguments) -> Settings<'_> {
    Settings {
        counts: Counts { discarded: arguments.discard, timed: arguments.runs, profiled: arguments.profiled_runs() },
        profiled: ProfiledRuns {
            engine: &arguments.engine,
            interval: arguments.interval,
            metric: arguments.endpoint.metric.as_deref(),
        },
        finding: Wanted::of(arguments.finding.as_deref()),
        renames: &arguments.rename,
        time_box: None,
        fewest_pairs: None,
        ends_slow_candidate: false,
        server: None,
        is_quiet: arguments.answer.quiet,
    }
}

/// Writes JSON and Markdown to the user's folder, and Markdown to the summary file, if these are set.
fn write(arguments: &VerifyArguments, folder: &Folder, view: &VerificationView) -> Result<(), Failure> {
    let text = markdown(view);
    folder.write(&render(view, Format::Json, Style { is_coloured: false }), &text)?;
    write_summary(arguments.answer.summary.as_deref(), &text)
}

fn status(arguments: &VerifyArguments, view: &VerificationView) -> ExitCode {
    let is_accepted = view.verdict.word == Word::Inconclusive && arguments.accept.contains(&Accepted::Inconclusive);
    ExitCode::from(if is_accepted { 0 } else { view.exit_status })
}
