//! The command line: the list of commands. Each command has a module with its arguments.

use crate::commands::agent::{self, AgentArguments};
use crate::commands::analyzer::{self, AnalyzerArguments};
use crate::commands::collect::{self, CollectArguments};
use crate::commands::completions::{self, CompletionsArguments};
use crate::commands::debug_info::{self, DebugInfoArguments};
use crate::commands::doctor::{self, DoctorArguments};
use crate::commands::export::{self, ExportArguments};
use crate::commands::import::{self, ImportArguments};
use crate::commands::lab::{self, LabArguments};
use crate::commands::licences;
use crate::commands::man_pages::{self, ManPagesArguments};
use crate::commands::notes::{self, NotesArguments};
use crate::commands::report::{self, ReportArguments};
use crate::commands::stat::{self, StatArguments};
use crate::commands::trial::{self, TryArguments};
use crate::commands::verify::{self, VerifyArguments};
use crate::views::command::{self, OfExperiment};
use crate::views::compare::{self, CompareArguments};
use crate::views::findings::{self, FindingsArguments};
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;
use whittle_terminal::{Failure, ViewCommand};

/// Profiler and performance analyzer for Java programs on Linux and the native and kernel code beneath them.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 110)]
#[command(
    after_help = "Start with:\n  whittle stat -- java -jar app.jar\n  whittle collect -o first.whittle -- java -jar app.jar\n  whittle overview first.whittle"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show on one screen how a program uses time, memory, system calls and waits, and what to check next
    Stat(StatArguments),
    /// Launch a program or attach to it, and collect an experiment
    Collect(CollectArguments),
    /// Collect all JVMs of this host continuously, at a low rate, into a store for many hosts
    Agent(AgentArguments),
    /// Check what this machine allows, which data is missing without a permission, and how to get the permission
    Doctor(DoctorArguments),
    /// Download debug information for the native code in an experiment, so that the next collection names more functions
    DebugInfo(DebugInfoArguments),
    /// Turn a file of another tool (JFR, pprof, OTLP, perf.data, Firefox Profiler, speedscope, collapsed) into an
    /// experiment
    Import(ImportArguments),
    /// Turn an experiment into a file for another viewer: pprof, collapsed stacks, Firefox Profiler, speedscope
    Export(ExportArguments),
    /// Show experiments in the browser, and collect running programs
    #[command(name = "view")]
    Analyzer(AnalyzerArguments),
    /// Write an experiment with the analyzer as one HTML file that opens without a network
    Report(ReportArguments),
    /// Measure programs that are part of whittle
    Lab(LabArguments),
    /// Print the licences of whittle and of the software in it
    #[command(visible_alias = "licenses")]
    Licences,
    /// Print a script that completes whittle's commands and options in a shell
    Completions(CompletionsArguments),
    /// Write the manual pages of whittle and its commands into a folder
    ManPages(ManPagesArguments),
    /// Find causes of cost, with the calling line, the line to edit, and the expected saving
    Findings(FindingsArguments),
    /// Print the notes that users wrote about an experiment in the analyzer
    Notes(NotesArguments),
    /// Verify a change: run both versions interleaved, and report whether the new version is better and by how much
    Verify(Box<VerifyArguments>),
    /// Try the fix of a finding: run the program interleaved with and without the change, which an agent makes in the JVM
    Try(Box<TryArguments>),
    /// Compare two versions of a program side by side, per unit of work
    Compare(Box<CompareArguments>),
    #[command(flatten)]
    View(ViewCommand<OfExperiment>),
}

impl Command {
    /// Runs the command. Returns the exit status of whittle.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let done = |()| ExitCode::SUCCESS;
        match self {
            Self::Stat(stat) => stat::run(stat),
            Self::Collect(collect) => collect::run(collect),
            Self::Agent(agent) => agent::run(&agent).map(done),
            Self::Doctor(doctor) => doctor::run(&doctor).map(done),
            Self::DebugInfo(debug_info) => debug_info::run(&debug_info).map(done),
            Self::Import(import) => import::run(&import).map(done),
            Self::Export(export) => export::run(&export).map(done),
            Self::Analyzer(analyzer) => analyzer::run(&analyzer).map(done),
            Self::Report(report) => report::run(&report).map(done),
            Self::Lab(lab) => lab::run(&lab).map(done),
            Self::Licences => licences::run().map(done),
            Self::Completions(completions) => completions::run(&completions, Arguments::command()).map(done),
            Self::ManPages(man_pages) => man_pages::run(&man_pages, Arguments::command()).map(done),
            Self::Findings(findings) => findings::run(&findings),
            Self::Notes(notes) => notes::run(&notes).map(done),
            Self::Verify(verify) => verify::run(&verify),
            Self::Try(try_arguments) => trial::run(&try_arguments),
            Self::Compare(compare) => compare::run(*compare).map(done),
            Self::View(view) => command::run(&view).map(done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks, for example, that option names are unique and that options refer only to existing options.
    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
