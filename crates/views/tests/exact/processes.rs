//! Several processes in one experiment: the overview lists them, and a filter selects one.

use crate::support::{query, text};
use whittle_model::{Jvm, JvmProcess};
use whittle_profile::{Profile, Query};
use whittle_testkit::experiment_from_text;
use whittle_views::overview::overview;

fn jvm(version: &str) -> Jvm {
    Jvm { name: "VM".to_owned(), version: version.to_owned(), ..Jvm::default() }
}

/// Three threads of two processes, with exact CPU times. `jvms`: process, program and version of each JVM.
fn profile(jvms: &[(u32, &str, &str)]) -> Profile {
    let (mut manifest, mut tables) = experiment_from_text(
        "
        @thread  java  main  sh
                 a     b     c
        ",
    );
    let threads = &mut tables.threads;
    threads.process_id = vec![Some(7), Some(7), Some(5)];
    threads.thread_id = vec![Some(7), Some(8), Some(5)];
    threads.cpu_ns = vec![Some(40_000_000), Some(300_000_000), Some(10_000_000)];
    manifest.jvm = jvms.first().map(|(.., version)| jvm(version));
    let process = |(process_id, program, version): &(u32, &str, &str)| JvmProcess {
        process_id: *process_id,
        program: (*program).to_owned(),
        jvm: jvm(version),
    };
    manifest.jvm_processes = jvms.iter().map(process).collect();
    Profile::load(manifest, tables).expect("valid")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..query("cpu") }
}

#[test]
fn each_process_has_the_sum_of_its_threads_and_the_name_of_its_first_thread() {
    let view = overview(&profile(&[]), &query("cpu")).expect("an overview");
    let lines =
        view.processes.iter().map(|line| (line.process_id, line.name.as_str(), line.cpu_ns, line.threads_count));
    assert_eq!(lines.collect::<Vec<_>>(), [(Some(7), "java", 340_000_000, 2), (Some(5), "sh", 10_000_000, 1)]);
    assert!(text(&view).contains("\nProcesses, counted CPU: java (7) 0.340 s, sh (5) 0.010 s\n"), "{}", text(&view));
}

#[test]
fn each_process_has_its_program_and_its_jvm() {
    let view = overview(&profile(&[(7, "Maven", "17")]), &query("cpu")).expect("an overview");
    assert_eq!(view.processes[0].jvm, Some(jvm("17")));
    let shown = text(&view);
    assert!(shown.contains("\nJVM: VM 17\n") && shown.contains(": Maven (7) 0.340 s, sh (5) 0.010 s\n"), "{shown}");

    let different = profile(&[(7, "Maven", "17"), (5, "App", "8")]);
    let shown = text(&overview(&different, &query("cpu")).expect("an overview"));
    assert!(shown.contains("\nJVM of Maven (7): VM 17\nJVM of App (5): VM 8\n"), "{shown}");
}

#[test]
fn a_filter_selects_the_threads_of_a_process() {
    let seconds = |filter| {
        let view = whittle_views::functions::functions(&profile(&[]), &filtered(filter))?;
        Ok::<_, whittle_profile::AnalysisError>(view.total.numbers[0] / 1e9)
    };
    assert_eq!(seconds("process is 7").expect("known"), 2.0);
    assert_eq!(seconds("not process is 7").expect("known"), 1.0);
    let error = seconds("process is 4").expect_err("unknown").to_string();
    assert!(error.contains("no thread is of this process"), "{error}");
    assert!("process is java".parse::<whittle_profile::Filter>().is_err());
}
