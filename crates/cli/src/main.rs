//! The whittle command.
fn main() {}
