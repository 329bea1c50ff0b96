//! Measures how long flame graphs take. By default, the experiment has 1 million different stacks and 2.3 million
//! nodes.
//!
//! Arguments: number of stacks, number of repetitions. For each request, the program prints a line with the median and
//! the range of the CPU time. `first` is the first answer of its kind. It prepares data that later answers use.

#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod pcg;

use pcg::Random;
use std::time::Instant;
use whittle_model::{
    BinaryIndex, ContentHash, EventKind, Frame, FrameIndex, FrameKind, Function, FunctionIndex, FunctionKind,
    LossReason, Manifest, Program, Sample, Stack, StackIndex, Table, TableBuilder, Tables, ThreadIndex, cpu_metrics,
};
use whittle_profile::{Profile, Query, ViewMode};
use whittle_views::flame_graph::{Direction, FlameGraphShape, FlameGraphView};

const FUNCTION_COUNT: u32 = 20_000;
/// Largest depth of stacks without recursion.
const DEPTH: u32 = 60;
/// Number of frames of the recursive stack, where a function always calls itself.
const RECURSION_DEPTH: u32 = 5_000;

impl Random {
    /// Random numbers. Small numbers are much more frequent than large numbers.
    fn mostly_small(&mut self, limit: u32) -> u32 {
        self.below(limit).min(self.below(limit)).min(self.below(limit)).min(self.below(limit))
    }
}

fn add_functions(tables: &mut Tables) {
    for number in 1..=FUNCTION_COUNT {
        tables.functions.push(Function {
            display_name: format!("com.example.package{}.Class{}.method{number}(int)", number / 400, number / 20),
            internal_name: format!("com/example/package{}/Class{}.method{number}(I)V", number / 400, number / 20),
            kind: FunctionKind::Java,
            binary: BinaryIndex::NONE,
            source_file: None,
            first_line: None,
            address: None,
            size_bytes: None,
        });
        for kind in [FrameKind::Jit, FrameKind::Interpreted] {
            let function = FunctionIndex(number);
            let frame =
                Frame { function, line: Some(1), bytecode_index: None, address: None, kind, reason: LossReason::None };
            tables.frames.push(frame);
        }
    }
}

fn push(tables: &mut Tables, parent: StackIndex, function: u32, random: &mut Random) -> StackIndex {
    let depth = tables.stacks.depth[parent.row()] + 1;
    let frame = FrameIndex(1 + (function - 1) * 2 + u32::from(random.below(10) == 0));
    tables.stacks.push(Stack { parent, frame, depth, content_hash: ContentHash::ROOT });
    StackIndex::from_row(tables.stacks.len() - 1)
}

/// Adds stacks that branch off an earlier stack near the earlier stack's leaf. Also adds one deep recursion.
fn add_stacks(tables: &mut Tables, stack_count: u32, random: &mut Random) -> Vec<StackIndex> {
    let mut leaves: Vec<StackIndex> = Vec::new();
    let mut stack = StackIndex::ROOT;
    for _ in 0..RECURSION_DEPTH {
        stack = push(tables, stack, 7, random);
    }
    leaves.push(stack);
    // All other stacks have one of a few entry points at their root.
    let mut trunk = Vec::new();
    for entry in 0..4 {
        let mut stack = StackIndex::ROOT;
        for function in 10..20 {
            stack = push(tables, stack, 100 * entry + function, random);
            trunk.push(stack);
        }
        leaves.push(stack);
    }
    for _ in 1..stack_count {
        let mut stack = leaves[random.below(leaves.len() as u32) as usize];
        let is_deep = tables.stacks.depth[stack.row()] >= DEPTH;
        let up = if is_deep { DEPTH / 3 } else { 1 + random.mostly_small(8) };
        for _ in 0..up {
            stack = tables.stacks.parent[stack.row()];
        }
        if tables.stacks.depth[stack.row()] > DEPTH {
            stack = trunk[random.below(trunk.len() as u32) as usize];
        }
        for _ in 0..=random.below(4) {
            // A few functions are on most stacks.
            let limit = 1 + random.mostly_small(FUNCTION_COUNT);
            let function = 1 + random.mostly_small(limit);
            stack = push(tables, stack, function, random);
        }
        leaves.push(stack);
    }
    leaves
}

fn experiment(stack_count: u32) -> (Manifest, Tables) {
    let mut random = Random(1);
    let mut builder = TableBuilder::new();
    builder.thread(Some(1), Some(1), "main");
    let mut tables = builder.into_tables();
    add_functions(&mut tables);
    let leaves = add_stacks(&mut tables, stack_count, &mut random);
    for (number, stack) in leaves.into_iter().enumerate() {
        let weight = 1 + random.mostly_small(1000);
        let sample = Sample::new(number as u64, ThreadIndex(0), stack, EventKind::Cpu);
        tables.samples.push(Sample { duration_ns: u64::from(weight) * 1_000_000, ..sample });
    }
    let mut manifest = Manifest::new(Program { name: "flame_graph_bench".to_owned(), version: String::new() });
    manifest.metrics = cpu_metrics(false);
    (manifest, tables)
}

