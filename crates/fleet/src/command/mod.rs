//! The command line of `whittle-fleet`: words, help texts, defaults.

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
pub(crate) mod show;
pub(crate) mod views;
pub(crate) mod whole;

use clap::{Parser, Subcommand};

/// Whittle for many machines: takes in the segments that agents land in a store, and answers questions over all of them.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110)]
#[command(after_help = "Start with:\n  whittle agent --store /var/lib/whittle      on each machine\n  \
    whittle-fleet intake --store /var/lib/whittle\n  \
    whittle-fleet services --store /var/lib/whittle\n  \
    whittle-fleet functions --store /var/lib/whittle --service checkout --since 1h\n\n\
    To see it without a fleet: whittle-fleet demo")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Whole(whole::WholeCommand),
    #[command(flatten)]
    View(views::ViewCommand),
    /// Take landed segments into the tables, keep their files few, and drop old days
    Intake(intake::IntakeArguments),
    /// Take profiles that other agents push: Pyroscope's, OpenTelemetry's
    Receive(receive::ReceiveArguments),
    /// Two versions, times or sets of machines side by side, per second or per unit of work
    Compare(compare::CompareArguments),
    /// Functions that cost more or less with a version, or since a date that is found, and how sure that is
    Regressions(regressions::RegressionsArguments),
    /// What a change saved over the fleet: by unit of work, by machine, in all
    Saving(saving::SavingArguments),
    /// Turn an answer into a file of another viewer: pprof, collapsed stacks, Firefox Profiler, speedscope
    Export(export::ExportArguments),
    /// The fleet in the browser, with the analyzer for every answer
    Serve(serve::ServeArguments),
    /// See it in a minute: a fleet of 30 hosts that was recorded, one version fixed in the midst
    Demo(demo::DemoArguments),
    /// What the process of one of the demo's hosts does
    #[command(hide = true)]
    DemoHost(demo::HostArguments),
    /// Pack landed segments for the demo
    #[command(hide = true)]
    DemoPack(demo::PackArguments),
}

/// A command that failed: one message, one exit status.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) exit_code: u8,
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
