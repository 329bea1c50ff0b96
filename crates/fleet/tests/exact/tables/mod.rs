//! Tests the way from landed segments to tables, with every possible fault in between. The tests compare the tables
//! with one experiment that is merged from the same segments.

mod contents;
mod costly;
mod damaged_catalogue;
mod faulty;
mod odd;
mod old_days;

use contents::{of_fleet, of_segments};
use faulty::Faulty;
use futures::TryStreamExt;
use futures::executor::block_on;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use whittle_experiment::{Segment, Store, segment_path, write_segment};
use whittle_fleet::catalogue::{Catalogue, Level};
use whittle_fleet::compaction::compact;
use whittle_fleet::intake::{Intake, IntakeOptions, Refusal, Taken};
use whittle_fleet::retention::{RetentionOptions, retain};
use whittle_fleet::tables::{DAY_S, FleetTable, HOUR_S};
use whittle_model::{SegmentId, StreamId};
use whittle_testkit::{RandomShape, experiment_from_samples, experiment_from_text, random_samples};

/// The start of a day in 2026.
const DAY_START_S: i64 = 1_790_035_200;
const NOON_S: i64 = DAY_START_S + DAY_S / 2;

/// Makes a segment of a host.
fn segment(
    (stream, sequence): (u128, u64),
    host: &str,
    start_s: i64,
    (mut manifest, tables): (whittle_model::Manifest, whittle_model::Tables),
) -> Segment {
    manifest.start_wall_ns = Some(start_s as u64 * 1_000_000_000);
    manifest.duration_ns = 10_000_000_000;
    manifest.segment = Some(SegmentId { stream: StreamId(stream), sequence });
    let labels = [("service", "checkout"), ("host", host), ("version", "1.0"), ("zone", "b"), ("az", "2")];
    manifest.labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Segment { manifest, tables }
}

fn store() -> (Arc<InMemory>, Arc<Store>) {
    let objects = Arc::new(InMemory::new());
    let store = Arc::new(Store::over(objects.clone(), "memory"));
    (objects, store)
}

fn land(store: &Store, segment: &Segment) -> String {
    block_on(store.land(&segment.manifest, &segment.tables)).unwrap()
}

fn intake(store: &Arc<Store>) -> Intake {
    Intake::new(Catalogue::new(Arc::clone(store)), IntakeOptions::default())
}

fn paths(objects: &InMemory, folder: &str) -> Vec<String> {
    let listed: Vec<_> = block_on(objects.list(Some(&Path::from(folder))).try_collect()).unwrap();
    listed.into_iter().map(|object| object.location.to_string()).collect()
}

/// Segments of ten seconds. Each of the three hosts has several segments.
fn some_segments() -> Vec<Segment> {
    let stacks = [
        "Main.main\nApp$$Lambda/0x0000711.run\nParser.parse",
        "Main.main\nApp$$Lambda/0x0000922.run\nParser.parse\nLexer.next",
        "Main.main\nWriter.write",
    ];
    let one = |number: u64| {
        let host = number % 3;
        let start_s = NOON_S + 10 * (number as i64 / 3) + 600 * host as i64;
        let id = (u128::from(host), number / 3);
        segment(
            id,
            &format!("host-{host}"),
            start_s,
            experiment_from_text(stacks[(number % 2 + number / 6) as usize % 3]),
        )
    };
    (0..12).map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The tables have exactly the content of one experiment with all segments. The order of arrival does not matter.
    #[test]
    fn segments_merge_to_the_tables_of_one_experiment(
        runs in proptest::collection::vec(
            random_samples(RandomShape { function_count: 4, depth: 6, sample_count: 30, thread_count: 3 }), 1..8),
        order in any::<u64>(),
    ) {
        let segments: Vec<Segment> = runs.iter().enumerate().map(|(number, run)| {
            let host = format!("host-{}", number % 3);
            // Some segments span the end of an hour and of a day.
            let start_s = DAY_START_S + DAY_S - 4 - 3600 * (number as i64 % 2);
            let mut experiment = experiment_from_samples(run);
            experiment.1.samples.time_ns.iter_mut().for_each(|time| *time *= 100_000_000);
            segment((number as u128, 0), &host, start_s, experiment)
        }).collect();
        let (_, store) = store();
        let mut intake = intake(&store);
        let now_s = DAY_START_S + DAY_S + 600;
        let (first, second): (Vec<_>, Vec<_>) =
            segments.iter().enumerate().partition(|(number, _)| order >> number & 1 == 0);
        for part in [first, second] {
            part.iter().for_each(|(_, segment)| drop(land(&store, segment)));
            block_on(intake.run(now_s)).unwrap();
        }
        for table in [FleetTable::Samples, FleetTable::Rollup] {
            prop_assert_eq!(of_fleet(&store, table, &["checkout"]), of_segments(&segments, table));
        }
        let catalogue = Catalogue::new(Arc::clone(&store));
        block_on(compact(&catalogue, now_s + 3 * DAY_S)).unwrap();
        prop_assert!(block_on(catalogue.newest()).unwrap().files.iter().all(|file| file.level == Level::Day));
        for table in [FleetTable::Samples, FleetTable::Rollup] {
            prop_assert_eq!(of_fleet(&store, table, &["checkout"]), of_segments(&segments, table));
        }
    }
}

