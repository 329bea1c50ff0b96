//! `make demo`: a program that writes one byte at a time, and whittle's answers about it.
//!
//! The demo runs the release build of `whittle` on the workloads `Slow` and `Fixed`. It prints each command, so that a
//! reader can repeat the command, and the important lines of the output. `…` marks lines that were left out. The cost
//! of the workloads is known. The demo compares whittle's answers with this known cost, and fails if they differ.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to people on a terminal")]

mod checks;
mod excerpt;
mod fix;
mod runner;
mod terminal;

use crate::fix::Fix;
use crate::runner::{Printed, Whittle};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The result of a step, or the message for the user.
type Result<T = ()> = std::result::Result<T, String>;

const INTRODUCTION: &str = "A program writes documents to files. Why is the program slow, which line is the cause, and how much does a fix save?";

const SOURCES: &str = "java/workloads/src/main/java";

/// The slow stream, and the fixed stream, below [`SOURCES`].
const SLOW_SOURCE: &str = "whittle/workloads/crc/slow/ExtOutputStream.java";
const FIXED_SOURCE: &str = "whittle/workloads/crc/fixed/ExtOutputStream.java";

/// The workload prints `documents 183 seconds 10.0` at its end.
const METRIC: &str = "^documents (?<documents_count>[0-9]+)";

/// The fixed stream has another package, so that both versions can be in one jar.
const RENAME: &str = "whittle.workloads.crc.slow=whittle.workloads.crc.fixed";

const SLOW: &str = "demo/slow.whittle";
const FIXED: &str = "demo/fixed.whittle";
const TRIED: &str = "demo/tried";
const VERIFIED: &str = "demo/verified";
const REPORT: &str = "demo/slow.html";

/// Duration of each profiled run in seconds. It results in several hundred samples after warm-up has ended.
const PROFILED_SECONDS: &str = "8";

/// Duration of each run of the trial in seconds. The trial has [`TIMED_RUNS`] of each side, and no others.
const TRIED_SECONDS: &str = "2";

/// Duration of each run of the verification in seconds. A verification has many runs.
const VERIFIED_SECONDS: &str = "3";

/// Timed runs of each side. This is the smallest number that whittle evaluates in pairs.
const TIMED_RUNS: &str = "3";

/// Approximate times of the collections, the trial and the verification, including JVM starts.
const COLLECTING: Duration = Duration::from_secs(10);
const TRYING: Duration = Duration::from_secs(16);
const VERIFYING: Duration = Duration::from_secs(45);

/// Number of shown lines of the note about the engine, because the whole note is long.
const ENGINE_NOTE_LINES: usize = 3;

const NEXT: &str = "  \
  whittle view demo/slow.whittle                           # every view, in the browser
  whittle collect -o first.whittle -- java -jar app.jar    # your own program, then:
  whittle findings first.whittle";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let whittle = Whittle::new(&root);
    let fix = Fix::read(&root.join(SOURCES).join(SLOW_SOURCE), &root.join(SOURCES).join(FIXED_SOURCE))?;
    println!("{INTRODUCTION}");
    println!("{}", whittle.environment_command());

    profile(&whittle)?;
    find(&whittle, &fix)?;
    try_fix(&whittle)?;
    show_fix(&fix);
    verify(&whittle)?;
    compare(&whittle)?;
    report(&whittle, &root)?;
    title("Next");
    println!("{NEXT}");
    Ok(())
}

fn title(text: &str) {
    println!("\n{text}");
}

fn profile(whittle: &Whittle) -> Result {
    title("1. Profile the program. It prints its number of documents, which are the units of work");
    let printed = collect(whittle, SLOW, "Slow")?;
    println!("{}", excerpt::starting_with(&printed.output, "documents ")?);
    for note in printed.notes.lines() {
        if note.contains("its CPU time is explained") {
            println!("{}", terminal::cut(note, terminal::WIDTH));
        } else if note.contains("whittle: engine c") {
            // With the engines `cpu` and `ctimer`, the note shows which data needs root.
            println!("{}", terminal::fold_lines(note, ENGINE_NOTE_LINES));
        }
    }
    Ok(())
}

/// Prints the command, and runs it.
fn collect(whittle: &Whittle, experiment: &str, class: &str) -> Result<Printed> {
    let class = format!("whittle.workloads.crc.{class}");
    let options = ["collect", "-f", "-o", experiment, "--metric", METRIC, "--"];
    let program = ["java", &class, "--seconds", PROFILED_SECONDS];
    whittle.run_long(&[&options[..], &program].concat(), COLLECTING)
}

fn find(whittle: &Whittle, fix: &Fix) -> Result {
    title("2. What is wrong, and where?");
    let arguments = ["findings", SLOW, "--source-path", SOURCES];
    let printed = whittle.run(&arguments)?;
    checks::findings(&whittle.json(&arguments)?, fix)?;
    println!("{}", excerpt::first_finding(&printed.output)?);
    Ok(())
}

/// On a busy machine, the runs can be too few for a verdict. The demo then shows this answer and goes on.
fn try_fix(whittle: &Whittle) -> Result {
    title("3. What would a fix save? Whittle makes the change in the running JVM, and edits no file");
    let options =
        ["try", SLOW, "1", "--runs", TIMED_RUNS, "--discard", "0", "--metric", METRIC, "-f", "-o", TRIED, "--"];
    let program = ["java", "whittle.workloads.crc.Slow", "--seconds", TRIED_SECONDS];
    let printed = whittle.run_trial(&[&options[..], &program].concat(), TRYING)?;
    checks::trial(&whittle.read_json(&format!("{TRIED}/trial.json"))?)?;
    println!("{}", excerpt::trial(&printed.output)?);
    Ok(())
}

fn show_fix(fix: &Fix) {
    title(&format!("4. Fix it: one line of {SLOW_SOURCE}"));
    println!("-   {}\n+   {}", fix.before, fix.after);
}

fn verify(whittle: &Whittle) -> Result {
    title("5. Is the fixed program better, and by how much? Both programs run several times, interleaved");
    let command = |class: &str| format!("java whittle.workloads.crc.{class} --seconds {VERIFIED_SECONDS}");
    let (baseline, candidate) = (command("Slow"), command("Fixed"));
    let sides = ["verify", "--baseline", &baseline, "--candidate", &candidate, "--rename", RENAME, "--metric", METRIC];
    let amount = ["--runs", TIMED_RUNS, "--profiled-runs", "1", "-f", "-o", VERIFIED];
    let printed = whittle.run_long(&[&sides[..], &amount].concat(), VERIFYING)?;
    checks::verification(&whittle.read_json(&format!("{VERIFIED}/verification.json"))?)?;
    println!("{}", excerpt::verdict(&printed.output)?);
    Ok(())
}

fn compare(whittle: &Whittle) -> Result {
    title("6. What does one document cost, before and after?");
    collect(whittle, FIXED, "Fixed")?;
    let arguments = ["compare", SLOW, FIXED];
    let printed = whittle.run(&arguments)?;
    checks::comparison(&whittle.json(&[&arguments[..], &["overview"]].concat())?)?;
    println!("{}", excerpt::comparison(&printed.output)?);
    Ok(())
}

fn report(whittle: &Whittle, root: &Path) -> Result {
    title("7. Write everything into one file, to open in a browser or to send by mail");
    whittle.run(&["report", SLOW, "-f", "-o", REPORT, "--source-path", SOURCES])?;
    let path = root.join(REPORT);
    let path: PathBuf = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    println!("Report: {}", path.display());
    Ok(())
}
