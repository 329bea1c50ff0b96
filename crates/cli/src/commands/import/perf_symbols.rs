//! Finds function names for `perf.data` files, which contain only addresses. Whittle reads the names from this
//! machine's binaries. It reads names of compiled code from `/tmp/perf-PID.map`. JVMs write this file with `jcmd PID
//! Compiler.perfmap`, and Node.js writes it with `--perf-basic-prof`.

use std::collections::HashMap;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use whittle_collect::{FileSymbols, open_regular_file};
use whittle_experiment::own_user;
use whittle_import::{PerfMap, Symbols, UnnamedCode};

/// Symbols of binaries and compiled code, read at their first use.
#[derive(Debug, Default)]
pub(crate) struct PerfSymbols {
    /// Symbols by path. Missing: the file does not exist, or another file is now at this path.
    files: HashMap<String, Option<FileSymbols>>,
    by_process: HashMap<u32, PerfMap>,
}

impl Symbols for PerfSymbols {
    /// Symbols are used only if the binary has the build id that the `perf.data` file names. A kernel has no readable
    /// file.
    fn name(&mut self, code: &UnnamedCode<'_>) -> Option<String> {
        let is_memory = code.binary.starts_with("//") || code.binary.starts_with("/memfd:");
        match () {
            () if code.is_kernel => None,
            () if code.binary.starts_with('/') && !is_memory => self.of_file(code),
            () => self.of_process(code),
        }
    }
}

/// Maximum size of a file of names. A JVM with 100,000 compiled methods writes 10 MB.
const MAX_MAP_BYTES: u64 = 256 << 20;

/// Reads a file of names if it belongs to this user or to root, as perf does: every user can create files in `/tmp`.
fn read_map(path: &Path) -> io::Result<Vec<u8>> {
    let file = open_regular_file(path)?;
    let owner = file.metadata()?.uid();
    if owner != 0 && owner != own_user() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut bytes = Vec::new();
    file.take(MAX_MAP_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl PerfSymbols {
    fn of_file(&mut self, code: &UnnamedCode<'_>) -> Option<String> {
        if code.build_id.is_empty() {
            return None;
        }
        if !self.files.contains_key(code.binary) {
            let symbols = FileSymbols::open(Path::new(code.binary), code.build_id).ok();
            self.files.insert(code.binary.to_owned(), symbols);
        }
        self.files.get(code.binary)?.as_ref()?.function_at(code.file_offset)
    }

    fn of_process(&mut self, code: &UnnamedCode<'_>) -> Option<String> {
        let map = self.by_process.entry(code.process_id).or_insert_with(|| {
            let path = format!("/tmp/perf-{}.map", code.process_id);
            PerfMap::parse(&String::from_utf8_lossy(&read_map(Path::new(&path)).unwrap_or_default()))
        });
        map.name(code.address).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    #[test]
    fn only_files_are_read_as_names() {
        let folder = tempfile::tempdir().unwrap();
        let (file, pipe) = (folder.path().join("file"), folder.path().join("pipe"));
        std::fs::write(&file, "7f00 10 name").unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(read_map(&file).unwrap(), b"7f00 10 name");
        assert!(read_map(&pipe).is_err());
    }
}
