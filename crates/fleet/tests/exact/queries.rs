//! Compares answers of the fleet with views of the same segments. These segments are merged as runs.

use crate::support::{self, DAY_S, Landed, TestFleet};
use whittle_fleet::cost::Price;
use whittle_fleet::question::{Question, Split, TimeRange, Whose};
use whittle_fleet::share::ShareQuestion;
use whittle_profile::{Fragment, Query, ViewMode};
use whittle_views::flame_graph::{Direction, FlameGraphShape};

const HOUR_S: i64 = 3600;

fn question(service: &str, from_s: i64, to_s: i64) -> Question {
    let whose = Whose { services: vec![service.to_owned()], ..Whose::default() };
    Question { whose, time: TimeRange { from_s, to_s }, split: Vec::new() }
}

/// A fleet with three machines, two versions, two days, and hours with all kinds of content.
fn fleet() -> TestFleet {
    let mut segments = Vec::new();
    let starts = [0, 30, 1770, 3570, 3600, 7170, 40_000, 82_790, 86_370, 86_400, 90_000];
    for (number, start) in starts.into_iter().enumerate() {
        for host in 0..3 {
            let version = if host == 0 || number > 5 { "1.1" } else { "1.0" };
            segments.push(Landed::new("checkout", &format!("host-{host}"), version, DAY_S + start));
        }
        segments.push(Landed::new("search", "host-0", "7", DAY_S + start));
    }
    TestFleet::of(segments)
}

#[test]
fn every_view_of_a_window_is_that_of_its_segments_merged() {
    let fleet = fleet();
    let windows = [
        (0, 2 * 86_400),      // all
        (0, 86_400),          // a day
        (HOUR_S, 2 * HOUR_S), // a whole hour: only the rollup
        (1795, 3580),         // part of an hour, with ends inside segments: only samples
        (1, 7201),            // edges at both ends
        (7199, 7201),         // one second on each side of the start of an hour
        (86_385, 86_415),     // midnight
        (50_000, 100_000),
    ];
    for (from_s, to_s) in windows {
        let window = (DAY_S + from_s, DAY_S + to_s);
        let asked = fleet.ask(&question("checkout", window.0, window.1)).unwrap();
        let merged = fleet.merged(|segment| segment.service == "checkout", window);
        for mode in ViewMode::ALL {
            let query = Query { mode, ..Query::default() };
            let same = |view: &str, asked: String, merged: String| {
                assert_eq!(asked, merged, "{view} in {mode} mode of {from_s} to {to_s}");
            };
            let functions = |profile: &whittle_profile::Profile| {
                support::rows(&whittle_views::functions::functions(profile, &query).unwrap())
            };
            same("functions", functions(&asked), functions(&merged));
            let lines = |profile: &whittle_profile::Profile| {
                support::rows(&whittle_views::lines::lines(profile, &query).unwrap())
            };
            same("lines", lines(&asked), lines(&merged));
            let callers = |profile: &whittle_profile::Profile| {
                support::rows(
                    &whittle_views::callers_callees::callers_callees(
                        profile,
                        &query,
                        &Fragment::center("work_1()".to_owned()),
                    )
                    .unwrap(),
                )
            };
            same("callers-callees", callers(&asked), callers(&merged));
            let graph = |profile: &whittle_profile::Profile| {
                support::boxes(
                    profile,
                    &query,
                    FlameGraphShape { direction: Direction::Callees, ..FlameGraphShape::default() },
                )
            };
            same("flame graph", graph(&asked), graph(&merged));
        }
    }
}

/// The activity of the JVM's own threads is part of the total.
#[test]
fn a_share_is_of_all_that_the_service_did() {
    let fleet = fleet();
    let (from_s, to_s) = (DAY_S + HOUR_S, DAY_S + 2 * HOUR_S);
    for host in ["host-0", "host-2"] {
        let asked = ShareQuestion {
            question: Question { split: vec![Split::Host], ..question("checkout", from_s, to_s) },
            function: "work_1()".to_owned(),
            mode: ViewMode::User,
            metric: "cpu".to_owned(),
        };
        let share = fleet.runtime.block_on(fleet.fleet.share(&fleet.snapshot, &asked, Price::default())).unwrap();
        let rows: Vec<_> = share.rows.iter().filter(|row| row.part == host).collect();
        let merged = fleet.merged(|segment| segment.service == "checkout" && segment.host == host, (from_s, to_s));
        let functions =
            whittle_views::functions::functions(&merged, &Query { mode: ViewMode::User, ..Query::default() }).unwrap();
        let function = functions.rows.iter().find(|row| row.function == "work_1()").unwrap();
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!(
            [row.exclusive, row.inclusive, row.total],
            [function.values.numbers[0], function.values.numbers[2], functions.total.numbers[0]]
        );
    }
}
