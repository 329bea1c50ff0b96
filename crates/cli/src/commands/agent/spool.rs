//! The spool: a directory with segments that are not in the store yet. They survive a restart of the agent.
//!
//! ```text
//! SPOOL/lock
//! SPOOL/ends/<process>-<start>      where the last segment of each process ended
//! SPOOL/segments~checkout~2026-11-22~1763769600000000000-<stream>-0-<hash>.tar    its path in the store, with ~ for /
//! ```
//!
//! A segment is written under another name, flushed and renamed, so each file is complete. The name in the store
//! identifies the segment, so sending a segment twice does no harm. If the spool is full, the oldest segments are
//! dropped. The next segment reports the number of dropped segments.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use whittle_experiment::{SegmentName, check_own_folder, create_private_file, create_private_folders};

/// Replaces the `/` of a path in file names. Paths in the store do not contain this character.
const SEPARATOR: &str = "~";

const TEMPORARY: &str = ".tmp";

/// A spool in a directory, which only one agent uses at a time.
#[derive(Debug)]
pub(crate) struct Spool {
    directory: PathBuf,
    limit_bytes: u64,
    state: Mutex<State>,
    grown: Condvar,
    /// This file is locked, so that no second agent sends segments of this spool.
    lock: File,
}

impl Drop for Spool {
    /// Unlocks the file. Closing the file is not enough, because a child process has a copy of the open file between
    /// fork and exec.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

#[derive(Debug, Default)]
struct State {
    /// Waiting segments by age. The key is the start of the segment and its path in the store.
    waiting: BTreeMap<(u64, String), Entry>,
    bytes: u64,
    /// Number of dropped segments that no segment reports yet.
    dropped: u64,
    dropped_total: u64,
    landed_total: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    bytes: u64,
    /// Number of dropped segments that this segment reports.
    reported: u64,
    is_being_sent: bool,
}

/// Numbers of segments for the status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpoolCounts {
    pub(crate) landed: u64,
    pub(crate) waiting: usize,
    pub(crate) waiting_bytes: u64,
    pub(crate) dropped: u64,
}

/// Opens the file that the agent locks. Only the user can open it, because everybody who can open a file can lock it. The
/// spool can be in a folder that others can read.
fn open_lock(path: &Path) -> io::Result<File> {
    let lock = File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    // An earlier version has created the file for all users.
    lock.set_permissions(Permissions::from_mode(0o600))?;
    Ok(lock)
}

