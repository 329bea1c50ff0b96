//! Tests of timelines and of the stack at a moment, on experiments drawn as text.

use crate::support::{text, with_idle};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use whittle_engine::{Answer, EngineError, answer};
use whittle_model::{CounterValue, EventKind, Manifest, Tables, ThreadIndex, ThreadState, ThreadStateSpan, WaitReason};
use whittle_profile::{Profile, Query, ViewMode};
use whittle_render::{Format, Style, render};
use whittle_testkit::{RandomShape, add_thread_states, experiment_from_samples, experiment_from_text, random_samples};
use whittle_views::PoolRows;
use whittle_views::source::NoFiles;
use whittle_views::stack_at::Moment;
use whittle_views::timeline::{GroupBy, IdleRows, TimelineShape, TimelineSource, TimelineView};

const SECOND_NS: u64 = 1_000_000_000;

fn bins(count: usize) -> TimelineShape {
    TimelineShape { bins: Some(count), ..TimelineShape::default() }
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

/// Seconds by thread, state and bin, without zeros: `main user 0: 1.0`.
fn times(view: &TimelineView) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, thread) in view.header.threads.iter().enumerate() {
        for (state_index, state) in view.header.states.iter().enumerate() {
            let bins = view.bins_of(index, state_index);
            if bins.iter().any(|ns| *ns > 0.0) {
                let seconds: Vec<String> = bins.iter().map(|ns| format!("{:.1}", ns / 1e9)).collect();
                lines.push(format!("{} {}: {}", thread.name, state.name, seconds.join(" ")));
            }
        }
    }
    lines
}

/// `main` executes for one second within a span of two seconds, and then it waits. `late` begins after two seconds.
fn with_states() -> (Manifest, Tables) {
    let (mut manifest, mut tables) = experiment_from_text(
        "
        @thread  main    late
        @time    1       3.5
        @weight  0.5     0.25
                 main    main
                 spin    write
        ",
    );
    manifest.duration_ns = 4 * SECOND_NS;
    let span = |thread, (from, to), (state, reason), tenths: u64| ThreadStateSpan {
        thread: ThreadIndex(thread),
        start_ns: from * SECOND_NS,
        end_ns: to * SECOND_NS,
        state,
        reason,
        duration_ns: tenths * SECOND_NS / 10,
    };
    let (user, blocked, runnable) = (ThreadState::OnCpuUser, ThreadState::Blocked, ThreadState::Runnable);
    for row in [
        span(0, (0, 2), (user, WaitReason::None), 10),
        span(0, (0, 2), (blocked, WaitReason::Socket), 6),
        span(0, (0, 2), (runnable, WaitReason::RunQueue), 4),
        span(0, (2, 4), (blocked, WaitReason::Futex), 20),
        span(1, (2, 4), (ThreadState::OnCpuSystem, WaitReason::None), 20),
    ] {
        tables.thread_states.push(row);
    }
    (manifest, tables)
}

fn profile((manifest, tables): (Manifest, Tables)) -> Profile {
    Profile::load(manifest, tables).expect("a valid drawing")
}

#[test]
fn the_kernels_account_is_spread_over_the_bins() {
    let view =
        whittle_views::timeline::timeline(&profile(with_states()), &Query::default(), &bins(4)).expect("a timeline");
    assert_eq!(
        times(&view),
        [
            "late system: 0.0 0.0 1.0 1.0",
            "main user: 0.5 0.5 0.0 0.0",
            "main run_queue: 0.2 0.2 0.0 0.0",
            "main futex: 0.0 0.0 1.0 1.0",
            "main socket: 0.3 0.3 0.0 0.0",
        ]
    );
    let header = &view.header;
    assert_eq!((header.source, header.bin_ns, header.row_count), (TimelineSource::ThreadStates, 1e9, 2));
    assert_eq!((header.threads[1].cpu_ns, header.threads[1].blocked_ns), (1e9, 2.6e9));
    assert_eq!(header.preamble.notes, Vec::<String>::new());
}

