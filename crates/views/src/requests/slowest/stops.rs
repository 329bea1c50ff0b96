//! How long the JVM stopped all threads during requests.

use crate::requests::slowest::{Split, TimeDifference};
use serde::Serialize;
use whittle_model::{JvmEventKind, JvmEventTable, Table};
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
}

/// The stops of the JVM. Missing if the JVM reported no safepoints.
pub(super) fn stops(profile: &Profile, split: &Split) -> Option<StopDifference> {
    let stopped = Stopped::new(&profile.tables().jvm_events)?;
    let table = &profile.tables().requests;
    let of_side = |rows: &[usize]| {
        let (mut time_ns, mut with_stop, mut all) = (0.0, 0_u64, 0.0);
        for row in rows.iter().copied() {
            let count = table.requests_count[row];
            let overlap_ns = stopped.before(table.end_ns[row]) - stopped.before(table.start_ns[row]);
            time_ns += overlap_ns as f64 * count as f64;
            all += count as f64;
            with_stop = with_stop.saturating_add(if overlap_ns > 0 { count } else { 0 });
        }
        (if all > 0.0 { time_ns / all } else { 0.0 }, with_stop)
    };
    let ((slowest_ns, slowest_requests_count), (others_ns, others_requests_count)) =
        (of_side(&split.slowest), of_side(&split.others));
    Some(StopDifference {
        times: TimeDifference::new(slowest_ns, others_ns),
        slowest_requests_count,
        others_requests_count,
    })
}

/// The times in which all threads were stopped. They do not overlap.
struct Stopped {
    start_ns: Vec<u64>,
    end_ns: Vec<u64>,
    /// Stopped time before the start of each.
    before_ns: Vec<u64>,
}

impl Stopped {
    fn new(events: &JvmEventTable) -> Option<Self> {
        let mut rows: Vec<usize> =
            (0..events.len()).filter(|row| events.kind[*row] == JvmEventKind::Safepoint).collect();
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
            let found = Stopped::new(&events).map_or(0, |stopped| stopped.before(from + length) - stopped.before(from));
            prop_assert_eq!(found, expected);
        }
    }
}
