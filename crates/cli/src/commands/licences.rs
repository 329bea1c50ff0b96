//! `whittle licences`: the licences of whittle and of the software in it.

use std::io::{self, ErrorKind, Write};
use whittle_terminal::Failure;

const NOTICE: &str = include_str!("../../../../NOTICE");
const THIRD_PARTY: &str = include_str!("../../../../THIRD_PARTY.txt");

/// Prints the texts. A reader that closes the pipe early is not a failure.
pub(crate) fn run() -> Result<(), Failure> {
    match writeln!(io::stdout().lock(), "{NOTICE}\n{THIRD_PARTY}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}
