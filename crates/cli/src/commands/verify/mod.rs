//! `whittle verify`: checks whether the changed program is better, by how much, and how certain the result is.
//!
//! ```text
//! two command lines ── interleaved runs ──────┐
//! kept artefact + command line ── the same ───┼──> evidence ──> verdict ──> text, JSON, Markdown, exit status
//! two sets of experiments ── their samples ───┘
//! ```

mod arguments;
mod evidence;
mod experiments;
mod finding;
mod folder;
mod functions;
mod plan;
mod printed_values;
mod runner;
mod sides;

pub(crate) use arguments::VerifyArguments;

use crate::terminal::long_work::say_if_long;
use crate::terminal::output;
use arguments::Accepted;
use folder::Folder;
use printed_values::Reader;
use runner::Runner;
use sides::Sides;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use whittle_profile::sides::Better;
use whittle_profile::{Profile, Side};
use whittle_render::{Format, Style, render};
use whittle_terminal::Failure;
use whittle_verdict::verify::{Design, MetricDirection, Order, PrimaryEndpoint, Run, VerificationView, Word, markdown};

/// Environment variable with the path of a file. GitHub shows this file on the build's page.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";
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
    let reader = Reader::new(arguments).map_err(|error| Failure::usage(format!("--metric: {error}")))?;
    let folder_of_copy = tempfile::Builder::new().prefix("whittle-artefact-").tempdir()?;
    let sides = Sides::of(arguments, folder_of_copy.path())?;
    if matches!(sides, Sides::Experiments(..)) && arguments.metric.is_some() {
        return Err(Failure::usage(WITHOUT_OUTPUT.to_owned()));
    }
    let design = design(arguments, &reader, &sides)?;
    let inputs: Vec<PathBuf> = sides.inputs().into_iter().chain(arguments.against.clone()).collect();
    let folder = Folder::new(arguments.output.as_deref(), arguments.force, &inputs)?;
    let runner = |commands, design| Runner::new(arguments, (commands, design), (&folder, &reader));
    let evidence = match &sides {
        Sides::Commands(commands, _) => runner(commands, design)?.run()?,
        Sides::Experiments(paths, _) => experiments::evidence(arguments, design, paths)?,
        Sides::KeptWithoutArtefact(kept, commands, _) => {
            if !arguments.quiet {
                output::note(WITHOUT_ARTEFACT);
            }
            let collected = runner(commands, design.clone())?.collect_candidate()?;
            let paths = [(Side::Baseline, kept.clone())].into_iter().chain(collected);
            experiments::evidence(arguments, design, &paths.collect::<Vec<_>>())?
        }
    };
    if evidence.design.order == Order::Sequential && !arguments.quiet {
        output::note(NOT_INTERLEAVED);
    }
    let view = say_if_long("evaluating …", || evidence.evaluate(&arguments.rename));
    write(arguments, &folder, &view)?;
    arguments.format.view_format().print(&view)?;
    if let Some(folder) = folder.kept().filter(|_| !arguments.quiet) {
        output::note(&format!("all files are in {0}; next: whittle view {0}", folder.display()));
    }
    Ok(status(arguments, &view))
}

/// The design of the verification, which is fixed before the first run.
fn design(arguments: &VerifyArguments, reader: &Reader, sides: &Sides) -> Result<Design, Failure> {
    let [baseline, candidate] = sides.names();
    let mut design = Design::new(baseline, candidate);
    design.endpoint = arguments.endpoint.clone();
    design.margin_ratio = arguments.margin;
    design.unit = arguments.unit.clone().or_else(|| reader.unit());
    let endpoint = match &design.endpoint {
        PrimaryEndpoint::Metric(name) => Some(name.clone()),
        _ => None,
    };
    for (name, better) in &arguments.better {
        let name = name.clone().or_else(|| endpoint.clone());
        let name = name.ok_or_else(|| Failure::usage("--better needs a metric: --better METRIC=larger".to_owned()))?;
        design.better.push(MetricDirection { name, better: *better });
    }
    let names = reader.names();
    if let Some(group) = reader.unit_group().filter(|group| !names.contains(group)) {
        return Err(Failure::usage(format!("--unit-count {group}: --metric has no group of this name")));
    }
    if let Some(name) = endpoint {
        if matches!(sides, Sides::Commands(..) | Sides::KeptWithoutArtefact(..)) && !names.contains(&name.as_str()) {
            return Err(Failure::usage(format!("--endpoint {name}: wanted cpu, elapsed, or a group of --metric")));
        }
        if design.better(&name) == Better::Unknown {
            return Err(Failure::usage(format!(
                "--endpoint {name}: add the better direction: --better larger or smaller"
            )));
        }
    }
    Ok(design)
}

/// Writes JSON and Markdown to the user's folder, and Markdown to the summary file, if these are set.
fn write(arguments: &VerifyArguments, folder: &Folder, view: &VerificationView) -> Result<(), Failure> {
    let text = markdown(view);
    folder.write(&render(view, Format::Json, Style { is_coloured: false }), &text)?;
    let of_build = || std::env::var_os(SUMMARY_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    match arguments.summary.clone().or_else(of_build) {
        Some(path) => add(&path, &text),
        None => Ok(()),
    }
}

fn add(path: &Path, text: &str) -> Result<(), Failure> {
    let written =
        OpenOptions::new().create(true).append(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Failure::new(format!("cannot write the summary to {}: {error}", path.display())))
}

fn status(arguments: &VerifyArguments, view: &VerificationView) -> ExitCode {
    let is_accepted = view.verdict.word == Word::Inconclusive && arguments.accept.contains(&Accepted::Inconclusive);
    ExitCode::from(if is_accepted { 0 } else { view.exit_status })
}

/// Replaces the run's times by the times in its experiment. These are the times of the program alone, without whittle.
fn run_of_experiment(profile: &Profile, run: Run) -> Run {
    let manifest = profile.manifest();
    match &manifest.resources {
        Some(used) => Run { elapsed_ns: used.real_ns, user_cpu_ns: used.user_ns, system_cpu_ns: used.system_ns, ..run },
        None => Run { elapsed_ns: manifest.duration_ns, user_cpu_ns: 0, system_cpu_ns: 0, ..run },
    }
}
