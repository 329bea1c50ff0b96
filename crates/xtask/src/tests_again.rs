//! Runs tests, and those that failed once more.
//!
//! Many tests measure running programs on a machine that they share. One that fails is run again by itself: if it fails
//! again, all has failed; if it passes, it is told at the end as unsteady, for somebody to mend. A run of which the
//! machine's host took a part counts only after a few of its kind: the host's demands come and go within minutes. Very
//! many failures are not put down to chance.

use crate::Result;
use crate::not_run::{UNSTEADY, VARIABLE};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::process::Command;
use std::time::Duration;
use whittle_testkit::MachineTime;

/// So many failed tests are run again.
const MOST_FAILURES: usize = 20;

/// A run with more of the CPU time taken by the host tells little, up to so many runs.
const MOST_STOLEN_RATIO: f64 = 0.02;
const MOST_DISTURBED: usize = 3;

/// How often we look for output, to pass it on.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// The end of a run as `cargo test --no-fail-fast` prints it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    /// Failed tests by target, which is given as cargo's arguments, such as `--test view`. A target that failed otherwise has none.
    failed: Vec<(String, Vec<String>)>,
    /// Number of tests that passed.
    passed: usize,
    is_ok: bool,
}

impl Outcome {
    fn failed_names(&self) -> Vec<&str> {
        self.failed.iter().flat_map(|(_, names)| names).map(String::as_str).collect()
    }
}

/// Runs `cargo test` with `selection`, cargo's arguments that choose packages.
pub(crate) fn run(selection: &[String]) -> Result {
    let first = cargo_test(selection, &["--no-fail-fast"])?;
    if first.is_ok {
        return Ok(());
    }
    let count = first.failed_names().len();
    if count == 0 || first.failed.iter().any(|(_, names)| names.is_empty()) {
        return Err("cargo test failed, and not by a test that can be run again".to_owned());
    }
    if count > MOST_FAILURES {
        return Err(format!("{count} tests failed"));
    }
    first.failed.iter().try_for_each(|(target, names)| run_again(selection, target, names))
}

/// Runs `names` of `target` until each has passed, or one has failed while the machine was ours.
fn run_again(selection: &[String], target: &str, names: &[String]) -> Result {
    let mut left = names.to_vec();
    for run in 1.. {
        println!("\nonce more, of {target}: {}", left.join(", "));
        let mut arguments: Vec<&str> = target.split(' ').collect();
        arguments.extend(["--no-fail-fast", "--", "--exact"]);
        arguments.extend(left.iter().map(String::as_str));
        let begin = MachineTime::now();
        let again = cargo_test(selection, &arguments)?;
        let stolen_ratio = begin.stolen_ratio_since();
        let failed: Vec<String> = again.failed_names().into_iter().map(str::to_owned).collect();
        if again.is_ok && again.passed >= left.len() {
            break;
        }
        let stolen = format!("the machine's host took {:.1} % of the CPUs", stolen_ratio * 100.0);
        if failed.is_empty() || tells(stolen_ratio, run) {
            return Err(format!("failed {} times, of {target}: {} ({stolen})", run + 1, left.join(", ")));
        }
        println!("that may tell nothing: {stolen}");
        left = failed;
    }
    names.iter().try_for_each(|name| tell_unsteady(target, name))
}

/// Whether a failure in the given repetition, counted from 1, is the test's own.
fn tells(stolen_ratio: f64, run: usize) -> bool {
    stolen_ratio <= MOST_STOLEN_RATIO || run > MOST_DISTURBED
}

/// Runs it and passes its output on. That goes through a file: a program that a failed test left behind could keep a pipe open.
fn cargo_test(selection: &[String], arguments: &[&str]) -> std::result::Result<Outcome, String> {
    let path = std::env::temp_dir().join(format!("whittle-tests-{}", std::process::id()));
    let ran = run_into(&path, selection, arguments);
    // Only room in the folder of temporary files is lost.
    let _is_removed = fs::remove_file(&path);
    let (is_ok, text) = ran.map_err(|error| format!("cargo test: {error}"))?;
    Ok(Outcome { is_ok, ..outcome(&text) })
}

