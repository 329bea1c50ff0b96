//! Tests with OpenTelemetry profiles of real programs, in both current layouts. Tests with generated profiles write the
//! same samples in every layout, earlier and current.

mod writer;

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;
use whittle_import::{FileFormat, ForeignImport, ImportError, OpenedFile, OtlpLayout, OtlpProfiles, import_otlp};
use whittle_model::{CpuMode, EventKind, FunctionKind, LossReason, StackIndex, Table, TableBuilder, Tables};
use whittle_testkit::ThreadCpu;
use writer::{Drawn, DrawnSample, Message, write};

const CPU_4_4: &[u8] = include_bytes!("../../fixtures/otlp/async-profiler-4.4-cpu.otlp");
const LOCK_4_4: &[u8] = include_bytes!("../../fixtures/otlp/async-profiler-4.4-lock.otlp");
const CPU_4_6: &[u8] = include_bytes!("../../fixtures/otlp/async-profiler-4.6-cpu.otlp");
const SAMPLES_4_6: &[u8] = include_bytes!("../../fixtures/otlp/async-profiler-4.6-cpu-samples.otlp");
const CONVERTED_CPU: &[u8] = include_bytes!("../../fixtures/otlp/jfr-converter-4.5-cpu.otlp");
const CONVERTED_ALLOC: &[u8] = include_bytes!("../../fixtures/otlp/jfr-converter-4.5-alloc.otlp");

const ALL_LAYOUTS: [OtlpLayout; 4] =
    [OtlpLayout::TablesInProfile, OtlpLayout::Ranges, OtlpLayout::ValuesSecond, OtlpLayout::ValuesFourth];

fn import(bytes: &[u8]) -> (Tables, ForeignImport) {
    let file = OpenedFile::open(bytes, 1 << 28).unwrap();
    assert_eq!(file.format(), FileFormat::Otlp);
    let mut builder = TableBuilder::new();
    let import = import_otlp(&file, &mut builder).unwrap();
    let tables = builder.into_tables();
    tables.validate().unwrap();
    (tables, import)
}

fn layout(bytes: &[u8]) -> OtlpLayout {
    OtlpProfiles::parse(bytes).unwrap().layout()
}

/// Names of a stack, leaf first.
fn stack(tables: &Tables, mut stack: StackIndex) -> Vec<&str> {
    let mut names = Vec::new();
    while stack != StackIndex::ROOT {
        let function = tables.frames.function[tables.stacks.frame[stack.row()].row()];
        names.push(tables.functions.display_name[function.row()].as_str());
        stack = tables.stacks.parent[stack.row()];
    }
    names
}

/// The largest sums of CPU time by leaf function.
fn top(tables: &Tables, weights: &[u64], count: usize) -> Vec<(String, u64)> {
    let mut sums = BTreeMap::<&str, u64>::new();
    for (row, weight) in weights.iter().enumerate() {
        *sums.entry(stack(tables, tables.samples.stack[row])[0]).or_default() += weight;
    }
    let mut sums: Vec<(String, u64)> = sums.into_iter().map(|(name, sum)| (name.to_owned(), sum)).collect();
    sums.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    sums.truncate(count);
    sums
}

fn by_thread(tables: &Tables, weights: &[u64]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for (row, weight) in weights.iter().enumerate() {
        *sums.entry(tables.threads.name[tables.samples.thread[row].row()].clone()).or_default() += weight;
    }
    sums
}

fn names(import: &ForeignImport) -> Vec<&str> {
    import.metrics.iter().map(|metric| metric.name.as_str()).collect()
}

fn expected(sums: &[(&str, u64)]) -> Vec<(String, u64)> {
    sums.iter().map(|(name, sum)| ((*name).to_owned(), *sum)).collect()
}

#[test]
fn the_old_layout_of_async_profiler_4_4() {
    assert_eq!(layout(CPU_4_4), OtlpLayout::ValuesSecond);
    let (tables, import) = import(CPU_4_4);
    assert_eq!(tables.samples.duration_ns.iter().sum::<u64>(), 471_349_516);
    let leaves = [("__vdso_clock_gettime", 110_259_424), ("SpinPause", 60_149_602), ("Workload.crunch", 50_063_584)];
    assert_eq!(top(&tables, &tables.samples.duration_ns, 3), expected(&leaves));
    let threads = by_thread(&tables, &tables.samples.duration_ns);
    assert_eq!((threads["writer"], threads["cruncher"], threads["rival-1"]), (90_207_216, 80_162_948, 70_200_066));
    assert_eq!(names(&import), ["cpu", "user_cpu", "system_cpu"]);
    assert_eq!(import.start_wall_ns, Some(1_795_313_654_479_101_000));
    assert_eq!(import.duration_ns, 1_116_818_000);
    assert_eq!(import.losses.count(LossReason::UnwalkableJava), 1, "[unknown_Java]");
}

