//! Native programs for tests, with a known cost.

use std::path::{Path, PathBuf};

/// The native workload `name`, for example `lister`. If it is missing, the caller has not built it.
///
/// # Panics
/// The native workloads are not built, or none has this name.
pub fn native_workload(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/workloads").join(name);
    assert!(program.exists(), "no native workload {name}; they are built by: make -C native/workloads");
    program
}
