//! The `whittle` command: wires collection, import and the views together.

mod agent;
mod arguments;
mod artefact;
mod byte_size;
mod code_source;
mod collect;
mod compare;
mod doctor;
mod duration;
mod export;
mod findings;
mod import;
mod lab;
mod live;
mod open_browser;
mod output;
mod perf_symbols;
mod progress;
mod report;
mod run_progress;
mod stat;
mod verify;
mod view;
mod views;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Collect(collect) => collect::run(collect),
        Command::Agent(agent) => agent::run(&agent).map(|()| ExitCode::SUCCESS),
        Command::Stat(stat) => stat::run(stat),
        Command::Doctor(doctor) => doctor::run(&doctor).map(|()| ExitCode::SUCCESS),
        Command::Import(import) => import::run(&import),
        Command::Export(export) => export::run(&export).map(|()| ExitCode::SUCCESS),
        Command::Analyzer(analyzer) => view::run(&analyzer).map(|()| ExitCode::SUCCESS),
        Command::Report(report) => report::run(&report).map(|()| ExitCode::SUCCESS),
        Command::Lab(lab) => lab::run(&lab).map(|()| ExitCode::SUCCESS),
        Command::Findings(findings) => findings::run(&findings),
        Command::Verify(verify) => verify::run(&verify),
        Command::Compare(compare) => compare::run(&compare).map(|()| ExitCode::SUCCESS),
        Command::View(view) => views::run(&view).map(|()| ExitCode::SUCCESS),
    };
    result.unwrap_or_else(|failure| {
        output::error(&failure.message);
        ExitCode::from(failure.exit_code)
    })
}

/// A command that failed: one message, one exit status.
#[derive(Debug)]
struct Failure {
    message: String,
    exit_code: u8,
}

impl<E: std::error::Error> From<E> for Failure {
    /// The error with its causes that are not in its text already; exit status 1.
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !message.contains(&text) {
                message = format!("{message}: {text}");
            }
            source = cause.source();
        }
        Self { message, exit_code: 1 }
    }
}
