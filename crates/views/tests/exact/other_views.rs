//! Tests of stacks, lines, threads, details of a function and the overview, on experiments drawn as text.

use crate::support::{profile, query, text};
use whittle_model::{Calibration, Closure, Collector, CollectorStatus, LossReason, State, ThreadIndex};
use whittle_profile::{Profile, Query, ViewMode};
use whittle_render::{Format, Style, render};
use whittle_testkit::{add_thread_states, experiment_from_text, experiment_with_calls};

#[test]
fn whole_stacks_are_ranked() {
    let profile = profile(
        "
        main[n]      main[n]      main[n]
        read[n]      read[n]      write[n]
        vfs_read[k]  vfs_read[k]
        ",
    );
    let view = whittle_views::stacks::stacks(&profile, &Query { mode: ViewMode::Machine, ..query("cpu,cpu%") })
        .expect("stacks");
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
fn lines_within_a_function_are_distinguished() {
    let profile = profile(
        "
        main:3  main:3  main:4  main:4
        put:7   put:8   put:7
        ",
    );
    let view = whittle_views::lines::lines(&profile, &query("e.cpu,i.cpu")).expect("lines");
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
    let view = whittle_views::threads::threads(
        &profile,
        &query("cpu,system_cpu%"),
        &whittle_views::threads::ThreadsShape::default(),
    )
    .expect("threads");
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

/// Thread states from the kernel are shown next to the samples. Reasons that do not occur have no column.
#[test]
fn threads_show_what_they_waited_for() {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  main  worker   worker  C2 [jit_compiler]
                 a     b        b       compile[j]
                       read[k]
        ",
    );
    add_thread_states(
        &mut tables,
        "
        thread  on_cpu_user  on_cpu_system  runnable:run_queue  runnable:preemption  blocked:futex  blocked:socket
        main    1.5          0.5            0.25                0.25                 7.5            -
        worker  1.0          1.0            -                   -                    -              8
        idle    -            -              -                   -                    10             -
        ",
    );
    let profile = Profile::load(manifest, tables).expect("valid");
    let view =
        whittle_views::threads::threads(&profile, &Query::default(), &whittle_views::threads::ThreadsShape::default())
            .expect("threads");
    assert_eq!(
        text(&view),
        "
Threads, user mode
Percent of 4.000 s CPU of all samples shown

                 exact   exact     exact      run  blocked   blocked
▼ CPU s   CPU %  CPU s  user s  system s  queue s  futex s  socket s  class         thread
  4.000  100.00                                                                     <Total>
  2.000   50.00  2.000   1.000     1.000    0.000    0.000     8.000  work          worker
  1.000   25.00      -       -         -        -        -         -  jit_compiler  C2
  1.000   25.00  2.000   1.500     0.500    0.500    7.500     0.000  work          main
  0.000    0.00  0.000   0.000     0.000    0.000   10.000     0.000  unknown       idle
"
    );
    let csv = render(&view, Format::Csv, Style::default());
    assert!(csv.starts_with(
        "cpu_ns,cpu_ratio,recorded_samples_count,exact_cpu_ns,exact_user_cpu_ns,exact_system_cpu_ns,run_queue_ns,\
         blocked_ns,blocked_futex_ns,blocked_socket_ns,thread_id,class,thread_index,pool,threads_count,thread\r\n2000000000,0.5,2,"
    ));
    let json: serde_json::Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).expect("JSON");
    let futex = serde_json::json!({ "reason": "futex", "duration_ns": 17_500_000_000_u64 });
    assert_eq!((&json["blocked_by_reason"][0], &json["blocked_by_reason"][2]), (&futex, &serde_json::Value::Null));
    assert_eq!(json["rows"][0]["blocked_by_reason_ns"], serde_json::json!({ "socket": 8_000_000_000_u64 }));
    assert_eq!(json["rows"][1]["run_queue_ns"], serde_json::Value::Null);
}

