//! Compares imports of files of perf, Go, samply's library and speedscope with the numbers that these tools print.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;
use whittle_import::{
    FileFormat, ForeignImport, ImportError, NoSymbols, OpenedFile, import_firefox, import_perf_data, import_pprof,
    import_speedscope,
};
use whittle_model::{CpuMode, EventKind, FrameKind, LossReason, Table, TableBuilder, Tables, WeightColumn};
use whittle_testkit::ThreadCpu;

/// Memory limit for the files in this test.
const MAX_BYTES: usize = 1 << 24;

const PERF_CPU_CLOCK: &[u8] = include_bytes!("../fixtures/foreign/perf-cpu-clock.data");
const PERF_TWO_EVENTS: &[u8] = include_bytes!("../fixtures/foreign/perf-two-events.data");
const PERF_PIPE: &[u8] = include_bytes!("../fixtures/foreign/perf-pipe.data");
const GO_CPU: &[u8] = include_bytes!("../fixtures/foreign/go-cpu.pb.gz");
const GO_HEAP: &[u8] = include_bytes!("../fixtures/foreign/go-heap.pb.gz");
const FIREFOX: &[u8] = include_bytes!("../fixtures/foreign/firefox-fxprof.json");
const SPEEDSCOPE: &[u8] = include_bytes!("../fixtures/foreign/speedscope-evented.json");

fn open(bytes: &[u8]) -> OpenedFile<'_> {
    OpenedFile::open(bytes, MAX_BYTES).unwrap()
}

fn import(bytes: &[u8]) -> (Tables, ForeignImport) {
    let mut builder = TableBuilder::new();
    let file = open(bytes);
    let import = match file.format() {
        FileFormat::PerfData => import_perf_data(file.bytes(), &mut NoSymbols, &mut builder),
        FileFormat::Pprof => import_pprof(&file, &mut builder),
        FileFormat::Firefox => import_firefox(&file, &mut builder),
        FileFormat::Speedscope => import_speedscope(&file, &mut builder),
        other => panic!("{other:?}"),
    };
    let tables = builder.into_tables();
    tables.validate().unwrap();
    (tables, import.unwrap())
}

/// Sums of a weight, grouped by `key` of a sample's leaf frame.
fn by_leaf(
    tables: &Tables,
    (event, weight): (EventKind, WeightColumn),
    key: impl Fn(&Tables, usize) -> String,
) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for row in (0..tables.samples.len()).filter(|row| tables.samples.event[*row] == event) {
        let frame = tables.stacks.frame[tables.samples.stack[row].row()].row();
        *sums.entry(key(tables, frame)).or_default() += weight.values(&tables.samples)[row];
    }
    sums
}

fn binary(tables: &Tables, frame: usize) -> String {
    let binary = tables.functions.binary[tables.frames.function[frame].row()].row();
    tables.binaries.path[binary].rsplit('/').next().unwrap().to_owned()
}

fn name(tables: &Tables, frame: usize) -> String {
    tables.functions.display_name[tables.frames.function[frame].row()].clone()
}

/// The names of a sample's stack, root first.
fn stack(tables: &Tables, sample: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut stack = tables.samples.stack[sample].row();
    while stack != 0 {
        names.push(name(tables, tables.stacks.frame[stack].row()));
        stack = tables.stacks.parent[stack].row();
    }
    names.reverse();
    names
}

fn sums(expected: &[(&str, u64)]) -> BTreeMap<String, u64> {
    expected.iter().map(|(name, sum)| ((*name).to_owned(), *sum)).collect()
}

const CPU_TIME: (EventKind, WeightColumn) = (EventKind::Cpu, WeightColumn::DurationNs);

