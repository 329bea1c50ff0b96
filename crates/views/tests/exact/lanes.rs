//! Tests of the lanes of stops and requests above a timeline.

use whittle_engine::{Answer, answer};
use whittle_model::{JvmEvent, JvmEventKind, Request, RequestKind, ThreadIndex};
use whittle_profile::{Profile, Query};
use whittle_testkit::experiment_from_text;
use whittle_views::lanes::{LanesShape, LanesView, NOTHING, lanes};
use whittle_views::source::NoFiles;

const SECOND_NS: u64 = 1_000_000_000;

/// Ten seconds with a stop of 1 s, and three requests, which two threads answer.
fn server() -> Profile {
    let (mut manifest, mut tables) = experiment_from_text(
        "
        @thread  http-1     http-2
                 app.serve  app.serve
        ",
    );
    manifest.duration_ns = 10 * SECOND_NS;
    tables.jvm_events.push(JvmEvent {
        start_ns: 4 * SECOND_NS,
        end_ns: 5 * SECOND_NS,
        kind: JvmEventKind::Safepoint,
        name: "G1CollectFull".to_owned(),
        reaching_ns: 0,
        heap_before_bytes: None,
        heap_after_bytes: None,
    });
    for (name, thread, start, end, kind) in [
        ("GET /fast", 0, 0, 1, RequestKind::Http),
        ("GET /slow", 1, 0, 4, RequestKind::Http),
        ("GET /fast", 0, 8, 9, RequestKind::Http),
        ("SELECT ?", 1, 1, 3, RequestKind::Statement),
    ] {
        let range = (start * SECOND_NS, end * SECOND_NS);
        tables.requests.push(Request::unknown(kind, name, ThreadIndex(thread), range));
    }
    Profile::load(manifest, tables).expect("valid")
}

fn shown(filter: Option<&str>, shape: &LanesShape) -> LanesView {
    let filter = filter.map(|filter| filter.parse().expect("a filter"));
    lanes(&server(), &Query { filter, ..Query::default() }, shape).expect("lanes")
}

fn bins(count: usize) -> LanesShape {
    LanesShape { bins: Some(count), ..LanesShape::default() }
}

/// The longest request of each bin, with its thread.
fn longest(view: &LanesView) -> Vec<String> {
    let listed = &view.header.requests.as_ref().expect("requests").longest;
    let text = |number: &u32| match listed.get(*number as usize) {
        Some(request) => format!("{} {}", request.name, request.thread_name),
        None => String::new(),
    };
    view.longest_request.iter().map(text).collect()
}

#[test]
fn lanes_show_stops_and_the_longest_requests() {
    let view = shown(None, &bins(5));
    assert_eq!(view.stopped, [0.0, 0.0, 0.5, 0.0, 0.0]);
    assert_eq!(view.longest_stop, [NOTHING, NOTHING, 0, NOTHING, NOTHING]);
    assert_eq!(view.header.stops.as_ref().map(|stops| stops.stops_count), Some(1));
    assert_eq!(view.in_progress, [1.5, 1.0, 0.0, 0.0, 0.5]);
    assert_eq!(longest(&view), ["GET /slow http-2", "GET /slow http-2", "", "", "GET /fast http-1"]);
    assert_eq!(view.header.requests.as_ref().map(|requests| requests.requests_count), Some(3));
}

#[test]
fn a_condition_on_requests_selects_requests_and_a_time_range_selects_the_shown_time() {
    let fast = shown(Some("request is \"GET /fast\""), &bins(5));
    assert_eq!(fast.in_progress, [0.5, 0.0, 0.0, 0.0, 0.5]);
    let late = shown(Some("time in 8s..10s"), &bins(2));
    assert_eq!((late.header.from_ns, late.header.to_ns), (8 * SECOND_NS, 10 * SECOND_NS));
    assert_eq!(late.in_progress, [1.0, 0.0]);
    let of_thread = shown(Some("thread = \"http-1\""), &bins(1));
    assert_eq!(of_thread.header.requests.expect("requests").requests_count, 3);
}

#[test]
fn an_experiment_without_stops_and_requests_has_no_lanes() {
    let (manifest, tables) = experiment_from_text("a");
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = lanes(&profile, &Query::default(), &bins(2)).expect("no lanes");
    assert!(view.header.stops.is_none() && view.header.requests.is_none());
    assert!(lanes(&profile, &Query::default(), &bins(0)).is_err());
}

#[test]
fn the_answer_is_a_header_and_numbers() {
    let request = r#"{"view":"lanes","bins":5,"from_ns":0.5}"#;
    let Ok(Answer::Binary(bytes)) = answer(&server(), request, &NoFiles { reason: "a test" }) else { panic!("bytes") };
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""name":"in_progress","type":"f32","length":5"#), "{text}");
}
