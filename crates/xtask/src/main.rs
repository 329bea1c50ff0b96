//! Automation of the project: `cargo xtask check`, `docs`, `bpf`, `demo`, `examples`, `fleet-demo-segments`, `test`,
//! `not-run`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to developers on a terminal")]

mod architecture;
mod bpf;
mod demo;
mod demo_table;
mod examples;
mod finding_pages;
mod fleet_segments;
mod format_page;
mod not_run;
mod purity;
mod terminal;
mod tests_again;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What each task answers: nothing, or what is wrong and the command that mends it.
type Result = std::result::Result<(), String>;

const USAGE: &str = "usage: cargo xtask TASK
  check     the allowed edges between crates, what pure crates use, lints, generated pages
  docs      write the generated pages
  bpf       compile the BPF programs (clang)
  demo      collect a slow program and its fixed version, and show both (make demo builds them first)
  fleet-demo-segments [PROGRAMS]
            record the segments that whittle-fleet demo brings along (root, JDK 25, 15 minutes)
  examples  whether the program accepts every command line in the pages
  test PACKAGES
            cargo test of them; up to three tests that fail are run once more
  not-run   list and count the tests that found something missing";

fn main() -> ExitCode {
    let root = root();
    let result = match std::env::args().nth(1).as_deref() {
        Some("check") => check(&root),
        Some("bpf") => bpf::build(&root),
        Some("docs") => format_page::write(&root).and_then(|()| finding_pages::write(&root)),
        Some("demo") => demo::run(&root),
        Some("fleet-demo-segments") => fleet_segments::record(&root, std::env::args().nth(2)),
        Some("examples") => examples::check(&root),
        Some("test") => tests_again::run(&std::env::args().skip(2).collect::<Vec<_>>()),
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

fn check(root: &Path) -> Result {
    architecture::check(root)?;
    purity::check(root)?;
    bpf::check(root)?;
    format_page::check(root)?;
    finding_pages::check(root)
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