#[test]
fn a_file_of_perf_has_the_periods_and_binaries_that_perf_reports() {
    let (tables, import) = import(PERF_CPU_CLOCK);
    assert_eq!(by_leaf(&tables, CPU_TIME, binary), sums(&[("spin", 122_448_978)]));
    assert_eq!(tables.samples.len(), 6);
    // perf prints the callers' return addresses, 0x2724a and 0x1224. The byte before a return address is part of the
    // call.
    assert_eq!(stack(&tables, 0), ["libc.so.6+0x27249", "spin+0x1223", "spin+0x1175"]);
    assert_eq!(tables.threads.name, ["spin"]);
    assert!(tables.samples.mode.iter().all(|mode| *mode == CpuMode::User));
    assert_eq!(
        import.metrics.iter().map(|metric| metric.name.as_str()).collect::<Vec<_>>(),
        ["cpu", "user_cpu", "system_cpu"]
    );
    assert_eq!((import.producer.as_str(), import.interval_ns), ("perf 6.1.192", Some(1_000_000_000 / 49)));
    assert_eq!(import.losses.count(LossReason::Unsymbolised), 6);
    assert_eq!(import.losses.count(LossReason::DamagedInput), 0);
    assert_eq!(import.command.last().unwrap(), "./spin");
}

#[test]
fn two_events_of_perf_are_two_metrics() {
    let (tables, import) = import(PERF_TWO_EVENTS);
    assert_eq!(by_leaf(&tables, CPU_TIME, binary), sums(&[("spin", 240_000_000)]));
    let faults = by_leaf(&tables, (EventKind::PageFault, WeightColumn::Count), binary);
    let expected = [("[kernel]", 256), ("ld-linux-x86-64.so.2", 28), ("libc.so.6", 20), ("spin", 4)];
    assert_eq!(faults, sums(&expected));
    assert!(import.left_out.is_empty());
}

#[test]
fn a_file_that_perf_wrote_to_a_pipe() {
    let (tables, _) = import(PERF_PIPE);
    let expected = [("[kernel]", 40_816_326), ("spin", 183_673_467)];
    assert_eq!(by_leaf(&tables, CPU_TIME, binary), sums(&expected));
    let in_kernel = tables.samples.mode.iter().filter(|mode| **mode == CpuMode::System).count();
    assert_eq!((tables.samples.len(), in_kernel), (11, 2));
}

#[test]
fn the_functions_and_lines_of_a_go_program() {
    let (tables, import) = import(GO_CPU);
    assert_eq!(
        by_leaf(&tables, CPU_TIME, name),
        sums(&[("main.parse", 80_000_000), ("runtime.asyncPreempt", 70_000_000)])
    );
    assert_eq!(stack(&tables, 0).first().unwrap(), "runtime.main");
    let parse = tables.functions.display_name.iter().position(|name| name == "main.parse").unwrap();
    assert_eq!(tables.functions.first_line[parse], Some(12));
    let lines: Vec<u32> = (0..tables.frames.len())
        .filter(|frame| tables.frames.function[*frame].row() == parse)
        .filter_map(|frame| tables.frames.line[frame])
        .collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| (12..=16).contains(line)), "{lines:?}");
    assert_eq!(import.interval_ns, Some(10_000_000));
    assert!(import.losses.is_empty());
}

#[test]
fn the_heap_of_a_go_program_keeps_what_was_allocated() {
    let (tables, import) = import(GO_HEAP);
    let bytes: u64 = tables.samples.bytes.iter().sum();
    let objects: u64 = tables.samples.count.iter().sum();
    assert_eq!((objects, bytes), (1_135, 38_387_412));
    assert_eq!(import.left_out.len(), 2, "{:?}", import.left_out);
}

#[test]
fn a_profile_of_the_library_that_samply_uses() {
    let (tables, import) = import(FIREFOX);
    // The file contains 0.9, 1.1, 0, 0.5 and 1 ms of CPU, and a sample without a stack.
    let expected = [("parse", 1_900_000), ("vfs_write", 1_100_000), ("write", 500_000), ("<truncated: no_frames>", 0)];
    assert_eq!(by_leaf(&tables, CPU_TIME, name), sums(&expected));
    let counts = [("parse", 2), ("vfs_write", 2), ("write", 2), ("<truncated: no_frames>", 1)];
    assert_eq!(by_leaf(&tables, (EventKind::Cpu, WeightColumn::Count), name), sums(&counts));
    assert_eq!(stack(&tables, 1), ["main", "write", "vfs_write"]);
    assert_eq!(tables.samples.time_ns, [0, 1_500_000, 3_000_000, 4_500_000, 6_000_000, 9_000_000]);
    let kernel = tables.frames.kind.iter().filter(|kind| **kind == FrameKind::Kernel).count();
    assert_eq!((kernel, import.losses.count(LossReason::NoFrames)), (1, 1));
    assert_eq!(import.start_wall_ns, Some(1_700_000_000_000_000_000));
    assert_eq!((tables.threads.thread_id[0], tables.threads.process_id[0]), (Some(12_345), Some(123)));
}

