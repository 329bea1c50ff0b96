//! The `whittle` command: reads the command line, runs one command, and prints why it failed.
//!
//! ```text
//! command_line ──> commands, views ──> arguments, collection, experiments, artefact, code_source ──> terminal
//!   all commands     one module each     what several commands share                                   text for people
//! ```

mod arguments;
mod artefact;
mod code_source;
mod collection;
mod command_line;
mod commands;
mod containers;
mod experiments;
mod hints;
mod interleaved;
mod signals;
mod terminal;
mod tries;
mod views;
mod written_by;

use clap::Parser;
use command_line::Arguments;
use std::process::ExitCode;
use terminal::output;

fn main() -> ExitCode {
    whittle_terminal::give_hints(hints::hint);
    let code = Arguments::parse().command.run().unwrap_or_else(|failure| {
        output::error(&failure.message);
        ExitCode::from(failure.exit_code)
    });
    // Threads that still work end with this process, without cleaning up.
    whittle_collect::kill_helpers();
    code
}
