//! Tests of packed experiments. After unpacking, all views are the same. Damaged bytes are errors.

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use std::collections::BTreeSet;
use whittle_model::{
    ArchivedClass, Calibration, ContentHash, CounterValue, EventKind, Manifest, Request, RequestKind, RequestPart,
    Sample, SampledCall, StackIndex, SyscallIndex, Table, Tables, ThreadIndex, ThreadState, ThreadStateSpan,
    WaitReason, Wake, WakerKind,
};
use whittle_packed::{PackError, PackOptions, PackedSource, Unpacked, decode, encode, read};
use whittle_profile::{Profile, Query, ViewMode};
use whittle_render::{Format, Style, View, render};
use whittle_testkit::{RandomSample, RandomShape, experiment_from_samples, experiment_with_calls, random_samples};
use whittle_views::call_tree::TreeShape;

const SHAPE: RandomShape = RandomShape { function_count: 4, depth: 8, sample_count: 40, thread_count: 4 };

/// Every view of an experiment in every mode, as JSON.
fn views(manifest: &Manifest, tables: &Tables, filter: Option<&str>) -> Vec<String> {
    views_of(&Profile::load(manifest.clone(), tables.clone()).expect("valid tables"), filter)
}

/// Loads packed bytes in the same way as a report file.
fn load(bytes: Vec<u8>) -> Result<(Profile, Vec<PackedSource>), String> {
    let unpacked = read(&bytes).map_err(|error| error.to_string())?;
    let profile = Profile::load_for_views(unpacked.manifest, unpacked.tables).map_err(|error| error.to_string())?;
    Ok((profile.with_notes(unpacked.notes).with_findings(unpacked.findings), unpacked.sources))
}

fn views_of(profile: &Profile, filter: Option<&str>) -> Vec<String> {
    let filter = filter.map(|filter| filter.parse().expect("a filter"));
    let mut texts = Vec::new();
    for mode in ViewMode::ALL {
        let query = Query { mode, filter: filter.clone(), ..Query::default() };
        texts.push(json(&whittle_views::functions::functions(profile, &query).expect("functions")));
        texts.push(json(
            &whittle_views::call_tree::call_tree(profile, &query, &TreeShape::default()).expect("call tree"),
        ));
        texts.push(json(&whittle_views::lines::lines(profile, &query).expect("lines")));
        texts.extend(stacks(profile, &query));
        texts.push(json(
            &whittle_views::threads::threads(profile, &query, &whittle_views::threads::ThreadsShape::default())
                .expect("threads"),
        ));
        texts.push(json(&whittle_views::overview::overview(profile, &query).expect("overview")));
        texts.push(json(
            &whittle_views::syscalls::syscalls(profile, &query, &Default::default()).expect("system calls"),
        ));
    }
    texts
}

/// Stacks with equal value and equal leaf have no defined order.
fn stacks(profile: &Profile, query: &Query) -> Vec<String> {
    let view = whittle_views::stacks::stacks(profile, query).expect("stacks");
    let mut rows: Vec<String> =
        view.rows.iter().map(|row| format!("{:?} {:?}", row.frames_leaf_first, row.values.numbers)).collect();
    rows.sort();
    rows
}

fn json(view: &impl View) -> String {
    render(view, Format::Json, Style::default())
}

fn packed(manifest: &Manifest, tables: &Tables, options: &PackOptions) -> Unpacked {
    let packed = encode(manifest, tables, options);
    let unpacked = decode(&packed.bytes).expect("what was packed");
    assert_eq!(unpacked.notes, packed.notes);
    let (profile, sources) = load(packed.bytes).expect("what was packed");
    assert_eq!((profile.notes(), &sources), (&unpacked.notes[..], &unpacked.sources));
    assert_eq!(views_of(&profile, None), views(manifest, &unpacked.tables, None));
    assert_eq!(&unpacked.manifest, manifest);
    unpacked
}

