//! The spool: segments wait here until they have landed in the store, also while the agent does not run.
//!
//! ```text
//! SPOOL/lock
//! SPOOL/segments~checkout~2026-11-22~1763769600000000000-<stream>-0-<hash>.tar    its path in the store, / as ~
//! ```
//!
//! A segment is written under another name, flushed and renamed, so what is here is whole. Its name in the store says what it
//! is, so sending it twice does no harm. Beyond the limit the oldest are dropped; how many is told with the next one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use whittle_experiment::SegmentName;

/// In file names it stands for the `/` of a path; paths in the store have none.
const SEPARATOR: &str = "~";

const TEMPORARY: &str = ".tmp";

/// The spool's directory.
#[derive(Debug)]
pub(crate) struct Spool {
    directory: PathBuf,
    limit_bytes: u64,
    state: Mutex<State>,
    grown: Condvar,
    /// Held, so that no second agent sends the same.
    _lock: File,
}

#[derive(Debug, Default)]
struct State {
    /// By age: start of the segment, and its path in the store.
    waiting: BTreeMap<(u64, String), Entry>,
    bytes: u64,
    /// Segments that were dropped and of which no segment tells yet.
    dropped: u64,
    dropped_in_all: u64,
    landed_in_all: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    bytes: u64,
    /// Segments that were dropped, of which this one tells.
    told: u64,
    is_being_sent: bool,
}

/// Figures for a line of status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpoolFigures {
    pub(crate) landed: u64,
    pub(crate) waiting: usize,
    pub(crate) waiting_bytes: u64,
    pub(crate) dropped: u64,
}

