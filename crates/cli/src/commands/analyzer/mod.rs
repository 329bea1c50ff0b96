//! `whittle view`: the analyzer in the browser, for experiments and running programs.

mod comparing;
mod live;
mod open_browser;
mod routes;
mod served;

use crate::arguments::at::PageState;
use crate::arguments::comparison::AgainstArguments;
use crate::arguments::source_path::SourcePathArguments;
use crate::experiments;
use crate::signals::ending_signals;
use crate::terminal::long_work::{SILENCE, say_if_long};
use crate::terminal::output;
use clap::Args;
use comparing::{Comparing, Loading};
use live::Live;
use routes::ExperimentRoutes;
use served::{served, source};
use signal_hook::iterator::Signals;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use whittle_profile::{Profile, Side};
use whittle_server::{Analyzer, ComparedNumbers, Experiments, Limits, OtherRoutes, Server, StopHandle};
use whittle_terminal::Failure;
use whittle_verdict::verify::VerificationView;

/// The exit status after a second signal. After this signal, the program does not wait for live collections to end.
const IMPATIENT_EXIT_CODE: i32 = 130;

/// A folder with this file contains a verification.
const VERIFICATION: &str = "verification.json";

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle view app.whittle\n  whittle view before.whittle after.whittle --no-open\n  \
    whittle view --baseline before.whittle after.whittle\n  whittle view --live-directory /var/tmp\n\n\
    Keep the address secret: with it, others can read the experiments and collect your programs. The server \
    listens only on this machine. Ctrl-C ends the server and its live collections."
)]
pub(crate) struct AnalyzerArguments {
    /// Show these experiments, or the verification in this folder. Without this argument, the page starts with the
    /// running programs
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<PathBuf>,
    #[command(flatten)]
    against: AgainstArguments,
    /// Port to listen on; 0: any free port
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Open the page at this view: the end of the page's address, from # on, as the page's Share this view shows it
    #[arg(long, value_name = "ADDRESS")]
    at: Option<PageState>,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
    /// Directory for experiments of live collections
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    live_directory: PathBuf,
    #[command(flatten)]
    sources: SourcePathArguments,
}

/// Serves the analyzer until a signal ends it.
pub(crate) fn run(arguments: &AnalyzerArguments) -> Result<(), Failure> {
    let experiments = Arc::new(Experiments::default());
    let verification = open_all(arguments, &experiments)?;
    let source_path = arguments.sources.source_path.clone();
    let live = Arc::new(Live::new(arguments.live_directory.clone(), source_path, Arc::clone(&experiments))?);
    let comparing = Comparing {
        experiments: Arc::clone(&experiments),
        measure: arguments.against.measure.clone(),
        asked: asked_sides(arguments),
        source_path: arguments.sources.source_path.clone(),
    };
    let routes = ExperimentRoutes::new(Arc::clone(&experiments), arguments.sources.source_path.clone());
    let others: Vec<Arc<dyn OtherRoutes>> = vec![Arc::new(comparing), Arc::new(routes)];
    let analyzer = Analyzer { experiments, live: Some(Arc::clone(&live) as _), verification, others };
    let server = Server::bind(arguments.port, analyzer, Limits::default())?;
    end_on_signal(server.stop_handle())?;
    let url = server.url() + arguments.at.as_ref().map_or("", PageState::text);
    output::print(format!("{url}\n"))?;
    note_forwarding(server.port());
    let opened = if arguments.no_open { None } else { open_browser::open(&url) };
    output::note("the analyzer is at the address above; Ctrl-C ends it");
    let served = server.run();
    drop(opened);
    live.end();
    Ok(served?)
}

/// Loads the experiments. Returns the result of a verification, if the arguments name a verification. A comparison
/// comes before its experiments, because the user requested the comparison.
fn open_all(arguments: &AnalyzerArguments, experiments: &Experiments) -> Result<Option<Arc<str>>, Failure> {
    let baseline = &arguments.against.baseline;
    let mut candidate: Vec<PathBuf> = arguments.experiments.clone();
    let mut verification = None;
    if !baseline.is_empty() {
        candidate.extend(arguments.against.and.iter().cloned());
        add_comparison(arguments, experiments, (baseline, &candidate), asked_sides(arguments))?;
        candidate.splice(0..0, baseline.iter().cloned());
    }
    for path in &candidate {
        if let Some(json) = read_verification(path)? {
            verification = Some(json);
            add_profiled_runs(arguments, experiments, path);
        } else {
            let profile = load(path)?;
            experiments.add(source(path, None), served(profile, &arguments.sources.source_path));
        }
    }
    Ok(verification)
}

