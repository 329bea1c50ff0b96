//! The only place that prints.

use crate::Failure;
use crate::arguments::Colour;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Prints `text` as the command's result. A reader that has seen enough (`| head`) is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure { message: format!("cannot write the output: {error}"), exit_code: 1 }),
        Ok(()) => Ok(()),
    }
}

/// Prints a line for the user beside the result.
pub(crate) fn note(text: &str) {
    // There is nobody to tell if standard error is closed.
    let _ = writeln!(io::stderr().lock(), "whittle: {text}");
}

/// Prints why the command failed.
pub(crate) fn error(text: &str) {
    let _ = writeln!(io::stderr().lock(), "whittle: error: {text}");
}

/// Whether text on standard output is coloured.
pub(crate) fn is_coloured(colour: Colour) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}