impl Spool {
    /// Opens the spool, with the segments of an earlier agent.
    pub(crate) fn open(directory: &Path, limit_bytes: u64) -> Result<Self, String> {
        let wrong = |what: &str, error: io::Error| {
            format!(
                "the spool {} cannot be {what}: {error}; choose another directory with --spool",
                directory.display()
            )
        };
        create_private_folders(directory).map_err(|error| wrong("created", error))?;
        check_own_folder(directory).map_err(|error| wrong("used", error))?;
        let lock = open_lock(&directory.join("lock")).map_err(|error| wrong("written to", error))?;
        if lock.try_lock().is_err() {
            let text = "another agent uses the spool {}; end that agent, or choose another directory with --spool";
            return Err(text.replace("{}", &directory.display().to_string()));
        }
        let state = read_state(directory).map_err(|error| wrong("read", error))?;
        let spool = Self {
            directory: directory.to_owned(),
            limit_bytes,
            state: Mutex::new(state),
            grown: Condvar::new(),
            lock,
        };
        spool.drop_oldest(&mut spool.state());
        Ok(spool)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of segments that were dropped since the last call. A segment must report this number: pass
    /// the number to [`add`](Self::add).
    pub(crate) fn take_dropped(&self) -> u64 {
        std::mem::take(&mut self.state().dropped)
    }

    /// Counts a segment that was lost before it was added. The next segment must report it, and also the dropped segments
    /// that it would have reported.
    pub(crate) fn note_lost(&self, reported: u64) {
        let mut state = self.state();
        state.dropped += reported + 1;
        state.dropped_total += 1;
    }

    /// Adds a segment, and returns after the segment is on disk. Returns the number of older segments that were dropped
    /// to make room.
    pub(crate) fn add(&self, path: &str, bytes: &[u8], reported: u64) -> io::Result<u64> {
        self.write(path, bytes).inspect_err(|_| self.note_lost(reported))?;
        let mut state = self.state();
        state.insert(path, Entry { bytes: bytes.len() as u64, reported, is_being_sent: false });
        let dropped = self.drop_oldest(&mut state);
        self.grown.notify_all();
        Ok(dropped)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (file, temporary) = (self.file(path), self.directory.join(format!("{}{TEMPORARY}", file_name(path))));
        let written = create_private_file(&temporary).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        let renamed = written.and_then(|()| fs::rename(&temporary, file)).and_then(|()| {
            // The rename is on disk only after a sync of the directory.
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
            let reported = state.remove(&key).map_or(0, |entry| entry.reported);
            // If the file cannot be removed, the next agent sends the segment again, and the store recognises its name.
            let _ = fs::remove_file(self.file(&key.1));
            state.dropped += reported + 1;
            dropped += 1;
        }
        state.dropped_total += dropped;
        dropped
    }

    /// Returns the path and bytes of the oldest segment, for sending. Waits up to `at_most` for a segment.
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
                // Someone removed the file, so the segment is lost.
                Err(_) => {
                    let reported = state.remove(&key).map_or(0, |entry| entry.reported);
                    state.dropped += reported + 1;
                    state.dropped_total += 1;
                }
            }
        }
    }

    /// Records whether a sent segment has arrived in the store.
    pub(crate) fn sent(&self, path: &str, has_landed: bool) {
        let mut state = self.state();
        let key = key(path);
        if !has_landed {
            state.waiting.entry(key).and_modify(|entry| entry.is_being_sent = false);
            return;
        }
        state.remove(&key);
        state.landed_total += 1;
        // If the file cannot be removed, the segment is sent again, and the store recognises its name.
        let _ = fs::remove_file(self.file(path));
    }

    /// Counts since the start.
    pub(crate) fn counts(&self) -> SpoolCounts {
        let state = self.state();
        SpoolCounts {
            landed: state.landed_total,
            waiting: state.waiting.len(),
            waiting_bytes: state.bytes,
            dropped: state.dropped_total,
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

/// The segments in a directory. Incomplete files are removed.
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
            state.insert(&path, Entry { bytes, reported: 0, is_being_sent: false });
        }
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
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
        let inherited = spool.lock.try_clone().unwrap();
        drop(spool);
        fs::write(folder.path().join("half.tmp"), "half").unwrap();
        let spool = Spool::open(folder.path(), 1000).unwrap();
        drop(inherited);
        assert!(!folder.path().join("half.tmp").exists());
        for start in [20, 100] {
            assert_eq!(next(&spool).unwrap().0, path(start));
            spool.sent(&path(start), true);
        }
        assert_eq!(next(&spool), None);
        assert_eq!(spool.counts(), SpoolCounts { landed: 2, waiting: 0, waiting_bytes: 0, dropped: 0 });
    }

    #[test]
    fn a_full_spool_drops_and_counts_the_oldest_segments() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), 25).unwrap();
        let dropped: Vec<u64> = (1..=4)
            .map(|start| {
                let reported = spool.take_dropped();
                spool.add(&path(start), &[0; 10], reported).unwrap()
            })
            .collect();
        assert_eq!(dropped, [0, 0, 1, 1]);
        // The fourth segment reports that the first was dropped. No segment reports the second yet.
        assert_eq!(spool.take_dropped(), 1);
        spool.add(&path(5), &[0; 10], 1).unwrap();
        spool.add(&path(6), &[0; 10], 0).unwrap();
        // The third and the fourth segment were dropped. The fourth segment reported the first segment, so the first
        // segment must be reported again.
        assert_eq!(spool.take_dropped(), 3);
        assert_eq!(spool.counts(), SpoolCounts { landed: 0, waiting: 2, waiting_bytes: 20, dropped: 4 });
        // A segment that cannot be packed reports nothing.
        spool.note_lost(3);
        assert_eq!((spool.take_dropped(), spool.counts().dropped), (4, 5));
    }

    #[test]
    fn a_segment_that_is_being_sent_is_not_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path(), 25).unwrap();
        spool.add(&path(1), &[0; 10], 0).unwrap();
        assert_eq!(next(&spool).unwrap().0, path(1));
        for start in 2..4 {
            spool.add(&path(start), &[0; 10], 0).unwrap();
        }
        spool.sent(&path(1), false);
        assert_eq!(next(&spool).unwrap().0, path(1));
        assert_eq!(spool.counts().dropped, 1);
    }

    #[test]
    fn a_spool_that_others_can_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Spool::open(folder.path(), 1 << 20).map(drop);
        open().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        let error = open().unwrap_err();
        assert!(error.contains("other users can write to it") && error.contains("--spool"), "{error}");
    }
}
