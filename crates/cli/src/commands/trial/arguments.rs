//! The arguments of `whittle try`.

use crate::arguments::duration::parse_duration;
use crate::arguments::endpoint::EndpointArguments;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use whittle_terminal::FormatArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle findings app.whittle\n  whittle try app.whittle 1 -- java -jar app.jar\n  \
    whittle try app.whittle regex-compile-per-call --yes\n  \
    whittle try app.whittle 1 --runs 10 --for 5m --metric '(?<messages_count>[0-9]+) messages' -- java -jar app.jar\n\n\
    Runs the same program interleaved (A B B A) with and without a remedy: an agent in the JVM makes the change of the \
    finding while the program runs. No file of the program changes. The program must print and write the same on both sides. \
    Both sides have the agent, so its cost cancels out. The result is kept in the experiment, and whittle findings shows it.\n\n\
    The exit status is 0 for improved, no relevant change and a verdict that may be due to chance; 4 for worse; 5 for \
    inconclusive, and if the remedy could not be tried or the program did not execute the place; 6 for different results; 1 if \
    a run failed; 2 if the command line is wrong; 130 after an interrupt without an answer."
)]
pub(crate) struct TryArguments {
    /// The experiment's directory
    pub(crate) experiment: PathBuf,
    /// The finding: its number in whittle findings, or its pattern, for example unbuffered-write
    #[arg(value_name = "FINDING")]
    pub(crate) finding: String,
    /// Run the command line that the experiment contains without a question
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Number of timed runs of each side
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) runs: u32,
    /// Number of runs of each side before the timed runs; their times are not used
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) discard: u32,
    /// Begin no run after this time (30s, 2m); the answer is from the pairs of runs that are finished
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_box: Option<Duration>,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArguments,
    /// Keep everything in this folder: trial.json, trial.md and the outputs of all runs
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing trial in the folder
    #[arg(short, long, requires = "output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) format: FormatArguments,
    /// Append the result as Markdown to this file [default: the file in GITHUB_STEP_SUMMARY, if set]
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Print only the result, no progress and no notes
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The program and its arguments [default: the command line that the experiment contains]
    #[arg(last = true, value_name = "PROGRAM …")]
    pub(crate) command: Vec<OsString>,
}
