//! The arguments for the program to collect, the duration, and the events to sample.

use super::duration::{parse_duration, parse_interval};
use crate::containers;
use crate::written_by::written_by;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use whittle_collect::{CollectOptions, EngineChoice, Events, EventsError, Target};
use whittle_model::CommandLineDetail;
use whittle_terminal::Failure;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("attached").args(["pid", "container"])))]
pub(crate) struct ProgramArguments {
    /// Attach to the process with this id, a JVM or a native program
    #[arg(short, long, value_name = "PID", conflicts_with = "command")]
    pid: Option<u32>,
    /// Attach to the JVM in the container with this name, or with an id that starts with this text. If the container has no JVM,
    /// attach to its first process
    #[arg(long, value_name = "CONTAINER", conflicts_with_all = ["command", "pid"])]
    container: Option<String>,
    /// Stop collecting after this time (30s, 2m, 500ms); a launched program continues
    #[arg(short, long, value_parser = parse_duration)]
    duration: Option<Duration>,
    /// CPU time between two samples of a thread, at least 1ms
    #[arg(long, value_parser = parse_interval, default_value = "10ms")]
    interval: Duration,
    #[arg(long, value_name = "EVENT,…", value_parser = parse_events, help = Events::help())]
    events: Option<Events>,
    /// Also collect the processes that the program starts
    #[arg(long)]
    follow: bool,
    /// Read numbers from the program's output. Each named group is a counter, or units of work if the group's name ends
    /// in _count. For example '(?<messages_per_second>[0-9.]+) messages/s'
    #[arg(long, value_name = "REGEX", conflicts_with_all = ["pid", "container"])]
    metric: Option<String>,
    /// Store the program's command line and the JVM's arguments: redacted (without values that look like secrets), full
    /// or none
    #[arg(long, value_name = "DETAIL", default_value_t)]
    command_line: CommandLineDetail,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM …")]
    command: Vec<OsString>,
}

/// Parses `--events`.
fn parse_events(text: &str) -> Result<Events, String> {
    text.parse().map_err(|error| match error {
        EventsError::CpuAmount => format!("{error}: set it with --interval"),
        other => other.to_string(),
    })
}

impl ProgramArguments {
    /// The process or the command.
    pub(crate) fn target(&self) -> Result<Target, Failure> {
        match (self.pid, &self.container) {
            (Some(pid), _) => Ok(Target::Attach(pid)),
            (None, Some(container)) => Ok(Target::Attach(containers::process_of(container)?)),
            _ if self.command.is_empty() => Err(Failure::usage(
                "nothing to collect: name a process with -p PID, or a program after --, for example: -- java -jar app.jar",
            )),
            _ => Ok(Target::Launch(self.command.clone())),
        }
    }

    /// Options of a collection that writes to `output`. Options that the command line does not set have their defaults.
    pub(crate) fn options(&self, output: PathBuf) -> CollectOptions {
        CollectOptions {
            interval: self.interval,
            engine: EngineChoice::Auto,
            events: self.events.unwrap_or_default(),
            follows: self.follow,
            metric: self.metric.clone(),
            units_of_work: Vec::new(),
            drop_every: 0,
            duration: self.duration,
            adds_jvm_flags: true,
            instrument: false,
            takes_over: false,
            output,
            replaces: false,
            command_line: self.command_line,
            comment: String::new(),
            written_by: written_by(),
        }
    }
}