#[test]
fn the_new_layout_of_async_profiler_4_6() {
    assert_eq!(layout(CPU_4_6), OtlpLayout::ValuesFourth);
    let (tables, import) = import(CPU_4_6);
    assert_eq!(tables.samples.duration_ns.iter().sum::<u64>(), 851_637_332);
    let leaves =
        [("__vdso_clock_gettime", 240_292_099), ("Workload.crunch", 80_168_232), ("clear_page_erms", 50_023_012)];
    assert_eq!(top(&tables, &tables.samples.duration_ns, 3), expected(&leaves));
    let threads = by_thread(&tables, &tables.samples.duration_ns);
    assert_eq!((threads["writer"], threads["cruncher"], threads["rival-1"]), (180_269_151, 130_197_452, 150_226_365));
    assert!(tables.threads.thread_id.contains(&Some(15256)));
    assert_eq!(import.interval_ns, Some(10_000_000));
}

#[test]
fn names_of_async_profiler_say_whose_code_it_is() {
    let (tables, _) = import(CPU_4_6);
    let kind = |name: &str| {
        let row = tables.functions.display_name.iter().position(|known| known == name).unwrap();
        (tables.functions.kind[row], tables.functions.internal_name[row].as_str())
    };
    assert_eq!(kind("java.io.FileOutputStream.write"), (FunctionKind::Java, "java/io/FileOutputStream.write"));
    assert_eq!(kind("Workload.crunch"), (FunctionKind::Java, "Workload.crunch"));
    assert_eq!(kind("os::javaTimeNanos").0, FunctionKind::Jvm);
    assert_eq!(kind("do_syscall_64"), (FunctionKind::Kernel, "do_syscall_64"));
    let is_system = |row: &usize| tables.samples.mode[*row] == CpuMode::System;
    let system: u64 = (0..tables.samples.len()).filter(is_system).map(|row| tables.samples.duration_ns[row]).sum();
    assert!(system > 100_000_000 && tables.samples.mode.iter().all(|mode| *mode != CpuMode::Unknown), "{system}");
}

#[test]
fn counted_samples_become_cpu_time_where_the_profile_has_a_period() {
    let (tables, import) = import(SAMPLES_4_6);
    assert_eq!(names(&import), ["cpu_samples", "cpu", "user_cpu", "system_cpu"]);
    let samples = &tables.samples;
    assert_eq!((samples.count.iter().sum::<u64>(), samples.duration_ns.iter().sum::<u64>()), (37, 370_000_000));
    assert!(import.left_out.is_empty(), "{:?}", import.left_out);
}

#[test]
fn samples_that_are_nothing_but_times() {
    assert_eq!(layout(CONVERTED_CPU), OtlpLayout::ValuesFourth, "no sample has a value");
    let (tables, import) = import(CONVERTED_CPU);
    assert_eq!(tables.samples.len(), 94);
    assert_eq!(tables.samples.duration_ns.iter().sum::<u64>(), 940_000_000);
    let leaves = [("__vdso_clock_gettime", 23), ("__memset_evex_unaligned_erms", 18), ("Workload.crunch", 14)];
    assert_eq!(top(&tables, &tables.samples.count, 3), expected(&leaves));
    let latest = tables.samples.time_ns.iter().max().unwrap();
    assert!((900_000_000..import.duration_ns).contains(latest), "{latest}");
}

#[test]
fn allocations_and_locks() {
    let (tables, import) = import(CONVERTED_ALLOC);
    assert_eq!(names(&import), ["alloc_bytes"]);
    assert_eq!(tables.samples.bytes.iter().sum::<u64>(), 681_606_816);
    let (tables, import) = self::import(LOCK_4_4);
    assert_eq!(names(&import), ["contentions"]);
    assert_eq!(tables.samples.event, [EventKind::Lock; 2]);
    assert_eq!(tables.samples.count.iter().sum::<u64>(), 33);
}

/// Functions leaf first, thread, values, times.
type Line<'t> = (&'t str, Option<&'t str>, &'t [u64], &'t [u64]);

