//! Tests of stack charts, on experiments drawn as text.

use crate::support::{profile, scaled_waits, with_idle};
use proptest::prelude::{ProptestConfig, prop_assert, proptest};
use proptest::test_runner::TestCaseError;
use whittle_engine::{Answer, answer};
use whittle_model::{EventKind, WaitReason};
use whittle_profile::{Profile, Query, ViewMode};
use whittle_testkit::{RandomSample, RandomShape, experiment_from_samples, random_samples};
use whittle_views::source::NoFiles;
use whittle_views::stack_chart::{StackChartShape, StackChartView, stack_chart};
use whittle_views::timeline::{GroupBy, RowGroup};

/// Two functions below `run`, then a wait, then a sample after a gap. `other` has one sample.
fn run_and_wait() -> Profile {
    profile(
        "
        @thread  main  main   main   main           main   other
        @time    1     2      3      6              9      3
        @weight  1     1      1      3              1      1
        @event   cpu   cpu    cpu    off_cpu:futex  cpu    cpu
                 run   run    run    run            run    spin
                 read  read   write  park[n]        write
                       parse
        ",
    )
}

fn chart(profile: &Profile, query: &Query, shape: &StackChartShape) -> StackChartView {
    stack_chart(profile, query, shape).expect("a stack chart")
}

fn machine() -> Query {
    Query { mode: ViewMode::Machine, ..Query::default() }
}

/// The boxes of each row, in seconds: `run 0..6`. A wait has a `~`.
fn rows(view: &StackChartView) -> Vec<String> {
    let boxes = &view.boxes;
    let name = |index: usize| {
        let seconds = |ns: u64| ns as f64 / 1e9;
        let wait = if boxes.flags[index] == 0 { "" } else { "~" };
        let times = format!("{}..{}", seconds(boxes.start_ns[index]), seconds(boxes.end_ns[index]));
        format!("{wait}{} {times}", view.names[&boxes.function[index]])
    };
    let in_row = |row: u32| (0..boxes.row.len()).filter(move |index| boxes.row[*index] == row);
    (0..view.row_count).map(|row| in_row(row).map(name).collect::<Vec<_>>().join(", ")).collect()
}

#[test]
fn neighbours_with_the_same_frames_are_one_box() {
    let profile = run_and_wait();
    let shape = StackChartShape { bins: Some(90), ..StackChartShape::default() };
    let view = chart(&profile, &machine(), &shape);
    assert_eq!(rows(&view), ["run 0..6, run 8..9", "read 0..2, write 2..3, ~park 3..6, write 8..9", "parse 1..2"]);
    assert_eq!((view.from_ns, view.to_ns, view.name.as_str()), (0, 9_000_000_000, "main"));
    assert_eq!(view.boxes.row.len(), view.kinds.len());
    // In user mode, the wait ends in `run`. The end of a wait is a separate box.
    let user = chart(&profile, &Query::default(), &shape);
    assert_eq!(rows(&user)[0], "run 0..3, ~run 3..6, run 8..9");
}

#[test]
fn a_bin_shows_the_stack_with_the_most_time() {
    let profile = run_and_wait();
    let one = StackChartShape { bins: Some(1), ..StackChartShape::default() };
    assert_eq!(rows(&chart(&profile, &machine(), &one)), ["~run 3..6", "~park 3..6"]);
    let three = StackChartShape { bins: Some(3), ..StackChartShape::default() };
    // In the first 3 s, `read`, `read parse` and `write` have 1 s each. Gaps that are shorter than a bin are closed.
    assert_eq!(rows(&chart(&profile, &machine(), &three))[1], "read 0..3, ~park 3..8, write 8..9");
}

/// The weight of a wait is not its length. The wait of unknown length does not cover other samples.
#[test]
fn a_wait_has_its_own_length() {
    let shape = StackChartShape { bins: Some(900), ..StackChartShape::default() };
    assert_eq!(rows(&chart(&scaled_waits(), &machine(), &shape))[1], "read 0..1, ~park 2..3, read 5..6, ~await 6..9");
}

#[test]
fn the_range_of_the_request_or_of_the_filter_is_shown() {
    let profile = run_and_wait();
    let shape =
        StackChartShape { from_ns: Some(1.5e9), to_ns: Some(4e9), bins: Some(100), ..StackChartShape::default() };
    let view = chart(&profile, &machine(), &shape);
    assert_eq!(rows(&view)[1], "read 1.5..2, write 2..3, ~park 3..4");
    let filtered = Query { filter: Some("time in 2s..3s and event is cpu".parse().expect("a filter")), ..machine() };
    let view = chart(&profile, &filtered, &StackChartShape::default());
    assert_eq!((view.from_ns, view.to_ns), (2_000_000_000, 3_000_000_000));
    assert_eq!(rows(&view), ["run 2..3", "write 2..3"]);
}