/// An experiment with rows in every table.
fn full_experiment() -> (Manifest, Tables) {
    let (manifest, mut tables) = experiment_with_calls(
        "
        thread  call   file                  calls  errors  bytes  seconds  latencies
        main    write  regular:/var/app.log  1000   0       1000   0.5      10:900 14:100
        main    futex  none                  7      1       0      3.5      29:7
        work    read   socket:tcp 1.2.3.4:5  12     0       99     0.1      12:12
        ",
        "
        main    main    main
        write   write   parse
        flush
        ",
    );
    let thread = ThreadIndex(0);
    let spans = [
        (0, 0, 100, ThreadState::OnCpuUser, WaitReason::None, 60),
        (0, 0, 100, ThreadState::Blocked, WaitReason::File, 40),
        (1, 50, 90, ThreadState::Blocked, WaitReason::Socket, 40),
        (0, 100, 180, ThreadState::Runnable, WaitReason::RunQueue, 80),
        (0, 250, 251, ThreadState::OnCpuSystem, WaitReason::None, 1),
    ];
    for (thread, start_ns, end_ns, state, reason, duration_ns) in spans {
        let thread = ThreadIndex(thread);
        tables.thread_states.push(ThreadStateSpan { thread, start_ns, end_ns, state, reason, duration_ns });
    }
    for (time_ns, error_number) in [(30, None), (10, Some(11))] {
        let (stack, syscall) = (StackIndex(2), SyscallIndex(0));
        let call = SampledCall { time_ns, thread, stack, syscall, count: 3, bytes: 5, latency_ns: 300, error_number };
        tables.sampled_calls.push(call);
    }
    tables.samples.push(Sample {
        reason: WaitReason::Futex,
        duration_ns: u64::MAX,
        ..Sample::new(u64::MAX, thread, StackIndex(1), EventKind::OffCpu)
    });
    for (name, value) in [("b", 0.5), ("a", -3.0), ("a", f64::MAX), ("b", -0.0)] {
        tables.counters.push(CounterValue { time_ns: 5, counter: name.to_owned(), value });
    }
    for (sampled, factor) in [(0, None), (2, Some(1.5))] {
        tables.calibration.push(Calibration { metric: "cpu".to_owned(), thread, sampled, exact: 3, factor });
    }
    for class_name in ["a/Main", "a/Other"] {
        tables.archive.push(ArchivedClass {
            class_name: class_name.to_owned(),
            origin: "app.jar".to_owned(),
            digest: Some(ContentHash(77)),
            bytes: (class_name == "a/Main").then(|| vec![0xca, 0xfe, 0, 255]),
        });
    }
    let request = Request::unknown(RequestKind::Task, "app.Task", thread, (20, 90));
    tables.requests.push(Request { number: Some(3), answering_thread: ThreadIndex(1), ..request });
    tables.requests.push(Request { port: 80, status: Some(200), ..tables.requests.row(0) });
    for (thread, start_ns) in [(1, 40), (0, 20)] {
        let thread = ThreadIndex(thread);
        tables.request_parts.push(RequestPart { number: 3, thread, start_ns, end_ns: start_ns + 10 });
    }
    tables.validate().expect("whole");
    (manifest, tables)
}

#[test]
fn tables_come_back() {
    let (manifest, tables) = full_experiment();
    let source = PackedSource {
        of: "a/Main".to_owned(),
        path: "src/a/Main.java".to_owned(),
        text: "class Main {}\n// </script>\n".to_owned(),
    };
    let options = PackOptions {
        class_files: BTreeSet::from(["a/Main".to_owned()]),
        sources: vec![source.clone()],
        ..PackOptions::default()
    };
    let unpacked = packed(&manifest, &tables, &options);
    assert_eq!(unpacked.notes, Vec::<String>::new());
    assert_eq!(unpacked.sources, [source]);
    let back = unpacked.tables;
    assert_eq!(back.binaries, tables.binaries);
    assert_eq!(back.functions, tables.functions);
    assert_eq!(back.frames, tables.frames);
    assert_eq!(back.threads, tables.threads);
    assert_eq!(back.files, tables.files);
    assert_eq!(back.syscalls, tables.syscalls);
    assert_eq!(back.syscall_latencies, tables.syscall_latencies);
    assert_eq!(back.calibration, tables.calibration);
    assert_eq!(back.samples.len(), tables.samples.len());
    assert_eq!(back.sampled_calls.time_ns, [10, 30]);
    assert_eq!(back.sampled_calls.error_number, [Some(11), None]);
    assert_eq!(back.thread_states.start_ns, [0, 0, 100, 250, 50]);
    assert_eq!(back.thread_states.duration_ns, [60, 40, 80, 1, 40]);
    assert_eq!(back.counters.counter, ["a", "a", "b", "b"]);
    assert_eq!(
        back.counters.value.iter().map(|value| value.to_bits()).collect::<Vec<_>>(),
        [-3.0_f64, f64::MAX, 0.5, -0.0].map(f64::to_bits)
    );
    assert_eq!(back.requests, tables.requests);
    assert_eq!(back.request_parts, tables.request_parts);
    assert_eq!(back.archive.class_name, ["a/Main"]);
    assert_eq!(back.archive.bytes, [Some(vec![0xca, 0xfe, 0, 255])]);
    assert_eq!(views(&manifest, &back, None), views(&manifest, &tables, None));
}