fn drawn(samples: &[Line<'_>]) -> Drawn {
    let text = str::to_owned;
    let sample = |(functions, thread, values, times): &Line<'_>| DrawnSample {
        functions_leaf_first: functions.split(' ').map(text).collect(),
        thread: thread.map(text),
        values: values.to_vec(),
        times_ns: times.iter().map(|time| START_NS + time).collect(),
    };
    Drawn {
        resource: vec![("service.name".to_owned(), "shop".to_owned()), ("host.name".to_owned(), "web-1".to_owned())],
        value_type: ("cpu".to_owned(), "nanoseconds".to_owned()),
        period: ("nanoseconds".to_owned(), 10),
        start_ns: START_NS,
        samples: samples.iter().map(sample).collect(),
    }
}

const START_NS: u64 = 1_800_000_000_000_000_000;

/// Time, stack, thread and CPU time of all rows, sorted.
fn rows(tables: &Tables) -> Vec<String> {
    let samples = &tables.samples;
    let row = |row: usize| {
        let thread = &tables.threads.name[samples.thread[row].row()];
        let names = stack(tables, samples.stack[row]).join(" ");
        format!("{} {names} [{thread}] {}", samples.time_ns[row], samples.duration_ns[row])
    };
    let mut rows: Vec<String> = (0..samples.len()).map(row).collect();
    rows.sort();
    rows
}

#[test]
fn the_same_samples_in_every_layout() {
    let drawn = drawn(&[
        ("parse main", Some("worker"), &[700], &[]),
        ("write main", Some("worker"), &[5, 6], &[20, 30]),
        ("main", None, &[9], &[]),
    ]);
    let expected = ["0 main [] 9", "0 parse main [worker] 700", "20 write main [worker] 5", "30 write main [worker] 6"];
    for layout in ALL_LAYOUTS.into_iter().skip(2) {
        let bytes = write(&drawn, layout, true);
        assert_eq!(self::layout(&bytes), layout);
        assert_eq!(rows(&import(&bytes).0), expected, "{layout:?}");
    }
}

#[test]
fn the_attributes_of_a_resource_are_labels() {
    let bytes = write(&drawn(&[("main", None, &[9], &[])]), OtlpLayout::ValuesFourth, true);
    let profiles = OtlpProfiles::parse(&bytes).unwrap();
    let labels: Vec<_> = profiles.resources()[0].labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(labels, ["host=web-1", "service=shop"]);
    let mut builder = TableBuilder::new();
    profiles.import(|position| position > 0, &mut builder);
    assert!(builder.tables().samples.is_empty());
}

#[test]
fn two_profiles_of_the_same_samples_become_one_row_each() {
    let of = |name: &str, unit: &str, values: [u64; 2]| Drawn {
        value_type: (name.to_owned(), unit.to_owned()),
        ..drawn(&[("parse main", Some("w"), &values[..1], &[]), ("write main", Some("w"), &values[1..], &[])])
    };
    let (counts, times) = (of("cpu", "count", [2, 3]), of("cpu", "nanoseconds", [200, 300]));
    // The dictionaries are equal, so the second profile can be moved to the first request.
    let [counts, times] = [counts, times].map(|drawn| write(&drawn, OtlpLayout::TablesInProfile, true));
    let (tables, import) = import(&[counts, times].concat());
    assert_eq!(names(&import), ["cpu_samples", "cpu"]);
    let mut sums: Vec<(u64, u64)> = tables.samples.count.iter().copied().zip(tables.samples.duration_ns).collect();
    sums.sort_unstable();
    assert_eq!(sums.iter().map(|row| row.0).sum::<u64>(), 5 + 2, "rows of two resources stay apart");
}

/// Samples for which the two newest layouts differ only in the meaning of field 2.
fn unclear(value: u64) -> Vec<u8> {
    let sample = Message::default().number(1, 1).bytes(2, &[value as u8]).bytes(5, &START_NS.to_le_bytes());
    let profile = Message::default().message(1, &Message::default().number(1, 1).number(2, 2));
    let profile = profile.message(2, &sample).fixed(3, START_NS);
    let mut dictionary = Message::default();
    for field in [1, 4] {
        dictionary = dictionary.message(field, &Message::default());
    }
    let location = Message::default().message(3, &Message::default().number(1, 1));
    dictionary = dictionary.message(2, &Message::default()).message(2, &location);
    dictionary = dictionary.message(3, &Message::default()).message(3, &Message::default().number(1, 3));
    for text in ["", "cpu", "nanoseconds", "main", "k"] {
        dictionary = dictionary.bytes(5, text.as_bytes());
    }
    let attribute = Message::default().number(1, 4).message(2, &Message::default().bytes(1, b"v"));
    dictionary = dictionary.message(6, &Message::default());
    for _ in 0..5 {
        dictionary = dictionary.message(6, &attribute);
    }
    dictionary = dictionary.message(7, &Message::default()).message(7, &Message::default().bytes(1, &[1]));
    let scope = Message::default().message(2, &profile);
    let resource = Message::default().message(2, &scope);
    Message::default().message(1, &resource).message(2, &dictionary).0
}

