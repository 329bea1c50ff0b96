//! Output of the program: the result on standard output, and notes and errors on standard error.

use std::io::{self, Write};
pub(crate) use whittle_terminal::print;

/// Prints a line for the user on standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, nobody can read the message.
    let _ = writeln!(io::stderr().lock(), "whittle: {text}");
}

/// Prints why the command failed.
pub(crate) fn error(text: &str) {
    let _ = writeln!(io::stderr().lock(), "whittle: error: {text}");
}
