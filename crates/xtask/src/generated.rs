//! Files in the repository that are generated from the code.

use crate::Result;
use std::fs;
use std::path::Path;

/// Fails if the file in the repository differs from the generated text.
pub(crate) fn check(root: &Path, file: &str, text: &str) -> Result {
    if fs::read_to_string(root.join(file)).unwrap_or_default() != text {
        return Err(format!("{file} is not current; run: cargo xtask docs"));
    }
    println!("docs: {file} is current");
    Ok(())
}

/// Writes the file.
pub(crate) fn write(root: &Path, file: &str, text: &str) -> Result {
    fs::write(root.join(file), text).map_err(|error| format!("{file}: {error}"))
}
