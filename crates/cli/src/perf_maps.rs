//! Names of compiled methods for `perf.data` files: `/tmp/perf-PID.map`, which JVMs write with
//! `jcmd PID Compiler.perfmap`, Node.js with `--perf-basic-prof`, and others.

use std::collections::HashMap;
use whittle_import::{PerfMap, Symbols, UnnamedCode};

/// The maps of the processes of a file, read when first asked for.
#[derive(Debug, Default)]
pub(crate) struct PerfMaps {
    by_process: HashMap<u32, PerfMap>,
}

impl Symbols for PerfMaps {
    /// Code without a file may be compiled; any other code has its own file's names, which are not read.
    fn name(&mut self, code: &UnnamedCode<'_>) -> Option<String> {
        let is_file =
            code.binary.starts_with('/') && !code.binary.starts_with("//") && !code.binary.starts_with("/memfd:");
        if code.is_kernel || is_file {
            return None;
        }
        let map = self.by_process.entry(code.process_id).or_insert_with(|| {
            let bytes = std::fs::read(format!("/tmp/perf-{}.map", code.process_id)).unwrap_or_default();
            PerfMap::parse(&String::from_utf8_lossy(&bytes))
        });
        map.name(code.address).map(str::to_owned)
    }
}
