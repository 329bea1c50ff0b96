//! Measures how long each view of a large experiment takes. By default, the experiment has 100 million samples and 200
//! thousand stacks of depth 40.
//!
//! Arguments: number of samples, number of stacks, number of repetitions, largest number of frames per stack that are
//! not shared with another stack. For each view, the program prints a line with the median and the range of the
//! repetitions. `1000000 1000000 5 4` is a large experiment for a browser: a million different stacks, 2.5 million
//! nodes.

#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod large_experiment;

use large_experiment::{STACK_DEPTH, experiment};
use std::time::Instant;
use whittle_findings::FindingsOptions;
use whittle_model::Table;
use whittle_profile::{Fragment, Profile, Query, ViewMode};
use whittle_render::{View, render};
use whittle_views::call_tree::TreeShape;
use whittle_views::flame_graph::Direction;
use whittle_views::source::NoFiles;
use whittle_views::tree_rows::TreeRowsShape;

/// Computes and renders a view several times. Prints median and range in milliseconds.
fn measure<V: View>(name: &str, repetitions: usize, view: impl Fn() -> V) {
    let mut times_ms: Vec<f64> = (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            let text = render(&view(), whittle_render::Format::Text, whittle_render::Style::default());
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
    let (manifest, tables) = once("make the experiment", || experiment(1, sample_count, stack_count, new_frames));
    println!(
        "{sample_count} samples, {stack_count} stacks of depth {STACK_DEPTH}, {} rows of stacks; memory: {}",
        tables.stacks.len(),
        memory()
    );
    let profile = once("load", || Profile::load(manifest, tables).expect("valid tables"));
    println!("memory: {}", memory());
    for mode in ViewMode::ALL {
        let query = Query { mode, limit: Some(100), ..Query::default() };
        once(&format!("{mode}: reduce to functions"), || {
            whittle_views::functions::functions(&profile, &query).expect("functions")
        });
        once(&format!("{mode}: reduce to lines"), || whittle_views::lines::lines(&profile, &query).expect("lines"));
    }
    println!("memory: {}", memory());
    let findings = || {
        let nobody = NoFiles { reason: "no files here" };
        whittle_findings::findings(&profile, &Query::default(), &FindingsOptions::default(), &nobody).expect("findings")
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
        measure(&format!("functions, {filter}"), repetitions, || {
            whittle_views::functions::functions(&profile, &query).expect("functions")
        });
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
        once(&format!("functions, {text}, for the first time"), || {
            whittle_views::functions::functions(profile, &query).expect("functions")
        });
        measure(&format!("functions, {text}"), repetitions, || {
            whittle_views::functions::functions(profile, &query).expect("functions")
        });
    }
    for direction in [Direction::Callees, Direction::Callers] {
        let shape = TreeRowsShape { direction, hot: true, ..TreeRowsShape::default() };
        let query = Query { limit: Some(100), ..Query::default() };
        let rows = || {
            serde_json::to_string(&whittle_views::tree_rows::tree_rows(profile, &query, &shape).expect("rows"))
                .expect("JSON")
        };
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
    measure(&name("functions, all rows"), repetitions, || {
        whittle_views::functions::functions(profile, &all).expect("functions")
    });
    measure(&name("functions, 100 rows"), repetitions, || {
        whittle_views::functions::functions(profile, &query).expect("functions")
    });
    measure(&name("lines, 100 rows"), repetitions, || whittle_views::lines::lines(profile, &query).expect("lines"));
    measure(&name("callers-callees"), repetitions, || {
        whittle_views::callers_callees::callers_callees(profile, &query, &center).expect("callers")
    });
    measure(&name("callers-callees of two functions"), repetitions, || {
        whittle_views::callers_callees::callers_callees(profile, &query, &pair).expect("callers")
    });
    measure(&name("call tree, 100 nodes"), repetitions, || {
        whittle_views::call_tree::call_tree(profile, &query, &TreeShape::default()).expect("call tree")
    });
    measure(&name("call tree below a function, 100 nodes"), repetitions, || {
        whittle_views::call_tree::call_tree(profile, &query, &rooted).expect("call tree")
    });
    measure(&name("stacks, 100"), repetitions, || whittle_views::stacks::stacks(profile, &query).expect("stacks"));
    measure(&name("threads"), repetitions, || {
        whittle_views::threads::threads(profile, &query, &whittle_views::threads::ThreadsShape::default())
            .expect("threads")
    });
    measure(&name("function details"), repetitions, || {
        whittle_views::function::function_details(profile, &query, "com.example.Class3.method77(int)").expect("details")
    });
    measure(&name("overview"), repetitions, || whittle_views::overview::overview(profile, &query).expect("overview"));
}
