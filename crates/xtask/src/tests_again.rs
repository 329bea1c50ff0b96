//! Runs the measuring tests, and repeats failed tests.
//!
//! The tests of some modules only look at what programs do. They mostly wait, so two of them run at a time. The others need
//! the whole machine.
//!
//! These tests measure running programs on a shared machine. Failed tests are repeated together. If a test fails again,
//! the run has failed. If it passes, it is reported at the end as flaky, which is a bug to fix. A failed repetition
//! means little if the host of a virtual machine took CPU time during it. In this case a few more repetitions follow,
//! because the host's load changes within minutes. If very many tests fail, they are not repeated.

use crate::passed_on::{Ran, run as run_command};
use crate::summary::note_flaky;
use std::process::Command;
use whittle_testkit::MachineTime;

/// The start of the names of tests that do not compare times or amounts of events.
const NOT_TIMED: [&str; 6] = ["agent::", "agent_pods::", "endings::", "hostile::", "instrument::", "trial_wrong::"];
const AT_A_TIME: &str = "2";

/// If more tests fail, they are not repeated.
const MOST_FAILURES: usize = 20;

/// If the host took a larger share of the CPU time than this, a failure means little, and the tests are repeated.
/// `MOST_DISTURBED` limits the number of repetitions.
const MOST_STOLEN_RATIO: f64 = 0.02;
const MOST_DISTURBED: usize = 3;

/// The end of the output of `cargo test --no-fail-fast`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Failed tests by target. A target is written as cargo's arguments, such as `--test measured`. If the target
    /// failed for another reason, the list is empty.
    failed: Vec<(String, Vec<String>)>,
    /// Number of tests that passed.
    pub(crate) passed: usize,
    is_ok: bool,
}

impl Outcome {
    /// Two runs as one.
    fn and(mut self, other: Self) -> Self {
        self.failed.extend(other.failed);
        Self { passed: self.passed + other.passed, is_ok: self.is_ok && other.is_ok, ..self }
    }

    fn failed_names(&self) -> Vec<&str> {
        self.failed.iter().flat_map(|(_, names)| names).map(String::as_str).collect()
    }
}

/// Runs `cargo test` with `selection`, cargo's arguments that select packages and targets. Returns the number of passed
/// tests.
pub(crate) fn run(selection: &[&str]) -> Result<usize, String> {
    let skipped: Vec<&str> = NOT_TIMED.iter().flat_map(|module| ["--skip", module]).collect();
    let first = cargo_test(selection, &NOT_TIMED, AT_A_TIME)?.and(cargo_test(selection, &skipped, "1")?);
    if first.is_ok {
        return Ok(first.passed);
    }
    let count = first.failed_names().len();
    if count == 0 || first.failed.iter().any(|(_, names)| names.is_empty()) {
        return Err("cargo test failed, but not because of a test that can be repeated".to_owned());
    }
    if count > MOST_FAILURES {
        return Err(format!("{count} tests failed"));
    }
    for (target, names) in &first.failed {
        run_again(selection, target, names)?;
    }
    Ok(first.passed + count)
}

/// Repeats the tests `names` of `target` until each test has passed, or until a test has failed while the host took
/// little CPU time.
fn run_again(selection: &[&str], target: &str, names: &[String]) -> Result<(), String> {
    let mut left = names.to_vec();
    for run in 1.. {
        println!("\nrepeating, of {target}: {}", left.join(", "));
        let exact: Vec<&str> = ["--exact"].into_iter().chain(left.iter().map(String::as_str)).collect();
        let begin = MachineTime::now();
        let again = cargo_test(selection, &exact, "1")?;
        let stolen_ratio = begin.stolen_ratio_since();
        let failed: Vec<String> = again.failed_names().into_iter().map(str::to_owned).collect();
        if again.is_ok && again.passed >= left.len() {
            break;
        }
        let stolen = format!("the machine's host took {:.1} % of the CPUs", stolen_ratio * 100.0);
        if failed.is_empty() || tells(stolen_ratio, run) {
            return Err(format!("failed {} times, of {target}: {} ({stolen})", run + 1, left.join(", ")));
        }
        println!("this failure may have another cause: {stolen}");
        left = failed;
    }
    names.iter().try_for_each(|name| note_flaky(target, name))
}

/// True if a failure in the given repetition, counted from 1, is caused by the test.
fn tells(stolen_ratio: f64, run: usize) -> bool {
    stolen_ratio <= MOST_STOLEN_RATIO || run > MOST_DISTURBED
}

/// Runs tests. `threads`: how many at a time.
fn cargo_test(selection: &[&str], arguments: &[&str], threads: &str) -> Result<Outcome, String> {
    let mut command = Command::new("cargo");
    command.arg("test").args(selection).arg("--no-fail-fast").arg("--").args(arguments);
    let Ran { is_ok, text } = run_command(command.env("RUST_TEST_THREADS", threads))?;
    Ok(Outcome { is_ok, ..outcome(&text) })
}

/// Reads each target's list of failures, and the line after the list, where cargo names the target.
pub(crate) fn outcome(text: &str) -> Outcome {
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
            // Doc tests have no names, so a run cannot select single doc tests.
            outcome.failed.push(("--doc".to_owned(), Vec::new()));
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_listed_by_target() {
        let found = outcome(
            "     Running tests/measured/main.rs (target/debug/deps/measured-4c2c)

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

error: test failed, to rerun pass `-p whittle --test measured`
     Running unittests src/lib.rs (target/debug/deps/whittle_fleet-8a27)
test last ... ok

test result: ok. 3 passed; 0 failed; 0 ignored
error: 1 target failed:
    `-p whittle --test measured`",
        );
        assert_eq!(found.failed, [("--test measured".to_owned(), vec!["deep::two".to_owned()])]);
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
        let crashed = "    Finished `test` profile\nerror: test failed, to rerun pass `-p whittle --test measured`";
        assert_eq!(outcome(crashed).failed, [("--test measured".to_owned(), Vec::new())]);
        let doctest = "failures:\n    src/a.rs - f (line 3)\n\ntest result: FAILED. 1 passed; 1 failed\n\n\
                       error: doctest failed, to rerun pass `-p whittle-model --doc`";
        assert_eq!(outcome(doctest).failed, [("--doc".to_owned(), Vec::new())]);
    }
}
