//! The processes of an experiment, with their CPU time.

use serde::Serialize;
use std::collections::BTreeMap;
use whittle_model::Jvm;
use whittle_profile::Profile;
use whittle_profile::order::sort_by_key;
use whittle_render::harmless;

/// A process of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProcessLine {
    /// The process's id. Missing: rows that threads of several processes share.
    pub process_id: Option<u32>,
    /// The kernel's name of the process's first thread: the start of the program's name, unless the program changes it. In a
    /// container, the name of any of its threads.
    pub name: String,
    /// The name of its Java program: a known launcher's program, otherwise the main class, module or jar. Missing if it is no JVM
    /// with visible Java methods, or if the experiment has one JVM.
    pub program: Option<String>,
    /// Its JVM. Missing as above.
    pub jvm: Option<Jvm>,
    /// CPU time that the scheduler counted for its threads.
    pub cpu_ns: u64,
    /// Number of rows of its threads.
    pub threads_count: u64,
}

impl ProcessLine {
    /// The name for people, with the process's id.
    pub(crate) fn title(&self) -> String {
        let id = self.process_id.map_or_else(String::new, |id| format!(" ({id})"));
        format!("{}{id}", harmless(self.program.as_ref().unwrap_or(&self.name)))
    }
}

/// The name of rows that threads of several processes share.
const SHARED: &str = "threads of several processes";

/// The processes with threads, those with the most CPU time first. Empty if there is only one.
pub(crate) fn process_lines(profile: &Profile) -> Vec<ProcessLine> {
    let threads = &profile.tables().threads;
    let mut processes: BTreeMap<Option<u32>, ProcessLine> = BTreeMap::new();
    for (row, process_id) in threads.process_id.iter().enumerate() {
        let process_id = *process_id;
        let name = if process_id.is_some() { threads.name[row].clone() } else { SHARED.to_owned() };
        let empty = ProcessLine { process_id, name, program: None, jvm: None, cpu_ns: 0, threads_count: 0 };
        let line = processes.entry(process_id).or_insert(empty);
        if process_id.is_some() && threads.thread_id[row] == process_id {
            line.name.clone_from(&threads.name[row]);
        }
        line.cpu_ns = line.cpu_ns.saturating_add(threads.cpu_ns[row].unwrap_or_default());
        line.threads_count += 1;
    }
    for process in &profile.manifest().jvm_processes {
        if let Some(line) = processes.get_mut(&Some(process.process_id)) {
            (line.program, line.jvm) = (Some(process.program.clone()), Some(process.jvm.clone()));
        }
    }
    let mut lines: Vec<ProcessLine> = processes.into_values().collect();
    sort_by_key(&mut lines, |line| std::cmp::Reverse(line.cpu_ns));
    let count = lines.iter().filter(|line| line.process_id.is_some()).count();
    if count > 1 { lines } else { Vec::new() }
}