/// No view of a report file shows wakes.
#[test]
fn wakes_are_left_out_with_a_note() {
    let (manifest, mut tables) = full_experiment();
    tables.wakes.push(Wake {
        time_ns: 70,
        thread: ThreadIndex(0),
        reason: WaitReason::Futex,
        kind: WakerKind::Thread,
        waker: Some(ThreadIndex(1)),
        stack: StackIndex(2),
        duration_ns: 9,
        weight_ns: 10,
    });
    let unpacked = packed(&manifest, &tables, &PackOptions::default());
    assert!(unpacked.tables.wakes.is_empty());
    assert!(unpacked.notes[0].contains("who ended waits is left out"), "{:?}", unpacked.notes);
}

/// Two spans of a thread that begin in the same bin become one span, unless there is a gap.
#[test]
fn thread_states_are_joined_over_bins() {
    let (manifest, tables) = full_experiment();
    let options = PackOptions { most_thread_states: 4, ..PackOptions::default() };
    let unpacked = packed(&manifest, &tables, &options);
    let states = &unpacked.tables.thread_states;
    assert_eq!(states.len(), 5, "nothing could be joined in fewer rows: {states:?}");
    assert_eq!((states.start_ns[0], states.end_ns[0]), (0, 180));
    assert_eq!(states.duration_ns, [60, 40, 80, 1, 40]);
    assert_eq!(unpacked.notes.len(), 1, "{:?}", unpacked.notes);
}

/// Stacks that are small by every metric are merged, and all totals stay the same.
#[test]
fn small_stacks_are_joined() {
    let row = |names: &[&str]| names.join("  ");
    let drawing =
        [row(&["outer"; 40]), row(&[&["small"; 1][..], &["large"; 39]].concat()), row(&["below"; 1])].join("\n");
    let (manifest, tables) = whittle_testkit::experiment_from_text(&drawing);
    let options = PackOptions { smallest_stack_ratio: 0.05, ..PackOptions::default() };
    let unpacked = packed(&manifest, &tables, &options);
    let profile = Profile::load(manifest.clone(), unpacked.tables).expect("valid tables");
    let view = whittle_views::functions::functions(&profile, &Query::default()).expect("functions");
    let rows: Vec<_> = view.rows.iter().map(|row| (row.function.as_str(), row.values.numbers[0])).collect();
    assert_eq!(rows.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["large", "<left out>", "outer"]);
    assert_eq!(unpacked.notes, ["stacks below 5 % of the total are merged into <left out>; 3 of 4 stacks remain"]);
}

#[test]
fn other_bytes_are_refused() {
    assert_eq!(decode(b""), Err(PackError::NotPacked));
    assert_eq!(decode(b"PK\x03\x04 something else"), Err(PackError::NotPacked));
    assert_eq!(decode(b"whittle pack"), Err(PackError::Short));
    assert_eq!(decode(b"whittle pack\x09"), Err(PackError::OtherVersion { found: 9 }));
    let (manifest, tables) = full_experiment();
    let bytes = encode(&manifest, &tables, &PackOptions::default()).bytes;
    for end in 0..bytes.len() {
        decode(&bytes[..end]).expect_err("a part is not the whole");
    }
}