#[test]
fn it_reads_as_a_strip_a_thread() {
    let view =
        whittle_views::timeline::timeline(&profile(with_states()), &Query::default(), &bins(16)).expect("a timeline");
    assert_eq!(
        text(&view),
        "
Timeline of 0.000 s to 4.000 s, 16 bins of 0.250 s, counted by the kernel

▼ CPU s  blocked s  class  0.000      4.000  thread
  2.000      0.000  work           ████████  late
  1.000      2.600  work   ▄▄▄▄▄▄▄▄ffffffff  main

▁ to █ CPU time, q waits for a CPU, f futex, s socket; blank: not observed
"
    );
    let csv = render(&view, Format::Csv, Style::default());
    assert!(
        csv.starts_with(
            "thread_row,thread,bin,start_ns,state,ns,is_pool,is_group\r\n\
             1,late,8,2000000000,system,250000000,false,false\r\n"
        ),
        "{csv}"
    );
    let json: serde_json::Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).expect("JSON");
    let row = serde_json::json!({ "thread": 1, "is_pool": false, "is_group": false, "bin": 8, "state": "system", "ns": 250_000_000.0 });
    assert_eq!(json["rows"][0], row);
    assert_eq!(json["source"], "thread_states");
}

#[test]
fn part_of_the_time_and_of_the_threads_can_be_requested() {
    let profile = profile(with_states());
    let shape = TimelineShape {
        from_ns: Some(SECOND_NS),
        to_ns: Some(3 * SECOND_NS),
        bins: Some(2),
        ..TimelineShape::default()
    };
    let query = Query { sort: Some("blocked".parse().expect("an order")), limit: Some(1), ..Query::default() };
    let view = whittle_views::timeline::timeline(&profile, &query, &shape).expect("a timeline");
    assert_eq!(
        times(&view),
        ["main user: 0.5 0.0", "main run_queue: 0.2 0.0", "main futex: 0.0 1.0", "main socket: 0.3 0.0"]
    );
    assert_eq!((view.header.row_count, view.header.threads[0].blocked_ns), (2, 1.3e9));
    let second = whittle_views::timeline::timeline(&profile, &Query { skip: 1, ..query }, &shape).expect("a timeline");
    assert_eq!(times(&second), ["late system: 0.0 1.0"]);
    let nothing = TimelineShape { from_ns: Some(5), to_ns: Some(5), bins: None, ..TimelineShape::default() };
    let error = whittle_views::timeline::timeline(&profile, &Query::default(), &nothing)
        .expect_err("an empty range")
        .to_string();
    assert_eq!(error, "a timeline needs an end after its start, and 1 to 10000 bins; requested: 5 to 5 ns in 60");
    let order = Query { sort: Some("e.cpu".parse().expect("a term")), ..Query::default() };
    assert!(
        whittle_views::timeline::timeline(&profile, &order, &shape)
            .expect_err("no such order")
            .to_string()
            .contains("cpu, blocked, start, name")
    );
}

#[test]
fn the_kernels_account_serves_filters_of_threads_and_samples_all_others() {
    let profile = profile(with_states());
    let of =
        |filter: &str| whittle_views::timeline::timeline(&profile, &filtered(filter), &bins(4)).expect("a timeline");
    let threads = of("thread ~ \"late\"");
    assert_eq!(times(&threads), ["late system: 0.0 0.0 1.0 1.0"]);
    assert_eq!(threads.header.source, TimelineSource::ThreadStates);
    // The weight of a sample represents the time before the sample.
    let stack = of("stack has \"main\"");
    assert_eq!(times(&stack), ["main user: 0.5 0.0 0.0 0.0", "late user: 0.0 0.0 0.0 0.2"]);
    assert_eq!(stack.header.source, TimelineSource::Samples);
    assert!(stack.header.preamble.notes[0].starts_with("times are estimates from samples"));
    let focused = Query { transforms: vec!["focus \"write\"".parse().expect("a transform")], ..Query::default() };
    let focused = whittle_views::timeline::timeline(&profile, &focused, &bins(4)).expect("a timeline");
    assert_eq!(times(&focused), ["late user: 0.0 0.0 0.0 0.2"]);
    // A merge keeps all samples, so the source is the kernel's record.
    let merged = Query { transforms: vec!["merge \"spin\"".parse().expect("a transform")], ..Query::default() };
    let merged = whittle_views::timeline::timeline(&profile, &merged, &bins(4)).expect("a timeline");
    assert_eq!(merged.header.source, TimelineSource::ThreadStates);
}

