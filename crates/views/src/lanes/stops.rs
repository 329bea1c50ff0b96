//! The lane of the JVM's stops: safepoints, and pauses of the collector, which are inside safepoints.

use crate::lanes::longest::{LaneBins, Span, bins_of};
use crate::timeline::bins::TimeBins;
use serde::Serialize;
use whittle_model::{JvmEventKind, JvmEventTable, Table};
use whittle_profile::order::sort_by_key;

/// The stops of a time range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StopsLane {
    /// Number of stops that overlap the time range.
    pub stops_count: usize,
    /// The longest stop of each bin, in the order of time.
    pub longest: Vec<LaneStop>,
}

/// A time in which the JVM had stopped all Java threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LaneStop {
    /// `gc_pause` if the collector worked in it, otherwise `safepoint`.
    pub kind: JvmEventKind,
    /// The name of the collector's pause, otherwise of the safepoint.
    pub name: String,
    /// Start, in nanoseconds since the experiment's start.
    pub start_ns: u64,
    /// End.
    pub end_ns: u64,
    /// Part of the stop: the time until the last thread had stopped. 0 if unknown.
    pub reaching_ns: u64,
}

/// The lane, and its bins. The lane is missing if the JVM never reported a stop.
pub(super) fn stops_lane(bins: TimeBins, events: &JvmEventTable) -> (Option<StopsLane>, LaneBins) {
    let stops = stops(events);
    if stops.is_empty() {
        return (None, LaneBins::default());
    }
    let spans: Vec<Span> =
        stops.iter().map(|stop| Span { start_ns: stop.start_ns, end_ns: stop.end_ns, count: 1 }).collect();
    let (mut of_bins, listed) = bins_of(bins, &spans);
    // Several JVMs can stop at the same time.
    of_bins.amount.iter_mut().for_each(|share| *share = share.min(1.0));
    let is_inside = |span: &&Span| span.start_ns <= bins.to_ns && span.end_ns >= bins.from_ns;
    let stops_count = spans.iter().filter(is_inside).count();
    (Some(StopsLane { stops_count, longest: listed.iter().map(|stop| stops[*stop].clone()).collect() }), of_bins)
}

/// All stops in the order of time: the safepoints, and the collector's pauses that are in no safepoint.
fn stops(events: &JvmEventTable) -> Vec<LaneStop> {
    let of_kind = |kind: JvmEventKind| (0..events.len()).filter(move |row| events.kind[*row] == kind);
    let stop = |row: usize| LaneStop {
        kind: events.kind[row],
        name: events.name[row].clone(),
        start_ns: events.start_ns[row],
        end_ns: events.end_ns[row],
        reaching_ns: events.reaching_ns[row],
    };
    let mut stops: Vec<LaneStop> = of_kind(JvmEventKind::Safepoint).map(stop).collect();
    sort_by_key(&mut stops, |stop| stop.start_ns);
    let mut alone = Vec::new();
    let mut longest_ns = vec![0; stops.len()];
    for row in of_kind(JvmEventKind::GcPause) {
        let pause = stop(row);
        let length_ns = pause.end_ns - pause.start_ns;
        // The JVM rounds both ends of a pause, so they can be outside of the safepoint. The middle is inside.
        let middle_ns = pause.start_ns + length_ns / 2;
        let after = stops.partition_point(|stop| stop.start_ns <= middle_ns);
        match after.checked_sub(1).filter(|safepoint| stops[*safepoint].end_ns >= middle_ns) {
            None => alone.push(pause),
            Some(safepoint) if length_ns >= longest_ns[safepoint] => {
                longest_ns[safepoint] = length_ns;
                stops[safepoint].kind = pause.kind;
                stops[safepoint].name = pause.name;
            }
            Some(_) => {}
        }
    }
    stops.extend(alone);
    sort_by_key(&mut stops, |stop| stop.start_ns);
    stops
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::JvmEvent;

    #[test]
    fn a_safepoint_has_the_name_of_the_pause_in_it() {
        let mut events = JvmEventTable::default();
        for (start_ns, end_ns, kind, name) in [
            (60, 70, JvmEventKind::GcPause, "Pause Full"),
            (10, 30, JvmEventKind::Safepoint, "G1CollectForAllocation"),
            (14, 28, JvmEventKind::GcPause, "Pause Young"),
            (12, 13, JvmEventKind::GcPause, "Pause Remark"),
            (40, 41, JvmEventKind::Safepoint, "Cleanup"),
            (0, 100, JvmEventKind::GcConcurrent, "Concurrent Mark"),
        ] {
            let name = name.to_owned();
            let event = JvmEvent {
                start_ns,
                end_ns,
                kind,
                name,
                reaching_ns: 2,
                heap_before_bytes: None,
                heap_after_bytes: None,
            };
            events.push(event);
        }
        let text = |stop: &LaneStop| format!("{} {} {}..{}", stop.kind, stop.name, stop.start_ns, stop.end_ns);
        let (lane, of_bins) = stops_lane(TimeBins { from_ns: 0, to_ns: 50, count: 5 }, &events);
        let lane = lane.expect("stops");
        let listed: Vec<String> = lane.longest.iter().map(text).collect();
        assert_eq!(listed, ["gc_pause Pause Young 10..30", "safepoint Cleanup 40..41"]);
        assert_eq!((lane.stops_count, of_bins.amount), (2, vec![0.0, 1.0, 1.0, 0.0, 0.1]));
        let all: Vec<String> = stops(&events).iter().map(text).collect();
        assert_eq!(all[2], "gc_pause Pause Full 60..70");
    }

    #[test]
    fn without_stops_there_is_no_lane() {
        let (lane, of_bins) = stops_lane(TimeBins { from_ns: 0, to_ns: 50, count: 5 }, &JvmEventTable::default());
        assert_eq!((lane, of_bins), (None, LaneBins::default()));
    }
}
