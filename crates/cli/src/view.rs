//! `whittle view`: the analyzer in the browser, on experiments and on programs that run.

use crate::code_source::FileCode;
use crate::live::Live;
use crate::{Failure, collect, open_browser, output, views};
use clap::Args;
use signal_hook::iterator::Signals;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use whittle_analysis::Profile;
use whittle_server::{Analyzer, Experiments, Limits, Served, Server, Source, StopHandle};

/// After a first signal we end what we have started; a second one does not wait for that.
const IMPATIENT_EXIT_CODE: i32 = 130;

/// Loading says something if it takes longer.
const SILENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle view app.whittle\n  whittle view before.whittle after.whittle --no-open\n  \
    whittle view --live-directory /var/tmp\n\n\
    The address is for you alone: whoever has it can read the experiments and collect your programs. The server \
    listens on this machine only; Ctrl-C ends it, and live collections with it."
)]
pub(crate) struct AnalyzerArguments {
    /// Experiments to show; without any, the page begins with the programs that run here
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<PathBuf>,
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
    for path in &arguments.experiments {
        let profile = load(path)?;
        experiments.add(source(path, None), served(profile, &arguments.source_path));
    }
    let live =
        Arc::new(Live::new(arguments.live_directory.clone(), arguments.source_path.clone(), Arc::clone(&experiments))?);
    let analyzer = Analyzer { experiments, live: Some(Arc::clone(&live) as _) };
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
    // The thread ends with the channel.
    let (loaded, waits) = mpsc::channel::<()>();
    let text = format!("reading {} …", path.display());
    let teller = std::thread::spawn(move || {
        let is_long = waits.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout);
        if is_long {
            output::note(&text);
        }
        is_long
    });
    let profile = views::load(path);
    drop(loaded);
    if teller.join().unwrap_or(false)
        && let Ok(profile) = &profile
    {
        let count = profile.manifest().duration_ns as f64 / 1e9;
        output::note(&format!("read {count:.0} s of samples in {:.1} s", started.elapsed().as_secs_f64()));
    }
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
