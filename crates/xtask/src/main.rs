//! Automation of the project: `cargo xtask check`, `docs`, `demo`, `not-run`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to developers on a terminal")]

mod architecture;
mod format_page;
mod not_run;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What each task answers: nothing, or what is wrong and the command that mends it.
type Result = std::result::Result<(), String>;

const USAGE: &str = "usage: cargo xtask TASK
  check     the allowed edges between crates, lints, generated pages
  docs      write the generated pages
  demo      collect casebook case 1, before and after, and show both
  not-run   list and count the tests that found something missing";

fn main() -> ExitCode {
    let root = root();
    let result = match std::env::args().nth(1).as_deref() {
        Some("check") => architecture::check(&root).and_then(|()| format_page::check(&root)),
        Some("docs") => format_page::write(&root),
        Some("not-run") => not_run::report(),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
