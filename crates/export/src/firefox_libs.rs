//! The binaries in the Firefox Profiler's format: one table for all threads.

use crate::shown::ShownSamples;
use serde_json::{Value, json};

/// The binaries of all threads.
#[derive(Default)]
pub(super) struct Libs {
    /// The row of each entry in the binaries table.
    binaries: Vec<usize>,
    /// The path and build id of each entry.
    paths: Vec<(String, Option<String>)>,
}

impl Libs {
    /// The position of a binary. Adds the binary if it is new.
    pub(super) fn index(&mut self, shown: &ShownSamples<'_>, binary: usize) -> usize {
        let known = self.binaries.iter().position(|known| *known == binary);
        known.unwrap_or_else(|| {
            let binaries = &shown.profile.tables().binaries;
            self.binaries.push(binary);
            self.paths.push((binaries.path[binary].clone(), binaries.build_id[binary].clone()));
            self.paths.len() - 1
        })
    }

    /// Makes the table `libs`.
    pub(super) fn table(&self) -> Vec<Value> {
        self.paths.iter().map(|(path, build_id)| lib(path, build_id.as_deref())).collect()
    }
}

fn lib(path: &str, build_id: Option<&str>) -> Value {
    let name = path.rsplit('/').next().unwrap_or(path);
    json!({
        "arch": "", "name": name, "path": path, "debugName": name, "debugPath": path,
        "breakpadId": "", "codeId": build_id,
    })
}