/// If there are many reasons, the rarer reasons share a column, so the table stays readable.
#[test]
fn rare_reasons_share_a_column_in_text() {
    let (manifest, mut tables) = experiment_from_text("@thread  main\n         a");
    add_thread_states(
        &mut tables,
        "
        thread  on_cpu_user  blocked:futex  blocked:socket  blocked:file  blocked:sleep  blocked:poll
        main    1            50             40              30            2              1
        ",
    );
    let view = whittle_views::threads::threads(
        &Profile::load(manifest, tables).expect("valid"),
        &Query::default(),
        &whittle_views::threads::ThreadsShape::default(),
    )
    .expect("threads");
    let text = text(&view);
    assert!(text.contains("futex s  socket s   file s   rest s  class  thread"), "{text}");
    assert!(text.contains("50.000    40.000   30.000    3.000  work   main"), "{text}");
    let csv = render(&view, Format::Csv, Style::default());
    assert!(csv.contains("blocked_file_ns,blocked_sleep_ns,blocked_poll_ns,thread_id"), "{csv}");
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
    let view = whittle_views::function::function_details(&profile, &query("cpu,system_cpu%"), "A.write(int)")
        .expect("details");
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
Aliases:                  none
Other overloads:          A.write(byte[])
Bytecode size in bytes:   not known

Note: Java methods have no address and no size of machine code: the JVM compiles a method several times, inlines it into \
its callers, and can remove the code
"
    );
    let expert = Query { mode: ViewMode::Expert, ..query("cpu") };
    let native = text(&whittle_views::function::function_details(&profile, &expert, "__write").expect("details"));
    for line in [
        "Load object:              /usr/lib/x86_64-linux-gnu/libc.so.6",
        "PC address:               0x1040",
        "Size in bytes:            0",
    ] {
        assert!(native.contains(line), "{native}");
    }
    let merged =
        whittle_views::function::function_details(&profile, &query("e.cpu,i.cpu"), "A.write").expect("details");
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
    let view = whittle_views::overview::overview(&profile, &query("cpu")).expect("overview");
    assert_eq!(
        text(&view),
        "
Command: java Main
Elapsed time: 2.000 s (incomplete: the collection is still running or was killed, so the last seconds might be missing)
Written by: testkit

Samples: 2 in 1 threads
Totals, from samples: 2.000 s CPU
Code: OOOOOOOOOOOOOOOOOOOO  2.000 s CPU, from samples: O own code 100.00 %
User and system CPU were not distinguished by the engine ctimer (perf events are not allowed here)
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
    let error = whittle_views::functions::functions(&profile, &query("e.system_cpu")).expect_err("no split");
    assert_eq!(
        error.to_string(),
        "no metric \"system_cpu\" in this experiment. Its metrics: cpu. User and system CPU were not distinguished by the \
         engine ctimer (perf events are not allowed here)"
    );
}

/// Threads that only the kernel counted are in the table of threads, so the overview also counts them. A row for several short
/// threads counts as several, but its samples can be of one thread.
#[test]
fn the_overview_and_the_threads_count_the_same_threads() {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  main  task-# (1200 threads)
                 a     b
        ",
    );
    add_thread_states(
        &mut tables,
        "
        thread  on_cpu_user  blocked:futex
        main    1            1
        quiet   -            2
        ",
    );
    let profile = Profile::load(manifest, tables).expect("valid");
    let counts = |query: &Query| {
        let overview = whittle_views::overview::overview(&profile, query).expect("overview");
        let shape = whittle_views::threads::ThreadsShape::default();
        let threads = whittle_views::threads::threads(&profile, query, &shape).expect("threads");
        assert_eq!(threads.threads_count, overview.seen_threads_count);
        (text(&overview), overview.threads_count, overview.seen_threads_count)
    };
    let (words, sampled, seen) = counts(&Query::default());
    assert_eq!((sampled, seen), (2, 1_202));
    assert!(words.contains("\nSamples: 2 in 2 of 1,202 threads\n"), "{words}");
    let (words, ..) = counts(&Query { filter: Some("thread = main".parse().expect("a filter")), ..Query::default() });
    assert!(words.contains("\nSamples: 1 in 1 threads\n"), "{words}");
}