#[test]
fn what_fits_two_layouts_with_different_values_is_refused() {
    let bytes = unclear(3);
    let refused = OtlpProfiles::parse(&bytes).unwrap_err();
    assert_eq!(refused, ImportError::AmbiguousOtlp { byte_count: bytes.len() });
    assert_eq!(layout(&unclear(1)), OtlpLayout::ValuesFourth, "both give 1");
    assert_eq!(layout(&unclear(6)), OtlpLayout::ValuesSecond, "there is no attribute 6");
}

#[test]
fn other_files_are_none_of_these() {
    for other in [&b""[..], b"\x0a\x04\x08\x01\x10\x02\x32\x00", b"main;work 42\n", b"\x0a\x00\x12\x00"] {
        assert_ne!(OpenedFile::open(other, 1 << 20).unwrap().format(), FileFormat::Otlp);
        assert!(matches!(OtlpProfiles::parse(other), Err(ImportError::NotOtlp { .. })));
    }
}

#[test]
fn a_sample_that_points_at_nothing_is_counted() {
    let mut drawn = drawn(&[("main", Some("w"), &[9], &[])]);
    drawn.samples = vec![drawn.samples[0].clone(); 9];
    let mut bytes = write(&drawn, OtlpLayout::ValuesFourth, true);
    // A sample of a tenth profile refers to stack 77, which does not exist.
    let sample = Message::default().number(1, 77).bytes(4, &[9]);
    let profile = Message::default().message(1, &Message::default().number(1, 1).number(2, 2)).message(2, &sample);
    let scope = Message::default().message(2, &profile);
    bytes.extend(Message::default().message(1, &Message::default().message(2, &scope)).0);
    let (tables, import) = import(&bytes);
    assert_eq!(import.losses.count(LossReason::MissingEntry), 1);
    assert_eq!(tables.samples.duration_ns.iter().sum::<u64>(), 9 * 9 + 9);
}

#[test]
fn overlapping_ranges_of_locations_end() {
    let mut drawn = drawn(&[("main", None, &[1], &[])]);
    drawn.samples[0].functions_leaf_first = (0..20_000).map(|number| format!("f{}", number % 500)).collect();
    let whole = write(&drawn, OtlpLayout::Ranges, true);
    // The same profile, with a sample for every start in its list.
    let samples = (0..20_000_u64).fold(Message::default(), |message, start| {
        message.message(2, &Message::default().number(1, start).number(2, 20_000 - start).bytes(3, &[1]))
    });
    let profile: Vec<u8> = profile_of(&whole).into_iter().chain(samples.0).collect();
    let scope = Message::default().bytes(2, &profile);
    let bytes = [whole, Message::default().message(1, &Message::default().message(2, &scope)).0].concat();
    let start = ThreadCpu::now();
    let (tables, import) = import(&bytes);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(import.losses.count(LossReason::DamagedInput) > 0);
    assert!(!tables.samples.is_empty());
}

#[test]
fn empty_profiles_and_resources_without_end() {
    let whole = write(&drawn(&[("main", None, &[9], &[])]), OtlpLayout::ValuesFourth, true);
    let resource = Message::default().bytes(2, &b"\x12\x00".repeat(300_000));
    let profiles = Message::default().message(1, &resource);
    let bytes = [whole, profiles.0, b"\x0a\x00".repeat(300_000)].concat();
    let profiles = OtlpProfiles::parse(&bytes).unwrap();
    assert!(profiles.resources().len() <= 10_000);
    assert!(profiles.resources().iter().map(|resource| resource.profile_count()).sum::<usize>() <= 100_000);
    let (tables, _) = import(&bytes);
    assert_eq!(tables.samples.duration_ns, [9]);
}

/// The bytes of the first profile.
fn profile_of(request: &[u8]) -> Vec<u8> {
    fn inside(message: &[u8], field: u8) -> &[u8] {
        let mut rest = message;
        loop {
            let (key, mut at, mut length, mut shift) = (rest[0], 1, 0_usize, 0);
            loop {
                length |= usize::from(rest[at] & 0x7f) << shift;
                (at, shift) = (at + 1, shift + 7);
                if rest[at - 1] < 0x80 {
                    break;
                }
            }
            if key == field << 3 | 2 {
                return &rest[at..at + length];
            }
            rest = &rest[at + length..];
        }
    }
    inside(inside(inside(request, 1), 2), 2).to_vec()
}