#[test]
fn filter_and_transforms_change_the_stacks() {
    let profile = run_and_wait();
    let shape = StackChartShape { bins: Some(90), ..StackChartShape::default() };
    let merged = Query { transforms: vec!["merge \"read\"".parse().expect("a transform")], ..machine() };
    assert_eq!(rows(&chart(&profile, &merged, &shape))[1], "parse 1..2, write 2..3, ~park 3..6, write 8..9");
    let without_waits = Query { filter: Some("event is cpu".parse().expect("a filter")), ..machine() };
    assert_eq!(rows(&chart(&profile, &without_waits, &shape))[0], "run 0..3, run 8..9");
    let nothing = Query { filter: Some("thread = \"other\"".parse().expect("a filter")), ..machine() };
    let view = chart(&profile, &nothing, &shape);
    assert_eq!((view.row_count, view.preamble.notes.len()), (0, 1));
}

/// A pool of three threads, of which two work for a second each, and a thread `main`, which waits and then works. Its row is between
/// those of the pool.
fn pool_and_main() -> Profile {
    profile(
        "
        @thread  exec-1         main           exec-2         exec-3         exec-1  exec-2  exec-3  main
        @time    2              4              8              8              3       2       2       5
        @weight  2              3              5              5              1       1       1       1
        @event   off_cpu:futex  off_cpu:futex  off_cpu:futex  off_cpu:futex  cpu     cpu     cpu     cpu
                 run            main           run            run            run     run     run     main
                 park[n]        sleep[n]       park[n]        park[n]        read    write   write   spin
        ",
    )
}

fn of_group(group: RowGroup, thread: usize) -> StackChartShape {
    StackChartShape { group, thread, bins: Some(9), to_ns: Some(9e9), ..StackChartShape::default() }
}

#[test]
fn a_pool_shows_work_before_waits() {
    let profile = pool_and_main();
    // The first thread of the pool waits until 2 s, but the others work from 1 s.
    let pool = chart(&profile, &machine(), &of_group(RowGroup::Pool, 0));
    assert_eq!(rows(&pool), ["run 0..8", "~park 0..1, write 1..2, read 2..3, ~park 3..8"]);
    assert_eq!((pool.name.as_str(), pool.threads_count, pool.is_group), ("exec-#", 3, true));
    // Any thread of the pool names it.
    assert_eq!(chart(&profile, &machine(), &of_group(RowGroup::Pool, 3)).boxes, pool.boxes);
    // A thread that is in no pool is its own row.
    let (main, alone) = (of_group(RowGroup::Pool, 1), of_group(RowGroup::Thread, 1));
    assert_eq!(rows(&chart(&profile, &machine(), &main)), rows(&chart(&profile, &machine(), &alone)));
    // A gap has no sample of any thread.
    let first = Query { filter: Some("event is cpu".parse().expect("a filter")), ..machine() };
    assert_eq!(rows(&chart(&profile, &first, &of_group(RowGroup::Pool, 0)))[0], "run 1..3");
}

#[test]
fn all_threads_are_those_that_the_filter_and_the_search_keep() {
    let profile = pool_and_main();
    let all = chart(&profile, &machine(), &of_group(RowGroup::All, 0));
    // From 3 to 4 s, two threads park, and one sleeps.
    assert_eq!(rows(&all)[1], "~park 0..1, write 1..2, read 2..3, ~park 3..4, spin 4..5, ~park 5..8");
    assert_eq!((all.name.as_str(), all.threads_count), ("all threads", 4));
    let filtered = Query { filter: Some("pool is \"exec-#\"".parse().expect("a filter")), ..machine() };
    let pool = chart(&profile, &machine(), &of_group(RowGroup::Pool, 0));
    let kept = chart(&profile, &filtered, &of_group(RowGroup::All, 0));
    assert_eq!((rows(&kept), kept.threads_count), (rows(&pool), 3));
    let named = StackChartShape { named: "EXEC".to_owned(), ..of_group(RowGroup::All, 0) };
    let kept = chart(&profile, &machine(), &named);
    assert_eq!((rows(&kept), kept.name.as_str()), (rows(&pool), "threads named \"EXEC\""));
    // One thread is left. Its waits are exact, and longer waits come before work.
    let named = StackChartShape { named: "exec-1".to_owned(), bins: Some(1), ..of_group(RowGroup::Pool, 0) };
    let one = chart(&profile, &machine(), &named);
    assert_eq!((rows(&one)[1].as_str(), one.name.as_str(), one.is_group), ("~park 0..2", "exec-1", false));
    let group_name = "no package".to_owned();
    let group = StackChartShape { group_by: GroupBy::Package, group_name, ..of_group(RowGroup::Group, 0) };
    assert_eq!(chart(&profile, &machine(), &group).boxes, all.boxes);
    let none = StackChartShape { named: "grpc".to_owned(), ..of_group(RowGroup::All, 0) };
    let none = chart(&profile, &machine(), &none);
    assert_eq!((none.row_count, none.threads_count, none.preamble.notes.len()), (0, 0, 1));
}

