//! The arguments of a trial in a running JVM.

use crate::arguments::duration::parse_duration;
use clap::Args;
use std::ops::RangeInclusive;
use std::time::Duration;

/// In a shorter turn, too little happens. In a longer turn, the load changes.
const TURNS: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(300);

#[derive(Debug, Args)]
pub(super) struct AttachArguments {
    /// Try in the running JVM with this process id. Its methods execute their old and their new code alternately
    #[arg(short, long, value_name = "PID", conflicts_with_all = ["command", "yes", "runs", "discard", "metric", "unit_count", "ready", "all", "patch"])]
    pub(super) pid: Option<u32>,
    /// Length of a turn
    // clap does not require an option that conflicts with another word of the command line, so `command` is named here, too.
    #[arg(long, value_name = "TIME", value_parser = parse_turn, default_value = "2s", requires = "pid", conflicts_with = "command")]
    pub(super) turn: Duration,
}

fn parse_turn(text: &str) -> Result<Duration, String> {
    let turn = parse_duration(text)?;
    if TURNS.contains(&turn) { Ok(turn) } else { Err("wanted 100ms to 5m".to_owned()) }
}
