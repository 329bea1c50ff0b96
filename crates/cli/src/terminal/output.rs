//! Output of the program: the result on standard output, and notes and errors on standard error.

use std::io::{self, Write};
pub(crate) use whittle_terminal::print;

/// Prints a line for the user on standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, nobody can read the message.
    let _ = writeln!(io::stderr().lock(), "whittle: {}", visible(text));
}

/// Prints why the command failed.
pub(crate) fn error(text: &str) {
    let _ = writeln!(io::stderr().lock(), "whittle: error: {}", visible(text));
}

/// The text with control characters as escape sequences. A message can contain text of an observed program, which must
/// not control the terminal.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() && character != '\n' {
            visible.extend(character.escape_default());
        } else {
            visible.push(character);
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_visible() {
        assert_eq!(visible("a\x1b]0;b\x07\r\n\u{9b}2Jé"), "a\\u{1b}]0;b\\u{7}\\r\n\\u{9b}2Jé");
    }
}
