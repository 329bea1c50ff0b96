//! Native programs for tests, whose cost is known.

use std::path::{Path, PathBuf};

/// The native workload `name`, for example `lister`. Missing, it is a mistake of the test's caller,
/// not of the machine.
///
/// # Panics
/// The native workloads are not built, or none has that name.
pub fn native_workload(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/workloads").join(name);
    assert!(program.exists(), "no native workload {name}; they are built by: make -C native/workloads");
    program
}
