//! Gaps: time in which no agent collected a process that an agent had collected before, for example during an upgrade of
//! the agent.
//!
//! ```text
//! old agent   ── segment ──┤ end              SPOOL/ends/<process>-<start>: where the last finished segment ended
//! new agent                       ├── segment ──
//!                          └─ gap ┘           in the first segment of the new agent
//! ```
//!
//! The spool survives an agent that is killed, and so do these files. A killed agent loses the segments that it had not
//! finished, and its gaps begin where the last finished segment ended.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use whittle_experiment::{create_private_file, create_private_folders};

const FOLDER: &str = "ends";
const TEMPORARY: &str = ".tmp";
/// Different for each start of the machine. The clock of the ends starts with the machine.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// All gaps in this time are reported in one line, because a new agent begins to collect many processes.
const REPORT_DELAY: Duration = Duration::from_secs(10);

/// Identifies a process: its id, and its start in clock ticks.
pub(crate) type ProcessStart = (u32, u64);

/// Where the segments of each process end.
#[derive(Debug)]
pub(crate) struct Gaps {
    folder: PathBuf,
    boot_id: String,
    unreported: Mutex<Unreported>,
}

/// Gaps that no message has reported yet.
#[derive(Debug, Default)]
struct Unreported {
    since: Option<Instant>,
    count: usize,
    longest_ns: u64,
}

impl Gaps {
    /// The ends in a spool. Files of processes that have ended are removed. A file that cannot be removed is a note for the user.
    pub(crate) fn open(spool: &Path) -> Result<(Self, Vec<String>), String> {
        let folder = spool.join(FOLDER);
        let wrong = |path: &Path, error: io::Error| format!("{} cannot be used: {error}", path.display());
        create_private_folders(&folder).map_err(|error| wrong(&folder, error))?;
        let boot_id = fs::read_to_string(BOOT_ID).map_err(|error| wrong(Path::new(BOOT_ID), error))?;
        let entries = fs::read_dir(&folder).map_err(|error| wrong(&folder, error))?;
        let running: BTreeSet<u32> = whittle_collect::other_process_ids().collect();
        let old = entries.flatten().filter(|entry| !is_end_of(&running, &entry.file_name().to_string_lossy()));
        let notes = old.filter_map(|entry| {
            let error = fs::remove_file(entry.path()).err()?;
            Some(format!("agent: {} is ignored, and cannot be removed: {error}", entry.path().display()))
        });
        let notes = notes.collect();
        Ok((Self { folder, boot_id: boot_id.trim().to_owned(), unreported: Mutex::default() }, notes))
    }

    /// Notes where a segment ends, on CLOCK_MONOTONIC. A segment can end before an earlier segment of the process, if another
    /// recording has begun in between. The latest end counts.
    pub(crate) fn note_end(&self, process: ProcessStart, end_ns: u64) -> io::Result<()> {
        if self.noted_end(process).is_some_and(|noted_ns| noted_ns >= end_ns) {
            return Ok(());
        }
        let file = self.file(process);
        let temporary = file.with_extension(&TEMPORARY[1..]);
        // No flush to the disk: after a crash of the machine, the process has ended as well.
        create_private_file(&temporary)?.write_all(format!("{} {end_ns}\n", self.boot_id).as_bytes())?;
        fs::rename(&temporary, &file)
    }

    /// The time between the last segment of a process and its next segment, which starts at `start_ns`. `None`: no agent
    /// has collected the process before.
    pub(crate) fn before(&self, process: ProcessStart, start_ns: u64) -> Option<u64> {
        start_ns.checked_sub(self.noted_end(process)?).filter(|gap_ns| *gap_ns > 0)
    }

    fn noted_end(&self, process: ProcessStart) -> Option<u64> {
        let text = fs::read_to_string(self.file(process)).ok()?;
        let (boot_id, end_ns) = text.trim().split_once(' ')?;
        end_ns.parse().ok().filter(|_| boot_id == self.boot_id)
    }

    /// Forgets a process that has ended.
    pub(crate) fn forget(&self, process: ProcessStart) {
        // If the file cannot be removed, the next agent removes it.
        let _ = fs::remove_file(self.file(process));
    }

    /// Counts a gap for the next message.
    pub(crate) fn count(&self, gap_ns: u64) {
        let mut unreported = self.unreported.lock().unwrap_or_else(PoisonError::into_inner);
        unreported.since.get_or_insert_with(Instant::now);
        unreported.count += 1;
        unreported.longest_ns = unreported.longest_ns.max(gap_ns);
    }

