//! Tests of the table of system calls, on experiments drawn as text.

use crate::support::text;
use whittle_profile::{Profile, Query};
use whittle_render::{Format, Style, render};
use whittle_testkit::{experiment_from_text, experiment_with_calls};
use whittle_views::syscalls::{SyscallKeys, SyscallsView};

const CALLS: &str = "
    thread    call        file                                    calls  errors  bytes  seconds  latencies
    main      write       regular:/var/log/app.log                1000   0       52200  0.5      13:900 18:100
    worker 1  write       regular:/var/log/app.log                100    10      100    0.1      18:100
    worker 1  read        socket:tcp 10.0.0.1:5432->10.0.0.2:999  50     0       6400   2        25:50
    worker 1  epoll_wait  anonymous                               7      0       0      7        30:7
";

/// Ten sampled writes of two callers on one descriptor, and two sampled reads. One write has an error.
const SAMPLED: &str = "
    @thread  main           main           main             worker 1       worker 1
    @call    0              0              0                1              2
    @count   880            20             100              100            50
    @bytes   1              1              512              1              128
    @weight  0.0001         0.0001         0.0001           0.001          0.04
    @error   -              -              -                11             -
    @time    1              2              3                4              5
             app.Main.run   app.Main.run   app.Main.run     app.Main.run   java.lang.Thread.run
             app.Log.line   app.Log.line   app.Log.page     app.Log.line   java.net.Socket.read
             java.io.F.put  java.io.F.put  java.io.F.put    java.io.F.put  __recv[n]
             __write[n]     __write[n]     __write[n]       __write[n]     tcp_recvmsg[k]
";

fn profile() -> Profile {
    let (manifest, tables) = experiment_with_calls(CALLS, SAMPLED);
    Profile::load(manifest, tables).expect("valid")
}

