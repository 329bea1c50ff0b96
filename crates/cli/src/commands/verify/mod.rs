//! `whittle verify`: is the changed program better, by how much, how sure.
//!
//! ```text
//! two command lines ── runs in turns ─────────┐
//! kept artefact + command line ── the same ───┼──> evidence ──> verdict ──> text, JSON, Markdown, exit status
//! two sets of experiments ── what they hold ──┘
//! ```

mod arguments;
mod evidence;
mod experiments;
mod figures;
mod finding;
mod folder;
mod functions;
mod plan;
mod runner;
mod sides;

pub(crate) use arguments::VerifyArguments;

use crate::views::{self, ViewFormat};
use crate::{Failure, output, progress};
use arguments::Accepted;
use figures::Reader;
use folder::Folder;
use runner::Runner;
use sides::Sides;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use whittle_analysis::verify::{
    Better, Design, MetricDirection, Order, PrimaryEndpoint, Run, VerificationView, Word, markdown,
};
use whittle_analysis::{Format, Profile, Side, Style, render};

/// Names the file that shows on the page of a build.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";
/// What a comparison of experiments cannot say.
const NOT_IN_TURNS: &str = "the runs were not made in turns: a change of the machine meanwhile looks like a change of the program, \
                            so the strongest word is \"looks like\"";
/// Why a baseline is not run again.
const WITHOUT_ARTEFACT: &str = "the experiment has no kept artefact, so its program is not run again: the candidate is collected and \
                                compared with what was measured then; whittle collect --keep-artefact keeps one";
/// Why `--metric` says nothing there.
const WITHOUT_OUTPUT: &str = "--metric reads what programs print while they run, and experiments are not run again: give it to \
                              whittle collect; the numbers that an experiment has are endpoints by themselves";
/// What clap gives for wrong arguments, too.
const USAGE_EXIT_CODE: u8 = 2;

/// Verifies, prints, and gives the exit status.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    let reader = Reader::new(arguments).map_err(|error| usage(error.to_string()))?;
    let folder_of_copy = tempfile::Builder::new().prefix("whittle-artefact-").tempdir()?;
    let sides = Sides::of(arguments, folder_of_copy.path())?;
    if matches!(sides, Sides::Experiments(..)) && arguments.metric.is_some() {
        return Err(usage(WITHOUT_OUTPUT.to_owned()));
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
        output::note(NOT_IN_TURNS);
    }
    let view = progress::say_if_long("evaluating …", || evidence.evaluate(&arguments.rename));
    write(arguments, &folder, &view)?;
    views::print(&view, ViewFormat { json: arguments.json, csv: arguments.csv, color: arguments.color })?;
    if let Some(folder) = folder.kept().filter(|_| !arguments.quiet) {
        output::note(&format!("everything is kept in {0}; next: whittle view {0}", folder.display()));
    }
    Ok(status(arguments, &view))
}

/// What is fixed before the first run.
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
        let name = name.ok_or_else(|| usage("--better needs a metric: --better METRIC=larger".to_owned()))?;
        design.better.push(MetricDirection { name, better: *better });
    }
    let names = reader.names();
    if let Some(group) = reader.unit_group().filter(|group| !names.contains(group)) {
        return Err(usage(format!("--unit-count {group}: --metric has no group of this name")));
    }
    if let Some(name) = endpoint {
        if matches!(sides, Sides::Commands(..) | Sides::KeptWithoutArtefact(..)) && !names.contains(&name.as_str()) {
            return Err(usage(format!("--endpoint {name}: wanted cpu, elapsed, or a group of --metric")));
        }
        if design.better(&name) == Better::Unknown {
            return Err(usage(format!("--endpoint {name}: say which direction is better: --better larger or smaller")));
        }
    }
    Ok(design)
}

/// Writes JSON and Markdown where they are wanted.
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
    written.map_err(|error| failure(format!("cannot write the summary to {}: {error}", path.display())))
}

fn status(arguments: &VerifyArguments, view: &VerificationView) -> ExitCode {
    let is_accepted = view.verdict.word == Word::Inconclusive && arguments.accept.contains(&Accepted::Inconclusive);
    ExitCode::from(if is_accepted { 0 } else { view.exit_status })
}

/// A run with the times that its experiment has: those of the program without whittle.
fn run_of_experiment(profile: &Profile, run: Run) -> Run {
    let manifest = profile.manifest();
    match &manifest.resources {
        Some(used) => Run { elapsed_ns: used.real_ns, user_cpu_ns: used.user_ns, system_cpu_ns: used.system_ns, ..run },
        None => Run { elapsed_ns: manifest.duration_ns, user_cpu_ns: 0, system_cpu_ns: 0, ..run },
    }
}

fn failure(message: String) -> Failure {
    Failure { message, exit_code: 1 }
}

fn usage(message: String) -> Failure {
    Failure { message, exit_code: USAGE_EXIT_CODE }
}
