//! Lanes of what the JVM reported: how long all threads were stopped in each bin, and what the collector did. The JVM
//! reports the start and end of each event, so the values are exact.

use crate::timeline::bins::{TimeBins, TimeRange};
use crate::timeline::counters::TimelineCounter;
use whittle_model::{JvmEventKind, JvmEventTable};

/// The lane that contains all times in which threads were stopped.
pub(crate) const STOPPED: &str = "all_threads_stopped_ns";

/// The lanes, each with its events.
const LANES: [(&str, JvmEventKind); 4] = [
    (STOPPED, JvmEventKind::Safepoint),
    ("gc_pause_ns", JvmEventKind::GcPause),
    ("concurrent_gc_ns", JvmEventKind::GcConcurrent),
    ("allocation_stall_ns", JvmEventKind::AllocationStall),
];

/// The lanes that have events, and one value per lane and bin.
pub(super) fn lanes_in(bins: TimeBins, events: &JvmEventTable) -> (Vec<TimelineCounter>, Vec<f32>) {
    let (mut lanes, mut values) = (Vec::new(), Vec::new());
    for (name, kind) in LANES {
        let rows: Vec<usize> = (0..events.kind.len()).filter(|row| events.kind[*row] == kind).collect();
        if rows.is_empty() {
            continue;
        }
        let mut sums = vec![0.0; bins.count];
        for row in rows {
            let (start_ns, end_ns) = (events.start_ns[row], events.end_ns[row]);
            let range = TimeRange { start_ns, end_ns, spent_ns: (end_ns - start_ns) as f64 };
            bins.spread(range, |bin, spent| sums[bin] += spent);
        }
        values.extend(sums.into_iter().map(|sum| sum as f32));
        lanes.push(TimelineCounter { name: name.to_owned(), unit: "nanoseconds", is_difference: true });
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
        ] {
            events.push(JvmEvent { start_ns, end_ns, kind, name: String::new(), reaching_ns: 0 });
        }
        let (lanes, values) = lanes_in(TimeBins { from_ns: 0, to_ns: 30, count: 3 }, &events);
        let names: Vec<&str> = lanes.iter().map(|lane| lane.name.as_str()).collect();
        assert_eq!(names, ["all_threads_stopped_ns", "gc_pause_ns"]);
        assert_eq!(values, [5.0, 5.0, 2.0, 4.0, 0.0, 0.0]);
    }
}