impl Spool {
    /// Opens the spool, with what an earlier agent left in it.
    pub(crate) fn open(directory: &Path, limit_bytes: u64) -> Result<Self, String> {
        let wrong = |what: &str, error: io::Error| {
            format!("the spool {} cannot be {what}: {error}; give another directory with --spool", directory.display())
        };
        fs::create_dir_all(directory).map_err(|error| wrong("created", error))?;
        let lock = File::create(directory.join("lock")).map_err(|error| wrong("written to", error))?;
        if lock.try_lock().is_err() {
            let text =
                "the spool {} is used by another agent; end that one, or give this one another directory with --spool";
            return Err(text.replace("{}", &directory.display().to_string()));
        }
        let state = read_state(directory).map_err(|error| wrong("read", error))?;
        let spool = Self {
            directory: directory.to_owned(),
            limit_bytes,
            state: Mutex::new(state),
            grown: Condvar::new(),
            _lock: lock,
        };
        spool.drop_oldest(&mut spool.state());
        Ok(spool)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many segments were dropped since the last call. A segment has to tell it: hand the number to [`add`](Self::add).
    pub(crate) fn take_dropped(&self) -> u64 {
        std::mem::take(&mut self.state().dropped)
    }

    /// Puts a segment in; it is on disk afterwards. Gives the number of older ones that had to give way.
    pub(crate) fn add(&self, path: &str, bytes: &[u8], told: u64) -> io::Result<u64> {
        let written = self.write(path, bytes);
        let mut state = self.state();
        if let Err(error) = written {
            // It is lost, and what it would have told is still to be told.
            state.dropped += told + 1;
            state.dropped_in_all += 1;
            return Err(error);
        }
        state.insert(path, Entry { bytes: bytes.len() as u64, told, is_being_sent: false });
        let dropped = self.drop_oldest(&mut state);
        self.grown.notify_all();
        Ok(dropped)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (file, temporary) = (self.file(path), self.directory.join(format!("{}{TEMPORARY}", file_name(path))));
        let written = File::create(&temporary).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        let renamed = written.and_then(|()| fs::rename(&temporary, file)).and_then(|()| {
            // The rename itself is on disk only once its directory is.
            File::open(&self.directory)?.sync_all()
        });
        renamed.inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    fn drop_oldest(&self, state: &mut State) -> u64 {
        let mut dropped = 0;
        while state.bytes > self.limit_bytes {
            let oldest = state.waiting.iter().find(|(_, entry)| !entry.is_being_sent);
            let Some(key) = oldest.map(|(key, _)| key.clone()).filter(|_| state.waiting.len() > 1) else { break };
            let told = state.remove(&key).map_or(0, |entry| entry.told);
            // If it stays it is sent by the next agent, and known by its name.
            let _ = fs::remove_file(self.file(&key.1));
            state.dropped += told + 1;
            dropped += 1;
        }
        state.dropped_in_all += dropped;
        dropped
    }

    /// The oldest segment, to be sent: its path and bytes. Waits for one, this long at most.
    pub(crate) fn next(&self, at_most: Duration) -> Option<(String, Vec<u8>)> {
        let state = self.state();
        let waited = self.grown.wait_timeout_while(state, at_most, |state| state.waiting.is_empty());
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        loop {
            let key = state.waiting.keys().next().cloned()?;
            match fs::read(self.file(&key.1)) {
                Ok(bytes) => {
                    state.waiting.entry(key.clone()).and_modify(|entry| entry.is_being_sent = true);
                    return Some((key.1, bytes));
                }
                // Somebody has taken it away: it is lost.
                Err(_) => {
                    let told = state.remove(&key).map_or(0, |entry| entry.told);
                    state.dropped += told + 1;
                    state.dropped_in_all += 1;
                }
            }
        }
    }

    /// What was sent has landed, or has not.
    pub(crate) fn sent(&self, path: &str, has_landed: bool) {
        let mut state = self.state();
        let key = key(path);
        if !has_landed {
            state.waiting.entry(key).and_modify(|entry| entry.is_being_sent = false);
            return;
        }
        state.remove(&key);
        state.landed_in_all += 1;
        // If it stays it is sent once more, and known by its name.
        let _ = fs::remove_file(self.file(path));
    }

    /// Figures since the start.
    pub(crate) fn figures(&self) -> SpoolFigures {
        let state = self.state();
        SpoolFigures {
            landed: state.landed_in_all,
            waiting: state.waiting.len(),
            waiting_bytes: state.bytes,
            dropped: state.dropped_in_all,
        }
    }

    fn file(&self, path: &str) -> PathBuf {
        self.directory.join(file_name(path))
    }
}

impl State {
    fn insert(&mut self, path: &str, entry: Entry) {
        self.bytes += entry.bytes;
        if let Some(before) = self.waiting.insert(key(path), entry) {
            self.bytes -= before.bytes;
        }
    }

    fn remove(&mut self, key: &(u64, String)) -> Option<Entry> {
        let entry = self.waiting.remove(key)?;
        self.bytes -= entry.bytes;
        Some(entry)
    }
}

fn file_name(path: &str) -> String {
    path.replace('/', SEPARATOR)
}

fn key(path: &str) -> (u64, String) {
    (SegmentName::parse(path).map_or(0, |name| name.start_wall_ns), path.to_owned())
}

/// The segments in a directory; what was not written to its end is removed.
fn read_state(directory: &Path) -> io::Result<State> {
    let mut state = State::default();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = name.replace(SEPARATOR, "/");
        if name.ends_with(TEMPORARY) {
            fs::remove_file(entry.path())?;
        } else if SegmentName::parse(&path).is_some() {
            let bytes = entry.metadata()?.len();
            state.insert(&path, Entry { bytes, told: 0, is_being_sent: false });
        }
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(start: u64) -> String {
        format!("segments/a/2026-11-22/{start}-{:032x}-{start}-{:032x}.tar", 1, 2)
    }

    fn next(spool: &Spool) -> Option<(String, Vec<u8>)> {
        spool.next(Duration::ZERO)
    }

    #[test]
    fn segments_are_sent_in_the_order_of_their_age_and_survive_the_agent() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), 1000).unwrap();
        for start in [20, 3, 100] {
            assert_eq!(spool.add(&path(start), &[start as u8; 10], 0).unwrap(), 0);
        }
        assert_eq!(next(&spool), Some((path(3), vec![3; 10])));
        spool.sent(&path(3), true);
        assert_eq!(next(&spool).unwrap().0, path(20));
        assert!(Spool::open(folder.path(), 1000).unwrap_err().contains("another agent"));
        drop(spool);
        fs::write(folder.path().join("half.tmp"), "half").unwrap();
        let spool = Spool::open(folder.path(), 1000).unwrap();
        assert!(!folder.path().join("half.tmp").exists());
        for start in [20, 100] {
            assert_eq!(next(&spool).unwrap().0, path(start));
            spool.sent(&path(start), true);
        }
        assert_eq!(next(&spool), None);
        assert_eq!(spool.figures(), SpoolFigures { landed: 2, waiting: 0, waiting_bytes: 0, dropped: 0 });
    }

    #[test]
    fn beyond_the_limit_the_oldest_give_way_and_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), 25).unwrap();
        let dropped: Vec<u64> = (1..=4)
            .map(|start| {
                let told = spool.take_dropped();
                spool.add(&path(start), &[0; 10], told).unwrap()
            })
            .collect();
        assert_eq!(dropped, [0, 0, 1, 1]);
        // The fourth tells of the first; the second is still to be told.
        assert_eq!(spool.take_dropped(), 1);
        spool.add(&path(5), &[0; 10], 1).unwrap();
        spool.add(&path(6), &[0; 10], 0).unwrap();
        // The third and the fourth went, and what the fourth would have told.
        assert_eq!(spool.take_dropped(), 3);
        assert_eq!(spool.figures(), SpoolFigures { landed: 0, waiting: 2, waiting_bytes: 20, dropped: 4 });
    }

    #[test]
    fn what_is_being_sent_is_not_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), 25).unwrap();
        spool.add(&path(1), &[0; 10], 0).unwrap();
        assert_eq!(next(&spool).unwrap().0, path(1));
        for start in 2..4 {
            spool.add(&path(start), &[0; 10], 0).unwrap();
        }
        spool.sent(&path(1), false);
        assert_eq!(next(&spool).unwrap().0, path(1));
        assert_eq!(spool.figures().dropped, 1);
    }
}