/// With any single changed byte, reading does not panic: it returns valid tables or an error.
#[test]
fn flipped_bytes() {
    let (manifest, tables) = full_experiment();
    let mut bytes = encode(&manifest, &tables, &PackOptions::default()).bytes;
    for position in 0..bytes.len() {
        for mask in [0x01, 0x02, 0x40, 0x80, 0xff] {
            bytes[position] ^= mask;
            let decoded = decode(&bytes);
            assert_eq!(load(bytes.clone()).is_ok(), decoded.is_ok());
            if let Ok(unpacked) = decoded {
                unpacked.tables.validate().expect("tables that were accepted keep their promises");
                let rows = unpacked.tables.samples.len() + unpacked.tables.stacks.len();
                assert!(rows < 2 * bytes.len(), "{rows} rows of {} bytes", bytes.len());
            }
            bytes[position] ^= mask;
        }
    }
}

/// Increases the time between samples, so bins can be shorter than this time.
fn spread(samples: &[RandomSample]) -> Vec<RandomSample> {
    let at = |sample: &RandomSample| RandomSample { time_ns: sample.time_ns * 700, ..sample.clone() };
    samples.iter().map(at).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn views_come_back(samples in random_samples(SHAPE)) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let unpacked = packed(&manifest, &tables, &PackOptions::default());
        prop_assert_eq!(views(&manifest, &unpacked.tables, None), views(&manifest, &tables, None));
        let filter = Some("time in 20ns..60ns and mode is system");
        prop_assert_eq!(views(&manifest, &unpacked.tables, filter), views(&manifest, &tables, filter));
    }

    /// If samples are added up over bins, every view stays the same. Views of time ranges that begin and end at bin
    /// borders also stay the same.
    #[test]
    fn views_of_sums_come_back(samples in random_samples(SHAPE), most_samples in 1_usize..20, (from, to) in any::<(u8, u8)>()) {
        let (manifest, tables) = experiment_from_samples(&spread(&samples));
        let options = PackOptions { most_samples, ..PackOptions::default() };
        let encoded = encode(&manifest, &tables, &options);
        let unpacked = packed(&manifest, &tables, &options);
        prop_assert!(unpacked.tables.samples.len() <= tables.samples.len());
        prop_assert_eq!(views(&manifest, &unpacked.tables, None), views(&manifest, &tables, None));
        if let Some(bin_ns) = encoded.sample_bin_ns.filter(|bin_ns| *bin_ns < 1_000_000) {
            let (from, to) = (u64::from(from % 20) * bin_ns, u64::from(to % 50) * bin_ns);
            if from < to {
                let filter = format!("time in {from}ns..{to}ns");
                let filter = Some(filter.as_str());
                prop_assert_eq!(views(&manifest, &unpacked.tables, filter), views(&manifest, &tables, filter));
            }
        }
    }

    /// If small stacks are left out, the totals stay the same, and no function gets a larger inclusive value.
    #[test]
    fn totals_stay_without_small_stacks(samples in random_samples(SHAPE), percent in 1_u32..60) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let smallest_stack_ratio = f64::from(percent) / 100.0;
        let unpacked = packed(&manifest, &tables, &PackOptions { smallest_stack_ratio, ..PackOptions::default() });
        let functions = |tables: &Tables| {
            let profile = Profile::load(manifest.clone(), tables.clone()).expect("valid tables");
            let query = Query { mode: ViewMode::Machine, metrics: Some("e.cpu,i.cpu".parse().expect("metrics")), ..Query::default() };
            whittle_views::functions::functions(&profile, &query).expect("functions")
        };
        let (before, after) = (functions(&tables), functions(&unpacked.tables));
        prop_assert_eq!(&before.total, &after.total);
        prop_assert!(unpacked.tables.stacks.len() <= tables.stacks.len() + 1);
        for row in &after.rows {
            let same = before.rows.iter().find(|other| other.function == row.function);
            prop_assert!(row.function == "<left out>" || same.is_some_and(|same| same.values.numbers[1] >= row.values.numbers[1]));
        }
    }

    #[test]
    fn any_bytes_are_an_error_or_tables(mut bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        bytes.splice(0..0, *b"whittle pack\x01\x02{}");
        if let Ok(unpacked) = decode(&bytes) {
            unpacked.tables.validate().expect("valid");
        }
    }
}