#[test]
fn a_time_range_in_the_filter_is_what_is_shown_and_leaves_nothing_out() {
    let profile = profile(with_states());
    let query = filtered("time in 2s..3s and thread ~ \"main\"");
    let shown = whittle_views::timeline::timeline(&profile, &query, &bins(2)).expect("a timeline");
    assert_eq!((shown.header.from_ns, shown.header.to_ns), (2 * SECOND_NS, 3 * SECOND_NS));
    assert_eq!(times(&shown), ["main futex: 0.5 0.5"]);
    let whole =
        TimelineShape { from_ns: Some(0), to_ns: Some(4 * SECOND_NS), bins: Some(2), ..TimelineShape::default() };
    let whole = whittle_views::timeline::timeline(&profile, &query, &whole).expect("a timeline");
    assert_eq!(whole.header.threads[0].blocked_ns, 2.6e9);
}

#[test]
fn without_the_kernels_account_samples_are_spread_over_what_they_stand_for() {
    let profile = profile(experiment_from_text(
        "
        @thread  main  main           main           main      main
        @time    1     3              4              4         4
        @weight  1     2              0.5            5         3
        @event   cpu   off_cpu:pipe   off_cpu:sleep  lock      page_fault
                 main  main           main           main      main
        ",
    ));
    let shape = TimelineShape { to_ns: Some(4 * SECOND_NS), ..bins(4) };
    let view = whittle_views::timeline::timeline(&profile, &Query::default(), &shape).expect("a timeline");
    assert_eq!(
        times(&view),
        ["main user: 1.0 0.0 0.0 0.0", "main pipe: 0.0 1.0 1.0 0.0", "main sleep: 0.0 0.0 0.0 0.5"]
    );
    assert!(view.header.preamble.notes[0].contains("has no record of the threads' states"));
}

#[test]
fn the_stack_of_a_moment_is_that_of_the_nearest_sample() {
    let profile = profile(experiment_from_text(
        "
        @thread  main   main           main    other
        @time    1      8              9       5
        @weight  0.5    4              0.1     0.1
        @event   cpu    off_cpu:futex  cpu     cpu
                 run:3  run:4          run:5   spin
                        await:7[n]     work
        ",
    ));
    let at = |tenths: u64, event: Option<EventKind>| {
        let moment = Moment { thread: 0, time_ns: tenths * SECOND_NS / 10, event };
        let view =
            whittle_views::stack_at::stack_at(&profile, &Query { mode: ViewMode::Machine, ..Query::default() }, moment)
                .expect("a stack");
        let frames: Vec<String> = view
            .frames
            .iter()
            .map(|frame| format!("{}:{}", frame.function, frame.line.map_or("-".to_owned(), |line| line.to_string())))
            .collect();
        (view.time_ns / SECOND_NS, view.event, frames.join(" "))
    };
    // At a moment inside a wait, the stack of the wait is shown, even if the wait ends much later. At other moments,
    // the stack of the nearest sample is shown.
    assert_eq!(at(45, None), (8, EventKind::OffCpu, "run:4 await:7".to_owned()));
    assert_eq!(at(20, None), (1, EventKind::Cpu, "run:3".to_owned()));
    assert_eq!(at(39, None), (8, EventKind::OffCpu, "run:4 await:7".to_owned()));
    assert_eq!(at(60, Some(EventKind::Cpu)), (9, EventKind::Cpu, "run:5 work:-".to_owned()));
    assert_eq!(at(1000, None).0, 9);
    let user = whittle_views::stack_at::stack_at(
        &profile,
        &filtered("reason is futex"),
        Moment { thread: 0, time_ns: 0, event: None },
    );
    let user = user.expect("a stack");
    assert_eq!((user.frames.len(), user.weight, user.reason), (1, 4 * SECOND_NS, WaitReason::Futex));
    let none = whittle_views::stack_at::stack_at(
        &profile,
        &filtered("reason is futex"),
        Moment { thread: 1, time_ns: 0, event: None },
    );
    assert!(none.expect_err("no sample").to_string().starts_with("no sample of the thread \"other\" is left"));
    let beyond =
        whittle_views::stack_at::stack_at(&profile, &Query::default(), Moment { thread: 2, time_ns: 0, event: None });
    assert_eq!(beyond.expect_err("no thread").to_string(), "no thread 2: the experiment has 2 threads, counted from 0");
}

