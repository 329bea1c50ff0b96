//! Tests that each time range is read from the right table, and that names cannot inject SQL.

use super::*;
use crate::catalogue::Level;

const DAY: i64 = 1_795_305_600; // 2026-11-22

fn file(table: FleetTable, service: &str, (first_s, last_s): (i64, i64)) -> DataFile {
    let path = format!("tables/{}/service={service}/{first_s}.parquet", table.name());
    let service = service.to_owned();
    DataFile { table, path, service, first_s, last_s, level: Level::Hour, row_count: 1, bytes: 1 }
}

fn snapshot() -> Snapshot {
    let mut snapshot = Snapshot::default();
    for hour in 0..24 {
        let start_s = DAY + hour * HOUR_S;
        snapshot.files.push(file(FleetTable::Samples, "checkout", (start_s, start_s + HOUR_S - 1)));
        snapshot.files.push(file(FleetTable::Rollup, "checkout", (start_s, start_s)));
        snapshot.files.push(file(FleetTable::Samples, "search", (start_s, start_s + HOUR_S - 1)));
    }
    snapshot
}

fn question(from_s: i64, to_s: i64, split: &[Split]) -> Question {
    let whose = Whose { services: vec!["checkout".to_owned()], ..Whose::default() };
    Question { whose, time: TimeRange { from_s, to_s }, split: split.to_vec() }
}

/// The tables that a query reads, each with its time ranges in seconds since the start of the day.
fn parts(question: &Question) -> Vec<(&'static str, Vec<(i64, i64)>)> {
    let from_day = |(from_s, to_s): (i64, i64)| (from_s - DAY, to_s - DAY);
    let parts = question.parts(&snapshot()).into_iter();
    parts.map(|part| (part.table.name(), part.ranges.into_iter().map(from_day).collect())).collect()
}

#[test]
fn whole_hours_come_from_the_rollup_and_edges_from_samples() {
    let hours = |from, to| parts(&question(DAY + from, DAY + to, &[]));
    assert_eq!(hours(3600, 7200), [("rollup", vec![(3600, 7200)])]);
    assert_eq!(hours(3601, 7200), [("samples", vec![(3601, 7200)])]);
    assert_eq!(hours(1800, 9000), [("rollup", vec![(3600, 7200)]), ("samples", vec![(1800, 3600), (7200, 9000)])]);
    assert_eq!(hours(3600, 7201), [("rollup", vec![(3600, 7200)]), ("samples", vec![(7200, 7201)])]);
}

#[test]
fn beyond_what_is_known_an_hour_is_whole() {
    let hours = |from, to| parts(&question(DAY + from, DAY + to, &[]));
    assert_eq!(hours(82_800, 86_400 + 60), [("rollup", vec![(82_800, 90_000)])]);
    assert_eq!(hours(-60, 3600), [("rollup", vec![(-3600, 3600)])]);
}

#[test]
fn threads_and_minutes_come_from_samples() {
    for split in [Split::Thread, Split::Time(60)] {
        assert_eq!(parts(&question(DAY, DAY + 7200, &[split])), [("samples", vec![(0, 7200)])]);
    }
    assert_eq!(parts(&question(DAY, DAY + 7200, &[Split::Time(3600)])), [("rollup", vec![(0, 7200)])]);
}

#[test]
fn only_files_of_the_service_and_the_time_are_read() {
    let asked = question(DAY + 1800, DAY + 9000, &[Split::Host]).observations(&snapshot());
    let paths: Vec<&str> = asked.files.iter().map(|file| file.path.as_str()).collect();
    let samples = |hour: i64| format!("tables/samples/service=checkout/{}.parquet", DAY + hour * HOUR_S);
    let rollup = format!("tables/rollup/service=checkout/{}.parquet", DAY + HOUR_S);
    assert_eq!(paths, [rollup, samples(0), samples(2)]);
    assert!(asked.sql.starts_with("SELECT host, thread_class, event, mode, reason, stack, SUM("), "{}", asked.sql);
}

#[test]
fn a_name_is_no_sql() {
    let whose = Whose {
        services: vec!["a' OR 'x'='x".to_owned()],
        hosts: vec!["h1".to_owned(), "';--".to_owned()],
        labels: vec!["zone=10%_\\'".parse().expect("a label")],
        ..Whose::default()
    };
    assert_eq!(
        whose.condition("time_s >= 0"),
        "(time_s >= 0) AND service = 'a'' OR ''x''=''x' AND host IN ('h1', ''';--') \
         AND (',' || labels || ',') LIKE '%,zone=10\\%\\_\\\\'',%' ESCAPE '\\'"
    );
}

#[test]
fn moments_are_read_as_people_write_them() {
    let now_s = DAY + 3600;
    for (text, moment_s) in [
        ("now", now_s),
        ("30m", now_s - 1800),
        ("1d", now_s - 86_400),
        ("2026-11-22", DAY),
        ("2026-11-22T14:30", DAY + 52_200),
        ("2026-11-22 14:30:05Z", DAY + 52_205),
        ("2024-02-29", 1_709_164_800),
    ] {
        assert_eq!(parse_moment(text, now_s), Ok(moment_s), "{text}");
    }
    for wrong in
        ["", "h", "5", "-5m", "1y", "2026-13-01", "2025-02-29", "2026-11-22T24:00", "2026-11-22T1:00", "9999999999d"]
    {
        assert!(parse_moment(wrong, now_s).is_err(), "{wrong}");
    }
    assert_eq!(TimeRange { from_s: DAY, to_s: DAY + 61 }.to_string(), "2026-11-22 00:00:00 to 2026-11-22 00:01:01");
    let parse =
        |from, to| TimeRange::parse((from, to), 3600, now_s).map(|time| (time.from_s - now_s, time.to_s - now_s));
    assert_eq!(parse(None, None), Ok((-3600, 0)));
    assert_eq!(parse(None, Some("2d")), Ok((-3600 - 2 * 86_400, -2 * 86_400)), "the hour before the end");
    assert_eq!(parse(Some("30m"), None), Ok((-1800, 0)));
    assert!(parse(Some("now"), Some("1h")).is_err());
}

#[test]
fn slices_lie_one_behind_the_other() {
    let slices = |to_s: i64, count: u64| {
        let slices = TimeRange { from_s: 3, to_s }.slices(count);
        slices.map(|slice| (slice.from_s, slice.to_s)).collect::<Vec<_>>()
    };
    assert_eq!(slices(10, 0), [(3, 10)]);
    assert_eq!(slices(10, 3), [(3, 6), (6, 9), (9, 10)]);
    assert_eq!(slices(5, 9), [(3, 4), (4, 5)]);
}
