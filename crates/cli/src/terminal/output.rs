//! Output of the program: the result on standard output, and notes and errors on standard error.

use std::io::{self, Write};
use whittle_render::harmless;
pub(crate) use whittle_terminal::print;

/// Prints a line for the user on standard error. It can quote an observed program, which must not control the terminal.
pub(crate) fn note(text: &str) {
    // If standard error is closed, nobody can read the message.
    let _ = writeln!(io::stderr().lock(), "whittle: {}", harmless(text));
}

/// Prints why the command failed.
pub(crate) fn error(text: &str) {
    let _ = writeln!(io::stderr().lock(), "whittle: error: {}", harmless(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_harmless() {
        assert_eq!(harmless("a\x1b]0;b\x07\r\n\u{9b}2Jé"), "a\\u{1b}]0;b\\u{7}\\r\n\\u{9b}2Jé");
    }
}
