//! Runs a command, shows its output while it runs, and keeps this output.
//!
//! The output is written to a file. If a failed test leaves a program running, this program could keep a pipe open.

use anstream::adapter::strip_str;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How often new output is read and shown.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// The result of a command.
pub(crate) struct Ran {
    /// Whether its exit status was 0.
    pub(crate) is_ok: bool,
    /// Standard output and standard error in order, without the colours that programs add if `CI` is set.
    pub(crate) text: String,
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Result<Ran, String> {
    let path = std::env::temp_dir().join(format!("whittle-output-{}", std::process::id()));
    let ran = run_into(&path, command);
    // If this fails, the file only takes space in the temporary folder.
    let _is_removed = fs::remove_file(&path);
    ran.map_err(|error| format!("{command:?}: {error}"))
}

fn run_into(path: &Path, command: &mut Command) -> io::Result<Ran> {
    let output = File::create(path)?;
    command.stdout(output.try_clone()?).stderr(output);
    // `cargo run` sets variables about our package in the environment. Some build scripts run again when these change.
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
        io::stdout().flush()?;
        if let Some(status) = status {
            let text = strip_str(&String::from_utf8_lossy(&text)).to_string();
            return Ok(Ran { is_ok: status.success(), text });
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_not_in_the_kept_output() {
        let mut command = Command::new("printf");
        command.arg(r"\033[2m      Tests \033[22m \033[1m\033[32m322 passed\033[39m\033[22m\033[90m (322)\033[39m\n");
        let ran = run(&mut command).expect("printf runs");
        assert!(ran.is_ok);
        assert_eq!(ran.text, "      Tests  322 passed (322)\n");
    }
}
