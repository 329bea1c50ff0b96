//! Converts ticks to nanoseconds since the start of the recording.

use super::chunk_header::ChunkHeader;

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Two chunks share a monotonic clock if the time between their starts is nearly the same on this clock and on the wall
/// clock. The constant is the maximum difference. Wall clocks are sometimes set, but rarely by more than some seconds.
const SAME_CLOCK_TOLERANCE_NS: u64 = 10 * NANOS_PER_SECOND;

/// The start of the recording, which is the start of its first chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordingStart {
    /// Time in nanoseconds since 1970.
    pub(crate) wall_ns: u64,
    ticks: u64,
    ticks_per_second: u64,
}

impl RecordingStart {
    pub(crate) fn of(first_chunk: &ChunkHeader) -> Self {
        Self {
            wall_ns: first_chunk.start_wall_ns,
            ticks: first_chunk.start_ticks,
            ticks_per_second: first_chunk.ticks_per_second,
        }
    }

    /// The start in ticks, if ticks are nanoseconds.
    pub(crate) fn ticks_in_ns(&self) -> Option<u64> {
        (self.ticks_per_second == NANOS_PER_SECOND).then_some(self.ticks)
    }

    /// The start of the chunk, in nanoseconds since the recording's start.
    ///
    /// If chunks count nanoseconds on the same clock, their offset is the difference on this clock, because it never
    /// jumps. Other chunks get their offset from the wall clock, because tick frequencies are estimates, and a file can
    /// contain recordings of several programs.
    fn offset_ns(&self, chunk: &ChunkHeader) -> u64 {
        let by_wall_clock = chunk.start_wall_ns.saturating_sub(self.wall_ns);
        let by_ticks = chunk.start_ticks.saturating_sub(self.ticks);
        let same_clock = [self.ticks_per_second, chunk.ticks_per_second] == [NANOS_PER_SECOND; 2]
            && by_ticks.abs_diff(by_wall_clock) < SAME_CLOCK_TOLERANCE_NS;
        if same_clock { by_ticks } else { by_wall_clock }
    }
}

/// The clock of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkClock {
    start_ns: u64,
    start_ticks: u64,
    ticks_per_second: u64,
}

impl ChunkClock {
    pub(crate) fn new(chunk: &ChunkHeader, recording: &RecordingStart) -> Self {
        let ChunkHeader { start_ticks, ticks_per_second, .. } = *chunk;
        Self { start_ns: recording.offset_ns(chunk), start_ticks, ticks_per_second }
    }

    /// The start of the chunk, in nanoseconds since the recording's start.
    pub(crate) fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// The time `ticks`, in nanoseconds since the recording's start. Events that began before the recording are moved
    /// to its start. Such events exist because the JDK records the start of a wait.
    pub(crate) fn time_ns(&self, ticks: u64) -> u64 {
        match ticks.checked_sub(self.start_ticks) {
            Some(after) => self.start_ns.saturating_add(self.duration_ns(after)),
            None => self.start_ns.saturating_sub(self.duration_ns(self.start_ticks - ticks)),
        }
    }

    /// A number of ticks in nanoseconds.
    pub(crate) fn duration_ns(&self, ticks: u64) -> u64 {
        if self.ticks_per_second == NANOS_PER_SECOND {
            return ticks;
        }
        let nanos = u128::from(ticks) * u128::from(NANOS_PER_SECOND) / u128::from(self.ticks_per_second);
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(start_wall_ns: u64, start_ticks: u64, ticks_per_second: u64) -> ChunkHeader {
        let mut bytes = b"FLR\0\0\x02\0\x01".to_vec();
        for value in [1_000, 100, 68, start_wall_ns, 0, start_ticks, ticks_per_second] {
            bytes.extend(value.to_be_bytes());
        }
        bytes.extend([0, 0, 0, 1]);
        ChunkHeader::parse(&bytes).unwrap()
    }

    const SECOND: u64 = NANOS_PER_SECOND;

    #[test]
    fn monotonic_chunks_are_placed_by_their_ticks() {
        let start = RecordingStart::of(&chunk(100 * SECOND, 7 * SECOND, SECOND));
        // The wall clock was set back by two seconds between the two chunks.
        let clock = ChunkClock::new(&chunk(103 * SECOND, 12 * SECOND, SECOND), &start);
        assert_eq!(clock.time_ns(12 * SECOND + 5), 5 * SECOND + 5);
        assert_eq!(clock.time_ns(11 * SECOND), 4 * SECOND);
        assert_eq!(clock.time_ns(0), 0);
    }

    #[test]
    fn other_chunks_are_placed_by_the_wall_clock() {
        let start = RecordingStart::of(&chunk(100 * SECOND, 7, 2 * SECOND));
        let clock = ChunkClock::new(&chunk(103 * SECOND, 5_000, 4 * SECOND), &start);
        assert_eq!(clock.time_ns(5_000 + 4 * SECOND), 4 * SECOND);
        assert_eq!(start.ticks_in_ns(), None);
        let unrelated = RecordingStart::of(&chunk(100 * SECOND, 7, SECOND));
        let clock = ChunkClock::new(&chunk(103 * SECOND, 900 * SECOND, SECOND), &unrelated);
        assert_eq!(clock.start_ns(), 3 * SECOND);
    }
}
