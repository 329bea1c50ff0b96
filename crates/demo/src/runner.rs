//! Runs whittle as a reader would in a shell: prints the command, and shows the remaining time on a terminal.

use crate::Result;
use crate::terminal::fold_command;
use serde_json::Value;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The variable that the Java launcher reads, so that commands do not need a class path.
const CLASS_PATH: &str = "java/workloads/target/whittle-workloads.jar:java/workloads/target/lib/*";

/// The exit status of `whittle try` if the runs prove nothing.
const NO_VERDICT: i32 = 5;

/// Time between two updates of the progress line.
const REFRESH: Duration = Duration::from_millis(500);

/// The program `whittle`, and the folder where it runs.
pub(crate) struct Whittle {
    root: PathBuf,
    /// The program's folder, relative to the project's folder.
    folder: PathBuf,
}

/// The output of a command.
pub(crate) struct Printed {
    pub(crate) output: String,
    /// Standard error.
    pub(crate) notes: String,
}

impl Whittle {
    /// The release build, in the project's folder.
    pub(crate) fn new(root: &Path) -> Self {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
        Self { root: root.to_owned(), folder: target.join("release") }
    }

    /// The command that a reader must type first, so that the other commands work.
    pub(crate) fn environment_command(&self) -> String {
        let folder = self.folder.display();
        let folder = if self.folder.is_absolute() { folder.to_string() } else { format!("$PWD/{folder}") };
        format!("$ export PATH=\"{folder}:$PATH\" \\\n    CLASSPATH='{CLASS_PATH}'")
    }

    /// Prints a command and runs it.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Printed> {
        println!("{}", fold_command(&[&["whittle"], arguments].concat()));
        self.output(arguments)
    }

    /// Prints a command that takes about this time, and runs it with a progress line.
    pub(crate) fn run_long(&self, arguments: &[&str], time: Duration) -> Result<Printed> {
        println!("{}", fold_command(&[&["whittle"], arguments].concat()));
        with_progress(time, || self.output(arguments))
    }

    /// Prints a command that tries a fix, and runs it as [`run_long`](Self::run_long) does. The trial may have no verdict.
    pub(crate) fn run_trial(&self, arguments: &[&str], time: Duration) -> Result<Printed> {
        println!("{}", fold_command(&[&["whittle"], arguments].concat()));
        with_progress(time, || self.output_of(arguments, &[0, NO_VERDICT]))
    }

    /// The JSON output of a command.
    pub(crate) fn json(&self, arguments: &[&str]) -> Result<Value> {
        parse_json(
            &format!("whittle {}", arguments.join(" ")),
            &self.output(&[arguments, &["--json"]].concat())?.output,
        )
    }

    /// A file that a command wrote.
    pub(crate) fn read_json(&self, file: &str) -> Result<Value> {
        let text = fs::read_to_string(self.root.join(file)).map_err(|error| format!("{file}: {error}"))?;
        parse_json(file, &text)
    }

    /// Runs whittle, which must succeed.
    fn output(&self, arguments: &[&str]) -> Result<Printed> {
        self.output_of(arguments, &[0])
    }

    /// Runs whittle, which must end with one of these exit statuses.
    fn output_of(&self, arguments: &[&str], expected: &[i32]) -> Result<Printed> {
        let program = self.root.join(&self.folder).join("whittle");
        let output = Command::new(&program)
            .args(arguments)
            .current_dir(&self.root)
            .env("CLASSPATH", CLASS_PATH)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}; run: make demo", program.display()))?;
        let Output { status, stdout, stderr } = output;
        let printed = Printed {
            output: String::from_utf8_lossy(&stdout).into_owned(),
            notes: String::from_utf8_lossy(&stderr).into_owned(),
        };
        if status.code().is_some_and(|code| expected.contains(&code)) {
            return Ok(printed);
        }
        Err(format!("{}{}whittle {} failed: {status}", printed.output, printed.notes, arguments.join(" ")))
    }
}

fn parse_json(origin: &str, text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| format!("{origin}: not JSON: {error}"))
}

/// Does the work, and shows on a terminal how much of `time` has passed.
fn with_progress<T>(time: Duration, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    // The thread ends when the channel closes.
    let (done, waits) = mpsc::channel::<()>();
    let teller = thread::spawn(move || {
        let start = Instant::now();
        while waits.recv_timeout(REFRESH) == Err(RecvTimeoutError::Timeout) {
            // If the terminal has been closed, this is not an error.
            let _ = write!(io::stderr(), "\r\x1b[K{}", progress(start.elapsed(), time));
        }
        let _ = write!(io::stderr(), "\r\x1b[K");
    });
    let result = work();
    drop(done);
    // The thread only prints, so its failure is ignored.
    let _ = teller.join();
    result
}

fn progress(passed: Duration, time: Duration) -> String {
    format!("… {} s of about {} s", passed.as_secs(), time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_tells_both_times() {
        assert_eq!(progress(Duration::from_millis(6900), Duration::from_secs(45)), "… 6 s of about 45 s");
    }

    #[test]
    fn only_a_trial_may_end_without_a_verdict() {
        use std::os::unix::fs::PermissionsExt;
        let root = std::env::temp_dir().join(format!("whittle-demo-{}", std::process::id()));
        fs::create_dir_all(&root).expect("a new folder");
        let program = root.join("whittle");
        fs::write(&program, "#!/bin/sh\necho \"answer of $1\"\nexit $2\n").expect("a new file");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("our file");
        let whittle = Whittle { root: root.clone(), folder: PathBuf::new() };
        let tried = whittle.run_trial(&["try", "5"], Duration::ZERO).map(|printed| printed.output);
        assert_eq!(tried.as_deref(), Ok("answer of try\n"));
        assert!(whittle.run_trial(&["try", "6"], Duration::ZERO).is_err());
        assert!(whittle.run(&["verify", "5"]).is_err_and(|error| error.contains("answer of verify")));
        fs::remove_dir_all(&root).expect("our folder");
    }

    #[test]
    fn the_first_command_makes_the_others_short() {
        let whittle = Whittle { root: PathBuf::from("/"), folder: PathBuf::from("target/release") };
        assert!(whittle.environment_command().starts_with("$ export PATH=\"$PWD/target/release:$PATH\""));
    }
}
