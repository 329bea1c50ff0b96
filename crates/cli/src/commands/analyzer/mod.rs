//! `whittle view`: the analyzer in the browser, on experiments and on programs that run.

use crate::arguments::AgainstArguments;
use crate::code_source::FileCode;
use crate::live::Live;
use crate::{Failure, collect, open_browser, output, views};
use clap::Args;
use signal_hook::iterator::Signals;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use whittle_analysis::verify::VerificationView;
use whittle_analysis::{Profile, Side};
use whittle_server::{Analyzer, Experiments, Limits, Served, Server, Source, StopHandle};

/// After a first signal we end what we have started; a second one does not wait for that.
const IMPATIENT_EXIT_CODE: i32 = 130;

/// The file that makes a folder a verification.
const VERIFICATION: &str = "verification.json";

/// Loading says something if it takes longer.
const SILENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle view app.whittle\n  whittle view before.whittle after.whittle --no-open\n  \
    whittle view --baseline before.whittle after.whittle\n  whittle view --live-directory /var/tmp\n\n\
    The address is for you alone: whoever has it can read the experiments and collect your programs. The server \
    listens on this machine only; Ctrl-C ends it, and live collections with it."
)]
pub(crate) struct AnalyzerArguments {
    /// Experiments to show, or the folder of a verification; without any, the page begins with the programs that run here
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<PathBuf>,
    #[command(flatten)]
    against: AgainstArguments,
    /// Port to listen on; 0: any that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
    /// Where experiments of live collections go
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    live_directory: PathBuf,
    /// Where sources are, as for whittle source: folders, jars, zip files; binaries and class files too. Several:
    /// separated by colons, or given again
    #[arg(long, value_name = "DIR|JAR", value_delimiter = ':')]
    source_path: Vec<PathBuf>,
}

/// Serves the analyzer until it is interrupted.
pub(crate) fn run(arguments: &AnalyzerArguments) -> Result<(), Failure> {
    let experiments = Arc::new(Experiments::default());
    let verification = open_all(arguments, &experiments)?;
    let live =
        Arc::new(Live::new(arguments.live_directory.clone(), arguments.source_path.clone(), Arc::clone(&experiments))?);
    let analyzer = Analyzer { experiments, live: Some(Arc::clone(&live) as _), verification, others: None };
    let server = Server::bind(arguments.port, analyzer, Limits::default())?;
    end_on_signal(server.stop_handle())?;
    let url = server.url();
    output::print(&format!("{url}\n"))?;
    note_forwarding(server.port());
    let opened = if arguments.no_open { None } else { open_browser::open(&url) };
    output::note("the analyzer is at the address above; Ctrl-C ends it");
    let served = server.run();
    drop(opened);
    live.end();
    Ok(served?)
}

/// Loads what is to be shown; gives what a verification says, if one is among it. A comparison comes first: it is what was
/// asked for, and the experiments that it is made of stand behind it.
fn open_all(arguments: &AnalyzerArguments, experiments: &Experiments) -> Result<Option<Arc<str>>, Failure> {
    let baseline = &arguments.against.baseline;
    let mut candidate: Vec<PathBuf> = arguments.experiments.clone();
    let mut verification = None;
    if !baseline.is_empty() {
        candidate.extend(arguments.against.and.iter().cloned());
        add_comparison(arguments, experiments, (baseline, &candidate))?;
        candidate.splice(0..0, baseline.iter().cloned());
    }
    for path in &candidate {
        if let Some(json) = read_verification(path)? {
            verification = Some(json);
            add_profiled_runs(arguments, experiments, path);
        } else {
            let profile = load(path)?;
            experiments.add(source(path, None), served(profile, &arguments.source_path));
        }
    }
    Ok(verification)
}

fn add_comparison(
    arguments: &AnalyzerArguments,
    experiments: &Experiments,
    (baseline, candidate): (&[PathBuf], &[PathBuf]),
) -> Result<(), Failure> {
    let [first, others @ ..] = candidate else {
        let message = "--baseline compares: the candidate's experiment is missing, as in whittle view --baseline \
                       before.whittle after.whittle";
        return Err(Failure { message: message.to_owned(), exit_code: 2 });
    };
    let against = AgainstArguments { baseline: baseline.to_vec(), and: others.to_vec(), ..arguments.against.clone() };
    let profile = telling(first, || views::load_compared(first, &against))?;
    let sides = [baseline, candidate].map(|paths| {
        let [first, others @ ..] = paths else { return String::new() };
        let name = source(first, None).name;
        if others.is_empty() { name } else { format!("{name} and {} more", others.len()) }
    });
    let source = Source { name: sides.join(" \u{2192} "), path: String::new(), live: None };
    experiments.add(source, served(profile, &arguments.source_path));
    Ok(())
}