#[test]
fn what_the_jvm_numbers_anew_is_one_stack_on_all_hosts() {
    let (_, store) = store();
    some_segments().iter().for_each(|segment| drop(land(&store, segment)));
    block_on(intake(&store).run(NOON_S + 900)).unwrap();
    let sums = of_fleet(&store, FleetTable::Rollup, &["checkout"]);
    let names: BTreeSet<&String> = sums.keys().flat_map(|key| &key.3).filter(|name| name.contains("Lambda")).collect();
    assert_eq!(names, BTreeSet::from([&"App$$Lambda.run jit".to_owned()]));
}

/// The intake is killed at each possible call and started again. Then all data is in the tables exactly once.
#[test]
fn an_intake_that_is_killed_loses_and_doubles_nothing() {
    let segments = some_segments();
    let expected = of_segments(&segments, FleetTable::Samples);
    let mut is_through = false;
    for calls in 0..200 {
        let (objects, store) = store();
        segments.iter().for_each(|segment| drop(land(&store, segment)));
        let faulty = Arc::new(Store::over(Arc::new(Faulty::new(objects.clone(), calls)), "memory"));
        let options = IntakeOptions { batch_bytes: 1, ..IntakeOptions::default() };
        let killed = block_on(Intake::new(Catalogue::new(faulty), options).run(NOON_S + 900));
        block_on(intake(&store).run(NOON_S + 900)).unwrap();
        assert_eq!(of_fleet(&store, FleetTable::Samples, &["checkout"]), expected, "killed at call {calls}");
        assert!(paths(&objects, "segments").is_empty(), "killed at call {calls}");
        is_through |= killed.is_ok();
    }
    assert!(is_through, "the loop must try more calls");
}

#[test]
fn a_compaction_that_is_killed_changes_nothing_that_is_said() {
    let segments = some_segments();
    let expected = of_segments(&segments, FleetTable::Samples);
    let mut is_through = false;
    for calls in 0..120 {
        let (objects, store) = store();
        for segment in &segments {
            land(&store, segment);
            block_on(intake(&store).run(NOON_S + 900)).unwrap();
        }
        let faulty = Arc::new(Store::over(Arc::new(Faulty::new(objects, calls)), "memory"));
        let killed = block_on(compact(&Catalogue::new(faulty), NOON_S + 2 * DAY_S));
        assert_eq!(of_fleet(&store, FleetTable::Samples, &["checkout"]), expected, "killed at call {calls}");
        block_on(compact(&Catalogue::new(Arc::clone(&store)), NOON_S + 2 * DAY_S)).unwrap();
        assert_eq!(of_fleet(&store, FleetTable::Samples, &["checkout"]), expected, "killed at call {calls}");
        is_through |= killed.is_ok();
    }
    assert!(is_through, "the loop must try more calls");
}

#[test]
fn a_segment_that_comes_again_is_not_counted_again() {
    let (objects, store) = store();
    let segments = some_segments();
    let mut intake = intake(&store);
    segments.iter().for_each(|segment| drop(land(&store, segment)));
    let taken = block_on(intake.run(NOON_S + 900)).unwrap();
    assert_eq!((taken.segment_count, taken.known_count), (12, 0));
    let expected = of_fleet(&store, FleetTable::Samples, &["checkout"]);
    segments.iter().for_each(|segment| drop(land(&store, segment)));
    // A segment with the same identity and other content. An agent cannot send such a segment, but a user can copy a
    // folder.
    let mut other = segments[0].clone();
    other.manifest.comment = "a copy".to_owned();
    land(&store, &other);
    let taken = block_on(intake.run(NOON_S + 900)).unwrap();
    assert_eq!(taken, Taken { known_count: 13, ..Taken::default() });
    assert_eq!(of_fleet(&store, FleetTable::Samples, &["checkout"]), expected);
    assert!(paths(&objects, "segments").is_empty());
}

