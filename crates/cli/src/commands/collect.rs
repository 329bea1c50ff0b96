//! `whittle collect`: a program becomes an experiment.

use crate::arguments::byte_size::parse_byte_size;
use crate::arguments::program::ProgramArguments;
use crate::arguments::unit_count::parse_unit_count;
use crate::collection::{Collected, Collection};
use crate::terminal::output;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use whittle_collect::{CollectOptions, Ending, EngineChoice, Outcome};
use whittle_model::{Closure, UnitOfWork};
use whittle_terminal::Failure;

/// The source of units of work that are set with `--unit-count`.
const GIVEN: &str = "given on the command line";

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle collect -o app.whittle -- java -jar app.jar\n  whittle collect -o app.whittle -p 4711 -d 30s\n  \
    whittle collect -o build.whittle --follow -- mvn package\n\n\
    whittle loads the profiler into a JVM, also into one that a launched script starts (--follow). It collects any other program from outside, which needs the engine kernel. \
    Ctrl-C, the end of the program and the end of the duration all leave a complete experiment. \
    The exit status is the program's exit status (128 + signal number if a signal ended the program)."
)]
pub(crate) struct CollectArguments {
    /// Directory of the new experiment, usually NAME.whittle
    #[arg(short, long, value_name = "EXPERIMENT")]
    output: PathBuf,
    #[command(flatten)]
    program: ProgramArguments,
    /// Sample with this engine: auto; kernel (BPF programs: all data); cpu (perf events: CPU samples and JVM events);
    /// ctimer (timers: like cpu, but without user and system time per method)
    #[arg(long, default_value = "auto")]
    engine: EngineChoice,
    /// Number of units of work that the program does, if it does not print the number
    #[arg(long, value_name = "NUMBER", value_parser = parse_unit_count)]
    unit_count: Option<f64>,
    /// Name of the units of --unit-count, for example requests
    #[arg(long, value_name = "NAME", default_value = "units", requires = "unit_count")]
    unit: String,
    /// Copy the program's files (jars, class path, programs outside of system folders) into the experiment, so that
    /// whittle verify --against can run this program again
    #[arg(long, conflicts_with = "pid")]
    keep_artefact: bool,
    /// Maximum number of bytes that --keep-artefact copies (500m, 8g)
    #[arg(long, value_name = "BYTES", value_parser = parse_byte_size, default_value = "512m", requires = "keep_artefact")]
    artefact_limit: u64,
    /// For tests: drop one in every N signals
    #[arg(long, hide = true, default_value_t = 0)]
    drop_every: u32,
    /// Do not add these JVM flags: DebugNonSafepoints for exact line numbers, Xlog for the pauses of the JVM, and with
    /// --instrument EnableDynamicAgentLoading
    #[arg(long)]
    no_jvm_flags: bool,
    /// End a recording that a killed whittle left in the JVM, and start a new one
    #[arg(long, requires = "attached")]
    take_over: bool,
    /// Change classes of each JVM while it is collected, to see requests, tasks and virtual threads that system calls do not
    /// show. This needs the engine kernel and a JVM with the module java.instrument
    #[arg(long)]
    instrument: bool,
    /// Replace an existing experiment
    #[arg(short, long)]
    force: bool,
    /// Text to keep with the experiment
    #[arg(long, default_value = "")]
    comment: String,
    /// Print only errors
    #[arg(short, long)]
    quiet: bool,
    /// For programs that start whittle: end when standard input ends
    #[arg(long, hide = true, requires = "pid")]
    stop_with_input: bool,
}

/// Collects, prints the path of the experiment, and returns the program's exit status.
pub(crate) fn run(arguments: CollectArguments) -> Result<ExitCode, Failure> {
    let collection = Collection {
        target: arguments.program.target()?,
        artefact_limit: arguments.keep_artefact.then_some(arguments.artefact_limit),
        stops_with_input: arguments.stop_with_input,
        is_quiet: arguments.quiet,
        options: options(arguments),
    };
    let Collected { outcome, exit_code } = collection.run()?;
    if !collection.is_quiet {
        report(&outcome, &collection.options.output);
    }
    Ok(exit_code)
}

fn options(arguments: CollectArguments) -> CollectOptions {
    let CollectArguments { unit: name, unit_count, .. } = arguments;
    let units = unit_count.map(|amount| UnitOfWork { name, amount, source: GIVEN.to_owned() });
    CollectOptions {
        units_of_work: units.into_iter().collect(),
        engine: arguments.engine,
        drop_every: arguments.drop_every,
        adds_jvm_flags: !arguments.no_jvm_flags,
        instrument: arguments.instrument,
        takes_over: arguments.take_over,
        replaces: arguments.force,
        comment: arguments.comment,
        ..arguments.program.options(arguments.output)
    }
}

/// With less CPU time than this, the explained share is not meaningful.
const LITTLE_CPU_NS: u64 = 100_000_000;

/// The share of the CPU time that the samples explain, in words.
fn explained(closure: Option<&Closure>) -> String {
    match closure.and_then(|closure| Some((closure.exact_cpu_ns, closure.ratio()?))) {
        Some((cpu_ns, ratio)) if cpu_ns >= LITTLE_CPU_NS => {
            format!("{:.1} % of its CPU time is explained", ratio * 100.0)
        }
        Some((cpu_ns, _)) => {
            format!(
                "it used {:.3} s of CPU time, which is too little to measure the explained share",
                cpu_ns as f64 / 1e9
            )
        }
        None => "no CPU time was counted".to_owned(),
    }
}

/// Prints a few lines about the new experiment, its data quality, and the next command.
fn report(outcome: &Outcome, experiment: &Path) {
    let manifest = &outcome.manifest;
    let why = match outcome.ending {
        Ending::ProgramEnded => "the program ended",
        Ending::DurationOver => "the duration ended",
        Ending::Interrupted => "interrupted",
    };
    let explained = explained(manifest.closure.as_ref());
    let path = experiment.display();
    output::note(&format!("{why} after {:.1} s; {explained}; experiment: {path}", manifest.duration_ns as f64 / 1e9));
    for collector in &manifest.collectors {
        output::note(&format!("engine {}: {}", collector.engine, collector.reason));
    }
    if manifest.has_inexact_lines() {
        output::note("line numbers in compiled code are approximate: the JVM runs without -XX:+DebugNonSafepoints");
    }
    output::note(&format!("next: whittle overview {path}"));
}