    /// A message about the last gaps. `None`: there are no new gaps, or more could follow soon and `is_last` is false.
    pub(crate) fn report(&self, is_last: bool) -> Option<String> {
        let mut unreported = self.unreported.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = unreported.since.is_some_and(|since| is_last || since.elapsed() >= REPORT_DELAY);
        let Unreported { count, longest_ns, .. } = is_due.then(|| std::mem::take(&mut *unreported))?;
        Some(format!(
            "the segments of {count} processes have a gap of up to {:.1} s: no agent collected them, or their last segments \
             were lost",
            longest_ns as f64 / 1e9
        ))
    }

    fn file(&self, (process_id, start_ticks): ProcessStart) -> PathBuf {
        self.folder.join(format!("{process_id}-{start_ticks}"))
    }
}

/// True if a file has this name, and the process runs.
fn is_end_of(running: &BTreeSet<u32>, name: &str) -> bool {
    let process_id = name.split_once('-').filter(|_| !name.ends_with(TEMPORARY)).and_then(|(id, _)| id.parse().ok());
    process_id.is_some_and(|id| running.contains(&id))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    /// A process that exists.
    const ONE: ProcessStart = (1, 30);

    fn open(spool: &Path) -> Gaps {
        let (gaps, notes) = Gaps::open(spool).unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        gaps
    }

    #[test]
    fn an_odd_entry_does_not_stop_the_agent() {
        let spool = tempfile::tempdir().unwrap();
        open(spool.path()).note_end(ONE, 900).unwrap();
        fs::create_dir(spool.path().join(FOLDER).join("odd")).unwrap();
        let (gaps, notes) = Gaps::open(spool.path()).unwrap();
        assert_eq!(gaps.before(ONE, 1000), Some(100));
        assert!(notes.len() == 1 && notes[0].contains("/ends/odd is ignored"), "{notes:?}");
        let occupied = tempfile::tempdir().unwrap();
        fs::write(occupied.path().join(FOLDER), "").unwrap();
        assert!(Gaps::open(occupied.path()).unwrap_err().contains("/ends cannot be used"));
    }

    #[test]
    fn the_next_agent_knows_where_the_last_segment_ended() {
        let spool = tempfile::tempdir().unwrap();
        let gaps = open(spool.path());
        assert_eq!(gaps.before(ONE, 1000), None);
        gaps.note_end(ONE, 700).unwrap();
        gaps.note_end(ONE, 900).unwrap();
        gaps.note_end((u32::MAX, 1), 5).unwrap();
        drop(gaps);
        let next = open(spool.path());
        assert_eq!(next.before(ONE, 1000), Some(100));
        assert_eq!(next.before(ONE, 900), None, "segments without a gap");
        assert_eq!(next.before((1, 31), 1000), None, "another process with the same id");
        assert_eq!(next.before((u32::MAX, 1), 1000), None, "the process has ended");
        next.forget(ONE);
        assert_eq!(next.before(ONE, 1000), None);
        assert_eq!(fs::read_dir(spool.path().join(FOLDER)).unwrap().count(), 0);
    }

    #[test]
    fn an_end_before_the_last_start_of_the_machine_is_no_gap() {
        let spool = tempfile::tempdir().unwrap();
        let gaps = open(spool.path());
        gaps.note_end(ONE, 700).unwrap();
        let after_reboot = Gaps { boot_id: "other".to_owned(), ..open(spool.path()) };
        assert_eq!(after_reboot.before(ONE, 1000), None);
        fs::write(gaps.file(ONE), "half").unwrap();
        assert_eq!(gaps.before(ONE, 1000), None);
    }

    #[test]
    fn an_end_never_goes_back() {
        let spool = tempfile::tempdir().unwrap();
        let gaps = open(spool.path());
        gaps.note_end(ONE, 900).unwrap();
        gaps.note_end(ONE, 700).unwrap();
        assert_eq!(gaps.before(ONE, 1000), Some(100));
        let after_reboot = Gaps { boot_id: "other".to_owned(), ..open(spool.path()) };
        after_reboot.note_end(ONE, 300).unwrap();
        assert_eq!(after_reboot.before(ONE, 1000), Some(700));
    }

    #[test]
    fn all_gaps_of_an_upgrade_are_one_message() {
        let spool = tempfile::tempdir().unwrap();
        let gaps = open(spool.path());
        assert_eq!(gaps.report(true), None);
        gaps.count(1_500_000_000);
        gaps.count(6_300_000_000);
        assert_eq!(gaps.report(false), None);
        let text = "the segments of 2 processes have a gap of up to 6.3 s: no agent collected them, or their last segments were lost";
        assert_eq!(gaps.report(true).as_deref(), Some(text));
        assert_eq!(gaps.report(true), None);
    }
}
