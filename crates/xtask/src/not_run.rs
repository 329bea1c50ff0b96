//! Tests that found something missing on this machine say so in a file, and so do those that passed only when they ran
//! again; here they are listed and counted.

use crate::Result;
use std::{env, fs};

/// Where the tests write, as set by `make test`.
pub(crate) const VARIABLE: &str = "WHITTLE_NOT_RUN";

/// What a line of a test that passed only when it ran again starts with.
pub(crate) const UNSTEADY: &str = "unsteady: ";

/// Prints each test that did not run or was unsteady, and how many there are.
pub(crate) fn report() -> Result {
    let path = env::var(VARIABLE).map_err(|_| format!("{VARIABLE} is not set; run: make test"))?;
    let text = fs::read_to_string(&path).unwrap_or_default();
    // A test that ran again may have said so twice.
    let lines: std::collections::BTreeSet<&str> = text.lines().collect();
    for line in &lines {
        println!("{line}");
    }
    let unsteady = lines.iter().filter(|line| line.starts_with(UNSTEADY)).count();
    println!("tests not run on this machine: {}, unsteady ones: {unsteady}", lines.len() - unsteady);
    Ok(())
}
