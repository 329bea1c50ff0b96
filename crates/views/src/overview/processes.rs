//! The processes of an experiment, with their CPU time.

use serde::Serialize;
use std::collections::BTreeMap;
use whittle_profile::Profile;

/// A process of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProcessLine {
    /// The process's id.
    pub process_id: u32,
    /// The kernel's name of the process's first thread: the start of the program's name, unless the program changes it.
    pub name: String,
    /// CPU time that the scheduler counted for its threads.
    pub cpu_ns: u64,
    /// Number of rows of its threads.
    pub threads_count: u64,
}

/// The processes with threads, those with the most CPU time first. Empty if there is only one.
pub(crate) fn process_lines(profile: &Profile) -> Vec<ProcessLine> {
    let threads = &profile.tables().threads;
    let mut processes: BTreeMap<u32, ProcessLine> = BTreeMap::new();
    for (row, process_id) in threads.process_id.iter().enumerate() {
        let Some(process_id) = *process_id else { continue };
        let name = threads.name[row].clone();
        let line = processes.entry(process_id).or_insert(ProcessLine { process_id, name, cpu_ns: 0, threads_count: 0 });
        if threads.thread_id[row] == Some(process_id) {
            line.name.clone_from(&threads.name[row]);
        }
        line.cpu_ns = line.cpu_ns.saturating_add(threads.cpu_ns[row].unwrap_or_default());
        line.threads_count += 1;
    }
    let mut lines: Vec<ProcessLine> = processes.into_values().collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.cpu_ns));
    if lines.len() > 1 { lines } else { Vec::new() }
}
