//! `whittle stat`: collects, and prints one screen instead of keeping an experiment.

use crate::Failure;
use crate::arguments::StatArguments;
use crate::collect::{self, Collected};
use crate::views::{self, ViewFormat};
use std::path::PathBuf;
use std::process::ExitCode;
use whittle_collect::EngineChoice;

/// Collects a program, prints what it used, and gives its exit status.
pub(crate) fn run(arguments: StatArguments) -> Result<ExitCode, Failure> {
    let format = ViewFormat { json: arguments.json, csv: false, color: arguments.color };
    let kept = arguments.output.is_some();
    let experiment = arguments.output.clone().unwrap_or_else(temporary_experiment);
    let collected = collect::collect_with(collect_arguments(arguments, experiment.clone()));
    let printed = collected.and_then(|Collected { exit_code, .. }| {
        let profile = views::load(&experiment)?;
        let shown = kept.then(|| experiment.display().to_string());
        views::print(&profile.stat(shown.as_deref()), format)?;
        Ok(exit_code)
    });
    if !kept {
        // It lies among temporary files: what cannot be removed now goes with them.
        let _ = std::fs::remove_dir_all(&experiment);
    }
    printed
}

fn temporary_experiment() -> PathBuf {
    std::env::temp_dir().join(format!("whittle-stat-{}.whittle", std::process::id()))
}

fn collect_arguments(arguments: StatArguments, output: PathBuf) -> crate::arguments::CollectArguments {
    crate::arguments::CollectArguments {
        output,
        pid: arguments.pid,
        duration: arguments.duration,
        interval: arguments.interval,
        engine: EngineChoice::Auto,
        events: arguments.events,
        follow: arguments.follow,
        metric: arguments.metric,
        unit_count: None,
        unit: String::new(),
        keep_artefact: false,
        artefact_limit: 0,
        drop_every: 0,
        no_jvm_flags: true,
        take_over: false,
        force: arguments.force,
        comment: String::new(),
        quiet: arguments.quiet,
        stop_with_input: false,
        command: arguments.command,
    }
}
