//! The arguments of `whittle try`.

use super::attach_arguments::AttachArguments;
use crate::arguments::answer::AnswerArguments;
use crate::arguments::duration::parse_duration;
use crate::arguments::endpoint::EndpointArguments;
use crate::arguments::server::ServerArguments;
use crate::arguments::source_path::SourcePathArguments;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle findings app.whittle\n  whittle try app.whittle 1 -- java -jar app.jar\n  \
    whittle try app.whittle regex-compile-per-call --yes\n  \
    whittle try app.whittle --all -- java -jar app.jar\n  \
    whittle try app.whittle 1 --patch --source-path src/main/java -- java -jar app.jar\n  \
    whittle try app.whittle 1 --runs 10 --for 5m --metric '(?<messages_count>[0-9]+) messages' -- java -jar app.jar\n  \
    whittle try app.whittle 1 --ready http://localhost:8080/ --load ./requests.sh -- java -jar server.jar\n  \
    whittle try app.whittle 1 -p 4711 --for 2m\n\n\
    Runs the same program interleaved (A B B A) with and without a remedy: an agent in the JVM makes the change of the \
    finding while the program runs. No file of the program changes. The program must print and write the same on both sides. \
    Both sides have the agent, so its cost cancels out. The result is kept in the experiment, and whittle findings shows it.\n\n\
    With -p, whittle attaches to a JVM that runs, for example a service under load. The changed methods execute their old and \
    their new code alternately, and whittle compares the CPU time of the process per execution of the place. At the end, \
    the methods are as before. Only some remedies can be tried in this way: whittle gives the reason if a remedy cannot.\n\n\
    The exit status is 0 for improved, no relevant change and a verdict that may be due to chance; 4 for worse; 5 for \
    inconclusive, and if the remedy could not be tried or the program did not execute the place; 6 for different results; 1 if \
    a run failed; 2 if the command line is wrong; 130 after an interrupt without an answer. With --all, it is the first of 1, 6, \
    4 and 5 that a trial has, and 0 if no trial has one of them."
)]
pub(crate) struct TryArguments {
    /// The experiment's directory
    pub(crate) experiment: PathBuf,
    /// The finding: its number in whittle findings, or its pattern, for example unbuffered-write
    #[arg(value_name = "FINDING", required_unless_present = "all")]
    pub(crate) finding: Option<String>,
    /// Try each finding alone, and then together the findings whose remedies keep the meaning of the program
    #[arg(short, long, conflicts_with = "finding")]
    pub(crate) all: bool,
    /// Run the command line that the experiment contains without a question
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Number of timed runs of each side
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) runs: u32,
    /// Number of runs of each side before the timed runs; their times are not used
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) discard: u32,
    /// Begin no run after this time (30s, 2m); the answer is from the pairs of runs that are finished. With --all, the
    /// trials share this time. With -p: the time of all turns, 60s if it is not set
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_box: Option<Duration>,
    #[command(flatten)]
    pub(super) attach: AttachArguments,
    #[command(flatten)]
    pub(super) server: ServerArguments,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArguments,
    /// Show what the remedies are in the source, as a unified diff. The changed sources are compiled first. No file changes
    #[arg(long)]
    pub(crate) patch: bool,
    /// Write the patch into the sources if the verdict is improved
    #[arg(long, requires = "patch")]
    pub(crate) write: bool,
    #[command(flatten)]
    pub(crate) sources: SourcePathArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
    /// The program and its arguments [default: the command line that the experiment contains]
    #[arg(last = true, value_name = "PROGRAM …")]
    pub(crate) command: Vec<OsString>,
}
