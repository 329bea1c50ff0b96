//! The tiers of tests: their targets, and how their tests are run.
//!
//! The tests of a crate that start programs and servers are in its `tests/measured`. They share the machine with the
//! programs that they measure, so failed tests are repeated. All other tests have one right answer and are never
//! repeated.

use crate::Result;
use crate::passed_on::{Ran, run};
use crate::summary;
use crate::tests_again;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use whittle_testkit::jdks;

/// The integration tests that can be repeated.
pub(crate) const MEASURED: &str = "measured";

/// Folders of crates that `make check` does not test. Tests inside `collect` and `native` start JVMs and compilers, and
/// `fleet` needs a query engine that takes ten minutes to build.
const NOT_IN_CHECK: [&str; 3] = ["collect", "fleet", "native"];

/// Runs the tests of a tier and records how many passed.
pub(crate) fn test(root: &Path, tier: Option<&str>) -> Result {
    let began = Instant::now();
    let page = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(root);
        command
    };
    let (tier, passed) = match tier {
        Some("check") => ("exact", exact(root, &NOT_IN_CHECK)?),
        Some("exact") => ("exact", exact(root, &[])? + cargo_test(&["--workspace", "--doc"])?),
        Some(MEASURED) => (MEASURED, tests_again::run(&["--workspace", "--test", MEASURED])?),
        Some("agent") => ("agent", agent(root)?),
        Some("page") => ("page", vitest(page("make").args(["--silent", "-C", "web", "check"]))?),
        Some("browser") => ("browser", vitest(page("npm").args(["--prefix", "web", "run", "--silent", "e2e"]))?),
        _ => return Err("expected a tier: check, exact, measured, agent, page or browser".to_owned()),
    };
    summary::note_passed(tier, passed, began.elapsed())
}

/// Runs all tests except the measuring tests, of all crates except those in the given folders.
fn exact(root: &Path, left_out: &[&str]) -> std::result::Result<usize, String> {
    let mut arguments = vec!["--workspace".to_owned()];
    for folder in left_out {
        arguments.extend(["--exclude".to_owned(), format!("whittle-{folder}")]);
    }
    arguments.extend(["--lib", "--bins"].map(str::to_owned));
    for name in integration_tests(&root.join("crates"), left_out)? {
        arguments.extend(["--test".to_owned(), name]);
    }
    cargo_test(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The names of integration tests in the folders of crates, without measuring tests.
fn integration_tests(crates: &Path, left_out: &[&str]) -> std::result::Result<Vec<String>, String> {
    let listed = fs::read_dir(crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let mut names = Vec::new();
    for folder in listed.flatten().filter(|entry| !left_out.iter().any(|name| *name == entry.file_name())) {
        for test in fs::read_dir(folder.path().join("tests")).into_iter().flatten().flatten() {
            let path = test.path();
            if path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").exists() {
                names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
    }
    names.retain(|name| name != MEASURED);
    names.sort();
    names.dedup();
    Ok(names)
}

/// Runs `cargo test` once. Returns the number of passed tests.
fn cargo_test(arguments: &[&str]) -> std::result::Result<usize, String> {
    let mut command = Command::new("cargo");
    command.arg("test").arg("--no-fail-fast").args(arguments);
    let Ran { is_ok, text } = run(&mut command)?;
    let outcome = tests_again::outcome(&text);
    if is_ok { Ok(outcome.passed) } else { Err("these tests are exact, so they are not repeated".to_owned()) }
}

/// Runs a command that ends with Vitest. Returns the number of passed tests.
fn vitest(command: &mut Command) -> std::result::Result<usize, String> {
    let Ran { is_ok, text } = run(command)?;
    if !is_ok {
        return Err(format!("failed: {command:?}"));
    }
    vitest_passed(&text).ok_or_else(|| format!("expected the number of tests at the end of the output of {command:?}"))
}

/// Reads `Tests  2 skipped | 61 passed (63)` of every run in the text.
fn vitest_passed(text: &str) -> Option<usize> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("Tests "));
    let counts: Vec<usize> = lines
        .filter_map(|line| {
            line.split(['|', '(']).find_map(|part| part.trim().strip_suffix(" passed"))?.trim().parse().ok()
        })
        .collect();
    (!counts.is_empty()).then(|| counts.iter().sum())
}

/// Runs the tests of the agent on each JDK. Returns the number of passed tests.
fn agent(root: &Path) -> std::result::Result<usize, String> {
    let mut passed = 0;
    for jdk in jdks() {
        let mut command = Command::new("mvn");
        command.args(["-B", "-ntp", "-f", "java/agent/pom.xml", "verify"]).current_dir(root);
        passed += surefire(command.arg(format!("-Djvm={}", jdk.java().display())))?;
    }
    Ok(passed)
}

/// Runs a command that ends with the tests of Maven. Returns the number of passed tests.
fn surefire(command: &mut Command) -> std::result::Result<usize, String> {
    let Ran { is_ok, text } = run(command)?;
    if !is_ok {
        return Err(format!("failed: {command:?}"));
    }
    surefire_passed(&text).ok_or_else(|| format!("expected the number of tests in the output of {command:?}"))
}

/// Reads the last `Tests run: 12, Failures: 0, Errors: 0, Skipped: 2`, which is the total.
fn surefire_passed(text: &str) -> Option<usize> {
    let total = text.lines().filter_map(|line| line.split_once("Tests run: ")).next_back()?.1;
    let count = |part: &str| part.split_whitespace().next_back()?.parse::<usize>().ok();
    let mut counts = total.split(',').map(count);
    let ran = counts.next()??;
    let skipped = counts.nth(2)??;
    Some(ran - skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measuring_tests_are_in_no_other_tier() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let found = integration_tests(&crates, &[]).expect("the workspace's crates");
        assert!(found.contains(&"exact".to_owned()) && !found.contains(&MEASURED.to_owned()), "{found:?}");
    }

    #[test]
    fn tests_of_the_page_are_counted() {
        let text = " Test Files  12 passed (12)\n      Tests  1 skipped | 240 passed (241)\n   Start at  10:00:00\n";
        assert_eq!(vitest_passed(text), Some(240));
        assert_eq!(vitest_passed("      Tests  61 passed (61)"), Some(61));
        assert_eq!(vitest_passed("no tests"), None);
    }

    #[test]
    fn tests_of_the_agent_are_counted() {
        let text = "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A\n[INFO] \n\
                    [INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 2\n[INFO] BUILD SUCCESS\n";
        assert_eq!(surefire_passed(text), Some(10));
        assert_eq!(surefire_passed("BUILD SUCCESS"), None);
    }
}
