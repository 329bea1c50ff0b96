//! `whittle-fleet demo` lets thirty hosts send recorded segments. Then it runs the queries that an engineer would run.

mod hosts;
mod questions;

use crate::command::{Arguments, Failure, output};
use clap::{Args, Parser};
use hosts::take_in;
use questions::{Question, questions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use whittle_experiment::{Segment, Store, read_segment};
use whittle_fleet::demo::{Expected, Recording, SERVICE, check, land_host, pack, recorded};
use whittle_fleet::engine::{DataFusion, EngineLimits};
use whittle_fleet::fleet::Fleet;
use whittle_fleet::question::TimeRange;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  whittle-fleet demo                       then shows the fleet in the browser\n  \
    whittle-fleet demo --no-open --store /tmp/fleet\n\n\
    You do not need to install anything. The segments are real: 30 JVMs ran on one machine, each with a separate agent. Two things are \
    changed: the times are moved so that the recording ends now, and each host's clock has an error of up to 3 seconds.")]
pub(crate) struct DemoArguments {
    /// The store, an empty or new directory [default: a new directory for temporary files]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Stop after the answers [default: serve the analyzer until Ctrl-C]
    #[arg(long)]
    no_open: bool,
    /// Port to listen on; 0: any free port
    #[arg(long, default_value_t = 0)]
    port: u16,
}

/// Arguments of a host's process.
#[derive(Debug, Args)]
pub(crate) struct HostArguments {
    /// The host
    host: String,
    /// The store
    #[arg(long)]
    store: String,
    /// Nanoseconds to add to the recorded times
    #[arg(long, allow_hyphen_values = true)]
    moved_ns: i64,
}

/// Arguments of the command that packs segments.
#[derive(Debug, Args)]
pub(crate) struct PackArguments {
    /// A store with landed segments that no intake has loaded
    store: PathBuf,
    /// The archive
    archive: PathBuf,
}

/// Shows the fleet.
pub(crate) async fn run(arguments: &DemoArguments) -> Result<(), Failure> {
    let began = Instant::now();
    let segments = recorded()?;
    let recording = Recording::ending_at(&segments, now_ns());
    let directory = empty_directory(arguments.store.as_deref())?;
    output::note(&format!(
        "{} segments of {} hosts, recorded from {} UTC; all times are moved so that the last segment ends now; the store is {}",
        segments.len(),
        recording.hosts.len(),
        recording.words(),
        directory.display()
    ));
    let store = Arc::new(Store::open(&directory.to_string_lossy())?);
    let taken = take_in(&store, &recording, segments.len()).await?;
    output::note(&format!(
        "{} segments with {} samples are in the tables after {:.1} s",
        taken.segment_count,
        taken.sample_count,
        began.elapsed().as_secs_f64()
    ));
    let expected = Expected::of(&segments);
    for question in questions(&expected, &recording) {
        ask(&question, &directory).await?;
    }
    tell_checks(&store, &expected, recording.time()).await?;
    open(arguments, &directory, recording.time()).await
}

/// Lands the segments of one host.
pub(crate) async fn run_host(arguments: &HostArguments) -> Result<(), Failure> {
    let store = Store::open(&arguments.store)?;
    land_host(&store, &arguments.host, arguments.moved_ns).await?;
    Ok(())
}

/// Packs recorded segments.
pub(crate) fn run_pack(arguments: &PackArguments) -> Result<(), Failure> {
    let mut segments: Vec<Segment> = Vec::new();
    for file in files_below(&arguments.store)? {
        segments.push(read_segment(&std::fs::read(file)?.into())?);
    }
    let packed = pack(&segments)?;
    std::fs::write(&arguments.archive, &packed)?;
    output::note(&format!("{} segments in {} bytes", segments.len(), packed.len()));
    Ok(())
}

fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { files.extend(files_below(&path)?) } else { files.push(path) }
    }
    Ok(files)
}

/// An empty directory for the store. If whittle creates the directory, only this user can read it.
fn empty_directory(wanted: Option<&Path>) -> Result<PathBuf, Failure> {
    let Some(wanted) = wanted else {
        use std::os::unix::fs::DirBuilderExt;
        let directory = std::env::temp_dir().join(format!("whittle-fleet-demo-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&directory)?;
        return Ok(directory);
    };
    let is_empty = match std::fs::read_dir(wanted) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !wanted.exists(),
    };
    if is_empty {
        return Ok(wanted.to_owned());
    }
    let message = format!("{}: the directory is not empty; choose a new directory with --store", wanted.display());
    Err(Failure { message, exit_code: 2 })
}

/// Prints a query, its command, and the output of the command.
async fn ask(question: &Question, directory: &Path) -> Result<(), Failure> {
    let words = command_line(&question.words, directory, question.time);
    let text: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    output::print(format!("\n\n{}\n\n$ {}\n\n", question.says, text.join(" ")).as_bytes())?;
    let command = Arguments::try_parse_from(&words)?.command;
    // This future contains itself, so the compiler cannot know its size. Therefore the future is on the heap.
    Box::pin(crate::run(command)).await
}

/// The command line: the program, the words of the query, the store and the time range.
fn command_line(words: &[String], directory: &Path, time: TimeRange) -> Vec<String> {
    let [since, until] = time.moments();
    let common = ["--store", &directory.to_string_lossy(), "--since", &since, "--until", &until].map(str::to_owned);
    let program = "whittle-fleet".to_owned();
    [program].into_iter().chain(words.iter().cloned()).chain(common).collect()
}

/// Writes a word for a shell. A word with special characters is in quotes.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,@%+".contains(letter);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Prints the checks. Returns an error if a check failed.
async fn tell_checks(store: &Arc<Store>, expected: &Expected, time: TimeRange) -> Result<(), Failure> {
    let engine = DataFusion::new(store, EngineLimits::default())?;
    let fleet = Fleet::new(Arc::clone(store), Box::new(engine));
    let checked = check(&fleet, expected, time).await?;
    let line = |is_met: bool, what: &str| format!("  {}  {what}\n", if is_met { "ok   " } else { "WRONG" });
    let lines: String = checked.iter().map(|one| line(one.is_met, &one.what)).collect();
    output::print(
        format!("\n\nCompared with sums that are computed directly from the segments:\n\n{lines}").as_bytes(),
    )?;
    let wrong = checked.iter().filter(|one| !one.is_met).count();
    let message = format!("{wrong} of {} checks failed: this is a bug in whittle-fleet", checked.len());
    if wrong == 0 { Ok(()) } else { Err(Failure { message, exit_code: 1 }) }
}

/// Serves the analyzer, or prints the command that serves it.
async fn open(arguments: &DemoArguments, directory: &Path, time: TimeRange) -> Result<(), Failure> {
    let words = ["serve", "--service", SERVICE].map(str::to_owned);
    let mut words = command_line(&words, directory, time);
    words.extend(["--port".to_owned(), arguments.port.to_string()]);
    let text: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let (command, directory) = (text.join(" "), directory.display());
    output::print(format!("\nIn the browser: {command}\nWhen done: rm -r {directory}\n").as_bytes())?;
    if arguments.no_open {
        return Ok(());
    }
    let command = Arguments::try_parse_from(&words)?.command;
    Box::pin(crate::run(command)).await
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