/// The weight of a sampled wait is not its length. If only the weight is known, the answer says no start.
#[test]
fn the_stack_at_a_moment_says_the_length_of_its_own_wait() {
    let profile = crate::support::scaled_waits();
    let in_profile = |profile: &Profile, tenths: u64| {
        let moment = Moment { thread: 0, time_ns: tenths * SECOND_NS / 10, event: None };
        let view = whittle_views::stack_at::stack_at(profile, &Query::default(), moment).expect("a stack");
        (view.start_ns.map(|start| start / SECOND_NS), view.time_ns / SECOND_NS, view.weight / SECOND_NS)
    };
    let at = |tenths: u64| in_profile(&profile, tenths);
    assert_eq!(at(25), (Some(2), 3, 4));
    // No sample is at this time, and the CPU sample is nearer than the wait.
    assert_eq!(at(12), (Some(0), 1, 1));
    assert_eq!(at(55), (Some(5), 6, 1));
    assert_eq!(at(85), (None, 9, 4));
    // The collection ends during the wait, so the weight is its length.
    assert_eq!(in_profile(&crate::support::scaled_waits_until(9), 85), (Some(5), 9, 4));
}

fn ask(profile: &Profile, request: &str) -> Result<Answer, EngineError> {
    answer(profile, request, &NoFiles { reason: "a test" })
}

