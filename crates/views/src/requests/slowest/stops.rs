//! How long the JVM stopped all threads during requests.

use crate::requests::slowest::{Split, TimeDifference};
use serde::Serialize;
use std::collections::BTreeSet;
use whittle_model::{JvmEventKind, JvmEventTable, RequestTable, Table};
use whittle_profile::Profile;
use whittle_profile::order::sort_by_key;

/// The stops of the JVM during the slowest requests, and during the others. A stop can be a part of any kind of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StopDifference {
    /// The mean time per request in which the JVM stopped all threads.
    #[serde(flatten)]
    pub times: TimeDifference,
    /// Number of slow requests with such a time.
    pub slowest_requests_count: u64,
    /// Number of other requests with such a time.
    pub others_requests_count: u64,
    /// The operation with the most of this time in the slowest requests: `Pause Full (System.gc())`. Missing: none.
    pub operation: Option<String>,
    /// Whether the stops are the main reason: they explain at least as much of the difference as all other reasons together can.
    pub is_main_reason: bool,
}

/// The stops of the JVM. Missing if the JVM reported no safepoints. `longer_ns`: the sum of all kinds of time that the slowest requests
/// have more of.
///
/// A stop is a part of other kinds of time, and it is not known of which ones. So the rest of the difference is all that these kinds
/// can have without the stops.
pub(super) fn stops(profile: &Profile, split: &Split, longer_ns: f64) -> Option<StopDifference> {
    let events = &profile.tables().jvm_events;
    let stopped = Stopped::new(events, |row| events.kind[row] == JvmEventKind::Safepoint)?;
    let table = &profile.tables().requests;
    let of_side = |rows: &[usize]| {
        let (mut time_ns, mut with_stop, mut all) = (0.0, 0_u64, 0.0);
        for row in rows.iter().copied() {
            let count = table.requests_count[row];
            let overlap_ns = stopped.within(table, row);
            time_ns += overlap_ns as f64 * count as f64;
            all += count as f64;
            with_stop = with_stop.saturating_add(if overlap_ns > 0 { count } else { 0 });
        }
        (if all > 0.0 { time_ns / all } else { 0.0 }, with_stop)
    };
    let ((slowest_ns, slowest_requests_count), (others_ns, others_requests_count)) =
        (of_side(&split.slowest), of_side(&split.others));
    let times = TimeDifference::new(slowest_ns, others_ns);
    Some(StopDifference {
        times,
        slowest_requests_count,
        others_requests_count,
        operation: operation(events, table, &split.slowest),
        is_main_reason: times.difference_ns > 0.0 && times.difference_ns * 2.0 >= longer_ns,
    })
}

/// The name of the operation that stopped some requests for the longest time. Pauses of the collector have more exact names than their
/// safepoints, and are shorter.
fn operation(events: &JvmEventTable, table: &RequestTable, rows: &[usize]) -> Option<String> {
    let longest_of = |kind: JvmEventKind| {
        let names: BTreeSet<&str> =
            (0..events.len()).filter(|row| events.kind[*row] == kind).map(|row| events.name[row].as_str()).collect();
        let times = names.into_iter().filter_map(|name| {
            let stopped = Stopped::new(events, |row| events.kind[row] == kind && events.name[row] == name)?;
            let of_row = |row: usize| stopped.within(table, row) as f64 * table.requests_count[row] as f64;
            Some((name, rows.iter().copied().map(of_row).sum::<f64>()))
        });
        times.filter(|(_, time_ns)| *time_ns > 0.0).max_by(|(_, a), (_, b)| a.total_cmp(b))
    };
    let safepoint = longest_of(JvmEventKind::Safepoint);
    let pause = longest_of(JvmEventKind::GcPause);
    let is_longest = |(_, pause_ns): &(&str, f64)| safepoint.is_none_or(|(_, stop_ns)| pause_ns * 2.0 >= stop_ns);
    pause.filter(is_longest).or(safepoint).map(|(name, _)| name.to_owned())
}

/// The times in which all threads were stopped. They do not overlap.
struct Stopped {
    start_ns: Vec<u64>,
    end_ns: Vec<u64>,
    /// Stopped time before the start of each.
    before_ns: Vec<u64>,
}

impl Stopped {
    /// The times of some events. Missing if there are none.
    fn new(events: &JvmEventTable, is_wanted: impl Fn(usize) -> bool) -> Option<Self> {
        let mut rows: Vec<usize> = (0..events.len()).filter(|row| is_wanted(*row)).collect();
        sort_by_key(&mut rows, |row| events.start_ns[*row]);
        let mut stopped = Self { start_ns: Vec::new(), end_ns: Vec::new(), before_ns: Vec::new() };
        let (mut sum_ns, mut last_ns) = (0, 0);
        for row in rows {
            // Two JVMs, or a damaged log, can report stops that overlap.
            let (start_ns, end_ns) = (events.start_ns[row].max(last_ns), events.end_ns[row]);
            if end_ns > start_ns {
                stopped.start_ns.push(start_ns);
                stopped.end_ns.push(end_ns);
                stopped.before_ns.push(sum_ns);
                sum_ns += end_ns - start_ns;
                last_ns = end_ns;
            }
        }
        (!stopped.start_ns.is_empty()).then_some(stopped)
    }

    /// Stopped time in a row of requests.
    fn within(&self, table: &RequestTable, row: usize) -> u64 {
        self.before(table.end_ns[row]) - self.before(table.start_ns[row])
    }

    /// Stopped time before a time.
    fn before(&self, time_ns: u64) -> u64 {
        let begun = self.start_ns.partition_point(|start_ns| *start_ns < time_ns);
        let Some(last) = begun.checked_sub(1) else { return 0 };
        self.before_ns[last] + time_ns.min(self.end_ns[last]) - self.start_ns[last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use whittle_model::JvmEvent;

    proptest! {
        #[test]
        fn stopped_time_is_the_number_of_stopped_nanoseconds(
            spans in proptest::collection::vec((0_u64..100, 0_u64..30), 1..20),
            from in 0_u64..120,
            length in 0_u64..60,
        ) {
            let mut events = JvmEventTable::default();
            for (start_ns, length_ns) in &spans {
                events.push(JvmEvent {
                    start_ns: *start_ns,
                    end_ns: start_ns + length_ns,
                    kind: JvmEventKind::Safepoint,
                    name: String::new(),
                    reaching_ns: 0,
                    heap_before_bytes: None,
                    heap_after_bytes: None,
                });
            }
            let is_stopped = |time: &u64| spans.iter().any(|(start, length)| (*start..start + length).contains(time));
            let expected = (from..from + length).filter(is_stopped).count() as u64;
            let found = Stopped::new(&events, |_| true).map_or(0, |stopped| stopped.before(from + length) - stopped.before(from));
            prop_assert_eq!(found, expected);
        }
    }
}
