//! Measures how long each view of a comparison takes. By default, two experiments have 10 million samples and 200
//! thousand different stacks each. No stack is on both sides. This is the worst case, because usually most stacks are
//! on both sides.
//!
//! Arguments: number of samples per side, number of stacks per side, number of repetitions. For each view, the program
//! prints a line with the median and the range of the repetitions.

#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod large_experiment;

use large_experiment::{STACK_DEPTH, experiment};
use std::time::Instant;
use whittle_profile::compare::Run;
use whittle_profile::sides::Per;
use whittle_profile::{Fragment, Query};
use whittle_render::{Format, Style, View, render};
use whittle_views::call_tree::TreeShape;
use whittle_views::flame_graph::FlameGraphShape;
use whittle_views::tree_rows::TreeRowsShape;

/// Runs `work` several times. Prints the time of the first run separately, then median and range in milliseconds.
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
    let profile =
        whittle_profile::compare::compare(vec![baseline], vec![candidate], (Some(Per::Run), &[])).expect("compares");
    println!("compare: merge and load {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let query = Query { limit: Some(100), ..Query::default() };
    let center = Fragment::center("com.example.Class3.method77(int)");
    measure("overview", repetitions, || {
        text(&whittle_views::comparison::comparison_overview(&profile, &query).expect("overview"))
    });
    measure("functions", repetitions, || {
        text(&whittle_views::functions::functions(&profile, &query).expect("functions"))
    });
    measure("callers-callees", repetitions, || {
        text(&whittle_views::callers_callees::callers_callees(&profile, &query, &center).expect("callers"))
    });
    measure("call tree", repetitions, || {
        text(
            &whittle_views::call_tree::call_tree(
                &profile,
                &query,
                &TreeShape { min_ratio: 0.01, ..TreeShape::default() },
            )
            .expect("tree"),
        )
    });
    measure("rows of the tree", repetitions, || {
        let shape = TreeRowsShape { hot: true, ..TreeRowsShape::default() };
        serde_json::to_string(&whittle_views::tree_rows::tree_rows(&profile, &query, &shape).expect("rows"))
    });
    measure("flame graph", repetitions, || {
        whittle_views::flame_graph::flame_graph(&profile, &query, &FlameGraphShape::default()).expect("graph")
    });
    let outward =
        FlameGraphShape { direction: whittle_views::flame_graph::Direction::Callers, ..FlameGraphShape::default() };
    measure("flame graph, callers", repetitions, || {
        whittle_views::flame_graph::flame_graph(&profile, &query, &outward).expect("graph")
    });
    measure("lines", repetitions, || text(&whittle_views::lines::lines(&profile, &query).expect("lines")));
    measure("stacks", repetitions, || text(&whittle_views::stacks::stacks(&profile, &query).expect("stacks")));
    measure("threads", repetitions, || {
        text(
            &whittle_views::threads::threads(&profile, &query, &whittle_views::threads::ThreadsShape::default())
                .expect("threads"),
        )
    });
    measure("function", repetitions, || {
        text(
            &whittle_views::function::function_details(&profile, &query, "com.example.Class3.method77(int)")
                .expect("function"),
        )
    });
    let filtered = Query { filter: Some("time in 100s..200s".parse().expect("a filter")), ..query.clone() };
    measure("functions, time in 100s..200s", repetitions, || {
        text(&whittle_views::functions::functions(&profile, &filtered).expect("functions"))
    });
    measure("functions by run", repetitions, || {
        whittle_verdict::verify::function_runs(&profile, &query).expect("runs")
    });
}