#[test]
fn evented_and_sampled_profiles_of_speedscope() {
    let (tables, import) = import(SPEEDSCOPE);
    let wall = (EventKind::Wall, WeightColumn::DurationNs);
    let milliseconds = |ms: f64| (ms * 1e6) as u64;
    let expected =
        [("main", milliseconds(2.0 + 4.5)), ("parse", milliseconds(3.0) + 4_500), ("write", milliseconds(4.5) + 2_500)];
    assert_eq!(by_leaf(&tables, wall, name), sums(&expected));
    assert_eq!(tables.threads.name, ["evented", "sampled"]);
    assert_eq!(tables.threads.thread_id, [None, Some(7)]);
    assert_eq!(import.duration_ns, milliseconds(14.0));
    assert!(import.losses.is_empty());
}

/// Pseudo-random numbers, the same in every run (a linear congruential generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Reads corrupt bytes in their original format. For any bytes, reading ends and the tables are valid.
fn check(bytes: &[u8], format: FileFormat) {
    let mut builder = TableBuilder::new();
    let file = open(bytes);
    let _is_readable = match format {
        FileFormat::PerfData => import_perf_data(bytes, &mut NoSymbols, &mut builder),
        FileFormat::Pprof => import_pprof(&file, &mut builder),
        FileFormat::Firefox => import_firefox(&file, &mut builder),
        _ => import_speedscope(&file, &mut builder),
    };
    let tables = builder.into_tables();
    tables.validate().expect("tables of damaged input are valid, too");
    let limit = 64 * bytes.len() + (1 << 16);
    assert!(tables.stacks.len() < limit, "{} stacks for {} bytes", tables.stacks.len(), bytes.len());
}

fn fixtures() -> Vec<Vec<u8>> {
    let unpacked = |bytes: &[u8]| open(bytes).bytes().to_vec();
    let packed = [PERF_CPU_CLOCK, PERF_TWO_EVENTS, PERF_PIPE, GO_CPU, FIREFOX, SPEEDSCOPE].map(<[u8]>::to_vec);
    packed.into_iter().chain([unpacked(GO_CPU), unpacked(GO_HEAP)]).collect()
}

#[test]
fn every_part_of_a_file_can_be_read() {
    for bytes in fixtures() {
        let format = open(&bytes).format();
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 300) {
            check(&bytes[..end], format);
        }
    }
}

#[test]
fn flipped_replaced_removed_and_repeated_bytes() {
    let mut numbers = Numbers(3);
    for bytes in fixtures() {
        let format = open(&bytes).format();
        for _ in 0..300 {
            let mut damaged = bytes.clone();
            for _ in 0..=numbers.below(4) {
                let start = numbers.below(damaged.len());
                let end = (start + numbers.below(24)).min(damaged.len());
                match numbers.below(5) {
                    0 => damaged[start] ^= 1 << numbers.below(8),
                    1 => damaged[start..end].iter_mut().for_each(|byte| *byte = numbers.below(256) as u8),
                    2 => damaged[start..end].fill(0xff),
                    3 => drop(damaged.drain(start..end)),
                    _ => {
                        let again = damaged[start..end].to_vec();
                        damaged.splice(start..start, again).for_each(drop);
                    }
                }
                if damaged.is_empty() {
                    damaged.push(0);
                }
            }
            check(&damaged, format);
        }
    }
}

