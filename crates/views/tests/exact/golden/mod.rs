//! Compares the views with an independent implementation. The input is gprofng's raw events. The result must equal the
//! tables that gprofng printed from the same events, with a tolerance of 1 ms and 0.01 percent.
//!
//! Each `*.dprofile.txt` contains the events of one run in one of gprofng's view modes. gprofng has already applied
//! this mode, so whittle shows the events in machine mode, which hides no frames.
//!
//! gprofng distinguishes functions with the same name: a bridge method and its target, and, in native stacks, several
//! pieces of machine code of one Java method. The raw events contain only the names. Therefore, such rows are compared
//! by name. gprofng's exclusive values must add up to whittle's exclusive value. whittle's inclusive value must be
//! between the largest inclusive value of gprofng and the sum of gprofng's inclusive values. The sections of
//! callers-callees for such functions are counted, but not compared.

mod compare;
mod events;
mod printed;

use self::compare::Comparison;
use self::events::profile_of_events;
use std::path::{Path, PathBuf};
use whittle_profile::{Fragment, Query, ViewMode};
use whittle_views::PoolRows;
use whittle_views::call_tree::TreeShape;
use whittle_views::threads::{ThreadsShape, threads};

fn query(metrics: &str) -> Query {
    Query { mode: ViewMode::Machine, metrics: Some(metrics.parse().expect("metrics")), ..Query::default() }
}

/// Compares every printed table of the run with this name.
fn compare_all(folder: &Path, name: &str) -> Comparison {
    let read = |table: &str| std::fs::read_to_string(folder.join(format!("{name}.{table}.txt"))).ok();
    let events = read("dprofile").expect("the events of the run");
    let profile = profile_of_events(&events);
    let each_thread = ThreadsShape { pools: PoolRows::None, ..ThreadsShape::default() };
    let threads = threads(&profile, &query("cpu"), &each_thread).expect("threads");
    let mut comparison = Comparison::new(threads.total.numbers[0]);
    if let Some(text) = read("functions") {
        let view = whittle_views::functions::functions(&profile, &query("e.cpu,i.cpu")).expect("functions");
        let rows = view.rows.iter().map(|row| (row.function.clone(), row.values.numbers.clone()));
        comparison.table("functions", &printed::table(&text), rows);
    }
    if let Some(text) = read("lines") {
        let view = whittle_views::lines::lines(&profile, &query("e.cpu,i.cpu")).expect("lines");
        let rows = view.rows.iter().map(|row| (printed::line_name(row), row.values.numbers.clone()));
        comparison.table("lines", &printed::lines(&text), rows);
    }
    if let Some(text) = read("threads") {
        let rows = threads.rows.iter().map(|row| (row.thread.clone(), row.values.numbers.clone()));
        comparison.table("threads", &printed::threads(&text), rows);
    }
    if let Some(text) = read("calltree") {
        let view =
            whittle_views::call_tree::call_tree(&profile, &query("cpu"), &TreeShape::default()).expect("call tree");
        let rows = view.rows.iter().map(|row| (row.depth, row.function.as_str(), row.values.numbers.clone()));
        comparison.table("calltree", &printed::call_tree(&text), compare::paths(rows).into_iter());
    }
    let sections = read("callers-callees").map(|text| printed::sections(&text)).unwrap_or_default();
    let single = read("csingle_FOSwrite").map(|text| printed::single(&text));
    for section in sections.into_iter().chain(single) {
        if comparison.is_ambiguous(&section.center) {
            comparison.skipped_count += 1;
            continue;
        }
        let view = whittle_views::callers_callees::callers_callees(
            &profile,
            &query("a.cpu"),
            &Fragment::center(&section.center),
        );
        comparison.section(&section, &view.expect("the centre of a printed section"));
    }
    comparison
}

/// The folder of the reference data. Without this folder, the test reports that it did not run.
fn folder() -> Option<PathBuf> {
    whittle_testkit::reference_folder("golden/gprofng")
}

/// Runs one comparison and checks that it compared everything.
fn check(name: &str, row_count: usize) {
    let Some(folder) = folder() else {
        return;
    };
    let comparison = compare_all(&folder, name);
    comparison.report(name);
    assert_eq!(comparison.row_count, row_count, "{name}: number of compared rows");
}

#[test]
fn java_in_user_mode() {
    check("java17_raw", 1762);
}

#[test]
fn java_in_expert_mode() {
    check("java17_raw.expert", 535);
}

#[test]
fn java_in_machine_mode() {
    check("java17_raw.machine", 373);
}

#[test]
fn recursion_in_c() {
    check("recur", 231);
}

#[test]
fn system_calls_in_c() {
    check("sys_raw", 42);
}