/// The profiled runs of a verification, as one comparison. Without them its verdict stands all the same.
fn add_profiled_runs(arguments: &AnalyzerArguments, experiments: &Experiments, folder: &Path) {
    let sides = [Side::Baseline, Side::Candidate].map(|side| profiled_runs(folder, side));
    if sides.iter().any(Vec::is_empty) {
        return;
    }
    if let Err(failure) = add_comparison(arguments, experiments, (&sides[0], &sides[1])) {
        output::note(&format!("its profiled runs cannot be compared: {}", failure.message));
    }
}

/// Experiments of a side, such as `runs/03-candidate-profiled.whittle`, in the order in which they ran.
fn profiled_runs(folder: &Path, side: Side) -> Vec<PathBuf> {
    let ending = format!("-{}-profiled.whittle", side.name());
    let entries = std::fs::read_dir(folder.join("runs")).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    runs.retain(|path| path.to_string_lossy().ends_with(&ending));
    runs.sort();
    runs
}

/// What the server needs of a loaded experiment; sources are looked for on `source_path` first.
pub(crate) fn served(profile: Profile, source_path: &[PathBuf]) -> Served {
    let code = FileCode::new(source_path, profile.manifest());
    Served { profile: Arc::new(profile), code: Arc::new(code) }
}

/// How the page names an experiment.
pub(crate) fn source(path: &Path, live: Option<u32>) -> Source {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Source { name, path: path.display().to_string(), live }
}

/// What `whittle verify` wrote into a folder; None: the path is no such folder.
fn read_verification(folder: &Path) -> Result<Option<Arc<str>>, Failure> {
    let path = folder.join(VERIFICATION);
    if !path.is_file() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure { message: format!("cannot read {}: {error}", path.display()), exit_code: 1 })?;
    if let Err(error) = serde_json::from_str::<VerificationView>(&text) {
        let message = format!("{} is no verification: {error}; whittle verify -o DIR writes one", path.display());
        return Err(Failure { message, exit_code: 1 });
    }
    Ok(Some(text.into()))
}

fn load(path: &Path) -> Result<Profile, Failure> {
    if path.is_file() {
        let (file, stem) = (path.display(), path.with_extension("whittle"));
        let stem = stem.file_name().unwrap_or(stem.as_os_str()).to_string_lossy().into_owned();
        let message = format!(
            "{file} is a file, and experiments are directories; if it is a recording or collapsed stacks: \
             whittle import {file} -o {stem} && whittle view {stem}"
        );
        return Err(Failure { message, exit_code: 1 });
    }
    let started = Instant::now();
    let profile = telling(path, || views::load(path))?;
    if started.elapsed() >= SILENCE {
        let seconds = profile.manifest().duration_ns as f64 / 1e9;
        output::note(&format!("read {seconds:.0} s of samples in {:.1} s", started.elapsed().as_secs_f64()));
    }
    Ok(profile)
}

/// Loads; says what, if it takes longer.
fn telling(path: &Path, load: impl FnOnce() -> Result<Profile, Failure>) -> Result<Profile, Failure> {
    // The thread ends with the channel.
    let (loaded, waits) = mpsc::channel::<()>();
    let text = format!("reading {} …", path.display());
    let teller = std::thread::spawn(move || {
        if waits.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
            output::note(&text);
        }
    });
    let profile = load();
    drop(loaded);
    // It has nothing to give, and ends by now.
    let _ = teller.join();
    profile
}

/// A first signal stops the server, a second one ends the program.
fn end_on_signal(server: StopHandle) -> Result<(), Failure> {
    let mut signals = Signals::new(collect::ending_signals())?;
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

/// Who came by ssh has a browser elsewhere.
fn note_forwarding(port: u16) {
    let Ok(connection) = std::env::var("SSH_CONNECTION") else { return };
    // Client's address and port, our address and port.
    let host = connection.split(' ').nth(2).unwrap_or("THIS-HOST").to_owned();
    output::note(&format!(
        "in a browser on your own machine: ssh -N -L {port}:127.0.0.1:{port} {host}, then the address above"
    ));
}
