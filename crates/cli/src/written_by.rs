//! This program's name and version, for manifests.

use whittle_model::Program;

/// This program, for manifests.
pub(crate) fn written_by() -> Program {
    Program { name: "whittle".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}