#[test]
fn requests_are_answered_in_bytes() {
    let (manifest, mut tables) = with_states();
    for (time_ns, value) in [(0, 0.0), (2 * SECOND_NS, 4.0)] {
        tables.counters.push(CounterValue { time_ns, counter: "gc_ns".to_owned(), value });
    }
    let profile = profile((manifest, tables));
    let header_of = |request: &str| -> (serde_json::Value, Vec<u8>) {
        let Ok(Answer::Binary(bytes)) = ask(&profile, request) else { panic!("bytes for {request}") };
        let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
        let header = serde_json::from_slice(&bytes[4..4 + length]).expect("a header in JSON");
        (header, bytes[4 + length..].to_vec())
    };
    let (header, arrays) = header_of(
        r#"{"view":"timeline","from_ns":0,"to_ns":4000000000.5,"bins":4,"sort":"name","skip":1,"limit":null,"filter":null}"#,
    );
    assert_eq!(header["threads"].as_array().map(Vec::len), Some(1));
    assert_eq!(header["counters"][0]["is_difference"], true);
    assert_eq!(header["arrays"][0]["length"], 4 * header["states"].as_array().expect("states").len());
    assert!(header["rows"].is_null() && arrays.len() % 8 == 0);
    let (header, _) = header_of(
        r#"{"view":"flame-graph","metric":"cpu","direction":"callers","root":null,"zoom":[],"search":"spin","width_px":800,
            "first_row":0,"row_count":64,"min_px":0.5,"transforms":[]}"#,
    );
    assert_eq!((&header["row_count"], &header["search"]["match_count"]), (&3.into(), &1.into()));
    assert_eq!(header["names"][header["search"]["matches"][0]["function"].to_string()], "spin");
    let Ok(Answer::Json(json)) = ask(&profile, r#"{"view":"stack-at","thread":0,"time_ns":12.5,"event":null}"#) else {
        panic!("a stack")
    };
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["mode"], &json["frames"][1]["function"]), (&"user".into(), &"spin".into()));
    let text = r#"{"view":"export-text","of":{"view":"timeline","bins":8}}"#;
    assert!(matches!(ask(&profile, text), Ok(Answer::Json(json)) if json.contains("counted by the kernel")));
    assert!(ask(&profile, r#"{"view":"timeline","bin":8}"#).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// If a thread is alive during a whole bin, the times of its states in this bin add up to the length of the bin.
    #[test]
    fn states_add_up_to_the_bin(
        spans in vec((1..1_000_u64, 1..6_usize), 1..12), count in 1..40_usize, from in 0..500_u64, length in 1..2_000_u64,
    ) {
        let (manifest, mut tables) = experiment_from_text("@thread  main\n         main");
        let mut start_ns = 0;
        for (length_ns, parts) in spans {
            let states = [ThreadState::OnCpuUser, ThreadState::OnCpuSystem, ThreadState::Runnable, ThreadState::Blocked];
            let end_ns = start_ns + length_ns;
            let part_ns = length_ns / parts as u64;
            for part in 0..parts {
                let state = states[part % states.len()];
                let reason = if state == ThreadState::Blocked { WaitReason::Pipe } else { WaitReason::None };
                let duration_ns = if part == 0 { length_ns - part_ns * (parts as u64 - 1) } else { part_ns };
                let thread = ThreadIndex(0);
                tables.thread_states.push(ThreadStateSpan { thread, start_ns, end_ns, state, reason, duration_ns });
            }
            start_ns = end_ns;
        }
        let profile = Profile::load(manifest, tables).expect("valid");
        let shape = TimelineShape { from_ns: Some(from), to_ns: Some(from + length), bins: Some(count), ..TimelineShape::default() };
        let view = whittle_views::timeline::timeline(&profile, &Query::default(), &shape).expect("a timeline");
        let states = view.header.states.len();
        for bin in 0..count {
            let bin_end = from as f64 + (bin + 1) as f64 * view.header.bin_ns;
            if !view.header.threads.is_empty() && bin_end <= start_ns as f64 {
                let sum: f64 = (0..states).map(|state| f64::from(view.bins_of(0, state)[bin])).sum();
                prop_assert!((sum - view.header.bin_ns).abs() < 1e-4 * view.header.bin_ns, "{sum} in bin {bin}");
            }
        }
    }

    /// Each thread is in one group, and the rows of groups have all times.
    #[test]
    fn groups_divide_the_threads(
        samples in random_samples(RandomShape { function_count: 3, depth: 4, sample_count: 12, thread_count: 6 }),
        group_by in proptest::sample::select(vec![GroupBy::None, GroupBy::Process, GroupBy::State, GroupBy::Package]),
    ) {
        let (manifest, mut tables) = experiment_from_samples(&samples);
        tables.threads.process_id.iter_mut().enumerate().for_each(|(row, id)| *id = Some(row as u32 % 3));
        let processes_count = tables.threads.process_id.len().min(3);
        let profile = Profile::load(manifest, tables).expect("valid");
        let timeline = |shape: TimelineShape| whittle_views::timeline::timeline(&profile, &Query::default(), &shape).expect("a timeline");
        let (grouped, alone) = (timeline(TimelineShape { group_by, ..bins(4) }), timeline(bins(4)));
        let count = |view: &TimelineView| view.header.threads.iter().map(|row| row.threads_count).sum::<u64>();
        let time = |view: &TimelineView| view.ns.iter().map(|ns| f64::from(*ns)).sum::<f64>();
        let has_groups = group_by != GroupBy::None && (group_by != GroupBy::Process || processes_count > 1);
        prop_assert!(grouped.header.threads.iter().all(|row| row.is_group == has_groups));
        prop_assert_eq!(count(&grouped), count(&alone));
        prop_assert!((time(&grouped) - time(&alone)).abs() <= 1e-5 * time(&alone) + 1e-3);
    }

    /// For any bins, no part of the samples is lost.
    #[test]
    fn samples_add_up_to_their_weights(
        samples in random_samples(RandomShape { function_count: 3, depth: 4, sample_count: 12, thread_count: 4 }),
        count in 1..30_usize,
    ) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let profile = Profile::load(manifest, tables).expect("valid");
        let view = whittle_views::timeline::timeline(&profile, &Query::default(), &bins(count)).expect("a timeline");
        for (index, thread) in view.header.threads.iter().enumerate() {
            let number: u8 = thread.name.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a number");
            let weights = samples.iter().filter(|sample| sample.thread == number).map(|sample| sample.weight_ns as f64);
            // If a sample begins before the experiment, only the part inside counts.
            let expected: f64 = weights.sum();
            let sum: f64 = (0..view.header.states.len()).flat_map(|state| view.bins_of(index, state)).map(|ns| f64::from(*ns)).sum();
            prop_assert!((sum - expected).abs() <= 1e-3 + 1e-4 * expected, "{sum} against {expected}");
            prop_assert_eq!(thread.cpu_ns.round(), expected.round());
        }
    }
}

