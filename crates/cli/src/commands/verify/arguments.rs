//! The words of `whittle verify`.

use crate::arguments::{Colour, parse_interval};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use whittle_analysis::compare::Rename;
use whittle_analysis::verify::{Better, PrimaryEndpoint};
use whittle_collect::EngineChoice;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle verify --baseline 'java -jar old.jar' --candidate 'java -jar new.jar'\n  \
    whittle verify --baseline 'java -jar old.jar' --candidate 'java -jar new.jar' --runs 10 -o verified \\\n    \
    --metric '(?<messages_count>[0-9]+) messages, (?<messages_per_second>[0-9.]+) a second'\n  \
    whittle verify --against main.whittle --candidate 'java -jar new.jar' --summary summary.md\n  \
    whittle verify --baseline a1.whittle a2.whittle a3.whittle --candidate b1.whittle b2.whittle b3.whittle\n\n\
    Runs both in turns, A B B A, on this machine, and says: improved, worse, no relevant change, or inconclusive, with the \
    interval and what could have been seen. A command is one word; it runs without a shell, so a pipeline is \
    'sh -c \"…\"'.\n\n\
    The exit status is 0 for improved, no relevant change and \"looks like\", 4 for worse, 5 for inconclusive; 1 if there is no \
    answer (a run failed), 2 if the command line is wrong, 130 if it was interrupted."
)]
pub(crate) struct VerifyArguments {
    /// Command line of the program as it was, in one word; or its experiments, one or several
    #[arg(long, value_name = "COMMAND|EXPERIMENT", num_args = 1.., required_unless_present = "against", conflicts_with = "against")]
    pub(crate) baseline: Vec<String>,
    /// The same of the changed program
    #[arg(long, value_name = "COMMAND|EXPERIMENT", num_args = 1.., required = true)]
    pub(crate) candidate: Vec<String>,
    /// Instead of a baseline's command: an experiment made with whittle collect --keep-artefact, whose program is run again
    #[arg(long, value_name = "EXPERIMENT")]
    pub(crate) against: Option<PathBuf>,
    /// Timed runs of each side
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// Runs of each side before them that do not count
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) discard: u32,
    /// Profiled runs of each side, for the finding and the functions; 0: none [default: as many as timed ones]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) profiled_runs: Option<u32>,
    /// Read numbers from what the programs print: named groups are metrics; one that ends in _count is the units of work.
    /// For example '(?<messages_per_second>[0-9.]+) messages/s'
    #[arg(long, value_name = "REGEX")]
    pub(crate) metric: Option<String>,
    /// Which value counts of a metric that is printed several times in a run
    #[arg(long, value_enum, default_value_t = MetricValue::Last, requires = "metric")]
    pub(crate) metric_value: MetricValue,
    /// Units of work of each run: a number, or the group of --metric that has it
    #[arg(long, value_name = "NUMBER|GROUP")]
    pub(crate) unit_count: Option<UnitCount>,
    /// One unit of work, for example message
    #[arg(long, value_name = "NAME")]
    pub(crate) unit: Option<String>,
    /// What the verdict is about: cpu, elapsed, or a group of --metric
    #[arg(long, value_name = "ENDPOINT", default_value = "cpu", value_parser = parse_endpoint)]
    pub(crate) endpoint: PrimaryEndpoint,
    /// Which direction is better, for the metric of --endpoint or as METRIC=larger, where its name does not say it
    #[arg(long, value_name = "[METRIC=]larger|smaller", value_parser = parse_better)]
    pub(crate) better: Vec<(Option<String>, Better)>,
    /// Changes that do not matter
    #[arg(long, value_name = "PERCENT%", default_value = "2%", value_parser = parse_margin)]
    pub(crate) margin: f64,
    /// The pattern whose cost is the second primary endpoint, for example unbuffered-write; none [default: the
    /// baseline's first finding]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) finding: Option<String>,
    /// A class or package that the change renamed, so that its functions and the finding are found on both sides. Several:
    /// given again
    #[arg(long, value_name = "OLD=NEW")]
    pub(crate) rename: Vec<Rename>,
    /// Engine of the profiled runs: auto, kernel, cpu or ctimer
    #[arg(long, default_value = "auto", value_parser = parse_engine)]
    pub(crate) engine: String,
    /// CPU time between two samples of a thread in profiled runs
    #[arg(long, value_parser = parse_interval, default_value = "10ms")]
    pub(crate) interval: Duration,
    /// Keep everything there: verification.json, verification.md, outputs and experiments of all runs
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the verification in that folder if there is one
    #[arg(short, long, requires = "output")]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values, a row for each endpoint
    #[arg(long)]
    pub(crate) csv: bool,
    /// Add the result as Markdown to this file [default: the one that GITHUB_STEP_SUMMARY names, if any]
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Verdicts that are no failure besides the usual ones
    #[arg(long, value_enum)]
    pub(crate) accept: Vec<Accepted>,
    /// Whether to colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
    /// Print the result alone, no progress and no notes
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl VerifyArguments {
    /// Profiled runs of each side.
    pub(crate) fn profiled_runs(&self) -> u32 {
        self.profiled_runs.unwrap_or(self.runs)
    }
}

