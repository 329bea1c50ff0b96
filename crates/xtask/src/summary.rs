//! The summary at the end of `make check` and `make test`: tests by tier, flaky tests, and tests that did not run. Too
//! many flaky tests, or a missing test without an excuse, are errors.
//!
//! If a test needs something that this machine does not have, it writes a line to a file. `cargo xtask test` adds the
//! other lines.

use crate::Result;
use crate::excuses::is_excused;
use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;
use std::{env, fs};

/// The environment variable that names the file. `make check` and `make test` set this variable.
const VARIABLE: &str = "WHITTLE_NOT_RUN";

/// The start of a line about a test that failed and then passed.
const FLAKY: &str = "flaky: ";
/// The start of a line about a tier.
const PASSED: &str = "passed: ";

/// With more flaky tests, `make test` fails. Each flaky test is a bug to fix, but a shared machine sometimes causes
/// one.
const MOST_FLAKY: usize = 3;

/// The environment variable with the largest number of tests that are allowed not to run, also with an excuse.
/// Continuous integration sets this variable, because its machine has a known equipment. On other machines, the number
/// has no limit.
const MOST_NOT_RUN_VARIABLE: &str = "WHITTLE_MOST_NOT_RUN";

/// Records that the tests of a tier passed.
pub(crate) fn note_passed(tier: &str, count: usize, elapsed: Duration) -> Result {
    note(&format!("{PASSED}{tier}: {count} tests in {} s", elapsed.as_secs()))
}

/// Records a flaky test.
pub(crate) fn note_flaky(target: &str, name: &str) -> Result {
    note(&format!("{FLAKY}{target} {name} failed, and passed when it ran again"))
}

/// Records that a check did not run, and why.
pub(crate) fn note_not_run(check: &str, reason: &str) -> Result {
    note(&format!("{check}: {reason}"))
}

fn note(line: &str) -> Result {
    println!("{line}");
    let Some(path) = env::var_os(VARIABLE) else { return Ok(()) };
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{line}")).map_err(|error| format!("{line}: {error}"))
}

/// Prints the summary. Fails if there are too many flaky tests, if a test without an excuse did not run, or if too many
/// tests did not run.
pub(crate) fn report() -> Result {
    let path = env::var(VARIABLE).map_err(|_| format!("{VARIABLE} is not set; run: make check, or make test"))?;
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let summary = Summary::of(&text, most_not_run(env::var(MOST_NOT_RUN_VARIABLE).ok().as_deref())?);
    print!("{}", summary.text);
    summary.verdict
}

/// The limit in [`MOST_NOT_RUN_VARIABLE`]. `None`: no limit.
fn most_not_run(value: Option<&str>) -> std::result::Result<Option<usize>, String> {
    let parse = |text: &str| {
        text.parse().map_err(|_| format!("{MOST_NOT_RUN_VARIABLE}: expected a number of tests, found: {text}"))
    };
    value.map(parse).transpose()
}

struct Summary {
    text: String,
    verdict: Result,
}

impl Summary {
    fn of(notes: &str, most_not_run: Option<usize>) -> Self {
        let (passed, others): (Vec<&str>, Vec<&str>) = notes.lines().partition(|line| line.starts_with(PASSED));
        // A test that ran again may have written its line twice.
        let others: BTreeSet<&str> = others.into_iter().collect();
        let (flaky, not_run): (Vec<&str>, Vec<&str>) = others.into_iter().partition(|line| line.starts_with(FLAKY));
        let unexcused: Vec<&str> = not_run.iter().copied().filter(|line| !is_excused(reason(line))).collect();
        let mut text = String::new();
        for line in not_run.iter().chain(&flaky) {
            text.push_str(&format!("{line}\n"));
        }
        for line in passed {
            text.push_str(&format!("{}\n", &line[PASSED.len()..]));
        }
        let limit = most_not_run.map_or(String::new(), |most| format!(" (at most {most})"));
        text.push_str(&format!("flaky: {} (at most {MOST_FLAKY}), not run: {}{limit}\n", flaky.len(), not_run.len()));
        let verdict = if flaky.len() > MOST_FLAKY {
            Err(format!("{} tests were flaky, {MOST_FLAKY} are allowed", flaky.len()))
        } else if let Some(most) = most_not_run.filter(|most| not_run.len() > *most) {
            Err(format!("{} tests did not run, {most} are allowed ({MOST_NOT_RUN_VARIABLE})", not_run.len()))
        } else if unexcused.is_empty() {
            Ok(())
        } else {
            let list = unexcused.join("\n");
            Err(format!(
                "these tests did not run, although this machine has everything that they need; run: scripts/setup.sh test\n{list}"
            ))
        };
        Self { text, verdict }
    }
}

/// The reason in a line, such as `needs root` in `module::test: needs root`.
fn reason(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_tiers_flaky_tests_and_those_that_did_not_run() {
        let summary = Summary::of(
            "passed: exact: 812 tests in 95 s
faults::a_jvm: needs the right to unshare namespaces
faults::a_jvm: needs the right to unshare namespaces
flaky: --test measured case1::a failed, and passed when it ran again
passed: measured: 140 tests in 1200 s
",
            None,
        );
        assert_eq!(
            summary.text,
            "faults::a_jvm: needs the right to unshare namespaces
flaky: --test measured case1::a failed, and passed when it ran again
exact: 812 tests in 95 s
measured: 140 tests in 1200 s
flaky: 1 (at most 3), not run: 1
"
        );
        assert_eq!(summary.verdict, Ok(()));
    }

    #[test]
    fn too_many_flaky_tests_fail() {
        let lines = |count: usize| (0..count).map(|n| format!("{FLAKY}{n}\n")).collect::<String>();
        assert!(Summary::of(&lines(MOST_FLAKY), None).verdict.is_ok());
        assert!(Summary::of(&lines(MOST_FLAKY + 1), None).verdict.is_err());
    }

    #[test]
    fn too_many_tests_that_did_not_run_fail_even_with_an_excuse() {
        let notes = "a::b: needs the right to unshare namespaces\na::c: needs the right to unshare namespaces\n";
        assert_eq!(Summary::of(notes, None).verdict, Ok(()));
        let allowed = Summary::of(notes, Some(2));
        assert!(allowed.verdict.is_ok() && allowed.text.ends_with("not run: 2 (at most 2)\n"), "{}", allowed.text);
        assert!(Summary::of(notes, Some(1)).verdict.is_err_and(|message| message.starts_with("2 tests did not run")));
        assert_eq!(most_not_run(None), Ok(None));
        assert_eq!(most_not_run(Some("10")), Ok(Some(10)));
        assert!(most_not_run(Some("ten")).is_err());
    }

    #[test]
    fn a_test_without_what_setup_installs_fails() {
        let summary = Summary::of("sql::a: needs a Python with duckdb in WHITTLE_PYTHON\n", None);
        assert!(summary.verdict.is_err_and(|message| message.contains("sql::a")));
    }
}
