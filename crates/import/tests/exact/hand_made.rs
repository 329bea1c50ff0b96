//! Handwritten recordings of cases that are rare in real recordings.

use std::collections::HashMap;
use whittle_import::{JfrImport, JfrOptions, import_jfr};
use whittle_model::{EventKind, FrameKind, LossReason, Table, Tables};

const TICKS_PER_SECOND: u64 = 1_000_000_000;

/// Appends a compressed integer.
fn varint(bytes: &mut Vec<u8>, value: u64) {
    let mut rest = value;
    for _ in 0..8 {
        if rest < 0x80 {
            return bytes.push(rest as u8);
        }
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(3);
    varint(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

/// Type ids of the recording, and its types as (name, id, fields). A field is (name, type id, kind). The kind is "c"
/// for a constant and "a" for an array.
const LONG: u64 = 11;
const BOOLEAN: u64 = 4;
const STRING: u64 = 20;
const CLASS: u64 = 21;
const THREAD: u64 = 22;
const FRAME_TYPE: u64 = 24;
const STACK_TRACE: u64 = 26;
const STACK_FRAME: u64 = 27;
const METHOD: u64 = 28;
const SYMBOL: u64 = 31;
const CPU_TIME_SAMPLE: u64 = 101;
type TestType = (&'static str, u64, &'static [(&'static str, u64, &'static str)]);
const TYPES: &[TestType] = &[
    ("boolean", BOOLEAN, &[]),
    ("long", LONG, &[]),
    ("java.lang.String", STRING, &[]),
    ("java.lang.Class", CLASS, &[("name", SYMBOL, "c")]),
    ("java.lang.Thread", THREAD, &[("osName", STRING, ""), ("osThreadId", LONG, "")]),
    ("jdk.types.FrameType", FRAME_TYPE, &[("description", STRING, "")]),
    ("jdk.types.StackTrace", STACK_TRACE, &[("truncated", BOOLEAN, ""), ("frames", STACK_FRAME, "a")]),
    (
        "jdk.types.StackFrame",
        STACK_FRAME,
        &[("method", METHOD, "c"), ("lineNumber", LONG, ""), ("bytecodeIndex", LONG, ""), ("type", FRAME_TYPE, "c")],
    ),
    ("jdk.types.Method", METHOD, &[("type", CLASS, "c"), ("name", SYMBOL, "c"), ("descriptor", SYMBOL, "c")]),
    ("jdk.types.Symbol", SYMBOL, &[("string", STRING, "")]),
    (
        "jdk.CPUTimeSample",
        CPU_TIME_SAMPLE,
        &[
            ("startTime", LONG, ""),
            ("stackTrace", STACK_TRACE, "c"),
            ("eventThread", THREAD, "c"),
            ("failed", BOOLEAN, ""),
            ("samplingPeriod", LONG, ""),
            ("biased", BOOLEAN, ""),
        ],
    ),
];

fn metadata() -> Vec<u8> {
    let mut texts: Vec<String> = Vec::new();
    let mut rows: HashMap<String, u64> = HashMap::new();
    let mut index = |text: &str| {
        *rows.entry(text.to_owned()).or_insert_with(|| {
            texts.push(text.to_owned());
            texts.len() as u64 - 1
        })
    };
    let mut tree = Vec::new();
    let mut element = |name: &str, attributes: &[(&str, &str)], child_count: usize| {
        varint(&mut tree, index(name));
        varint(&mut tree, attributes.len() as u64);
        for (key, value) in attributes {
            varint(&mut tree, index(key));
            varint(&mut tree, index(value));
        }
        varint(&mut tree, child_count as u64);
    };
    element("root", &[], TYPES.len());
    for (name, id, fields) in TYPES {
        element("class", &[("name", name), ("id", &id.to_string())], fields.len());
        for (name, type_id, kind) in *fields {
            let flag = match *kind {
                "c" => ("constantPool", "true"),
                "a" => ("dimension", "1"),
                _ => ("label", ""),
            };
            element("field", &[("name", name), ("class", &type_id.to_string()), flag], 0);
        }
    }
    let mut bytes = vec![0, 0, 0];
    varint(&mut bytes, texts.len() as u64);
    texts.iter().for_each(|line| text(&mut bytes, line));
    bytes.extend(tree);
    bytes
}

/// A frame as (method, line, bytecode index).
type TestFrame = (u64, u64, u64);

/// A recording under construction. Method 1 is `A.m1(int)`, method 2 `A.m2(int)`, and so on.
#[derive(Default)]
struct Recording {
    /// Stack traces by key: whether the trace is truncated, and its frames, leaf first.
    stack_traces: Vec<(u64, bool, Vec<TestFrame>)>,
    /// Samples as (stack trace, failed).
    samples: Vec<(u64, bool)>,
    method_count: u64,
    descriptor: &'static str,
}

impl Recording {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 68];
        event(&mut bytes, 0, &metadata());
        for (stack_trace, failed) in &self.samples {
            let mut body = Vec::new();
            for value in [500, *stack_trace, 7, u64::from(*failed), 1_000_000, 0] {
                varint(&mut body, value);
            }
            event(&mut bytes, CPU_TIME_SAMPLE, &body);
        }
        let checkpoint = bytes.len() as u64;
        event(&mut bytes, 1, &self.pools());
        let mut header = b"FLR\0\0\x02\0\x01".to_vec();
        for value in [bytes.len() as u64, checkpoint, 68, 0, 1_000, 0, TICKS_PER_SECOND] {
            header.extend(value.to_be_bytes());
        }
        header.extend([0, 0, 0, 1]);
        bytes[..68].copy_from_slice(&header);
        bytes
    }

    fn pools(&self) -> Vec<u8> {
        let mut bytes = vec![0, 0, 0, 1, 6];
        pool(&mut bytes, STACK_TRACE, self.stack_traces.len());
        for (key, truncated, frames) in &self.stack_traces {
            varint(&mut bytes, *key);
            bytes.push(u8::from(*truncated));
            varint(&mut bytes, frames.len() as u64);
            for (method, line, bytecode_index) in frames {
                [*method, *line, *bytecode_index, 2].iter().for_each(|value| varint(&mut bytes, *value));
            }
        }
        pool(&mut bytes, METHOD, self.method_count as usize);
        for method in 1..=self.method_count {
            [method, 1, 100 + method, 2].iter().for_each(|value| varint(&mut bytes, *value));
        }
        pool(&mut bytes, CLASS, 1);
        bytes.extend([1, 1]);
        pool(&mut bytes, SYMBOL, self.method_count as usize + 2);
        for (key, symbol) in [(1, "A"), (2, self.descriptor)] {
            bytes.push(key);
            text(&mut bytes, symbol);
        }
        for method in 1..=self.method_count {
            varint(&mut bytes, 100 + method);
            text(&mut bytes, &format!("m{method}"));
        }
        pool(&mut bytes, THREAD, 1);
        bytes.push(7);
        text(&mut bytes, "main");
        bytes.push(42);
        pool(&mut bytes, FRAME_TYPE, 1);
        bytes.push(2);
        text(&mut bytes, "JIT compiled");
        bytes
    }
}

fn pool(bytes: &mut Vec<u8>, type_id: u64, entry_count: usize) {
    varint(bytes, type_id);
    varint(bytes, entry_count as u64);
}

fn event(bytes: &mut Vec<u8>, type_id: u64, body: &[u8]) {
    let mut start = Vec::new();
    varint(&mut start, type_id);
    // The size includes its own four bytes. The JDK also writes sizes in four bytes.
    let size = 4 + start.len() + body.len();
    bytes.extend([size as u8 | 0x80, (size >> 7) as u8 | 0x80, (size >> 14) as u8 | 0x80, (size >> 21) as u8 & 0x7f]);
    bytes.extend(start);
    bytes.extend(body);
}

fn import(recording: &Recording) -> (Tables, JfrImport) {
    let (tables, import) = import_jfr(&recording.bytes(), JfrOptions::default()).expect("a recording");
    tables.validate().expect("tables are valid");
    (tables, import)
}

/// The frames of the sample in `row` as `name:line:index`, leaf first.
fn stack_of(tables: &Tables, row: usize) -> Vec<String> {
    let mut stack = tables.samples.stack[row];
    let mut frames = Vec::new();
    while stack.row() > 0 {
        let frame = tables.frames.row(tables.stacks.frame[stack.row()].row());
        let name = &tables.functions.display_name[frame.function.row()];
        let number = |value: Option<u32>| value.map_or(String::from("-"), |value| value.to_string());
        frames.push(format!("{name}:{}:{}", number(frame.line), number(frame.bytecode_index)));
        stack = tables.stacks.parent[stack.row()];
    }
    frames
}

fn expected_stack(frames: &[TestFrame]) -> Vec<String> {
    frames.iter().map(|(method, line, index)| format!("A.m{method}(int):{line}:{index}")).collect()
}

#[test]
fn stacks_of_every_depth_that_share_their_roots() {
    // The calls are like those of a program: after each frame, the bits of a number choose one of three frames.
    let frame = |depth: u64, turn: u64| (1 + (depth * 3 + turn) % 40, 1 + turn * 200 + depth, depth * 20);
    let mut recording = Recording { method_count: 40, descriptor: "(I)V", ..Recording::default() };
    for key in 1..=600_u64 {
        let depth = key % 71;
        let turns = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut frames: Vec<TestFrame> = (0..depth).map(|d| frame(d, (turns >> (d / 7 * 3)) % 3)).collect();
        frames.reverse();
        recording.stack_traces.push((key, false, frames));
        recording.samples.push((key, false));
    }
    let (tables, import) = import(&recording);
    for (row, (_, _, frames)) in recording.stack_traces.iter().enumerate().filter(|(_, trace)| !trace.2.is_empty()) {
        assert_eq!(stack_of(&tables, row), expected_stack(frames), "stack {row}");
    }
    let empty = recording.stack_traces.iter().filter(|trace| trace.2.is_empty()).count() as u64;
    assert_eq!(import.losses.count(LossReason::NoFrames), empty);
    // One row for each distinct prefix, one for the empty stack and one for the missing frame.
    let mut prefixes: Vec<Vec<TestFrame>> = Vec::new();
    for (_, _, frames) in &recording.stack_traces {
        prefixes.extend((1..=frames.len()).map(|length| frames[frames.len() - length..].to_vec()));
    }
    prefixes.sort();
    prefixes.dedup();
    assert_eq!(tables.stacks.len(), prefixes.len() + 2);
}

#[test]
fn integers_of_nine_bytes_do_not_lead_astray() {
    let mut recording = Recording { method_count: 3, descriptor: "(I)V", ..Recording::default() };
    for (key, position) in (1..=60_u64).zip(0..) {
        let mut frames: Vec<TestFrame> = (0..30).map(|depth| (1 + depth % 3, 10 + depth, 5)).collect();
        // Half of the stacks have a negative 64-bit line number. Each of these stacks has it at another position.
        if position % 2 == 0 {
            frames[position / 2].1 = u64::MAX;
        }
        recording.stack_traces.push((key, false, frames));
        recording.samples.push((key, false));
    }
    let (tables, import) = import(&recording);
    for (row, (_, _, frames)) in recording.stack_traces.iter().enumerate() {
        let expected: Vec<String> =
            expected_stack(frames).into_iter().map(|frame| frame.replace(&u64::MAX.to_string(), "-")).collect();
        assert_eq!(stack_of(&tables, row), expected, "stack {row}");
    }
    assert!(import.losses.is_empty());
}

#[test]
fn incomplete_stacks_say_why() {
    let frames = vec![(1, 10, 5), (2, 11, 6)];
    let recording = Recording {
        stack_traces: vec![(1, true, frames), (2, false, vec![(9, 1, 0)])],
        samples: vec![(1, false), (2, false), (3, false), (0, true), (0, false)],
        method_count: 2,
        descriptor: "(I)V",
    };
    let (tables, import) = import(&recording);
    let stacks: Vec<Vec<String>> = (0..5).map(|row| stack_of(&tables, row)).collect();
    assert_eq!(stacks[0], ["A.m1(int):10:5", "A.m2(int):11:6", "<truncated: depth_limit>:-:-"]);
    assert_eq!(stacks[1], ["<truncated: missing_entry>:-:-"]);
    assert_eq!(stacks[2], ["<truncated: missing_entry>:-:-"]);
    assert_eq!(stacks[3], ["<truncated: failed_sample>:-:-"]);
    assert_eq!(stacks[4], ["<truncated: no_frames>:-:-"]);
    let counts = [
        (LossReason::DepthLimit, 1),
        (LossReason::MissingEntry, 2),
        (LossReason::FailedSample, 1),
        (LossReason::NoFrames, 1),
    ];
    for (reason, count) in counts {
        assert_eq!(import.losses.count(reason), count, "{reason}");
    }
    assert!(import.losses.iter().all(|loss| loss.cpu_ns == Some(loss.count * 1_000_000)));
    assert!(tables.samples.event.iter().all(|event| *event == EventKind::Cpu));
    let truncated = tables.frames.kind.iter().filter(|kind| **kind == FrameKind::Truncated).count();
    assert_eq!(truncated, 4);
}

#[test]
fn a_long_name_in_many_methods_does_not_fill_the_memory() {
    let long: &'static str = format!("({})V", "Ljava/lang/Object;".repeat(3_000)).leak();
    let mut recording = Recording { method_count: 20_000, descriptor: long, ..Recording::default() };
    for method in 1..=recording.method_count {
        recording.stack_traces.push((method, false, vec![(method, 1, 1)]));
        recording.samples.push((method, false));
    }
    let input_bytes = recording.bytes().len();
    let (tables, import) = import(&recording);
    let names: usize = tables.functions.display_name.iter().map(String::len).sum();
    assert!(names < 100 * input_bytes, "{names} bytes of names from {input_bytes}");
    assert!(import.losses.count(LossReason::DamagedInput) > 0);
}