#[test]
fn threads_that_only_the_kernel_saw_are_there() {
    let (manifest, mut tables) = experiment_from_text("@thread  main\n         a");
    add_thread_states(
        &mut tables,
        "
        thread  on_cpu_user  blocked:futex
        main    1            3
        idle    -            4
        ",
    );
    let profile = profile((manifest, tables));
    let view = whittle_views::timeline::timeline(&profile, &Query::default(), &bins(2)).expect("a timeline");
    assert_eq!(times(&view), ["main user: 0.5 0.5", "main futex: 1.5 1.5", "idle futex: 2.0 2.0"]);
    let grouped = TimelineShape { group_by: GroupBy::Package, ..bins(2) };
    let grouped = whittle_views::timeline::timeline(&profile, &Query::default(), &grouped).expect("a timeline");
    assert_eq!(rows(&grouped), ["no package", "no sampled time"]);
}

/// The rows as text, indented by their depth, with the number of threads if there are several.
fn rows(view: &TimelineView) -> Vec<String> {
    let row = |thread: &whittle_views::timeline::TimelineThread| match thread.threads_count {
        1 => format!("{}{}", "  ".repeat(thread.depth), thread.name),
        count => format!("{}{} x{count}", "  ".repeat(thread.depth), thread.name),
    };
    view.header.threads.iter().map(row).collect()
}

#[test]
fn idle_threads_are_one_row_at_the_end() {
    let profile = profile(with_idle());
    let timeline = |shape: TimelineShape| {
        let shape = TimelineShape { bins: Some(4), ..shape };
        whittle_views::timeline::timeline(&profile, &Query::default(), &shape).expect("a timeline")
    };
    let usual = timeline(TimelineShape::default());
    assert_eq!(usual.header.preamble.sorted_by, "cpu_ns");
    assert_eq!(rows(&usual), ["half", "burner", "http-exec-# x2", "reaper", "waiter"]);
    let closed = timeline(TimelineShape { idle: IdleRows::Closed, ..TimelineShape::default() });
    assert_eq!(rows(&closed), ["half", "burner", "waiter", "idle threads x3"]);
    assert_eq!((closed.header.row_count, closed.header.threads[3].is_idle_row), (4, true));
    let open = TimelineShape { idle: IdleRows::Open, open: vec![0], ..TimelineShape::default() };
    let expected =
        ["half", "burner", "waiter", "idle threads x3", "  http-exec-# x2", "    http-exec-1", "    http-exec-2"];
    assert_eq!(rows(&timeline(open))[..7], expected);
    // In the second half, the thread `half` is idle, and the thread `burner` does not exist.
    let late = TimelineShape { from_ns: Some(2 * SECOND_NS), idle: IdleRows::Closed, ..TimelineShape::default() };
    assert_eq!(rows(&timeline(late)), ["waiter", "idle threads x4"]);
}

/// Two pools and two threads in two processes. The pool `http-#` runs own code, `net-#` a library.
fn with_groups() -> Profile {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  http-1              http-2              net-1                net-2                main   waits
        @event   cpu                 cpu                 cpu                  cpu                  cpu    off_cpu:socket
        @weight  3                   1                   1                    1                    4      5
        @time    4                   4                   4                    4                    4      5
                 com/a/b/c/D.run(V)  com/a/b/c/D.run(V)  org/lib/net/X.go(V)  org/lib/net/X.go(V)  spin   com/a/E.f(V)
        ",
    );
    tables.threads.process_id = [1, 1, 1, 1, 2, 2].map(Some).to_vec();
    Profile::load(manifest, tables).expect("valid")
}

/// The command passes its options as keys of the request.
#[test]
fn each_option_is_a_key_of_the_request() {
    let profile = with_groups();
    let parameters = whittle_views::timeline::VIEW.command.as_ref().expect("a command").parameters;
    for (parameter, default) in parameters.iter().filter_map(|parameter| Some((parameter, parameter.default?))) {
        let value = (parameter.read)(default).expect("a value");
        let request = serde_json::json!({ "view": "timeline", parameter.key: value }).to_string();
        assert!(ask(&profile, &request).is_ok(), "{request}");
    }
}

