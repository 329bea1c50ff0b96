//! Writes the estimates that make the ranges of savings, from the ledger of measured programs.

use crate::Result;
use std::path::Path;
use whittle_findings::{MeasuredSaving, SavingRanges};

const LEDGER: &str = "bench/findings/ledger.tsv";
const ESTIMATES: &str = "crates/findings/src/savings_table.rs";

pub(crate) fn write(root: &Path) -> Result {
    let text = estimates(root)?;
    std::fs::write(root.join(ESTIMATES), text).map_err(|error| format!("{ESTIMATES}: {error}"))
}

pub(crate) fn check(root: &Path) -> Result {
    let written = read(root, ESTIMATES)?;
    if written == estimates(root)? { Ok(()) } else { Err(format!("{ESTIMATES} is old; run: cargo xtask docs")) }
}

fn estimates(root: &Path) -> std::result::Result<String, String> {
    let savings = MeasuredSaving::read_ledger(&read(root, LEDGER)?);
    let ranges = SavingRanges::estimate(&savings).ok_or(format!("{LEDGER} has too few programs"))?;
    if let Some(quality) = SavingRanges::quality_left_out(&savings) {
        println!(
            "{} of {} ranges contain the saving of a program that was left out; median width {:.0} % of the finding's \
             share; interval score {:.2} of the score of [0, share]",
            quality.covered,
            quality.count,
            quality.median_width * 100.0,
            quality.score_ratio
        );
    }
    Ok(ranges.to_source())
}

fn read(root: &Path, name: &str) -> std::result::Result<String, String> {
    std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))
}
