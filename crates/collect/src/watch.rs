//! Finds new processes, at so little cost that it can run every second.
//!
//! Where the kernel allows it, its events show which processes have executed a program, loaded a JVM or ended. In
//! addition, a tenth of all known processes is compared with their earlier state in each search. So nothing remains
//! unseen for more than ten searches, also without events.

use crate::process::{Process, Stat};
use crate::process_events::{Changes, ProcessEvents};
use crate::running::{RunningProcess, other_processes, running_process_without_jdk};
use rustc_hash::{FxHashMap, FxHashSet};

/// A process is checked this many times after each change, because a JVM loads its library some time after its start.
const LOOKS: u32 = 10;
/// In one search, one of this many known processes is compared with its earlier state.
const TURNS: u32 = 10;

/// Finds new processes. At first, all processes are new.
#[derive(Debug)]
pub struct ProcessWatch {
    /// None: the kernel does not allow the events.
    events: Option<ProcessEvents>,
    known: FxHashMap<u32, Known>,
    turn: u32,
}

/// A process at the time of its last check.
#[derive(Debug)]
struct Known {
    stat: Option<Stat>,
    /// The number of remaining checks.
    looks: u32,
    /// True if the process was found.
    is_found: bool,
}

impl Default for Known {
    fn default() -> Self {
        Self { stat: None, looks: LOOKS, is_found: false }
    }
}

impl Default for ProcessWatch {
    fn default() -> Self {
        Self { events: ProcessEvents::open().ok(), known: FxHashMap::default(), turn: 0 }
    }
}

impl ProcessWatch {
    /// A watch that uses no events of the kernel.
    #[cfg(test)]
    fn without_events() -> Self {
        Self { events: None, known: FxHashMap::default(), turn: 0 }
    }

    /// Calls `follow` for each new process that matches. A process that executes another program is new again.
    ///
    /// A hostile process can delay the search, so `follow` is called at once and not after the search.
    pub fn look(&mut self, is_wanted: impl Fn(&RunningProcess) -> bool, mut follow: impl FnMut(RunningProcess)) {
        let changes = self.events.as_mut().map(ProcessEvents::read).unwrap_or_default();
        let ids: FxHashSet<u32> = other_processes().map(|Process(id)| id).collect();
        self.known.retain(|id, _| ids.contains(id) && !changes.ended.contains(id));
        self.turn = (self.turn + 1) % TURNS;
        for id in ids {
            let is_turn = changes.has_gap || id % TURNS == self.turn;
            let known = self.known.entry(id).or_default();
            note_changes(known, id, &changes, is_turn);
            if known.looks == 0 || known.is_found {
                continue;
            }
            known.looks -= 1;
            if let Some(process) = running_process_without_jdk(id).filter(&is_wanted) {
                known.is_found = true;
                follow(process);
            }
        }
    }
}

/// Looks at a process again if it has changed.
fn note_changes(known: &mut Known, id: u32, changes: &Changes, is_turn: bool) {
    if changes.executed.contains(&id) {
        *known = Known::default();
    }
    if changes.mapped_jvm.contains(&id) {
        known.looks = LOOKS;
    }
    if known.stat.is_some() && !is_turn {
        return;
    }
    let stat = Process(id).stat();
    match (known.stat, stat) {
        (Some(before), Some(now)) if before.identity() != now.identity() => *known = Known::default(),
        // A JVM starts threads when it begins.
        (Some(before), Some(now)) if before.thread_count != now.thread_count => known.looks = known.looks.max(1),
        (_, _) => {}
    }
    known.stat = stat;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    /// How often a process with this command line is found in `looks` searches.
    fn count(watch: &mut ProcessWatch, (id, word): (u32, &str), looks: u32) -> usize {
        let look = |_| {
            std::thread::sleep(Duration::from_millis(20));
            let mut count = 0;
            let is_wanted = |process: &RunningProcess| process.command.get(1).is_some_and(|found| found == word);
            watch.look(is_wanted, |process| count += usize::from(process.process_id == id));
            count
        };
        (0..looks).map(look).sum()
    }

    fn end(mut child: Child) {
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_is_found_once() {
        for mut watch in [ProcessWatch::default(), ProcessWatch::without_events()] {
            let sleeper = Command::new("sleep").arg("30.25").spawn().unwrap();
            assert_eq!(count(&mut watch, (sleeper.id(), "30.25"), 12), 1);
            end(sleeper);
        }
    }

    /// The start script of a container can wait for a database before it executes the JVM.
    #[test]
    fn a_program_that_is_executed_late_is_found() {
        for mut watch in [ProcessWatch::default(), ProcessWatch::without_events()] {
            let mut script =
                Command::new("sh").args(["-c", "read line; exec sleep 30.75"]).stdin(Stdio::piped()).spawn().unwrap();
            assert_eq!(count(&mut watch, (script.id(), "30.75"), 3 * LOOKS), 0);
            script.stdin.take().unwrap().write_all(b"\n").unwrap();
            assert_eq!(count(&mut watch, (script.id(), "30.75"), 3 * TURNS), 1);
            end(script);
        }
    }
}
