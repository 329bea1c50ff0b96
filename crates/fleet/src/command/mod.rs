//! The command line of `whittle-fleet`, with commands, help texts and defaults.

pub(crate) mod asked;
pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod intake;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod receive;
pub(crate) mod regressions;
pub(crate) mod saving;
pub(crate) mod serve;
pub(crate) mod views;
pub(crate) mod whole;

use clap::{Parser, Subcommand};
pub(crate) use whittle_terminal::Failure;
use whittle_terminal::ViewCommand;

/// Whittle for many machines: loads the segments that agents write to a store, and answers queries over all segments.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110)]
#[command(after_help = "Start with:\n  whittle agent --store /var/lib/whittle      on each machine\n  \
    whittle-fleet intake --store /var/lib/whittle\n  \
    whittle-fleet services --store /var/lib/whittle\n  \
    whittle-fleet functions --store /var/lib/whittle --service checkout --since 1h\n\n\
    To try whittle-fleet without a fleet: whittle-fleet demo")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Whole(whole::WholeCommand),
    #[command(flatten)]
    View(ViewCommand<views::OfFleet>),
    /// Load landed segments into the tables, merge small files, and remove old days
    Intake(intake::IntakeArguments),
    /// Receive profiles that agents of Pyroscope and OpenTelemetry push
    Receive(receive::ReceiveArguments),
    /// Compare two versions, times or sets of machines side by side, per second or per unit of work
    Compare(compare::CompareArguments),
    /// Find functions that cost more or less with a version, or since a date, and how certain the change is
    Regressions(regressions::RegressionsArguments),
    /// Show what a change saved over the fleet: per unit of work, per machine, in total
    Saving(saving::SavingArguments),
    /// Turn an answer into a file for another viewer: pprof, collapsed stacks, Firefox Profiler, speedscope
    Export(export::ExportArguments),
    /// Show the fleet in the browser; the analyzer can open every answer
    Serve(serve::ServeArguments),
    /// Show, within a minute, a recorded fleet of 30 hosts with a new version that removes a cost
    Demo(demo::DemoArguments),
    /// Run as the process of one of the demo's hosts
    #[command(hide = true)]
    DemoHost(demo::HostArguments),
    /// Pack landed segments for the demo
    #[command(hide = true)]
    DemoPack(demo::PackArguments),
}
