//! How long each view takes on a large experiment: 100 million samples over 200 thousand stacks of
//! depth 40 unless told otherwise.
//!
//! Arguments: number of samples, number of stacks, number of repetitions, largest number of frames that a stack does
//! not share with another one. Prints one line a view with the median and the range of the repetitions.
//! `1000000 1000000 5 4` is a large experiment for a browser: a million different stacks, 2.5 million nodes.

#![allow(clippy::print_stdout, reason = "a program that prints its result")]

use std::time::Instant;
use whittle_analysis::findings::FindingsOptions;
use whittle_analysis::{
    Direction, Fragment, NoFiles, Profile, Query, TreeRowsShape, TreeShape, View, ViewMode, render,
};
use whittle_model::{
    Binary, BinaryKind, ContentHash, CpuMode, EventKind, Frame, FrameIndex, FrameKind, Function, FunctionIndex,
    FunctionKind, LossReason, Manifest, Program, Sample, Stack, StackIndex, Table, TableBuilder, Tables, ThreadIndex,
    cpu_metrics,
};

const STACK_DEPTH: u32 = 40;
const FUNCTION_COUNT: u32 = 5_000;
const THREAD_COUNT: u32 = 64;
/// Elapsed time that the samples are spread over.
const DURATION_NS: u64 = 1_000_000_000_000;

/// A small generator of repeatable random numbers (PCG).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (((self.0 >> 18) ^ self.0) >> 27) as u32;
        let turned = mixed.rotate_right((self.0 >> 59) as u32);
        ((u64::from(turned) * u64::from(limit)) >> 32) as u32
    }
}

/// What findings look for; one in fifty functions is one of these.
const COSTLY: [&str; 8] = [
    "java/io/FileOutputStream.write",
    "java/util/HashMap.resize",
    "java/util/regex/Pattern.compile",
    "java/lang/Thread.getStackTrace",
    "java/util/ArrayList.indexOf",
    "java/lang/Throwable.fillInStackTrace",
    "java/util/zip/Deflater.deflate",
    "java/io/FileInputStream.read",
];

/// The name of a function as the JVM has it.
fn internal_name(number: u32) -> String {
    match COSTLY.get((number / 50) as usize % COSTLY.len()) {
        Some(costly) if number % 50 == 1 => format!("{costly}(I)V"),
        _ => format!("com/example/Class{}.method{number}(I)V", number / 20),
    }
}

/// Functions: mostly Java; every fifth is native, every tenth of the kernel.
fn add_functions(tables: &mut Tables) {
    tables.binaries.push(Binary { path: "/srv/app/libfast.so".to_owned(), build_id: None, kind: BinaryKind::Elf });
    for number in 1..=FUNCTION_COUNT {
        let (kind, frame_kind) = match number % 10 {
            0 => (FunctionKind::Kernel, FrameKind::Kernel),
            5 => (FunctionKind::Native, FrameKind::Native),
            _ => (FunctionKind::Java, FrameKind::Jit),
        };
        tables.functions.push(Function {
            display_name: format!("com.example.Class{}.method{number}(int)", number / 20),
            internal_name: internal_name(number),
            kind,
            binary: whittle_model::BinaryIndex(u32::from(kind == FunctionKind::Native)),
            source_file: Some(format!("Class{}.java", number / 20)),
            first_line: Some(1),
            address: None,
            size_bytes: None,
        });
        for line in [10, 20] {
            tables.frames.push(Frame {
                function: FunctionIndex(number),
                line: Some(line),
                bytecode_index: Some(line),
                address: None,
                kind: frame_kind,
                reason: LossReason::None,
            });
        }
    }
}

