//! `whittle lab readers`: rounds of runs. A cell is a reader on a JVM.
//!
//! Other programs change the speed of a machine. So a round runs every reader on every JVM once, and also a run that
//! reads nothing. Values are compared within their round. Each round begins with another cell, and every second round
//! has the reverse order. So a cell does not follow the same other cell in every round.

use super::output;
use super::results::{JvmResult, Results};
use super::workload::{EMPTY, READERS, Reader, ReaderRun, Workload};
use super::{ReadersArguments, jvms};
use crate::terminal::run_progress::RunProgress;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use whittle_terminal::Failure;

/// Measures, and prints the result.
pub(crate) fn run(arguments: &ReadersArguments) -> Result<(), Failure> {
    let homes = homes(&arguments.jdk, jvms::installed)?;
    let workload = Workload::new(arguments.files, arguments.file_bytes)?;
    let mut lab = Lab { workload, progress: RunProgress::new(arguments.quiet)?, is_quiet: arguments.quiet };
    let jvms = lab.working_jvms(homes)?;
    let mut results = Results::new(arguments.files, jvms);
    lab.run_rounds(arguments.rounds, &mut results)?;
    if arguments.details || arguments.json || arguments.csv {
        lab.count_objects(&mut results)?;
    }
    lab.progress.clear();
    results.check_that_all_saw_the_same().map_err(Failure::new)?;
    output::print(&results, arguments)
}

/// The JVMs to try: the JVMs on the command line, or otherwise the JVMs that `installed` finds.
fn homes(named: &[PathBuf], installed: impl Fn() -> Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    if named.is_empty() {
        let found = installed();
        let nowhere = "no JVM found in JAVA_HOME, PATH, /usr/lib/jvm and the other usual folders; name one: --jdk PATH";
        return if found.is_empty() { Err(Failure::new(nowhere.to_owned())) } else { Ok(found) };
    }
    let mut homes = Vec::new();
    for path in named {
        let home = jvms::named(path).ok_or_else(|| {
            Failure::new(format!(
                "--jdk {}: no JVM; wanted a folder with bin/java, or the file bin/java itself",
                path.display()
            ))
        })?;
        if !homes.contains(&home) {
            homes.push(home);
        }
    }
    Ok(homes)
}

struct Lab {
    workload: Workload,
    progress: RunProgress,
    is_quiet: bool,
}

impl Lab {
    /// Runs the program once on each JVM, and returns the JVMs that can run it, the oldest first. The first run makes
    /// the text files. The times of these runs are not used.
    fn working_jvms(&mut self, homes: Vec<PathBuf>) -> Result<Vec<JvmResult>, Failure> {
        let (mut working, mut reasons) = (Vec::new(), Vec::new());
        for home in homes {
            self.progress.show(&format!("trying {}", home.display()), None)?;
            match self.workload.run(&home, EMPTY) {
                Ok(run) => working.push(JvmResult::new(home, &run)),
                Err(reason) => {
                    self.note(&format!("left out: {}: {reason}", home.display()));
                    reasons.push(format!("{}: {reason}", home.display()));
                }
            }
            self.progress.check_signals()?;
        }
        working.sort_by(|a, b| a.version_numbers().cmp(&b.version_numbers()).then_with(|| a.home.cmp(&b.home)));
        if working.is_empty() {
            let reasons = reasons.join("; ");
            return Err(Failure::new(format!("no JVM can run the program, which needs Java 8 or newer: {reasons}")));
        }
        Ok(working)
    }

    fn run_rounds(&mut self, rounds: u32, results: &mut Results) -> Result<(), Failure> {
        let cells = cells(results.jvms.len());
        let mut time_left = TimeLeft::new(cells.len(), rounds);
        for round in 0..rounds as usize {
            for (done, cell) in order(cells.len(), round).into_iter().enumerate() {
                let (reader, jvm) = cells[cell];
                let title =
                    format!("round {} of {rounds}: {} on {}", round + 1, reader.title, results.jvms[jvm].version);
                self.progress.show(&title, time_left.after(round, done))?;
                let start = Instant::now();
                let run = self.run(reader, &results.jvms[jvm])?;
                time_left.took(cell, start.elapsed());
                results.add(jvm, reader, run);
            }
        }
        Ok(())
    }