/// Which of several printed values is the run's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MetricValue {
    /// The last one
    Last,
    /// The mean of all
    Mean,
}

/// Verdicts that can be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Accepted {
    /// Exit with 0 where it could not be told
    Inconclusive,
}

/// How units of work are known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UnitCount {
    /// The same in all runs.
    Number(f64),
    /// Printed: a group of `--metric`.
    Group(String),
}

impl FromStr for UnitCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Ok(Self::Group(text.to_owned()));
        }
        crate::arguments::parse_unit_count(text).map(Self::Number)
    }
}

/// The word is handed on to the runs that are collected.
fn parse_engine(text: &str) -> Result<String, String> {
    text.parse::<EngineChoice>().map(|_| text.to_owned())
}

fn parse_endpoint(text: &str) -> Result<PrimaryEndpoint, String> {
    Ok(match text {
        "cpu" => PrimaryEndpoint::Cpu,
        "elapsed" => PrimaryEndpoint::Elapsed,
        "" => return Err("wanted cpu, elapsed, or a group of --metric".to_owned()),
        name => PrimaryEndpoint::Metric(name.to_owned()),
    })
}

fn parse_better(text: &str) -> Result<(Option<String>, Better), String> {
    let (name, word) = text.split_once('=').map_or((None, text), |(name, word)| (Some(name.to_owned()), word));
    match word {
        "larger" => Ok((name, Better::Larger)),
        "smaller" => Ok((name, Better::Smaller)),
        _ => Err("wanted larger or smaller, or for one metric METRIC=larger".to_owned()),
    }
}

/// A part of the baseline, from percent.
fn parse_margin(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let percent = percent.filter(|percent| *percent > 0.0 && *percent < 100.0);
    percent.map(|percent| percent / 100.0).ok_or_else(|| format!("wanted percent, for example 2%; found \"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_command_line() {
        assert_eq!(parse_margin("2%"), Ok(0.02));
        assert!(["2", "0%", "100%", "x%", "NaN%"].iter().all(|text| parse_margin(text).is_err()));
        assert_eq!(parse_better("larger"), Ok((None, Better::Larger)));
        assert_eq!(parse_better("rate=smaller"), Ok((Some("rate".to_owned()), Better::Smaller)));
        assert!(parse_better("rate=better").is_err());
        assert_eq!("1_000".parse(), Ok(UnitCount::Number(1000.0)));
        assert_eq!("n_count".parse(), Ok(UnitCount::Group("n_count".to_owned())));
        assert!("0".parse::<UnitCount>().is_err());
    }
}