/// CPU time of this program, from the scheduler. It does not include other programs on the machine.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

struct Bench<'a> {
    profile: &'a Profile,
    repetitions: usize,
}

impl Bench<'_> {
    fn view(&self, shape: &FlameGraphShape) -> FlameGraphView {
        let query = Query { mode: ViewMode::User, ..Query::default() };
        whittle_views::flame_graph::flame_graph(self.profile, &query, shape).expect("a flame graph")
    }

    /// Computes answers and their bytes. Prints the time of the first answer separately from the other answers.
    fn measure(&self, name: &str, shapes: &[FlameGraphShape]) {
        let mut times_ms = Vec::new();
        let (mut boxes, mut rows) = (0, 0);
        for round in 0..=self.repetitions {
            let shape = &shapes[round % shapes.len()];
            let start_ms = cpu_ms();
            let view = self.view(shape);
            std::hint::black_box(view.to_bytes());
            times_ms.push(cpu_ms() - start_ms);
            (boxes, rows) = (boxes.max(view.boxes.len()), rows.max(view.row_count));
        }
        let first = times_ms.remove(0);
        times_ms.sort_by(f64::total_cmp);
        let (median, most) = (times_ms[times_ms.len() / 2], times_ms[times_ms.len() - 1]);
        println!(
            "{name:<52} first {first:>8.1} ms, then {median:>7.2} ms ({:.2} to {most:.2}); {boxes} boxes in {rows} rows",
            times_ms[0]
        );
    }
}

/// The widest boxes of a view, the widest first. The root is left out.
fn widest(view: &FlameGraphView, count: usize) -> Vec<usize> {
    let mut boxes: Vec<usize> = (1..view.boxes.len()).filter(|index| view.boxes.flags[*index] & 2 == 0).collect();
    boxes.sort_by(|a, b| view.boxes.value[*b].total_cmp(&view.boxes.value[*a]));
    boxes.truncate(count);
    boxes
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let stack_count = arguments.next().unwrap_or(1_000_000) as u32;
    let repetitions = arguments.next().unwrap_or(30) as usize;
    let (manifest, tables) = experiment(stack_count);
    println!("{stack_count} stacks, {} rows of stacks, {FUNCTION_COUNT} functions", tables.stacks.len());
    let start = Instant::now();
    let profile = Profile::load(manifest, tables).expect("valid tables");
    println!("{:<52} once  {:>8.1} ms", "load", start.elapsed().as_secs_f64() * 1e3);
    let bench = Bench { profile: &profile, repetitions };
    let shape = || FlameGraphShape { width_px: 1600.0, ..FlameGraphShape::default() };
    bench.measure("top-down, everything", &[shape()]);
    let whole = bench.view(&shape());
    let zooms: Vec<FlameGraphShape> = widest(&whole, repetitions)
        .into_iter()
        .map(|index| FlameGraphShape { zoom: vec![whole.boxes.node[index]], ..shape() })
        .collect();
    bench.measure("top-down, zoom to the widest boxes in turn", &zooms);
    for pattern in ["method7\\(", "Class1", "package4.*method.*1", "com.example", "nothing like it"] {
        let searches: Vec<FlameGraphShape> = (0..=repetitions)
            .map(|round| FlameGraphShape { search: Some(format!("{pattern}{}", "|#".repeat(round))), ..shape() })
            .collect();
        bench.measure(&format!("search {pattern}, new each time"), &searches);
    }
    bench.measure("search Class1, again", &[FlameGraphShape { search: Some("Class1".to_owned()), ..shape() }]);
    let callers = || FlameGraphShape { direction: Direction::Callers, ..shape() };
    bench.measure("bottom-up, everything", &[callers()]);
    let bottom_up = bench.view(&callers());
    let first_row: Vec<usize> =
        widest(&bottom_up, 5000).into_iter().filter(|index| bottom_up.boxes.row[*index] == 1).collect();
    let zooms: Vec<FlameGraphShape> = first_row
        .iter()
        .take(repetitions)
        .map(|index| FlameGraphShape { zoom: vec![bottom_up.boxes.function[*index]], ..callers() })
        .collect();
    bench.measure("bottom-up, zoom to the widest functions in turn", &zooms);
    let search = FlameGraphShape { search: Some("Class1".to_owned()), ..callers() };
    bench.measure("bottom-up, search Class1", &[search]);
    let common = first_row.first().map(|index| bottom_up.names[&bottom_up.boxes.function[*index]].clone());
    bench.measure("callees of the most common function", &[FlameGraphShape { root: common.clone(), ..shape() }]);
    bench.measure("callers of the most common function", &[FlameGraphShape { root: common, ..callers() }]);
}