#[test]
fn idle_threads_are_those_of_the_row_of_the_timeline() {
    let (manifest, tables) = with_idle();
    let profile = Profile::load(manifest, tables).expect("a valid drawing");
    let of_idle = |from_s: f64| StackChartShape {
        from_ns: Some(from_s * 1e9),
        to_ns: Some(4e9),
        bins: Some(4),
        // The search has no row of idle threads, so it does not change the chart.
        named: "burn".to_owned(),
        ..of_group(RowGroup::Idle, 0)
    };
    let view = chart(&profile, &machine(), &of_idle(0.0));
    assert_eq!((view.name.as_str(), view.threads_count), ("idle threads", 3));
    assert!(rows(&view)[1].starts_with("~") && rows(&view)[1].ends_with(" 0..4"), "{}", rows(&view)[1]);
    // In the second half, another thread is idle.
    assert_eq!(chart(&profile, &machine(), &of_idle(2.0)).threads_count, 4);
}

#[test]
fn requests_are_answered_in_bytes_and_wrong_ones_are_errors() {
    let profile = run_and_wait();
    let ask = |request: &str| answer(&profile, request, &NoFiles { reason: "a test" });
    let request =
        r#"{"view":"stack-chart","thread":0,"from_ns":0.5,"to_ns":4000000000.5,"bins":800,"frameworks":"shown"}"#;
    let Ok(Answer::Binary(bytes)) = ask(request) else { panic!("bytes") };
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[4..4 + length]).expect("a header in JSON");
    assert_eq!((&header["arrays"][3]["name"], &header["arrays"][3]["type"]), (&"start_ns".into(), &"f64".into()));
    for request in [
        r#"{"view":"stack-chart","thread":2}"#,
        r#"{"view":"stack-chart","bins":0}"#,
        r#"{"view":"stack-chart","from_ns":5,"to_ns":5}"#,
        r#"{"view":"stack-chart","pool":1}"#,
        r#"{"view":"stack-chart","group":"pool","thread":2}"#,
        r#"{"view":"stack-chart","group":"process"}"#,
    ] {
        assert!(ask(request).is_err(), "{request}");
    }
}

/// The boxes of a row do not overlap, each box is below a box of the row above, and a row has at most one box per bin.
fn check_boxes(view: &StackChartView) -> Result<(), TestCaseError> {
    let boxes = &view.boxes;
    for row in 0..view.row_count {
        let of = |row: u32| (0..boxes.row.len()).filter(move |index| boxes.row[*index] == row);
        let times: Vec<(u64, u64)> = of(row).map(|index| (boxes.start_ns[index], boxes.end_ns[index])).collect();
        prop_assert!(times.len() <= view.bins);
        prop_assert!(times.iter().all(|(start, end)| start < end && *end <= view.to_ns));
        prop_assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        let is_below = |time: &(u64, u64)| {
            of(row - 1).any(|index| boxes.start_ns[index] <= time.0 && boxes.end_ns[index] >= time.1)
        };
        prop_assert!(row == 0 || times.iter().all(is_below));
    }
    Ok(())
}

/// Whether a random sample becomes a wait.
fn is_wait(sample: &RandomSample) -> bool {
    sample.weight_ns % 2 == 1
}

/// A profile of random samples, some of which are waits.
fn random_profile(samples: &[RandomSample]) -> Profile {
    let (manifest, mut tables) = experiment_from_samples(samples);
    let table = &mut tables.samples;
    for row in (0..samples.len()).filter(|row| is_wait(&samples[*row])) {
        table.event[row] = EventKind::OffCpu;
        table.reason[row] = WaitReason::Futex;
    }
    Profile::load(manifest, tables).expect("a valid experiment")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn boxes_lie_below_their_callers(
        samples in random_samples(RandomShape { function_count: 3, depth: 4, sample_count: 12, thread_count: 2 }),
        bins in 1..60_usize,
        thread in 0..2_usize,
    ) {
        let shape = StackChartShape { thread, bins: Some(bins), ..StackChartShape::default() };
        let Ok(view) = stack_chart(&random_profile(&samples), &machine(), &shape) else { return Ok(()) };
        check_boxes(&view)?;
    }

    /// The same for several threads. No sample of CPU time is inside a wait.
    #[test]
    fn boxes_of_groups_lie_below_their_callers(
        samples in random_samples(RandomShape { function_count: 3, depth: 4, sample_count: 30, thread_count: 6 }),
        bins in 1..60_usize,
    ) {
        let shape = StackChartShape { group: RowGroup::All, bins: Some(bins), ..StackChartShape::default() };
        let view = stack_chart(&random_profile(&samples), &machine(), &shape).expect("a stack chart");
        check_boxes(&view)?;
        let boxes = &view.boxes;
        let is_work = |sample: &&RandomSample| !is_wait(sample) && !sample.frames_root_first.is_empty();
        for wait in (0..boxes.row.len()).filter(|index| view.is_group && boxes.flags[*index] != 0) {
            let is_inside = |ns: u64| boxes.start_ns[wait] < ns && ns < boxes.end_ns[wait];
            prop_assert!(!samples.iter().filter(is_work).any(|sample| is_inside(sample.time_ns)));
        }
    }
}
