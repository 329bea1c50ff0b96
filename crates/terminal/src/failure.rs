//! A command that failed: one message, one exit status.

use std::error::Error;
use std::sync::OnceLock;

/// The exit status of a command that has no result.
const FAILED_EXIT_CODE: u8 = 1;

/// The exit status for a wrong command line. It is the same as clap's exit status.
const USAGE_EXIT_CODE: u8 = 2;

/// Returns a hint for the user about an error of a library. Hints name options and commands, which libraries do not
/// know. Missing: the error needs no hint.
pub type Hint = fn(&(dyn Error + 'static)) -> Option<String>;

/// The hints of the program.
static HINT: OnceLock<Hint> = OnceLock::new();

/// Sets the program's hints. The program calls this function once, before anything can fail.
pub fn give_hints(hint: Hint) {
    // A second call changes nothing.
    let _ = HINT.set(hint);
}

/// A failed command: its message and its exit status.
#[derive(Debug)]
pub struct Failure {
    /// The reason of the failure, in one sentence without a full stop.
    pub message: String,
    /// The exit status of the program.
    pub exit_code: u8,
}

impl Failure {
    /// A command without a result: exit status 1.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit_code: FAILED_EXIT_CODE }
    }

    /// A wrong command line: exit status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit_code: USAGE_EXIT_CODE }
    }
}

impl<E: Error + 'static> From<E> for Failure {
    /// Makes a failure with exit status 1 from an error, its causes and a hint. Causes and hints that are already in
    /// the error's text are left out.
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !message.contains(&text) {
                message = format!("{message}: {text}");
            }
            source = cause.source();
        }
        let hint = HINT.get().and_then(|hint| hint(&error)).filter(|hint| !message.contains(hint));
        Self::new(hint.map_or(message.clone(), |hint| format!("{message}; {hint}")))
    }
}
