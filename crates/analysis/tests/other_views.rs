//! Stacks, lines, threads, details of a function and the overview, drawn.

mod support;

use support::{profile, query, text};
use whittle_analysis::{Format, Profile, Query, Style, ViewMode, render};
use whittle_model::{Closure, Collector, CollectorStatus, LossReason, State};
use whittle_testkit::experiment_from_text;

#[test]
fn whole_stacks_are_ranked() {
    let profile = profile(
        "
        main[n]      main[n]      main[n]
        read[n]      read[n]      write[n]
        vfs_read[k]  vfs_read[k]
        ",
    );
    let view = profile.stacks(&Query { mode: ViewMode::Machine, ..query("cpu,cpu%") }).expect("stacks");
    assert_eq!(
        text(&view),
        "
Stacks, innermost frame first, machine mode
Percent of 3.000 s CPU of all samples shown

▼ CPU s   CPU %  stack
  3.000  100.00  <Total>
  2.000   66.67  vfs_read
                   read
                   main
  1.000   33.33  write
                   main
"
    );
    assert!(
        render(&view, Format::Csv, Style::default()).contains("2000000000,0.6666666666666666,vfs_read;read;main\r\n")
    );
}

#[test]
fn lines_are_told_apart_within_a_function() {
    let profile = profile(
        "
        main:3  main:3  main:4  main:4
        put:7   put:8   put:7
        ",
    );
    let view = profile.lines(&query("e.cpu,i.cpu")).expect("lines");
    assert_eq!(
        text(&view),
        "
Lines, user mode

exclusive  inclusive
  ▼ CPU s      CPU s  line
    4.000      4.000  <Total>
    2.000      2.000  put, line 7
    1.000      2.000  main, line 4
    1.000      1.000  put, line 8
    0.000      2.000  main, line 3
"
    );
}

#[test]
fn threads_are_ranked_by_their_own_samples() {
    let profile = profile(
        "
        @thread  main  worker   worker  C2 [jit_compiler]
                 a     b        b       compile[j]
                       read[k]
        ",
    );
    let view = profile.threads(&query("cpu,system_cpu%")).expect("threads");
    assert_eq!(
        text(&view),
        "
Threads, user mode
Percent of 1.000 s System CPU of all samples shown

▼ CPU s  System CPU %  samples  class         thread
  4.000        100.00        4                <Total>
  2.000        100.00        2  work          worker
  1.000          0.00        1  jit_compiler  C2
  1.000          0.00        1  work          main
"
    );
}

#[test]
fn details_of_a_function_hold_all_metrics_and_fields() {
    let (manifest, mut tables) = experiment_from_text(
        "
        main              main              main
        A.write(int)      A.write(int)      A.write(byte[])
        __write[n]        vfs_write[k]
        ",
    );
    let functions = &mut tables.functions;
    let write = functions.display_name.iter().position(|name| name == "__write").expect("drawn");
    functions.address[write] = Some(0x1040);
    functions.size_bytes[write] = Some(0);
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = profile.function_details(&query("cpu,system_cpu%"), "A.write(int)").expect("details");
    assert_eq!(
        text(&view),
        "
A.write(int), user mode

Exclusive CPU:         2.000 s (66.67 % of 3.000 s)
Inclusive CPU:         2.000 s (66.67 % of 3.000 s)
Exclusive System CPU:  1.000 s (100.00 % of 1.000 s)
Inclusive System CPU:  1.000 s (100.00 % of 1.000 s)

Function:                 A.write(int)
Internal (mangled) name:  A.write(int)
Kind:                     java
Source file:              not known
First line:               not known
Object file:              A.class
Load object:              not known
Build id:                 not known
PC address:               not known
Size in bytes:            not known
Aliases:                  none
Other overloads:          A.write(byte[])
"
    );
    let expert = Query { mode: ViewMode::Expert, ..query("cpu") };
    let native = text(&profile.function_details(&expert, "__write").expect("details"));
    for line in [
        "Load object:              /usr/lib/x86_64-linux-gnu/libc.so.6",
        "PC address:               0x1040",
        "Size in bytes:            0",
    ] {
        assert!(native.contains(line), "{native}");
    }
    let merged = profile.function_details(&query("e.cpu,i.cpu"), "A.write").expect("details");
    assert_eq!((merged.functions.len(), merged.values.numbers), (2, vec![3e9, 3e9]));
}

#[test]
fn the_overview_says_what_is_explained_and_what_is_missing() {
    let (mut manifest, tables) = experiment_from_text("main  main");
    manifest.command = vec!["java".to_owned(), "Main".to_owned()];
    manifest.metrics.truncate(1);
    manifest.state = State::Incomplete;
    manifest.losses.add_cpu(LossReason::NoFrames, 50_000_000);
    manifest.closure = Some(Closure {
        exact_cpu_ns: 2_500_000_000,
        exact_user_ns: None,
        exact_system_ns: None,
        sampled_ns: 2_000_000_000,
        rooted_ns: 1_950_000_000,
    });
    manifest.collectors.push(Collector {
        name: "async-profiler 4.6".to_owned(),
        engine: "ctimer".to_owned(),
        interval_ns: Some(1_000_000),
        status: CollectorStatus::Used,
        reason: "perf events are not allowed here".to_owned(),
    });
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = profile.overview(&query("cpu")).expect("overview");
    assert_eq!(
        text(&view),
        "
Command: java Main
Elapsed time: 2.000 s (incomplete: the collection did not come to its end, the last seconds may be missing)
Written by: testkit

Samples: 2 in 1 threads
Totals: 2.000 s CPU
User and system CPU were not told apart by the engine used, ctimer (perf events are not allowed here)
Closure: samples with a complete stack explain 78.00 % of the 2.500 s CPU that the scheduler counted; \
samples of any stack cover 80.00 %
Missing data, by reason:
  1 × no_frames, 0.050 s CPU: The sample has no frame at all.

Collected by async-profiler 4.6, engine ctimer every 1 ms: perf events are not allowed here

Top functions, user mode

exclusive  inclusive
  ▼ CPU s      CPU s  function
    2.000      2.000  main
"
    );
    let json: serde_json::Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).expect("JSON");
    assert_eq!(json["closure_ratio"], 0.78);
    assert_eq!(json["coverage_ratio"], 0.8);
    assert_eq!(json["losses"][0]["reason"], "no_frames");
    let error = profile.functions(&query("e.system_cpu")).expect_err("no split");
    assert_eq!(
        error.to_string(),
        "no metric \"system_cpu\" in this experiment; it has: cpu. User and system CPU were not told apart by the engine \
         used, ctimer (perf events are not allowed here)"
    );
}

#[test]
fn an_experiment_without_metrics_still_has_an_overview() {
    let (mut manifest, tables) = experiment_from_text("main");
    manifest.metrics.clear();
    let profile = Profile::load(manifest, tables).expect("valid");
    assert!(text(&profile.overview(&Query::default()).expect("overview")).contains("Samples: 1 in 1 threads"));
    let error = profile.functions(&Query::default()).expect_err("nothing to show");
    assert!(error.to_string().contains("has no metric"), "{error}");
}