/// Stacks that leave an earlier one at a random depth, at most `new_frames` above its leaf.
fn add_stacks(tables: &mut Tables, (stack_count, new_frames): (u32, u32), random: &mut Random) -> Vec<StackIndex> {
    let mut leaves: Vec<StackIndex> = Vec::new();
    for _ in 0..stack_count {
        let mut stack = StackIndex::ROOT;
        if !leaves.is_empty() {
            stack = leaves[random.below(leaves.len() as u32) as usize];
            for _ in 0..=random.below(new_frames) {
                stack = tables.stacks.parent[stack.row()];
            }
        }
        let mut depth = tables.stacks.depth[stack.row()];
        while depth < STACK_DEPTH {
            depth += 1;
            // Kernel frames only at the leaf end, as in life.
            let limit = if depth > STACK_DEPTH - 4 { FUNCTION_COUNT } else { FUNCTION_COUNT / 10 * 9 };
            let function = 1 + random.below(limit);
            let function =
                if function.is_multiple_of(10) && depth <= STACK_DEPTH - 4 { function + 1 } else { function };
            let frame = FrameIndex(1 + (function - 1) * 2 + random.below(2));
            tables.stacks.push(Stack { parent: stack, frame, depth, content_hash: ContentHash::ROOT });
            stack = StackIndex::from_row(tables.stacks.len() - 1);
        }
        leaves.push(stack);
    }
    leaves
}

fn experiment(sample_count: u64, stack_count: u32, new_frames: u32) -> (Manifest, Tables) {
    let mut random = Random(1);
    let mut builder = TableBuilder::new();
    for number in 0..THREAD_COUNT {
        builder.thread(Some(1), Some(100 + number), &format!("worker-{number}"));
    }
    let mut tables = builder.into_tables();
    add_functions(&mut tables);
    let leaves = add_stacks(&mut tables, (stack_count, new_frames), &mut random);
    for number in 0..sample_count {
        // Some stacks are much more common than others.
        let rank = random.below(stack_count).min(random.below(stack_count)).min(random.below(stack_count));
        // All stacks are to be seen where there are few samples.
        let is_scarce = sample_count < 10 * u64::from(stack_count) && number < u64::from(stack_count);
        let rank = if is_scarce { number as u32 } else { rank };
        let (time_ns, thread) = (number * DURATION_NS / sample_count, ThreadIndex(random.below(THREAD_COUNT)));
        tables.samples.push(Sample {
            mode: if random.below(4) == 0 { CpuMode::System } else { CpuMode::User },
            duration_ns: 1_000_000,
            ..Sample::new(time_ns, thread, leaves[rank as usize], EventKind::Cpu)
        });
    }
    let mut manifest = Manifest::new(Program { name: "views_bench".to_owned(), version: String::new() });
    manifest.metrics = cpu_metrics(true);
    manifest.duration_ns = DURATION_NS;
    (manifest, tables)
}

/// Runs a view and its rendering some times; prints median and range in milliseconds.
fn measure<V: View>(name: &str, repetitions: usize, view: impl Fn() -> V) {
    let mut times_ms: Vec<f64> = (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            let text = render(&view(), whittle_analysis::Format::Text, whittle_analysis::Style::default());
            std::hint::black_box(text);
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times_ms.sort_by(f64::total_cmp);
    let (first, last) = (times_ms[0], times_ms[repetitions - 1]);
    println!("{name:<44} {:>8.1} ms   ({first:.1} to {last:.1})", times_ms[repetitions / 2]);
}

fn once<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{name:<44} {:>8.1} ms   (once)", start.elapsed().as_secs_f64() * 1e3);
    result
}

/// Memory of this program in MB, from the kernel: now and at its peak.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) / 1000
    };
    format!("{} MB now, {} MB at the peak", field("VmRSS"), field("VmHWM"))
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let sample_count = arguments.next().unwrap_or(100_000_000);
    let stack_count = arguments.next().unwrap_or(200_000) as u32;
    let repetitions = arguments.next().unwrap_or(15) as usize;
    let new_frames = arguments.next().unwrap_or(u64::from(STACK_DEPTH)) as u32;
    let (manifest, tables) = once("make the experiment", || experiment(sample_count, stack_count, new_frames));
    println!(
        "{sample_count} samples, {stack_count} stacks of depth {STACK_DEPTH}, {} rows of stacks; memory: {}",
        tables.stacks.len(),
        memory()
    );
    let profile = once("load", || Profile::load(manifest, tables).expect("valid tables"));
    println!("memory: {}", memory());
    for mode in ViewMode::ALL {
        let query = Query { mode, limit: Some(100), ..Query::default() };
        once(&format!("{mode}: reduce to functions"), || profile.functions(&query).expect("functions"));
        once(&format!("{mode}: reduce to lines"), || profile.lines(&query).expect("lines"));
    }
    println!("memory: {}", memory());
    let findings = || {
        let nobody = NoFiles { reason: "no files here" };
        profile.findings(&Query::default(), &FindingsOptions::default(), &nobody).expect("findings")
    };
    let found = once("findings, for the first time", findings);
    println!("{} findings, {} too small", found.findings.len(), found.minor.len());
    measure("findings", repetitions.min(5), findings);
    measure_transforms(&profile, repetitions);
    for mode in [ViewMode::User, ViewMode::Machine] {
        measure_mode(&profile, mode, repetitions);
    }
    let filters = [
        "thread ~ \"worker-[0-3]\"",
        "time in 100s..200s",
        "stack has \"com.example.Class3.method77(int)\"",
        "mode is system",
        "thread ~ \"worker-1\" and time in 10s..900s and mode is system",
    ];
    for filter in filters {
        let filter_text = Some(filter.parse().expect("a filter"));
        let query = Query { filter: filter_text, limit: Some(100), ..Query::default() };
        measure(&format!("functions, {filter}"), repetitions, || profile.functions(&query).expect("functions"));
    }
    println!("memory: {}", memory());
}

