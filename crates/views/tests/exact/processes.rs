//! Several processes in one experiment: the overview lists them, and a filter selects one.

use crate::support::{query, text};
use whittle_profile::{Profile, Query};
use whittle_testkit::experiment_from_text;
use whittle_views::overview::overview;

/// Three threads of two processes, with exact CPU times.
fn profile() -> Profile {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  java  main  sh
                 a     b     c
        ",
    );
    let threads = &mut tables.threads;
    threads.process_id = vec![Some(7), Some(7), Some(5)];
    threads.thread_id = vec![Some(7), Some(8), Some(5)];
    threads.cpu_ns = vec![Some(40_000_000), Some(300_000_000), Some(10_000_000)];
    Profile::load(manifest, tables).expect("valid")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..query("cpu") }
}

#[test]
fn each_process_has_the_sum_of_its_threads_and_the_name_of_its_first_thread() {
    let view = overview(&profile(), &query("cpu")).expect("an overview");
    let lines =
        view.processes.iter().map(|line| (line.process_id, line.name.as_str(), line.cpu_ns, line.threads_count));
    assert_eq!(lines.collect::<Vec<_>>(), [(Some(7), "java", 340_000_000, 2), (Some(5), "sh", 10_000_000, 1)]);
    assert!(text(&view).contains("\nProcesses, counted CPU: java (7) 0.340 s, sh (5) 0.010 s\n"), "{}", text(&view));
}

#[test]
fn a_filter_selects_the_threads_of_a_process() {
    let seconds = |filter| {
        let view = whittle_views::functions::functions(&profile(), &filtered(filter))?;
        Ok::<_, whittle_profile::AnalysisError>(view.total.numbers[0] / 1e9)
    };
    assert_eq!(seconds("process is 7").expect("known"), 2.0);
    assert_eq!(seconds("not process is 7").expect("known"), 1.0);
    let error = seconds("process is 4").expect_err("unknown").to_string();
    assert!(error.contains("no thread is of this process"), "{error}");
    assert!("process is java".parse::<whittle_profile::Filter>().is_err());
}
