//! Files that are built from sources and committed, so that building whittle does not need their compilers. A file next to
//! them records the sources and the compiler.

use std::fs;
use std::path::Path;
use std::process::Command;
use xxhash_rust::xxh3::xxh3_128;

/// Runs a compiler, and returns its output as the error if it fails.
pub(crate) fn run(command: &mut Command) -> crate::Result {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let texts = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    Err(format!("{name} failed:\n{}", texts.concat()))
}

/// The value that a file records under this name, or an empty text: `sources: ` and the value are a line of the file.
pub(crate) fn recorded<'origin>(origin: &'origin str, name: &str) -> &'origin str {
    origin.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default()
}

/// The digest of files of a folder, in this order.
pub(crate) fn digest<P: AsRef<Path>>(folder: &Path, files: &[P]) -> Result<String, String> {
    let mut bytes = Vec::new();
    for name in files {
        let path = folder.join(name);
        bytes.extend(fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    Ok(format!("{:032x}", xxh3_128(&bytes)))
}