#[test]
fn every_part_of_a_file_can_be_read() {
    for bytes in [CPU_4_4, CPU_4_6, CONVERTED_CPU] {
        for end in (0..bytes.len()).step_by(7) {
            let mut builder = TableBuilder::new();
            if let Ok(profiles) = OtlpProfiles::parse(&bytes[..end]) {
                profiles.import(|_| true, &mut builder);
            }
            builder.into_tables().validate().unwrap();
        }
    }
}

fn samples() -> impl Strategy<Value = Vec<DrawnSample>> {
    let functions = prop::collection::vec(prop::sample::select(&["a", "b", "c", "d.e", "F.g"][..]), 1..5);
    let thread = prop::option::of(prop::sample::select(&["main", "worker", "[x tid=7]"][..]));
    let values = prop_oneof![
        (1_u64..200).prop_map(|value| (vec![value], Vec::new())),
        prop::collection::vec((1_u64..5, 0_u64..900), 1..4).prop_map(|pairs| pairs.into_iter().unzip()),
    ];
    let sample =
        (functions, thread, values).prop_map(|(functions, thread, (values, times)): (_, _, (Vec<u64>, Vec<u64>))| {
            DrawnSample {
                functions_leaf_first: functions.into_iter().map(str::to_owned).collect(),
                thread: thread.map(str::to_owned),
                values,
                times_ns: times.into_iter().map(|time| START_NS + time).collect(),
            }
        });
    prop::collection::vec(sample, 1..12)
}

/// The expected rows of samples, with equal rows added up.
fn expected_rows(samples: &[DrawnSample]) -> Vec<String> {
    let mut sums = BTreeMap::<(u64, String, String), u64>::new();
    for sample in samples {
        let thread = match sample.thread.as_deref() {
            Some("[x tid=7]") => "x",
            other => other.unwrap_or_default(),
        };
        let times = if sample.times_ns.is_empty() { vec![START_NS] } else { sample.times_ns.clone() };
        for (time, value) in times.iter().zip(&sample.values) {
            let key = (time - START_NS, sample.functions_leaf_first.join(" "), thread.to_owned());
            *sums.entry(key).or_default() += value;
        }
    }
    let mut rows: Vec<String> =
        sums.into_iter().map(|((time, names, thread), sum)| format!("{time} {names} [{thread}] {sum}")).collect();
    rows.sort();
    rows
}

proptest! {
    /// The detected layout must be the written layout. If detection is impossible, the error must report that the
    /// layout is unknown.
    #[test]
    fn a_layout_is_never_taken_for_another(
        samples in samples(),
        layout in prop::sample::select(&ALL_LAYOUTS[2..]),
        is_packed in any::<bool>(),
    ) {
        let drawn = Drawn { samples, ..drawn(&[]) };
        let bytes = write(&drawn, layout, is_packed);
        match OtlpProfiles::parse(&bytes) {
            Ok(profiles) => {
                prop_assert_eq!(profiles.layout(), layout);
                prop_assert_eq!(rows(&import(&bytes).0), expected_rows(&drawn.samples));
            }
            Err(error) => prop_assert!(matches!(error, ImportError::AmbiguousOtlp { .. }), "{}", error),
        }
    }

    /// In older layouts, samples have one value of each type.
    #[test]
    fn older_layouts_are_told_and_read(samples in samples(), is_packed in any::<bool>(), is_oldest in any::<bool>()) {
        let single = |mut sample: DrawnSample| {
            sample.values.truncate(1);
            sample.times_ns.truncate(1);
            sample
        };
        let drawn = Drawn { samples: samples.into_iter().map(single).collect(), ..drawn(&[]) };
        let layout = ALL_LAYOUTS[usize::from(!is_oldest)];
        let bytes = write(&drawn, layout, is_packed);
        prop_assert_eq!(self::layout(&bytes), layout);
        prop_assert_eq!(rows(&import(&bytes).0), expected_rows(&drawn.samples));
    }

    #[test]
    fn damage_never_panics(samples in samples(), layout in prop::sample::select(&ALL_LAYOUTS[..]), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = write(&Drawn { samples, ..drawn(&[]) }, layout, true);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let mut builder = TableBuilder::new();
        if let Ok(profiles) = OtlpProfiles::parse(&bytes) {
            profiles.import(|_| true, &mut builder);
        }
        builder.into_tables().validate().unwrap();
    }
}