#[test]
fn rows_can_be_grouped() {
    let profile = with_groups();
    let grouped = |group_by: GroupBy, open: &[&str]| {
        let open_groups = open.iter().map(|name| (*name).to_owned()).collect();
        let shape = TimelineShape { group_by, open_groups, ..bins(1) };
        whittle_views::timeline::timeline(&profile, &Query::default(), &shape).expect("a timeline")
    };
    let processes = grouped(GroupBy::Process, &["main (2)"]);
    assert_eq!(rows(&processes), ["http-1 (1) x4", "main (2) x2", "  main", "  waits"]);
    assert!(processes.header.threads[0].is_group && !processes.header.threads[2].is_group);
    assert_eq!(processes.header.threads.iter().map(|row| row.cpu_ns / 1e9).collect::<Vec<_>>(), [6.0, 4.0, 4.0, 0.0]);
    let states = grouped(GroupBy::State, &["user CPU"]);
    assert_eq!(rows(&states), ["user CPU x5", "  http-# x2", "  main", "  net-# x2", "socket"]);
    assert_eq!(rows(&grouped(GroupBy::None, &[])), ["main", "http-1", "http-2", "net-1", "net-2", "waits"]);
    let packages = grouped(GroupBy::Package, &["com.a.b"]);
    assert_eq!(rows(&packages), ["com.a.b x2", "  http-# x2", "no package", "org.lib.net x2", "com.a"]);
    let pool =
        TimelineShape { group_by: GroupBy::Package, open_groups: vec!["com.a.b".to_owned()], open: vec![0], ..bins(1) };
    let pool = whittle_views::timeline::timeline(&profile, &Query::default(), &pool).expect("a timeline");
    assert_eq!(rows(&pool)[..4], ["com.a.b x2", "  http-# x2", "    http-1", "    http-2"]);
    let query = Query { sort: Some("name".parse().expect("an order")), ..Query::default() };
    let shape = TimelineShape { group_by: GroupBy::Package, ..bins(1) };
    let by_name = whittle_views::timeline::timeline(&profile, &query, &shape).expect("a timeline");
    assert_eq!(rows(&by_name), ["com.a", "com.a.b x2", "no package", "org.lib.net x2"]);
}

#[test]
fn groups_are_open_in_text_if_pools_are_open() {
    let shape = TimelineShape { group_by: GroupBy::Package, pools: PoolRows::Open, ..bins(1) };
    let view = whittle_views::timeline::timeline(&with_groups(), &Query::default(), &shape).expect("a timeline");
    assert_eq!(rows(&view)[..4], ["com.a.b x2", "  http-# x2", "    http-1", "    http-2"]);
    assert_eq!(
        text(&view),
        "
Timeline of 0.000 s to 6.000 s, 1 bins of 6.000 s, from samples

▼ CPU s  blocked s  class  0.000  thread
  4.000      0.000  work   ▃      com.a.b (2 threads)
  4.000      0.000  work   ▃        http-# (2 threads)
  3.000      0.000  work   ▄          http-1
  1.000      0.000  work   ▂          http-2
  4.000      0.000  work   ▆      no package
  4.000      0.000  work   ▆        main
  2.000      0.000  work   ▂      org.lib.net (2 threads)
  2.000      0.000  work   ▂        net-# (2 threads)
  1.000      0.000  work   ▂          net-1
  1.000      0.000  work   ▂          net-2
  0.000      5.000  work   s      com.a
  0.000      5.000  work   s        waits

Note: times are estimates from samples: this experiment has no record of the threads' states; the engine kernel collects this record
▁ to █ CPU time, s socket; blank: not observed
A row of several threads is a group or a pool: its line shows the mean over its threads, its times are sums. --pools open also shows its rows.
"
    );
    let shape = TimelineShape { pools: PoolRows::None, ..shape };
    let view = whittle_views::timeline::timeline(&with_groups(), &Query::default(), &shape).expect("a timeline");
    assert_eq!(rows(&view), ["com.a.b x2", "no package", "org.lib.net x2", "com.a"]);
}