fn syscalls(by: &str, query: &Query) -> SyscallsView {
    whittle_views::syscalls::syscalls(&profile(), query, &by.parse().expect("keys")).expect("system calls")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

#[test]
fn exact_figures_are_shared_out_over_callers() {
    assert_eq!(
        text(&syscalls("call,file,caller", &Query::default())),
        "
System calls by call, file, caller
All calls: mean 51.0 bytes per call that moves bytes. The column bytes/call is the mean of all calls of a row

▼ calls  errors     MB  bytes/call  time s       p50 µs       p99 µs  samples  call        file                                    caller
  1,157      10  0.059        50.7   9.600         12.8     62,989.1        5                                                      <Total>
  1,000      10  0.001         1.0   0.570         96.3        978.4        3  write       /var/log/app.log                        app.Log.line
    100       0  0.051       512.0   0.030         92.7        100.0        1  write       /var/log/app.log                        app.Log.page
     50       0  0.006       128.0   2.000     47,453.1     66,645.3        1  read        socket tcp 10.0.0.1:5432->10.0.0.2:999  java.net.Socket.read
      7       0  0.000         0.0   7.000  1,518,500.2  2,132,649.9        0  epoll_wait  anonymous                               <not sampled>

Note: calls, errors, bytes and time of a call and file are the kernel's counts, distributed over callers in proportion to \
the sampled calls; bytes per call are computed from each caller's sampled calls. Shares of few samples are unreliable
Note: latencies are counted in ranges that double; p50 and p99 are interpolated within a range
"
    );
}

/// Calls of the JVM's own threads are not distributed over the program's functions.
#[test]
fn threads_of_the_jvm_are_apart() {
    let (manifest, tables) = experiment_with_calls(
        "
        thread             call   file  calls  errors  bytes  seconds  latencies
        main               futex  none  10     0       0      1        26:10
        C2 [jit_compiler]  futex  none  990    0       0      9        23:990
        ",
        "
        @thread  main
        @call    0
        @count   5
                 app.Main.run
                 __lll_lock_wait[n]
        ",
    );
    let profile = Profile::load(manifest, tables).expect("valid");
    let view =
        whittle_views::syscalls::syscalls(&profile, &Query::default(), &SyscallKeys::default()).expect("system calls");
    let rows: Vec<_> = view.rows.iter().map(|row| (row.caller.as_deref(), row.figures.calls_count)).collect();
    assert_eq!(rows, [(Some("<not sampled>"), 990.0), (Some("app.Main.run"), 10.0)]);
}

/// The overview, `stat` and the table of system calls show the same mean.
#[test]
fn bytes_per_call_are_the_same_in_all_views() {
    let profile = profile();
    let mean = syscalls("call", &Query::default()).bytes_per_moving_call;
    let stat = whittle_views::stat::stat(&profile, None).syscalls.and_then(|calls| calls.bytes_per_call);
    let overview = whittle_views::overview::overview(&profile, &Query::default()).expect("an overview");
    assert_eq!(mean, Some((52200.0 + 100.0 + 6400.0) / 1150.0));
    assert_eq!((stat, overview.syscalls.and_then(|calls| calls.bytes_per_call)), (mean, mean));
    // Sampled calls, if the filter needs them: two writes of 1 byte, one of 512, and the read.
    let sampled = syscalls("call", &filtered("event is syscall")).bytes_per_moving_call;
    assert_eq!(sampled, Some((900.0 + 51200.0 + 100.0 + 6400.0) / 1150.0));
}

#[test]
fn calls_and_files_alone_are_exact() {
    let view = syscalls("call", &Query { sort: Some("time".parse().expect("an order")), ..Query::default() });
    let rows: Vec<_> = view.rows.iter().map(|row| (row.call.as_deref(), row.figures.calls_count)).collect();
    assert_eq!(rows, [(Some("epoll_wait"), 7.0), (Some("read"), 50.0), (Some("write"), 1100.0)]);
    assert!(view.rows.iter().all(|row| !row.figures.is_estimate && row.caller.is_none() && row.file.is_none()));
    assert!(
        !view.preamble.notes.iter().any(|note| note.contains("distributed over callers")),
        "{:?}",
        view.preamble.notes
    );
}

#[test]
fn a_thread_filter_leaves_exact_figures_exact() {
    for filter in ["thread = \"main\"", "not thread ~ \"worker\"", "thread ~ \"m\" and not (thread ~ \"worker\")"] {
        let view = syscalls("call,caller", &filtered(filter));
        assert_eq!(view.total.calls_count, 1000.0, "{filter}");
        assert_eq!(view.total.bytes, 52200.0, "{filter}");
        assert!(!view.total.is_estimate, "{filter}");
    }
}

#[test]
fn other_filters_make_estimates_and_say_so() {
    for (filter, calls, bytes) in [
        ("time in 1500ms..3500ms", 120.0, 20.0 + 51200.0),
        ("stack has \"app.Log.page\"", 100.0, 51200.0),
        ("thread = \"worker 1\" and stack has \"app.Main.run\"", 100.0, 100.0),
        ("leaf is \"java.io.F.put\"", 1100.0, 900.0 + 51200.0 + 100.0),
        ("event is syscall", 1150.0, 900.0 + 51200.0 + 100.0 + 6400.0),
    ] {
        let view = syscalls("call,file,caller", &filtered(filter));
        assert_eq!((view.total.calls_count, view.total.bytes), (calls, bytes), "{filter}");
        assert!(view.total.is_estimate && view.rows.iter().all(|row| row.figures.is_estimate), "{filter}");
        assert!(view.preamble.notes[0].contains("estimates"), "{:?}", view.preamble.notes);
    }
    let view = syscalls("call", &filtered("time in 100s.."));
    assert_eq!((view.rows.len(), view.preamble.notes.len()), (0, 1));
    assert_eq!(view.preamble.notes, ["the filter leaves no system calls"]);
}

#[test]
fn what_is_asked_wrongly_is_refused_with_a_way_out() {
    let keys = SyscallKeys::default();
    let error =
        |query: &Query| whittle_views::syscalls::syscalls(&profile(), query, &keys).expect_err("refused").to_string();
    let sorted = |text: &str| Query { sort: Some(text.parse().expect("an order")), ..Query::default() };
    assert_eq!(
        error(&sorted("e.cpu")),
        "rows cannot be sorted by \"e.cpu\". Possible orders: calls, errors, bytes, bytes_per_call, time, p99, name"
    );
    let asked = Query { metrics: Some("cpu".parse().expect("metrics")), ..Query::default() };
    assert_eq!(error(&asked), "syscalls always has the same columns");
    assert!(error(&filtered("stack has \"nobody\"")).contains("no function \"nobody\""));
}

#[test]
fn an_experiment_without_system_calls_says_what_it_would_need() {
    let (manifest, tables) = experiment_from_text("main");
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = whittle_views::syscalls::syscalls(&profile, &Query::default(), &SyscallKeys::default())
        .expect("an empty table");
    assert!(view.preamble.notes[0].contains("whittle doctor"), "{:?}", view.preamble.notes);
}

#[test]
fn json_and_csv_hold_raw_numbers_and_whole_paths() {
    let view = syscalls("call,file,caller", &Query { limit: Some(2), ..Query::default() });
    let csv = render(&view, Format::Csv, Style::default());
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "calls_count,errors_count,bytes,bytes_per_call,duration_ns,p50_latency_ns,p99_latency_ns,longest_ns,\
         sampled_count,is_estimate,call,file_kind,file,caller"
    );
    assert!(lines[2].ends_with("1,true,write,regular,/var/log/app.log,app.Log.page"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).expect("JSON");
    assert_eq!(json["view"], "syscalls");
    assert_eq!(json["by"], serde_json::json!(["call", "file", "caller"]));
    assert_eq!(json["rows"][0]["calls_count"], 1000);
    assert_eq!(json["rows"][1]["bytes_per_call"], 512.0);
    assert_eq!(json["total"]["duration_ns"], 9_600_000_000_u64);
    assert_eq!((json["row_count"].as_u64(), json["rows"].as_array().map(Vec::len)), (Some(4), Some(2)));
}
