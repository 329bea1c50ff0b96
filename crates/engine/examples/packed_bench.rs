//! Measures the size of a packed experiment and the time for packing. By default, the experiment has 1 million distinct
//! stacks (2.3 million nodes of the tree).
//!
//! Argument: number of distinct stacks. Prints bytes after gzip, by part, and times.

#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod pcg;

use flate2::Compression;
use flate2::write::GzEncoder;
use pcg::Random;
use std::io::Write;
use std::time::Instant;
use whittle_model::{
    BinaryIndex, ContentHash, EventKind, Frame, FrameIndex, FrameKind, Function, FunctionIndex, FunctionKind,
    LossReason, Manifest, Program, Sample, SampleTable, Stack, StackIndex, Table, TableBuilder, Tables, ThreadIndex,
    cpu_metrics,
};
use whittle_packed::{PackOptions, decode, encode};

const FUNCTION_COUNT: u32 = 5_000;
const THREAD_COUNT: u32 = 16;
const DEEPEST: u32 = 120;

impl Random {
    /// Random numbers. Small numbers are more frequent than large numbers.
    fn skewed(&mut self, limit: u32) -> u32 {
        let bound = 1 + self.below(limit);
        self.below(bound)
    }
}

/// An experiment with stacks that branch off an earlier stack at a random depth, with 2.3 new frames per stack on
/// average.
fn experiment(stack_count: u32) -> (Manifest, Tables) {
    let mut random = Random(1);
    let mut builder = TableBuilder::new();
    for number in 0..THREAD_COUNT {
        builder.thread(Some(1), Some(100 + number), &format!("worker-{number}"));
    }
    let mut tables = builder.into_tables();
    for number in 1..=FUNCTION_COUNT {
        tables.functions.push(Function {
            display_name: format!("com.example.Class{}.method{number}(int)", number / 20),
            internal_name: format!("com/example/Class{}.method{number}(I)V", number / 20),
            kind: FunctionKind::Java,
            binary: BinaryIndex::NONE,
            source_file: Some(format!("Class{}.java", number / 20)),
            first_line: Some(1),
            address: None,
            size_bytes: None,
        });
        for line in [10, 20] {
            let (function, kind, reason) = (FunctionIndex(number), FrameKind::Jit, LossReason::None);
            let line = Some(line);
            tables.frames.push(Frame { function, line, bytecode_index: line, address: None, kind, reason });
        }
    }
    for number in 0..stack_count {
        let mut stack = StackIndex(random.below(tables.stacks.len() as u32));
        let new_frames = 1 + random.below(3) + u32::from(random.below(10) < 3);
        for _ in 0..new_frames {
            let depth = tables.stacks.depth[stack.row()] + 1;
            if depth > DEEPEST {
                stack = StackIndex::ROOT;
                continue;
            }
            let frame = FrameIndex(1 + random.skewed(FUNCTION_COUNT * 2));
            tables.stacks.push(Stack { parent: stack, frame, depth, content_hash: ContentHash::ROOT });
            stack = StackIndex::from_row(tables.stacks.len() - 1);
        }
        let (time_ns, thread) = (u64::from(number) * 60_013, ThreadIndex(random.below(THREAD_COUNT)));
        let duration_ns = 10_000_000 * u64::from(1 + random.skewed(8));
        tables.samples.push(Sample { duration_ns, ..Sample::new(time_ns, thread, stack, EventKind::Cpu) });
    }
    let mut manifest = Manifest::new(Program { name: "packed_bench".to_owned(), version: String::new() });
    manifest.metrics = cpu_metrics(true);
    manifest.duration_ns = u64::from(stack_count) * 60_013;
    (manifest, tables)
}

fn gzip(bytes: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(9));
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory").len()
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what}: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    result
}

fn main() {
    let stack_count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    let (manifest, tables) = experiment(stack_count);
    let nodes = tables.stacks.len() - 1;
    println!("{stack_count} distinct stacks, {nodes} nodes, {} frames", tables.frames.len());

    let size = |tables: &Tables, options: &PackOptions| {
        let packed = encode(&manifest, tables, options);
        gzip(&packed.bytes)
    };
    // First, pack only the flame graph, without times and threads. Then also remove the tree and the weights. The rest
    // is the names, which are subtracted.
    let mut flame = tables.clone();
    flame.samples.time_ns.fill(0);
    flame.samples.thread.fill(ThreadIndex(0));
    let mut names = flame.clone();
    names.samples = SampleTable::default();
    names.stacks.truncate(1);
    let options = PackOptions::default();
    let (flame, names) = (size(&flame, &options), size(&names, &options));
    let per_node = (flame - names) as f64 / nodes as f64;
    println!("flame graph data: {} bytes after gzip, {per_node:.2} a node; names {names} bytes", flame - names);

    let packed = timed("encode", || encode(&manifest, &tables, &options));
    let compressed = timed("gzip", || gzip(&packed.bytes));
    println!("all: {} bytes, {compressed} after gzip, notes {:?}", packed.bytes.len(), packed.notes);
    let unpacked = timed("decode", || decode(&packed.bytes)).expect("what was packed");
    assert_eq!(unpacked.tables.stacks.len(), tables.stacks.len());
}
