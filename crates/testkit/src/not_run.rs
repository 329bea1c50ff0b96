//! Some tests have requirements that some machines do not meet. On such machines, they report that they did not run,
//! instead of passing silently.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Reports that a test did not run, and the reason. The report is on standard error and in the file that the
/// environment variable `WHITTLE_NOT_RUN` names. The test run counts the lines of this file.
pub fn not_run(reason: &str) {
    // If the report cannot be written, the test has still not run, and there is no other place for the report.
    let _ = writeln!(std::io::stderr(), "not run: {reason}");
    if let Some(path) = std::env::var_os("WHITTLE_NOT_RUN") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        let written = file.and_then(|mut file| writeln!(file, "{test}: {reason}"));
        written.expect("WHITTLE_NOT_RUN names a file that can be written");
    }
}

/// The folder `name` of reference data that is too large for the repository. It is in the folder that `WHITTLE_SHARED`
/// names, or in `shared` next to the repository. If the folder is missing, the test is reported as not run.
pub fn reference_folder(name: &str) -> Option<PathBuf> {
    let folder = reference_folders().join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    not_run("needs ../shared");
    None
}

/// True if this machine has reference data.
pub fn has_reference_folder() -> bool {
    reference_folders().is_dir()
}

fn reference_folders() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    std::env::var_os("WHITTLE_SHARED").map_or_else(beside, PathBuf::from)
}
