//! `whittle lab`: measures programs that are part of whittle.
//!
//! ```text
//! jvms ── find JVMs ──> readers ── rounds of runs ──> results ── medians, ratios ──> text, CSV, JSON
//!                                      │
//!                        workload: the embedded classes, one run, what it printed
//! ```

mod jvms;
mod output;
mod readers;
mod results;
mod workload;

use clap::{Args, Subcommand};
use std::path::PathBuf;
use whittle_terminal::Failure;

/// The experiments of `whittle lab`.
#[derive(Debug, Args)]
pub(crate) struct LabArguments {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Compare six ways to read files on every JVM of this machine: run time, memory, throughput, latency, objects
    /// created
    Readers(ReadersArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  whittle lab readers\n  whittle lab readers --details --rounds 9\n  \
    whittle lab readers --jdk /usr/lib/jvm/java-17-openjdk-amd64 --json > readers.json\n\n\
    Each round runs every reader on every JVM once, and a program that reads nothing. The time of this program is the start time of \
    the JVM and is subtracted from the other times of its round. whittle finds JVMs in JAVA_HOME, PATH, /usr/lib/jvm, \
    /usr/lib64/jvm, /opt, \
    /opt/java, /usr/java and the folders of SDKMAN, IntelliJ, Gradle, asdf, mise, jbang and Coursier.")]
pub(crate) struct ReadersArguments {
    /// Use the JVM with this folder or launcher, instead of the JVMs that whittle finds; can be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) jdk: Vec<PathBuf>,
    /// Number of rounds; a 95 % interval needs at least 6
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Number of files that each run reads
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) files: u32,
    /// Mean file size; sizes range from half to one and a half times the mean
    #[arg(long, value_name = "BYTES", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(2..=1 << 30))]
    pub(crate) file_bytes: u32,
    /// Also print throughput, latency, memory and objects created
    #[arg(long)]
    pub(crate) details: bool,
    /// Print JSON with all runs
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
    /// Print no progress and no notes
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Runs an experiment and prints its result.
pub(crate) fn run(arguments: &LabArguments) -> Result<(), Failure> {
    match &arguments.command {
        LabCommand::Readers(readers) => readers::run(readers),
    }
}
