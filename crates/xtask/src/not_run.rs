//! Tests that found something missing on this machine say so in a file; here they are listed and counted.

use crate::Result;
use std::{env, fs};

/// Where the tests write, as set by `make test`.
const VARIABLE: &str = "WHITTLE_NOT_RUN";

/// Prints each test that did not run, and how many there are.
pub(crate) fn report() -> Result {
    let path = env::var(VARIABLE).map_err(|_| format!("{VARIABLE} is not set; run: make test"))?;
    let text = fs::read_to_string(&path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines {
        println!("{line}");
    }
    println!("tests not run on this machine: {}", lines.len());
    Ok(())
}
