//! Tests of stack charts, on experiments drawn as text.

use crate::support::{profile, scaled_waits};
use proptest::prelude::{ProptestConfig, prop_assert, proptest};
use whittle_engine::{Answer, answer};
use whittle_profile::{Profile, Query, ViewMode};
use whittle_testkit::{RandomShape, experiment_from_samples, random_samples};
use whittle_views::source::NoFiles;
use whittle_views::stack_chart::{StackChartShape, StackChartView, stack_chart};

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
    assert_eq!((view.from_ns, view.to_ns, view.thread_name.as_str()), (0, 9_000_000_000, "main"));
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
    ] {
        assert!(ask(request).is_err(), "{request}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// The boxes of a row do not overlap, each box is below a box of the row above, and a row has at most one box per bin.
    #[test]
    fn boxes_lie_below_their_callers(
        samples in random_samples(RandomShape { function_count: 3, depth: 4, sample_count: 12, thread_count: 2 }),
        bins in 1..60_usize,
        thread in 0..2_usize,
    ) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let profile = Profile::load(manifest, tables).expect("a valid experiment");
        let shape = StackChartShape { thread, bins: Some(bins), ..StackChartShape::default() };
        let Ok(view) = stack_chart(&profile, &machine(), &shape) else { return Ok(()) };
        let boxes = &view.boxes;
        for row in 0..view.row_count {
            let of = |row: u32| (0..boxes.row.len()).filter(move |index| boxes.row[*index] == row);
            let times: Vec<(u64, u64)> = of(row).map(|index| (boxes.start_ns[index], boxes.end_ns[index])).collect();
            prop_assert!(times.len() <= bins);
            prop_assert!(times.iter().all(|(start, end)| start < end && *end <= view.to_ns));
            prop_assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0));
            let is_below = |time: &(u64, u64)| {
                of(row - 1).any(|index| boxes.start_ns[index] <= time.0 && boxes.end_ns[index] >= time.1)
            };
            prop_assert!(row == 0 || times.iter().all(is_below));
        }
    }
}