fn run_into(path: &std::path::Path, selection: &[String], arguments: &[&str]) -> io::Result<(bool, String)> {
    let output = File::create(path)?;
    let mut command = Command::new("cargo");
    command.arg("test").args(selection).args(arguments).stdout(output.try_clone()?).stderr(output);
    // `cargo run` has told us of our package; to some build scripts that is a reason to run again.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(name);
        }
    }
    let mut child = command.spawn()?;
    let (mut file, mut text) = (File::open(path)?, Vec::new());
    loop {
        let status = child.try_wait()?;
        let known = text.len();
        file.read_to_end(&mut text)?;
        io::stdout().write_all(&text[known..])?;
        if let Some(status) = status {
            return Ok((status.success(), String::from_utf8_lossy(&text).into_owned()));
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
}

/// Reads the list of failures of each target, and the line behind it with which cargo names the target.
fn outcome(text: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let (mut listed, mut is_list) = (Vec::new(), false);
    for line in text.lines() {
        if line == "failures:" {
            (listed, is_list) = (Vec::new(), true);
        } else if let Some(result) = line.strip_prefix("test result: ") {
            is_list = false;
            let passed = result.split(". ").nth(1).and_then(|counts| counts.split(' ').next()?.parse::<usize>().ok());
            outcome.passed += passed.unwrap_or(0);
        } else if let Some(name) = line.strip_prefix("    ").filter(|name| is_list && !name.starts_with(' ')) {
            listed.push(name.to_owned());
        } else if let Some(target) = line.strip_prefix("error: test failed, to rerun pass `") {
            let target = target.trim_end_matches('`');
            let without_package = target.strip_prefix("-p ").and_then(|words| words.split_once(' '));
            let target = without_package.map_or(target, |(_, target)| target);
            outcome.failed.push((target.to_owned(), std::mem::take(&mut listed)));
        } else if line.starts_with("error: doctest failed") {
            // They have no names that a run could be narrowed to.
            outcome.failed.push(("--doc".to_owned(), Vec::new()));
        }
    }
    outcome
}

/// Adds a line to those that `cargo xtask not-run` prints at the end.
fn tell_unsteady(target: &str, name: &str) -> Result {
    let line = format!("{UNSTEADY}{target} {name} failed, and passed when it ran again");
    println!("{line}");
    let Some(path) = std::env::var_os(VARIABLE) else { return Ok(()) };
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{line}")).map_err(|error| format!("{line}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_listed_by_target() {
        let found = outcome(
            "     Running tests/view.rs (target/debug/deps/view-4c2c)

running 3 tests
test one ... ok
test deep::two ... FAILED
test three - should panic ... ok

failures:

---- deep::two stdout ----
    an indented line of its output

failures:
    deep::two

test result: FAILED. 2 passed; 1 failed; 0 ignored

error: test failed, to rerun pass `-p whittle --test view`
     Running unittests src/lib.rs (target/debug/deps/whittle_fleet-8a27)
test last ... ok

test result: ok. 3 passed; 0 failed; 0 ignored
error: 1 target failed:
    `-p whittle --test view`",
        );
        assert_eq!(found.failed, [("--test view".to_owned(), vec!["deep::two".to_owned()])]);
        assert_eq!(found.passed, 5);
    }

    #[test]
    fn a_failure_tells_if_the_machine_was_ours_or_it_comes_again_and_again() {
        assert!(tells(0.0, 1) && tells(0.02, 1) && tells(0.3, MOST_DISTURBED + 1));
        assert!(!tells(0.03, 1) && !tells(0.3, MOST_DISTURBED));
    }

    #[test]
    fn what_is_no_failed_test_names_none() {
        let text =
            "failures:\n    a\ntest result: FAILED. 0 passed; 1 failed\n\nerror: test failed, to rerun pass `--lib`";
        assert_eq!(outcome(text).failed, [("--lib".to_owned(), vec!["a".to_owned()])]);
        assert_eq!(outcome("error: could not compile `whittle`").failed, []);
        let crashed = "    Finished `test` profile\nerror: test failed, to rerun pass `-p whittle --test view`";
        assert_eq!(outcome(crashed).failed, [("--test view".to_owned(), Vec::new())]);
        let doctest = "failures:\n    src/a.rs - f (line 3)\n\ntest result: FAILED. 1 passed; 1 failed\n\n\
                       error: doctest failed, to rerun pass `-p whittle-model --doc`";
        assert_eq!(outcome(doctest).failed, [("--doc".to_owned(), Vec::new())]);
    }
}