/// The sides of the command line. The comparison has the number 0, and its experiments have the next numbers.
fn asked_sides(arguments: &AnalyzerArguments) -> Option<ComparedNumbers> {
    let AgainstArguments { baseline, and, .. } = &arguments.against;
    let (before, after) = (baseline.len(), arguments.experiments.len() + and.len());
    let sides =
        ComparedNumbers { baseline: (1..=before).collect(), candidate: (before + 1..=before + after).collect() };
    (before > 0).then_some(sides)
}

fn add_comparison(
    arguments: &AnalyzerArguments,
    experiments: &Experiments,
    (baseline, candidate): (&[PathBuf], &[PathBuf]),
    sides: Option<ComparedNumbers>,
) -> Result<(), Failure> {
    let [first, ..] = candidate else {
        let message = "--baseline needs an experiment of the candidate, as in whittle view --baseline before.whittle \
                       after.whittle";
        return Err(Failure::usage(message));
    };
    let loading = Loading {
        baseline: baseline.to_vec(),
        candidate: candidate.to_vec(),
        measure: arguments.against.measure.clone(),
        source_path: arguments.sources.source_path.clone(),
    };
    let served = say_if_long(&reading(first), || loading.load())?;
    experiments.add(loading.source(sides), served);
    Ok(())
}

/// Adds the profiled runs of a verification as one comparison. Without profiled runs, the page shows only the verdict.
fn add_profiled_runs(arguments: &AnalyzerArguments, experiments: &Experiments, folder: &Path) {
    let sides = [Side::Baseline, Side::Candidate].map(|side| profiled_runs(folder, side));
    if sides.iter().any(Vec::is_empty) {
        return;
    }
    if let Err(failure) = add_comparison(arguments, experiments, (&sides[0], &sides[1]), None) {
        output::note(&format!("the profiled runs of the verification cannot be compared: {}", failure.message));
    }
}

/// Experiments of a side, such as `runs/03-candidate-profiled.whittle`, in the order of their runs.
fn profiled_runs(folder: &Path, side: Side) -> Vec<PathBuf> {
    let ending = format!("-{}-profiled.whittle", side.name());
    let entries = std::fs::read_dir(folder.join("runs")).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    runs.retain(|path| path.to_string_lossy().ends_with(&ending));
    runs.sort();
    runs
}

/// The result that `whittle verify` wrote into a folder. Missing: the folder has no result.
fn read_verification(folder: &Path) -> Result<Option<Arc<str>>, Failure> {
    let path = folder.join(VERIFICATION);
    if !path.is_file() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    if let Err(error) = serde_json::from_str::<VerificationView>(&text) {
        let message = format!("{} is not a verification: {error}; whittle verify -o DIR writes one", path.display());
        return Err(Failure::new(message));
    }
    Ok(Some(text.into()))
}

fn load(path: &Path) -> Result<Profile, Failure> {
    if path.is_file() {
        let (file, stem) = (path.display(), path.with_extension("whittle"));
        let stem = stem.file_name().unwrap_or(stem.as_os_str()).to_string_lossy().into_owned();
        let message = format!(
            "{file} is a file, and experiments are directories; to import a recording or collapsed stacks: \
             whittle import {file} -o {stem} && whittle view {stem}"
        );
        return Err(Failure::new(message));
    }
    let started = Instant::now();
    let profile = say_if_long(&reading(path), || experiments::load(path))?;
    if started.elapsed() >= SILENCE {
        let seconds = profile.manifest().duration_ns as f64 / 1e9;
        output::note(&format!("read {seconds:.0} s of samples in {:.1} s", started.elapsed().as_secs_f64()));
    }
    Ok(profile)
}

/// The note that is shown if reading takes long.
fn reading(experiment: &Path) -> String {
    format!("reading {} …", experiment.display())
}

/// The first signal stops the server. The second signal ends the program.
fn end_on_signal(server: StopHandle) -> Result<(), Failure> {
    let mut signals = Signals::new(ending_signals())?;
    std::thread::spawn(move || {
        let mut pending = signals.forever();
        if pending.next().is_some() {
            server.stop();
        }
        if pending.next().is_some() {
            std::process::exit(IMPATIENT_EXIT_CODE);
        }
    });
    Ok(())
}

/// Prints how to forward the port, because users of ssh have their browser on another machine.
fn note_forwarding(port: u16) {
    let Ok(connection) = std::env::var("SSH_CONNECTION") else { return };
    // The variable contains the client's address and port, then this machine's address and port.
    let host = connection.split(' ').nth(2).unwrap_or("THIS-HOST").to_owned();
    output::note(&format!(
        "in a browser on your own machine: ssh -N -L {port}:127.0.0.1:{port} {host}, then the address above"
    ));
}
