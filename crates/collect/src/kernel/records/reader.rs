//! Reads records from the ring buffer while the rest of the program is busy.

use super::record::Record;
use aya::maps::{MapData, RingBuf};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The longest sleep of the thread before it checks whether it should end.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The usual pause between two rounds. With a pause, records are read in groups. Waking up for a record would cost more
/// than reading it.
pub(crate) const PAUSE: Duration = Duration::from_millis(10);

/// If more bytes are waiting, records are dropped and counted. This limits the memory of the collection.
const MAX_WAITING_BYTES: usize = 256 << 20;

/// The thread that empties the ring buffer.
#[derive(Debug)]
pub(crate) struct RecordReader {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    records: Mutex<Waiting>,
    is_ending: AtomicBool,
}

#[derive(Debug, Default)]
struct Waiting {
    records: Vec<Record>,
    byte_count: usize,
    dropped: u64,
    /// Weight of the dropped ticks.
    dropped_tick_ns: u64,
}

impl RecordReader {
    /// Starts to empty `ring`, with this pause between two rounds.
    pub(crate) fn start(ring: RingBuf<MapData>, pause: Duration) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let builder = std::thread::Builder::new().name("whittle-records".to_owned());
        let thread = builder.spawn(move || empty_until_end(ring, pause, &of_thread))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// The records since the last call, in the order of their times, and how many were dropped because of the memory
    /// limit.
    pub(crate) fn take(&self) -> (Vec<Record>, u64) {
        let mut waiting = self.shared.records.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.byte_count = 0;
        (std::mem::take(&mut waiting.records), std::mem::take(&mut waiting.dropped))
    }

    /// CPU time of the ticks that were dropped because of the memory limit.
    pub(crate) fn dropped_tick_ns(&self) -> u64 {
        self.shared.records.lock().unwrap_or_else(PoisonError::into_inner).dropped_tick_ns
    }

    /// Empties the ring buffer a last time and ends. Records that were read can still be taken.
    pub(crate) fn finish(&mut self) {
        self.shared.is_ending.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // If the thread panicked, the earlier records are still available.
            let _ = thread.join();
        }
    }
}

impl Drop for RecordReader {
    fn drop(&mut self) {
        self.finish();
    }
}

fn empty_until_end(mut ring: RingBuf<MapData>, pause: Duration, shared: &Shared) {
    loop {
        let is_ending = shared.is_ending.load(Ordering::Acquire);
        empty(&mut ring, shared);
        if is_ending {
            return;
        }
        let mut descriptors = [PollFd::new(&ring, PollFlags::IN)];
        // The next round checks for records and for the end of the pause.
        let _ = poll(&mut descriptors, Some(&PATIENCE));
        std::thread::sleep(pause);
    }
}

fn empty(ring: &mut RingBuf<MapData>, shared: &Shared) {
    let mut taken = Vec::new();
    while let Some(item) = ring.next() {
        taken.extend(Record::parse(&item));
        // Passes records on in groups, because a program can write records faster than whittle reads them.
        if taken.len() >= 65_536 {
            hand_over(&mut taken, shared);
        }
    }
    hand_over(&mut taken, shared);
}

fn hand_over(taken: &mut Vec<Record>, shared: &Shared) {
    let mut waiting = shared.records.lock().unwrap_or_else(PoisonError::into_inner);
    for record in taken.drain(..) {
        // Records of starts and ends of threads are kept, because these records are small and their content is not
        // available elsewhere.
        if waiting.byte_count > MAX_WAITING_BYTES && !record.is_life() {
            waiting.dropped += 1;
            waiting.dropped_tick_ns += record.tick_ns();
            continue;
        }
        waiting.byte_count += record.byte_count();
        waiting.records.push(record);
    }
}
