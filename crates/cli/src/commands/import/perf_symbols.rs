//! Finds function names for `perf.data` files, which contain only addresses. Whittle reads the names from this
//! machine's binaries. It reads names of compiled code from `/tmp/perf-PID.map`. JVMs write this file with `jcmd PID
//! Compiler.perfmap`, and Node.js writes it with `--perf-basic-prof`.

use std::collections::HashMap;
use std::path::Path;
use whittle_collect::FileSymbols;
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
            let bytes = std::fs::read(format!("/tmp/perf-{}.map", code.process_id)).unwrap_or_default();
            PerfMap::parse(&String::from_utf8_lossy(&bytes))
        });
        map.name(code.address).map(str::to_owned)
    }
}