fn measure_transforms(profile: &Profile, repetitions: usize) {
    for text in [
        "merge \"com.example.Class3.method77(int)\"",
        "focus \"com.example.Class3.method77(int)\"",
        "collapse package \"com.example\"",
        "collapse recursion",
    ] {
        let transforms = vec![text.parse().expect("a transform")];
        let query = Query { transforms, limit: Some(100), ..Query::default() };
        once(&format!("functions, {text}, for the first time"), || profile.functions(&query).expect("functions"));
        measure(&format!("functions, {text}"), repetitions, || profile.functions(&query).expect("functions"));
    }
    for direction in [Direction::Callees, Direction::Callers] {
        let shape = TreeRowsShape { direction, hot: true, ..TreeRowsShape::default() };
        let query = Query { limit: Some(100), ..Query::default() };
        let rows = || serde_json::to_string(&profile.tree_rows(&query, &shape).expect("rows")).expect("JSON");
        let name = format!("rows of the tree of {direction:?}, hot path");
        once(&format!("{name}, for the first time"), rows);
        let mut times_ms: Vec<f64> = (0..repetitions)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(rows());
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times_ms.sort_by(f64::total_cmp);
        println!("{name:<44} {:>8.1} ms", times_ms[repetitions / 2]);
    }
    println!("memory: {}", memory());
}

fn measure_mode(profile: &Profile, mode: ViewMode, repetitions: usize) {
    let query = Query { mode, limit: Some(100), ..Query::default() };
    let all = Query { mode, ..Query::default() };
    let center = Fragment::center("com.example.Class3.method77(int)");
    let pair = center.clone().prepend("com.example.Class0.method1(int)");
    let rooted = TreeShape { root: Some("com.example.Class3.method77(int)".to_owned()), ..TreeShape::default() };
    let name = |view: &str| format!("{mode}: {view}");
    measure(&name("functions, all rows"), repetitions, || profile.functions(&all).expect("functions"));
    measure(&name("functions, 100 rows"), repetitions, || profile.functions(&query).expect("functions"));
    measure(&name("lines, 100 rows"), repetitions, || profile.lines(&query).expect("lines"));
    measure(&name("callers-callees"), repetitions, || profile.callers_callees(&query, &center).expect("callers"));
    measure(&name("callers-callees of two functions"), repetitions, || {
        profile.callers_callees(&query, &pair).expect("callers")
    });
    measure(&name("call tree, 100 nodes"), repetitions, || {
        profile.call_tree(&query, &TreeShape::default()).expect("call tree")
    });
    measure(&name("call tree below a function, 100 nodes"), repetitions, || {
        profile.call_tree(&query, &rooted).expect("call tree")
    });
    measure(&name("stacks, 100"), repetitions, || profile.stacks(&query).expect("stacks"));
    measure(&name("threads"), repetitions, || profile.threads(&query).expect("threads"));
    measure(&name("function details"), repetitions, || {
        profile.function_details(&query, "com.example.Class3.method77(int)").expect("details")
    });
    measure(&name("overview"), repetitions, || profile.overview(&query).expect("overview"));
}
