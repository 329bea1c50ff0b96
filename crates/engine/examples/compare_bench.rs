//! How long each view of a comparison takes: two experiments of 10 million samples each over 200 thousand different stacks each, unless
//! told otherwise. No stack is on both sides, which is the worst case: in life most are.
//!
//! Arguments: number of samples a side, number of stacks a side, number of repetitions. Prints one line a view with the median and
//! the range of the repetitions.

#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod large_experiment;

use large_experiment::{STACK_DEPTH, experiment};
use std::time::Instant;
use whittle_analysis::compare::{Per, Run};
use whittle_analysis::{
    FlameGraphShape, Format, Fragment, Profile, Query, Style, TreeRowsShape, TreeShape, View, render,
};

/// Runs something some times, the first time apart; prints that time, median and range in milliseconds.
fn measure<T>(name: &str, repetitions: usize, work: impl Fn() -> T) {
    let time_ms = || {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed().as_secs_f64() * 1e3
    };
    let first_ms = time_ms();
    let mut times_ms: Vec<f64> = (0..repetitions).map(|_| time_ms()).collect();
    times_ms.sort_by(f64::total_cmp);
    let (least, most) = (times_ms[0], times_ms[repetitions - 1]);
    println!("{name:<44} {:>8.1} ms   ({least:.1} to {most:.1}; first {first_ms:.1})", times_ms[repetitions / 2]);
}

fn text(view: &impl View) -> String {
    render(view, Format::Text, Style::default())
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let sample_count = arguments.next().unwrap_or(10_000_000);
    let stack_count = arguments.next().unwrap_or(200_000) as u32;
    let repetitions = arguments.next().unwrap_or(9) as usize;
    let run = |seed: u64, name: &str| {
        let (manifest, tables) = experiment(seed, sample_count, stack_count, STACK_DEPTH);
        Run { name: name.to_owned(), manifest, tables }
    };
    let (baseline, candidate) = (run(1, "baseline"), run(2, "candidate"));
    let start = Instant::now();
    let profile = Profile::compare(vec![baseline], vec![candidate], (Some(Per::Run), &[])).expect("compares");
    println!("compare: merge and load {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let query = Query { limit: Some(100), ..Query::default() };
    let center = Fragment::center("com.example.Class3.method77(int)");
    measure("overview", repetitions, || text(&profile.comparison_overview(&query).expect("overview")));
    measure("functions", repetitions, || text(&profile.functions(&query).expect("functions")));
    measure("callers-callees", repetitions, || text(&profile.callers_callees(&query, &center).expect("callers")));
    measure("call tree", repetitions, || {
        text(&profile.call_tree(&query, &TreeShape { min_ratio: 0.01, ..TreeShape::default() }).expect("tree"))
    });
    measure("rows of the tree", repetitions, || {
        let shape = TreeRowsShape { hot: true, ..TreeRowsShape::default() };
        serde_json::to_string(&profile.tree_rows(&query, &shape).expect("rows"))
    });
    measure("flame graph", repetitions, || profile.flame_graph(&query, &FlameGraphShape::default()).expect("graph"));
    let outward = FlameGraphShape { direction: whittle_analysis::Direction::Callers, ..FlameGraphShape::default() };
    measure("flame graph, callers", repetitions, || profile.flame_graph(&query, &outward).expect("graph"));
    measure("lines", repetitions, || text(&profile.lines(&query).expect("lines")));
    measure("stacks", repetitions, || text(&profile.stacks(&query).expect("stacks")));
    measure("threads", repetitions, || text(&profile.threads(&query).expect("threads")));
    measure("function", repetitions, || {
        text(&profile.function_details(&query, "com.example.Class3.method77(int)").expect("function"))
    });
    let filtered = Query { filter: Some("time in 100s..200s".parse().expect("a filter")), ..query.clone() };
    measure("functions, time in 100s..200s", repetitions, || text(&profile.functions(&filtered).expect("functions")));
    measure("functions by run", repetitions, || profile.function_runs(&query).expect("runs"));
}