/// The kernel's counts are next to the sampled values, with their ratio.
#[test]
fn the_overview_holds_what_was_counted() {
    let (mut manifest, mut tables) = experiment_with_calls(
        "
        thread  call   file                  calls   errors  bytes   seconds  latencies
        main    write  regular:/var/app.log  300000  0       300000  3.5      13:300000
        main    futex  none                  100     2       0       1.5      24:100
        ",
        "
        @thread  main  worker  worker         worker
        @event   cpu   cpu     off_cpu:futex  off_cpu:socket
                 a     b       b              b
        ",
    );
    add_thread_states(
        &mut tables,
        "
        thread  on_cpu_user  runnable:run_queue  blocked:futex  blocked:socket
        main    2.5          0.5                 1              -
        worker  1            -                   1              2
        ",
    );
    manifest.not_counted = vec!["io_uring: its operations are no system calls".to_owned()];
    manifest.losses.add_count(LossReason::Unanswered, 7);
    for (metric, thread, sampled, exact) in [
        ("cpu", 0, 1_000, 1_010),
        ("cpu", 1, 1_000, 1_010),
        ("syscalls", 0, 200, 300),
        ("syscalls", 1, 200, 100),
        ("io_bytes", 0, 0, 50),
    ] {
        let factor = (sampled > 0).then(|| exact as f64 / sampled as f64);
        let thread = ThreadIndex(thread);
        tables.calibration.push(Calibration { metric: metric.to_owned(), thread, sampled, exact, factor });
    }
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = whittle_views::overview::overview(&profile, &query("cpu")).expect("overview");
    assert_eq!(
        text(&view),
        "
Elapsed time: 4.000 s
Written by: testkit

Samples: 4 in 2 threads
Totals, from samples: 2.000 s CPU, 2.000 s User CPU, 0.000 s System CPU, 2 Samples, 2.000 s Blocked
Blocked, from samples: futex 1.000 s, socket 1.000 s
Code: OOOOOOOOOOOOOOOOOOOO  2.000 s CPU, from samples: O own code 100.00 %
Waits: 11111111112222222222  4.000 s, counted by the kernel: 1 another thread 50.00 %, 2 a socket 50.00 %
Closure unknown: the kernel did not count CPU time
Blocked, counted by the kernel: futex 2.000 s, socket 2.000 s, waiting for a CPU 0.500 s, total of all threads
System calls: 300,100 (75,025/s), mean 1.0 bytes per call that moves bytes, 2 errors; most time in write 3.500 s, futex 1.500 s
Counted ÷ sampled: cpu 1.010, syscalls 1.000 (worker 0.500), io_bytes not sampled
Not counted: io_uring: its operations are no system calls
Missing data, by reason:
  7 × unanswered: The signal was sent, but the profiler in the JVM returned no stack.


Top functions, user mode

exclusive  inclusive
  ▼ CPU s      CPU s  function
    1.000      1.000  a
    1.000      1.000  b
"
    );
    let json: serde_json::Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).expect("JSON");
    assert_eq!(json["calibration"][1]["farthest_factor"], 0.5);
    assert_eq!(json["syscalls"]["calls_count"], 300_100);
    let csv = render(&view, Format::Csv, Style::default());
    assert!(csv.contains("blocked_socket_ns,2000000000\r\nrun_queue_ns,500000000\r\nsyscalls_count,300100"), "{csv}");
}

#[test]
fn an_experiment_without_metrics_still_has_an_overview() {
    let (mut manifest, tables) = experiment_from_text("main");
    manifest.metrics.clear();
    let profile = Profile::load(manifest, tables).expect("valid");
    assert!(
        text(&whittle_views::overview::overview(&profile, &Query::default()).expect("overview"))
            .contains("Samples: 1 in 1 threads")
    );
    let error = whittle_views::functions::functions(&profile, &Query::default()).expect_err("nothing to show");
    assert!(error.to_string().contains("has no metric"), "{error}");
}

#[test]
fn threads_say_whether_their_name_means_them_alone() {
    let profile = profile(
        "
        @thread  main  pool  io
                 f     f     f
        ",
    );
    let view =
        whittle_views::threads::threads(&profile, &query("cpu"), &whittle_views::threads::ThreadsShape::default())
            .expect("threads");
    let named: Vec<_> = view.rows.iter().map(|row| (row.thread.as_str(), row.has_own_name)).collect();
    assert_eq!(named, [("io", true), ("main", true), ("pool", true)]);

    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  main  pool  io
                 f     f     f
        ",
    );
    tables.threads.name = vec!["pool".to_owned(), "pool".to_owned(), String::new()];
    let profile = Profile::load(manifest, tables).expect("a valid experiment");
    // The filter keeps only one thread, but two threads have its name.
    let only_one = Query { filter: Some("thread = #1".parse().expect("a filter")), ..query("cpu") };
    let view = whittle_views::threads::threads(&profile, &only_one, &whittle_views::threads::ThreadsShape::default())
        .expect("threads");
    assert!(view.rows.iter().all(|row| !row.has_own_name), "{:?}", view.rows);
}
