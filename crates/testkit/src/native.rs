//! Native programs for tests, with a known cost.

use std::path::{Path, PathBuf};

/// The path of the native workload `name`, for example `lister`.
///
/// # Panics
/// The native workloads are not built, or no workload has this name.
pub fn native_workload(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/workloads").join(name);
    assert!(program.exists(), "no native workload {name}; they are built by: make -C native/workloads");
    program
}
