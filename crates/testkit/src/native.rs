//! Native programs for tests, with a known cost.

use std::path::{Path, PathBuf};

/// The native workload `name`, for example `lister`. If the file is missing, the caller has not built the workloads.
///
/// # Panics
/// The native workloads are not built, or no workload has this name.
pub fn native_workload(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/workloads").join(name);
    assert!(program.exists(), "no native workload {name}; they are built by: make -C native/workloads");
    program
}