#[test]
fn damaged_and_late_segments_are_put_aside_and_the_others_taken() {
    let (objects, store) = store();
    let segments = some_segments();
    land(&store, &segments[0]);
    let bytes = write_segment(&segments[1].manifest, &segments[1].tables).unwrap();
    let path = segment_path(&segments[1].manifest, &bytes).unwrap();
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    block_on(objects.put(&Path::from(path.as_str()), damaged.into())).unwrap();
    // The name belongs to another segment, but the bytes are not damaged.
    let renamed = path.replacen("-0-", "-9-", 1);
    assert_ne!(renamed, path);
    block_on(objects.put(&Path::from(renamed), bytes.into())).unwrap();
    let late = segment((9, 0), "host-9", NOON_S - 3 * DAY_S, experiment_from_text("main"));
    land(&store, &late);
    block_on(objects.put(&Path::from("segments/README"), "not ours".into())).unwrap();
    let taken = block_on(intake(&store).run(NOON_S + 900)).unwrap();
    assert_eq!((taken.segment_count, taken.refused.len()), (1, 3));
    assert_eq!(of_fleet(&store, FleetTable::Samples, &["checkout"]), of_segments(&segments[..1], FleetTable::Samples));
    assert_eq!(paths(&objects, &Refusal::Damaged.folder()).len(), 2);
    assert_eq!(paths(&objects, &Refusal::TooLate.folder()).len(), 1);
    assert_eq!(paths(&objects, "segments"), ["segments/README"]);
}

/// Here the store's clock is the machine's clock. The store's clock determines when a segment arrived.
#[test]
fn a_host_whose_clock_is_ahead_does_not_write_into_the_future() {
    let (_, store) = store();
    let now_s = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
    land(&store, &segment((1, 0), "ahead", now_s + 5 * HOUR_S, experiment_from_text("main")));
    land(&store, &segment((2, 0), "right", now_s - 10, experiment_from_text("main")));
    let taken = block_on(intake(&store).run(now_s)).unwrap();
    assert_eq!((taken.segment_count, taken.ahead_count), (2, 1));
    for (time_s, ..) in of_fleet(&store, FleetTable::Samples, &["checkout"]).into_keys() {
        assert!((now_s - 30..=now_s + 30).contains(&time_s), "{time_s} at {now_s}");
    }
}

#[test]
fn old_days_and_files_that_nobody_names_leave_the_store() {
    let (objects, store) = store();
    let catalogue = Catalogue::new(Arc::clone(&store));
    some_segments().iter().for_each(|segment| drop(land(&store, segment)));
    let options = IntakeOptions { batch_bytes: 1, ..IntakeOptions::default() };
    block_on(Intake::new(catalogue.clone(), options).run(NOON_S + 900)).unwrap();
    let file_count = paths(&objects, "tables").len();
    block_on(compact(&catalogue, NOON_S + 2 * DAY_S)).unwrap();
    let named = block_on(catalogue.newest()).unwrap().files.len();
    assert!(named < file_count && paths(&objects, "tables").len() > named, "the old files are still there");

    // The times of objects come from the machine's clock. After two hours, files that no snapshot names are old.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
    let soon_s = now + 2 * HOUR_S;
    let all_days = RetentionOptions { days: 10_000, refused_days: 1, is_confirmed: false };
    let removed = block_on(retain(&catalogue, all_days, soon_s)).unwrap();
    assert!(removed.object_count > 0 && removed.expired_count == 0, "{removed:?}");
    assert_eq!(paths(&objects, "tables").len(), named);

    let later_s = soon_s.max(NOON_S + 5 * DAY_S);
    let options = RetentionOptions { days: 3, refused_days: 1, is_confirmed: true };
    let removed = block_on(retain(&catalogue, options, later_s)).unwrap();
    assert_eq!(removed.expired_count as usize, named);
    assert!(paths(&objects, "tables").is_empty());
}

/// Directories and addresses can contain special characters.
#[test]
fn a_service_may_have_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(folder.path().to_str().unwrap()).unwrap());
    let name = "../orders/eu ä%2F*=1";
    let mut segments = some_segments();
    for segment in &mut segments {
        segment.manifest.labels.insert("service".to_owned(), name.to_owned());
        land(&store, segment);
    }
    block_on(intake(&store).run(NOON_S + 900)).unwrap();
    block_on(compact(&Catalogue::new(Arc::clone(&store)), NOON_S + 2 * DAY_S)).unwrap();
    assert_eq!(of_fleet(&store, FleetTable::Samples, &[name]), of_segments(&segments, FleetTable::Samples));
    let names: Vec<_> = std::fs::read_dir(folder.path().join("tables/samples")).unwrap().flatten().collect();
    assert_eq!(names[0].file_name(), "service=+2E.+2Forders+2Feu+20+C3+A4+252F+2A+3D1");
}

/// Two intakes load segments of one store. One intake commits, and the other intake finds that the segments are already
/// loaded.
#[test]
fn two_intakes_count_nothing_twice() {
    let (_, store) = store();
    let segments = some_segments();
    segments.iter().for_each(|segment| drop(land(&store, segment)));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let mut intake = intake(&store);
            runtime.spawn(async move { intake.run(NOON_S + 900).await })
        })
        .collect();
    for task in tasks {
        // If another intake commits first, this result is an error. The next call then loads the remaining segments.
        let _ = runtime.block_on(task).unwrap();
    }
    runtime.block_on(intake(&store).run(NOON_S + 900)).unwrap();
    assert_eq!(of_fleet(&store, FleetTable::Samples, &["checkout"]), of_segments(&segments, FleetTable::Samples));
}
