//! Tests that need something that is not everywhere: they say so instead of passing silently.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Reports that a test did not run, and why: on standard error, and as a line of the file that the
/// environment variable `WHITTLE_NOT_RUN` names, so that a test run can count them.
pub fn not_run(reason: &str) {
    // A test whose report cannot be written has still not run; there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "not run: {reason}");
    if let Some(path) = std::env::var_os("WHITTLE_NOT_RUN") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        let written = file.and_then(|mut file| writeln!(file, "{test}: {reason}"));
        written.expect("WHITTLE_NOT_RUN names a file that can be written");
    }
}

/// The folder `name` of reference data that is too large for the repository: below the folder that
/// `WHITTLE_SHARED` names, else below `shared` beside the repository. Missing: reported as not run.
pub fn reference_folder(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("WHITTLE_SHARED").map_or_else(beside, PathBuf::from).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    not_run("needs ../shared");
    None
}
