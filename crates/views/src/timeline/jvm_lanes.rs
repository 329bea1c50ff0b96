//! Lanes of what the JVM reported: how long all threads were stopped in each bin, what the collector did, and how often compiled
//! code was given up. The JVM reports the start and end of each event, so the values are exact.

use crate::timeline::bins::{TimeBins, TimeRange};
use crate::timeline::counters::TimelineCounter;
use whittle_model::{JvmEventKind, JvmEventTable};

/// The lane that contains all times in which threads were stopped.
pub(crate) const STOPPED: &str = "all_threads_stopped_ns";

/// The lanes, each with its events. A lane with a time has the events' time in each bin, and a lane with a count has their
/// number.
const LANES: [(&str, &str, JvmEventKind); 5] = [
    (STOPPED, "nanoseconds", JvmEventKind::Safepoint),
    ("gc_pause_ns", "nanoseconds", JvmEventKind::GcPause),
    ("concurrent_gc_ns", "nanoseconds", JvmEventKind::GcConcurrent),
    ("allocation_stall_ns", "nanoseconds", JvmEventKind::AllocationStall),
    ("deoptimization_count", "count", JvmEventKind::Deoptimization),
];

/// The lanes that have events, and one value per lane and bin.
pub(super) fn lanes_in(bins: TimeBins, events: &JvmEventTable) -> (Vec<TimelineCounter>, Vec<f32>) {
    let (mut lanes, mut values) = (Vec::new(), Vec::new());
    for (name, unit, kind) in LANES {
        let rows: Vec<usize> = (0..events.kind.len()).filter(|row| events.kind[*row] == kind).collect();
        if rows.is_empty() {
            continue;
        }
        let mut sums = vec![0.0; bins.count];
        for row in rows {
            let (start_ns, end_ns) = (events.start_ns[row], events.end_ns[row]);
            let spent_ns = if unit == "count" { 1.0 } else { (end_ns - start_ns) as f64 };
            let range = TimeRange { start_ns, end_ns, spent_ns };
            bins.spread(range, |bin, spent| sums[bin] += spent);
        }
        values.extend(sums.into_iter().map(|sum| sum as f32));
        lanes.push(TimelineCounter { name: name.to_owned(), unit, is_difference: true });
    }
    (lanes, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::JvmEvent;

    #[test]
    fn an_event_is_spread_over_its_bins() {
        let mut events = JvmEventTable::default();
        for (start_ns, end_ns, kind) in [
            (5, 15, JvmEventKind::Safepoint),
            (6, 10, JvmEventKind::GcPause),
            (28, 40, JvmEventKind::Safepoint),
            (7, 8, JvmEventKind::GcPhase),
            (12, 12, JvmEventKind::Deoptimization),
            (13, 13, JvmEventKind::Deoptimization),
        ] {
            events.push(JvmEvent {
                start_ns,
                end_ns,
                kind,
                name: String::new(),
                reaching_ns: 0,
                heap_before_bytes: None,
                heap_after_bytes: None,
            });
        }
        let (lanes, values) = lanes_in(TimeBins { from_ns: 0, to_ns: 30, count: 3 }, &events);
        let names: Vec<&str> = lanes.iter().map(|lane| lane.name.as_str()).collect();
        assert_eq!(names, ["all_threads_stopped_ns", "gc_pause_ns", "deoptimization_count"]);
        assert_eq!(values, [5.0, 5.0, 2.0, 4.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    }
}
