//! Finds new processes, at so little cost that it can run every second.

use crate::process::Process;
use crate::running::{RunningProcess, other_processes, running_process};
use rustc_hash::{FxHashMap, FxHashSet};

/// A new process is checked this many times, because it may still execute another program, or become a JVM.
const LOOKS: u32 = 10;

/// Finds new processes. At first, all processes are new.
#[derive(Debug, Default)]
pub struct ProcessWatch {
    /// The number of remaining checks of each process.
    looks: FxHashMap<u32, u32>,
}

impl ProcessWatch {
    /// New processes that match. Known processes cost almost nothing.
    pub fn look(&mut self, is_wanted: impl Fn(&RunningProcess) -> bool) -> Vec<RunningProcess> {
        let ids: FxHashSet<u32> = other_processes().map(|Process(id)| id).collect();
        self.looks.retain(|id, _| ids.contains(id));
        let mut found = Vec::new();
        for id in ids {
            let looks = self.looks.entry(id).or_insert(LOOKS);
            if *looks == 0 {
                continue;
            }
            *looks -= 1;
            if let Some(process) = running_process(id).filter(&is_wanted) {
                *looks = 0;
                found.push(process);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_named_once() {
        let mut sleeper = std::process::Command::new("sleep").arg("30.25").spawn().unwrap();
        let mut watch = ProcessWatch::default();
        let mut count = || {
            let wanted = watch.look(|process| process.command == ["sleep", "30.25"]);
            wanted.iter().filter(|process| process.process_id == sleeper.id()).count()
        };
        // At the first check, the process might not execute its program yet.
        let counts: Vec<usize> = (0..4)
            .map(|_| {
                std::thread::sleep(std::time::Duration::from_millis(50));
                count()
            })
            .collect();
        assert_eq!(counts.iter().sum::<usize>(), 1, "{counts:?}");
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
