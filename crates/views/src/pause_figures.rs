//! Sums of what a JVM reported about its pauses.

use serde::Serialize;
use whittle_model::{JvmEvent, JvmEventKind, JvmEventTable, Table};

/// Values of some events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PauseFigures {
    /// Number of events.
    pub events_count: u64,
    /// Time of all events inside the range.
    pub duration_ns: u64,
    /// The longest event, with its part outside the range.
    pub longest_ns: u64,
    /// Time until the last thread had stopped; part of `duration_ns`. 0 if the events are not safepoints.
    pub reaching_ns: u64,
}

impl PauseFigures {
    /// One event, of which the time inside a range counts.
    pub(crate) fn of(event: &JvmEvent, (from_ns, to_ns): (u64, u64)) -> Self {
        let inside = |end_ns: u64| end_ns.min(to_ns).saturating_sub(event.start_ns.max(from_ns));
        Self {
            events_count: 1,
            duration_ns: inside(event.end_ns),
            longest_ns: event.end_ns.saturating_sub(event.start_ns),
            reaching_ns: inside(event.start_ns.saturating_add(event.reaching_ns)),
        }
    }

    /// All events of a kind. `None`: there are none.
    pub fn of_kind(events: &JvmEventTable, kind: JvmEventKind) -> Option<Self> {
        let rows = (0..events.len()).filter(|row| events.kind[*row] == kind);
        let mut sum = Self::default();
        rows.for_each(|row| sum.add(Self::of(&events.row(row), (0, u64::MAX))));
        (sum.events_count > 0).then_some(sum)
    }

    pub(crate) fn add(&mut self, other: Self) {
        // Another user's program can have written the times.
        self.events_count = self.events_count.saturating_add(other.events_count);
        self.duration_ns = self.duration_ns.saturating_add(other.duration_ns);
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.reaching_ns = self.reaching_ns.saturating_add(other.reaching_ns);
    }
}
