//! `whittle licences`: the licences of whittle and of the software in it.

use crate::terminal::output;
use whittle_terminal::Failure;

const NOTICE: &str = include_str!("../../../../NOTICE");
const THIRD_PARTY: &str = include_str!("../../../../THIRD_PARTY.txt");

/// Prints the texts.
pub(crate) fn run() -> Result<(), Failure> {
    output::print(format!("{NOTICE}\n{THIRD_PARTY}\n"))
}
