//! Automation of the project: `cargo xtask check`, `docs`, `bpf`, `hook`, `examples`, `audit`, `sbom`, `fleet-demo-segments`,
//! `test`, `summary`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to developers on a terminal")]

mod answer_types;
mod architecture;
mod audit;
mod bpf;
mod built;
mod examples;
mod excuses;
mod finding_pages;
mod fleet_segments;
mod format_page;
mod generated;
mod hook;
mod metric_pages;
mod modules;
mod passed_on;
mod purity;
mod savings;
mod shell_words;
mod summary;
mod tests_again;
mod third_party;
mod tiers;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The result of a task: nothing, or the problem and the command that fixes it.
type Result = std::result::Result<(), String>;

const USAGE: &str = "usage: cargo xtask TASK
  check     edges between crates, imports of pure crates, lints, generated pages, licences of shipped packages
  docs      write the generated pages
  bpf       compile the BPF programs (clang)
  hook      build the agent and the library for JVMs (Maven, zig)
  fleet-demo-segments [PROGRAMS]
            record the segments of whittle-fleet demo (needs root, JDK 25, 15 minutes)
  audit     licences, sources and known vulnerabilities of the packages that whittle uses
  sbom [check]
            write target/whittle.cdx.json, the list of the packages in whittle's programs; check it with the format's schema
  examples  check that the program accepts every command line in the pages
  test TIER run the tests of a tier; only `measured` repeats failed tests
            check     exact tests of all crates except collect, fleet and native
            exact     exact tests of all crates, and examples in comments
            measured  tests that start programs and servers
            agent     the agent in a JVM
            page      formatting, lint, types and tests of the page
            browser   the page in a browser (build the program and the workloads first)
  summary   tests by tier, tests that did not run, flaky tests; fails above the limits";

fn main() -> ExitCode {
    let root = root();
    let result = match std::env::args().nth(1).as_deref() {
        Some("check") => check(&root),
        Some("bpf") => bpf::build(&root),
        Some("hook") => hook::build(&root),
        Some("docs") => format_page::write(&root)
            .and_then(|()| metric_pages::write(&root))
            .and_then(|()| answer_types::write(&root))
            .and_then(|()| modules::write(&root))
            .and_then(|()| savings::write(&root))
            .and_then(|()| finding_pages::write(&root))
            .and_then(|()| third_party::write(&root)),
        Some("fleet-demo-segments") => fleet_segments::record(&root, std::env::args().nth(2)),
        Some("audit") => audit::check(&root),
        Some("sbom") if std::env::args().nth(2).as_deref() == Some("check") => third_party::sbom::check(&root),
        Some("sbom") => third_party::sbom::write(&root),
        Some("examples") => examples::check(&root),
        Some("test") => tiers::test(&root, std::env::args().nth(2).as_deref()),
        Some("summary") => summary::report(),
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
    modules::check(root)?;
    purity::check(root)?;
    bpf::check(root)?;
    hook::check(root)?;
    format_page::check(root)?;
    metric_pages::check(root)?;
    answer_types::check(root)?;
    savings::check(root)?;
    finding_pages::check(root)?;
    third_party::check(root)
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
