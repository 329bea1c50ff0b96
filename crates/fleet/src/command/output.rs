//! The only place that prints.

use crate::command::Failure;
use std::io::{self, ErrorKind, Write};

/// Prints `text` as the command's result. A reader that has seen enough (`| head`) is no failure.
pub(crate) fn print(text: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(text).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure { message: format!("cannot write the output: {error}"), exit_code: 1 }),
        Ok(()) => Ok(()),
    }
}

/// Prints a line for the user beside the result.
pub(crate) fn note(text: &str) {
    // There is nobody to tell if standard error is closed.
    let _ = writeln!(io::stderr().lock(), "whittle-fleet: {text}");
}

/// Prints why the command failed.
pub(crate) fn error(text: &str) {
    let _ = writeln!(io::stderr().lock(), "whittle-fleet: error: {text}");
}