/// Replaces cells of the JSON by cells of any type.
#[test]
fn cells_of_any_type() {
    let mut numbers = Numbers(4);
    let cells = ["null", "-1", "1e300", "4294967296", "0.5", "\"x\"", "[]", "{}", "true", "0", "7"];
    for bytes in [FIREFOX, SPEEDSCOPE] {
        let format = open(bytes).format();
        let text = std::str::from_utf8(bytes).unwrap();
        let starts: Vec<usize> = text
            .char_indices()
            .filter(|(at, c)| c.is_ascii_digit() && !text.as_bytes()[at - 1].is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        for _ in 0..2_000 {
            let start = starts[numbers.below(starts.len())];
            let length = text[start..].find(|c: char| !c.is_ascii_digit()).unwrap();
            let cell = cells[numbers.below(cells.len())];
            check([&text[..start], cell, &text[start + length..]].concat().as_bytes(), format);
        }
    }
}

#[test]
fn a_short_file_that_claims_much_gets_little() {
    // One location with a thousand lines, a thousand times in one sample.
    let line = b"\x22\x02\x08\x01".repeat(1_000);
    let location = [b"\x08\x01".to_vec(), line].concat();
    let field = |number: u8, content: &[u8]| {
        let length = [content.len() as u8 & 0x7f | 0x80, (content.len() >> 7) as u8];
        [&[number << 3 | 2][..], &length, content].concat()
    };
    let stack = field(1, &vec![1; 1_000]);
    let bytes = [
        field(1, b"\x08\x01\x10\x02"),
        field(2, &[stack, field(2, b"\x01")].concat()),
        field(4, &location),
        field(5, b"\x08\x01\x10\x01"),
        field(6, b""),
        field(6, b"samples"),
        field(6, b"count"),
    ]
    .concat();
    assert_eq!(open(&bytes).format(), FileFormat::Pprof);
    check(&bytes, FileFormat::Pprof);
}

#[test]
fn packed_files_and_json_take_no_more_memory_than_they_may() {
    let too_large = |bytes: &[u8], max_bytes| match OpenedFile::open(bytes, max_bytes) {
        Err(ImportError::TooLarge { needed, .. }) => Some(needed),
        _ => None,
    };
    let zeros = packed(&vec![0; 1 << 24]);
    assert!(zeros.len() < 1 << 15);
    assert_eq!(too_large(&zeros, 1 << 20), Some(None));
    // Seven bytes of JSON become an object with room for eleven entries.
    let objects = format!("{{\"threads\":[{}0]}}", "{\"\":0},".repeat(100_000));
    assert!(too_large(objects.as_bytes(), 1 << 26).unwrap().unwrap() > 64_000_000);
    assert!(too_large(&packed(objects.as_bytes()), 1 << 26).is_some());
    assert_eq!(too_large(FIREFOX, 1 << 20), None);
    assert_eq!(too_large(&packed(FIREFOX), 1 << 20), None);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// From version 56 on, the threads of a Firefox profile contain only samples. All threads share the tables.
#[test]
fn threads_that_share_their_tables_share_their_stacks() {
    let row_count = 2_000;
    let column = |cell: &dyn Fn(usize) -> String| (0..row_count).map(cell).collect::<Vec<_>>().join(",");
    let prefixes = column(&|row| if row == 0 { "null".to_owned() } else { (row - 1).to_string() });
    let rows = column(&|row| row.to_string());
    let names = column(&|row| format!("\"f{row}\""));
    let thread = |id: usize| {
        let stack = row_count - 1;
        format!(r#"{{"name": "t{id}", "tid": {id}, "samples": {{"time": [1], "stack": [{stack}]}}}}"#)
    };
    let threads: Vec<String> = (1..=2_000).map(thread).collect();
    let text = format!(
        r#"{{"meta": {{"preprocessedProfileVersion": 56}}, "threads": [{}], "shared": {{"stringArray": [{names}],
        "stackTable": {{"frame": [{rows}], "prefix": [{prefixes}]}}, "frameTable": {{"func": [{rows}]}},
        "funcTable": {{"name": [{rows}]}}}}}}"#,
        threads.join(",")
    );
    let start = ThreadCpu::now();
    let (tables, _) = import(text.as_bytes());
    // 4 million rows of stacks would take a minute in a debug build.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!((tables.samples.len(), tables.stacks.len()), (2_000, row_count + 1));
    assert_eq!(stack(&tables, 1_999).len(), row_count);
}
