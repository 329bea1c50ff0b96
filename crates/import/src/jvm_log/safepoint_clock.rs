//! When safepoints ended.
//!
//! The JVM writes the line of a safepoint after its end. On a busy machine, the writing thread can lose its CPU between
//! the end and the line. But the lengths of safepoints, and of the times between them, are exact. If all their ends are
//! placed at the exact distances, they can only be as late as the least late line.

use super::line::SafepointTimes;
use std::collections::VecDeque;

/// How many lines the least late one is chosen from. A line that is missing in the log then has no effect on later
/// safepoints for long.
const LINES: usize = 32;

/// Finds the ends of safepoints.
#[derive(Debug, Default)]
pub(super) struct SafepointClock {
    /// Exact time from the end of the first safepoint to the end of the last one.
    elapsed_ns: u64,
    /// For the last lines: the time of the line, minus `elapsed_ns`.
    starts: VecDeque<u64>,
}

impl SafepointClock {
    /// The end of a safepoint with these lengths, whose line has the time `line_ns`. The same clock as `line_ns`.
    pub(super) fn end_ns(&mut self, line_ns: u64, times: SafepointTimes) -> u64 {
        let Some(since_last_ns) = times.since_last_ns else { return line_ns };
        if !self.starts.is_empty() {
            self.elapsed_ns = self.elapsed_ns.saturating_add(since_last_ns).saturating_add(times.total_ns);
        }
        if self.starts.len() == LINES {
            self.starts.pop_front();
        }
        self.starts.push_back(line_ns.saturating_sub(self.elapsed_ns));
        let least_late = self.starts.iter().copied().min().unwrap_or(line_ns);
        least_late.saturating_add(self.elapsed_ns).min(line_ns)
    }
}
