//! The file for the summary of a build.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use whittle_terminal::Failure;

/// Environment variable with the path of a file. GitHub shows this file on the build's page.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";

/// Appends Markdown to the user's file, or to the file of the build, if there is one.
pub(crate) fn write_summary(named: Option<&Path>, text: &str) -> Result<(), Failure> {
    let of_build = || std::env::var_os(SUMMARY_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    match named.map(Path::to_owned).or_else(of_build) {
        Some(path) => add(&path, text),
        None => Ok(()),
    }
}

fn add(path: &Path, text: &str) -> Result<(), Failure> {
    let written =
        OpenOptions::new().create(true).append(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Failure::new(format!("cannot write the summary to {}: {error}", path.display())))
}
