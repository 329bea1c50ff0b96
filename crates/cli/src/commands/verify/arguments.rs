//! The arguments of `whittle verify`.

use crate::arguments::answer::AnswerArguments;
use crate::arguments::duration::parse_interval;
use crate::arguments::endpoint::EndpointArguments;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use whittle_collect::EngineChoice;
use whittle_profile::compare::Rename;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle verify --baseline 'java -jar old.jar' --candidate 'java -jar new.jar'\n  \
    whittle verify --baseline 'java -jar old.jar' --candidate 'java -jar new.jar' --runs 10 -o verified \\\n    \
    --metric '(?<messages_count>[0-9]+) messages, (?<messages_per_second>[0-9.]+) a second'\n  \
    whittle verify --against main.whittle --candidate 'java -jar new.jar' --summary summary.md\n  \
    whittle verify --baseline a1.whittle a2.whittle a3.whittle --candidate b1.whittle b2.whittle b3.whittle\n\n\
    Runs both programs interleaved (A B B A) on this machine. The verdict is improved, worse, no relevant change, or \
    inconclusive, with its interval and the smallest change that the runs could detect. A command is one word and runs without \
    a shell; write a pipeline as 'sh -c \"…\"'.\n\n\
    The exit status is 0 for improved, no relevant change and a verdict that may be due to chance; 4 for worse; 5 for \
    inconclusive; 1 if a run failed; 2 if the command line is wrong; 130 after an interrupt."
)]
pub(crate) struct VerifyArguments {
    /// Command line of the old program as one word, or one or more experiments of the old program
    #[arg(long, value_name = "COMMAND|EXPERIMENT", num_args = 1.., required_unless_present = "against", conflicts_with = "against")]
    pub(crate) baseline: Vec<String>,
    /// Command line of the changed program as one word, or its experiments
    #[arg(long, value_name = "COMMAND|EXPERIMENT", num_args = 1.., required = true)]
    pub(crate) candidate: Vec<String>,
    /// Run the program in this experiment again, instead of --baseline. whittle collect --keep-artefact creates such an
    /// experiment
    #[arg(long, value_name = "EXPERIMENT")]
    pub(crate) against: Option<PathBuf>,
    /// Number of timed runs of each side
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// Number of runs of each side before the timed runs; their values are not used
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) discard: u32,
    /// Number of profiled runs of each side, which measure the finding and the functions [default: the number of timed
    /// runs]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) profiled_runs: Option<u32>,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArguments,
    /// Use the cost of this pattern as the second primary endpoint, for example unbuffered-write; none: no second
    /// primary endpoint [default: the baseline's first finding]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) finding: Option<String>,
    /// Match a class or package that the change renamed, in functions and in the finding; can be repeated
    #[arg(long, value_name = "OLD=NEW")]
    pub(crate) rename: Vec<Rename>,
    /// Engine of the profiled runs: auto, kernel, cpu or ctimer
    #[arg(long, default_value = "auto", value_parser = parse_engine)]
    pub(crate) engine: String,
    /// CPU time between two samples of a thread in profiled runs
    #[arg(long, value_parser = parse_interval, default_value = "10ms")]
    pub(crate) interval: Duration,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
    /// Also exit with 0 for this verdict
    #[arg(long, value_enum)]
    pub(crate) accept: Vec<Accepted>,
}

impl VerifyArguments {
    /// Number of profiled runs of each side.
    pub(crate) fn profiled_runs(&self) -> u32 {
        self.profiled_runs.unwrap_or(self.runs)
    }
}

/// Verdicts that can be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Accepted {
    /// No verdict was possible
    Inconclusive,
}

/// Checks the name of an engine. The name becomes an argument of the profiled runs.
fn parse_engine(text: &str) -> Result<String, String> {
    text.parse::<EngineChoice>().map(|_| text.to_owned())
}
