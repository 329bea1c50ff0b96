//! `whittle stat`: collects, prints one screen, and keeps no experiment unless `-o` names one.

use crate::arguments::program::ProgramArguments;
use crate::collection::{Collected, Collection};
use crate::experiments;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use whittle_collect::CollectOptions;
use whittle_render::Format;
use whittle_terminal::Colour;
use whittle_terminal::Failure;
use whittle_terminal::ViewFormat;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  whittle stat -- java -jar app.jar\n  whittle stat -p 4711 -d 10s\n  \
    whittle stat --metric '(?<messages_per_second>[0-9.]+) messages/s' -- java -jar app.jar\n\n\
    The exit status is the program's exit status. -o keeps the experiment for the other views.")]
pub(crate) struct StatArguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// Keep the experiment in this directory
    #[arg(short, long, value_name = "EXPERIMENT")]
    output: Option<PathBuf>,
    /// Replace an existing experiment
    #[arg(short, long, requires = "output")]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Whether to colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    color: Colour,
    /// Print no progress and no notes
    #[arg(short, long)]
    quiet: bool,
}

/// Collects a program, prints the used resources, and returns the program's exit status.
pub(crate) fn run(arguments: StatArguments) -> Result<ExitCode, Failure> {
    let format = if arguments.json { Format::Json } else { Format::Text };
    let is_kept = arguments.output.is_some();
    // Nobody else knows the name of the folder or can write to it. It is removed at the end.
    let temporary = tempfile::Builder::new().prefix("whittle-stat-").tempdir();
    let temporary = temporary.map_err(|error| Failure::new(format!("cannot create a temporary folder: {error}")))?;
    let experiment = arguments.output.unwrap_or_else(|| temporary.path().join("stat.whittle"));
    let collected = arguments.program.target().and_then(|target| {
        let options = arguments.program.options(experiment.clone());
        let options = CollectOptions { adds_jvm_flags: false, replaces: arguments.force, ..options };
        let is_quiet = arguments.quiet;
        Collection { target, options, artefact_limit: None, stops_with_input: false, is_quiet }.run()
    });
    collected.and_then(|Collected { exit_code, .. }| {
        let profile = experiments::load(&experiment)?;
        let shown = is_kept.then(|| experiment.display().to_string());
        ViewFormat { format, colour: arguments.color }.print(&whittle_views::stat::stat(&profile, shown.as_deref()))?;
        Ok(exit_code)
    })
}