#[test]
fn threads_without_sampled_time_have_their_own_group() {
    for (event, expected) in [("cpu", &["no package", "no sampled time"][..]), ("alloc", &["no sampled time x2"])] {
        let (manifest, mut tables) = experiment_from_text(&format!("@thread  main\n@event   {event}\n         a"));
        add_thread_states(
            &mut tables,
            "
            thread  on_cpu_user  blocked:futex
            main    1            3
            silent  -            4
            ",
        );
        let shape = TimelineShape { group_by: GroupBy::Package, ..bins(1) };
        let view = whittle_views::timeline::timeline(&profile((manifest, tables)), &Query::default(), &shape)
            .expect("a timeline");
        assert_eq!(rows(&view), expected);
    }
}

#[test]
fn one_process_is_no_group() {
    let shape = TimelineShape { group_by: GroupBy::Process, ..bins(1) };
    let view =
        whittle_views::timeline::timeline(&profile(with_states()), &Query::default(), &shape).expect("a timeline");
    assert_eq!(rows(&view), ["late", "main"]);
    assert_eq!(view.header.preamble.notes, ["there are no groups by process, because all threads are of one process"]);
}

/// Threads with one wait without a stack each, because the program ended first. Only the threads `exec-1` and `exec-2` are in a
/// pool.
#[test]
fn threads_of_a_pool_that_never_had_work_are_idle() {
    let (mut manifest, mut tables) = experiment_from_text(
        "
        @thread  exec-1             exec-2             single             busy-1  busy-2
        @event   off_cpu:futex      off_cpu:futex      off_cpu:futex      cpu     cpu
        @time    4                  4                  4                  4       4
        @weight  4                  4                  4                  1       1
                 ?[t:thread_ended]  ?[t:thread_ended]  ?[t:thread_ended]  a       a
        ",
    );
    manifest.duration_ns = 4 * SECOND_NS;
    add_thread_states(
        &mut tables,
        "
        thread  on_cpu_user  blocked:futex
        exec-1  0.001        3.999
        exec-2  0.001        3.999
        single  0.001        3.999
        busy-1  1            3
        busy-2  1            3
        ",
    );
    let shape = TimelineShape { idle: IdleRows::Closed, ..bins(1) };
    let view =
        whittle_views::timeline::timeline(&profile((manifest, tables)), &Query::default(), &shape).expect("a timeline");
    assert_eq!(rows(&view), ["busy-# x2", "exec-# x2", "single"]);
    assert_eq!(times(&view)[2..], ["exec-# user: 0.0", "exec-# idle: 8.0", "single user: 0.0", "single futex: 4.0"]);
}

#[test]
fn the_activity_is_the_sum_over_all_threads() {
    let profile = profile(with_idle());
    let query = Query { limit: Some(1), ..Query::default() };
    let view = whittle_views::timeline::timeline(&profile, &query, &bins(2)).expect("a timeline");
    let of_state = |name: &str| {
        let state = view.header.states.iter().position(|state| state.name == name).expect("a state");
        view.activity[state * 2..(state + 1) * 2].to_vec()
    };
    assert_eq!(view.header.threads.len(), 1);
    assert_eq!(of_state("user"), [3e9, 0.0]);
    assert_eq!(of_state("socket"), [2e9, 2e9]);
    assert_eq!(of_state("idle"), [6e9, 8e9]);
    let without_rows = Query { limit: Some(0), ..Query::default() };
    let without_rows = whittle_views::timeline::timeline(&profile, &without_rows, &bins(2)).expect("a timeline");
    assert_eq!((without_rows.ns.len(), &without_rows.activity), (0, &view.activity));
}

#[test]
fn threads_are_found_by_a_part_of_their_name() {
    let profile = profile(with_idle());
    let named = |text: &str| {
        let shape = TimelineShape { named: text.to_owned(), idle: IdleRows::Closed, ..bins(1) };
        whittle_views::timeline::timeline(&profile, &Query::default(), &shape).expect("a timeline")
    };
    assert_eq!(rows(&named("BURN")), ["burner"]);
    assert_eq!(rows(&named("exec-")), ["http-exec-# x2"]);
    // The name of the pool has no number, so only one of its threads is found.
    assert_eq!(rows(&named("exec-2")), ["http-exec-2"]);
    let none = named("grpc");
    assert_eq!((none.header.row_count, rows(&none)), (0, Vec::<String>::new()));
    assert_eq!(none.header.preamble.notes, ["no thread has a name that contains \"grpc\""]);
}
