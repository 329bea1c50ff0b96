//! Tests of the table of pauses, and of the timeline's line of stops.

use crate::support::text;
use whittle_model::{JvmEvent, JvmEventKind};
use whittle_profile::{Profile, Query};
use whittle_testkit::experiment_from_text;
use whittle_views::pauses::pauses;
use whittle_views::timeline::{TimelineShape, timeline};

/// Samples of 1 s each. The sample of `worker` ends at 2 s.
const SAMPLES: &str = "
    @thread  main      worker    GC Thread#0 [gc]
    @event   cpu       cpu       cpu
    @weight  1         1         1
             app.main  app.main  mark[j]
             app.read  app.sum
";

const EVENTS: [(JvmEventKind, &str, [u64; 3]); 6] = [
    (JvmEventKind::Safepoint, "Collect", [1_000, 1_500, 10]),
    (JvmEventKind::GcPause, "Pause Young (Normal)", [1_010, 1_490, 0]),
    (JvmEventKind::GcPhase, "Evacuate", [1_010, 1_400, 0]),
    (JvmEventKind::Safepoint, "Collect", [2_000, 2_100, 20]),
    (JvmEventKind::GcPause, "Pause Young (Normal)", [2_020, 2_100, 0]),
    (JvmEventKind::GcConcurrent, "Concurrent Mark", [500, 3_500, 0]),
];

/// A profile of 4 s with events. Times are in milliseconds.
fn profile(events: &[(JvmEventKind, &str, [u64; 3])], sample_ms: u64) -> Profile {
    let (mut manifest, mut tables) = experiment_from_text(SAMPLES);
    manifest.duration_ns = 4_000_000_000;
    tables.samples.time_ns.fill(sample_ms * 1_000_000);
    for (kind, name, times) in events {
        let [start_ns, end_ns, reaching_ns] = times.map(|millis| millis * 1_000_000);
        tables.jvm_events.push(JvmEvent {
            start_ns,
            end_ns,
            kind: *kind,
            name: (*name).to_owned(),
            reaching_ns,
            heap_before_bytes: None,
            heap_after_bytes: None,
        });
    }
    Profile::load(manifest, tables).expect("valid")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

/// A sample at 2.005 s is inside the time in which the JVM waited for the last thread.
#[test]
fn each_kind_of_pause_is_a_row() {
    assert_eq!(
        text(&pauses(&profile(&EVENTS, 2_005), &Query::default()).expect("pauses")),
        "
Safepoints and garbage collections, as the JVM reported them

▼ time s  % of time  count   longest µs  to stop s  kind           name
   0.600      15.00      2    500,000.0      0.030  safepoint      <All safepoints>
   0.600      15.00      2    500,000.0      0.030  safepoint      Collect
   0.560      14.00      2    480,000.0      0.000  gc_pause       Pause Young (Normal)
   0.390       9.75      1    390,000.0      0.000  gc_phase       Evacuate
   3.000      75.00      1  3,000,000.0      0.000  gc_concurrent  Concurrent Mark

At 2.000 s, the JVM waited 20.0 ms for the last thread (Collect). According to a sample, it was probably \"worker\" in app.sum.
At 1.000 s, the JVM waited 10.0 ms for the last thread (Collect). No sample shows which one.
Note: rows overlap: a pause of the collector is inside a safepoint, and phases are inside a pause
"
    );
}

#[test]
fn a_filter_limits_the_time_range() {
    let view = pauses(&profile(&EVENTS, 0), &filtered("time in 1.25s..2s and thread = \"main\"")).expect("pauses");
    assert_eq!((view.range_ns, view.stopped.events_count, view.stopped.duration_ns), (750_000_000, 1, 250_000_000));
    assert_eq!((view.stopped.longest_ns, view.stopped.reaching_ns), (500_000_000, 0));
    assert!(view.preamble.notes.iter().any(|note| note.contains("only the time range")), "{:?}", view.preamble.notes);
}

/// Another user's program can write any times into the log.
#[test]
fn sums_of_impossible_times_are_no_failure() {
    let (manifest, mut tables) = experiment_from_text(SAMPLES);
    for _ in 0..2 {
        let (kind, name) = (JvmEventKind::Safepoint, String::new());
        tables.jvm_events.push(JvmEvent {
            start_ns: 0,
            end_ns: u64::MAX,
            kind,
            name,
            reaching_ns: u64::MAX,
            heap_before_bytes: None,
            heap_after_bytes: None,
        });
    }
    let profile = Profile::load(manifest, tables).expect("valid");
    assert_eq!(pauses(&profile, &Query::default()).expect("pauses").stopped.events_count, 2);
    let overview = whittle_views::overview::overview(&profile, &Query::default()).expect("an overview");
    assert_eq!(overview.safepoints.expect("safepoints").duration_ns, u64::MAX);
    timeline(&profile, &Query::default(), &TimelineShape::default()).expect("a timeline");
}

#[test]
fn without_events_the_reason_is_told() {
    let view = pauses(&profile(&[], 0), &Query::default()).expect("pauses");
    assert!(view.rows.is_empty() && view.preamble.notes[0].contains("JDK 9"), "{:?}", view.preamble.notes);
}

#[test]
fn the_timeline_shows_when_all_threads_were_stopped() {
    let shape = TimelineShape { bins: Some(8), ..TimelineShape::default() };
    let view = timeline(&profile(&EVENTS, 2_005), &Query::default(), &shape).expect("a timeline");
    let names: Vec<&str> = view.header.counters.iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(names, ["all_threads_stopped_ns", "gc_pause_ns", "concurrent_gc_ns"]);
    let stopped: Vec<f32> = view.counters[..8].iter().map(|ns| ns / 1e6).collect();
    assert_eq!(stopped, [0.0, 0.0, 500.0, 0.0, 100.0, 0.0, 0.0, 0.0]);
    let drawn = text(&view);
    let line = drawn.lines().find(|line| line.contains("<all threads stopped>")).expect("the line");
    assert!(line.contains("  █ ▂   "), "{drawn}");
}