    /// Counts the objects of each cell in an additional run outside of the rounds, because counting takes longer than
    /// reading.
    fn count_objects(&mut self, results: &mut Results) -> Result<(), Failure> {
        for jvm in &mut results.jvms {
            self.progress.show(&format!("counting objects on {}", jvm.version), None)?;
            let own = self.workload.created_objects(&jvm.home, EMPTY);
            for cell in &mut jvm.cells {
                let all = self.workload.created_objects(&jvm.home, cell.reader);
                cell.created_objects = all.zip(own).map(|(all, own)| (all - own).max(0.0));
                self.progress.check_signals()?;
            }
        }
        Ok(())
    }

    fn run(&mut self, reader: Reader, jvm: &JvmResult) -> Result<ReaderRun, Failure> {
        let run = self.workload.run(&jvm.home, reader);
        self.progress.check_signals()?;
        run.map_err(|reason| Failure::new(format!("{} failed to read {}: {reason}", jvm.home.display(), reader.title)))
    }

    fn note(&mut self, text: &str) {
        self.progress.clear();
        if !self.is_quiet {
            crate::terminal::output::note(text);
        }
    }
}

/// The cells: every reader and the empty run on every JVM. The JVMs are next to each other.
fn cells(jvm_count: usize) -> Vec<(Reader, usize)> {
    let readers = std::iter::once(EMPTY).chain(READERS);
    readers.flat_map(|reader| (0..jvm_count).map(move |jvm| (reader, jvm))).collect()
}

/// The order of a round. Each round begins with another cell. Every second round has the reverse order.
fn order(cell_count: usize, round: usize) -> Vec<usize> {
    // Usual numbers of cells are not multiples of this step. So each cell is first in some round.
    const STEP: usize = 5;
    let mut order: Vec<usize> = (0..cell_count).collect();
    order.rotate_left(round * STEP % cell_count.max(1));
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// Computes the remaining time from the latest time of each cell.
struct TimeLeft {
    last: Vec<Option<Duration>>,
    rounds: u32,
}

impl TimeLeft {
    fn new(cell_count: usize, rounds: u32) -> Self {
        Self { last: vec![None; cell_count], rounds }
    }

    fn took(&mut self, cell: usize, time: Duration) {
        self.last[cell] = Some(time);
    }

    /// The remaining time. Missing in the first round, because the times of cells differ greatly.
    fn after(&self, round: usize, done: usize) -> Option<Duration> {
        let times: Option<Vec<Duration>> = self.last.iter().copied().collect();
        let times = times?;
        let whole: Duration = times.iter().sum();
        let this_round: Duration = order(times.len(), round).into_iter().skip(done).map(|cell| times[cell]).sum();
        Some(whole * (self.rounds - 1 - round as u32) + this_round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_jvm_the_error_has_advice() {
        let message = |named: &[PathBuf]| homes(named, Vec::new).expect_err("no JVM").message;
        assert!(message(&[]).contains("no JVM found") && message(&[]).ends_with("--jdk PATH"));
        assert!(message(&[PathBuf::from("/not/there")]).contains("--jdk /not/there: no JVM"));
    }

    #[test]
    fn each_round_has_every_cell_once_and_begins_with_another() {
        let mut starts = Vec::new();
        for round in 0..6 {
            let mut order = order(14, round);
            starts.push(order[0]);
            order.sort_unstable();
            assert_eq!(order, (0..14).collect::<Vec<_>>());
        }
        assert_eq!(starts, [0, 4, 10, 0, 6, 10]);
    }

    #[test]
    fn the_time_left_is_known_after_the_first_round() {
        let mut left = TimeLeft::new(2, 3);
        assert_eq!(left.after(0, 1), None);
        left.took(0, Duration::from_secs(10));
        left.took(1, Duration::from_secs(1));
        // The second round has the order 1, 0 or 0, 1; no cell is done.
        assert_eq!(left.after(1, 0), Some(Duration::from_secs(22)));
        assert_eq!(left.after(2, 2), Some(Duration::ZERO));
    }
}
