//! Tests of the samples that filters keep, on experiments drawn as text.

use crate::support::{profile, query};
use whittle_profile::{Profile, Query, ViewMode};

fn sample() -> Profile {
    profile(
        "
        @time    0             1            2          3
        @thread  main          worker 1     worker 2   GC [gc]
                 run()         run()        run()      mark[j]
                 write(int)    write(long)  spin()
                 __write[n]
                 vfs_write[k]
        ",
    )
}

/// The seconds that a filter keeps, or its error.
fn kept(filter: &str) -> Result<f64, String> {
    let filter = filter.parse().map_err(|error: whittle_profile::FilterError| error.to_string())?;
    let query = Query { filter: Some(filter), ..query("e.cpu") };
    let view = whittle_views::functions::functions(&sample(), &query).map_err(|error| error.to_string())?;
    Ok(view.total.numbers[0] / 1e9)
}

#[test]
fn filters_keep_what_they_name() {
    for (filter, seconds) in [
        ("thread ~ \"worker\"", 2.0),
        ("thread = \"worker 1\"", 1.0),
        ("time in 1s..3s", 2.0),
        ("time in 2s..", 2.0),
        ("time in ..1500ms", 2.0),
        ("stack has \"write\"", 2.0),
        ("stack has \"write(int)\"", 1.0),
        ("stack has \"vfs_write\"", 1.0),
        ("stack has \"<JVM-System>\"", 1.0),
        ("leaf is \"write(int)\"", 1.0),
        ("leaf is \"run()\"", 0.0),
        ("thread = #0", 1.0),
        ("thread = #3 or thread = #1", 2.0),
        ("stack has binary \"libc.so.6\"", 1.0),
        ("stack has binary \"/usr/lib/x86_64-linux-gnu/libc.so.6\" or leaf is \"spin()\"", 2.0),
        ("leaf is binary \"libc.so.6\"", 0.0),
        ("stack has fragment \"run() > write\"", 2.0),
        ("stack has fragment \"run() > write(long)\"", 1.0),
        ("not stack has fragment \"run() > spin()\"", 3.0),
        ("mode is system", 1.0),
        ("event is cpu", 4.0),
        ("event is alloc", 0.0),
        ("not thread ~ \"worker\"", 2.0),
        ("thread ~ \"worker\" and not stack has \"spin()\"", 1.0),
        ("thread ~ \"worker\" or mode is system", 3.0),
        ("not (thread ~ \"worker\" or mode is system) and time in 3s..4s", 1.0),
    ] {
        assert_eq!(kept(filter), Ok(seconds), "{filter}");
    }
}

#[test]
fn packages_hold_those_inside_them() {
    let profile = profile("app.Main.run()     app.Main.run()\napp.io.Log.line()  app.Main.run()\n");
    let kept = |filter: &str| {
        let query = Query { filter: Some(filter.parse().expect("a filter")), ..query("e.cpu") };
        whittle_views::functions::functions(&profile, &query)
            .map(|view| view.total.numbers[0] / 1e9)
            .map_err(|error| error.to_string())
    };
    assert_eq!(kept("stack has package \"app\""), Ok(2.0));
    assert_eq!(kept("leaf is package \"app.io\""), Ok(1.0));
    assert_eq!(kept("stack has fragment \"app.Main.run() > app.Main.run()\""), Ok(1.0));
    for (filter, problem) in [
        ("leaf is package \"app.Main\"", "character 17: no function is in a package \"app.Main\""),
        ("stack has fragment \"app.Main.run() > x\"", "character 20: no function \"x\""),
        ("leaf is binary \"libz.so\"", "character 16: none of the 0 binaries is called \"libz.so\""),
        ("thread = #7", "character 10: there is no thread 7; the 1 threads are numbered from 0"),
    ] {
        let found = kept(filter).expect_err("nothing of that name");
        assert!(found.contains(problem), "{filter}: {found}");
    }
    for (filter, problem) in [
        ("stack has fragment \"a >  > b\"", "character 20: \"a >  > b\" is not a fragment of a stack"),
        ("stack has fragment", "character 19: expected functions in quotes, such as \"A.f > B.g\", found the end"),
        ("stack has =", "character 11: expected a function, `package` or `binary`, found `=`"),
        ("thread = #x", "character 10: expected the thread's name, or `#` and its number, found `#x`"),
    ] {
        let found = filter.parse::<whittle_profile::Filter>().expect_err("no filter").to_string();
        assert!(found.contains(problem), "{filter}: {found}");
    }
}

#[test]
fn recorded_frames_can_be_named_in_every_mode() {
    let filter = "stack has \"vfs_write\"".parse().expect("a filter");
    let query = Query { filter: Some(filter), ..query("e.cpu") };
    for mode in ViewMode::ALL {
        let view = whittle_views::functions::functions(&sample(), &Query { mode, ..query.clone() }).expect("functions");
        assert_eq!(view.total.numbers, [1e9], "{mode}");
    }
}

#[test]
fn a_name_that_is_not_there_is_an_error_not_an_empty_table() {
    let error = kept("mode is user and stack has \"wrte\"").expect_err("no such function");
    assert!(
        error.starts_with("the filter is wrong at character 28: no function \"wrte\" in this experiment"),
        "{error}"
    );
    let error = kept("thread = \"worker\"").expect_err("no such thread");
    assert!(error.contains("no thread is called \"worker\"; `whittle threads` lists all"), "{error}");
}

/// Each event other than CPU has separate metrics, and reasons are distinguished.
#[test]
fn other_events_have_their_own_metrics_and_filters() {
    let profile = profile(
        "
        @event   cpu   off_cpu:futex  off_cpu:socket  alloc   syscall  page_fault
        @weight  1     2              3               0       0        0
        @count   1     1              1               20      500      64
        @bytes   0     0              0               524288  0        0
                 main  main           main            main    main     main
                 work  lock           read            build   write    touch
        ",
    );
    let value = |filter: Option<&str>, metric: &str| {
        let filter = filter.map(|filter| filter.parse().expect("a filter"));
        let view =
            whittle_views::functions::functions(&profile, &Query { filter, ..query(metric) }).expect("functions");
        view.total.numbers[0]
    };
    for (metric, all) in [
        ("e.cpu", 1e9),
        ("e.off_cpu", 5e9),
        ("e.off_cpu_futex", 2e9),
        ("e.off_cpu_socket", 3e9),
        ("e.alloc_bytes", 524_288.0),
        ("e.alloc_count", 20.0),
        ("e.syscalls", 500.0),
        ("e.page_faults", 64.0),
    ] {
        assert_eq!(value(None, metric), all, "{metric}");
        assert_eq!(value(Some("event is cpu"), metric), if metric == "e.cpu" { all } else { 0.0 }, "{metric}");
    }
    assert_eq!(value(Some("event is off_cpu"), "e.off_cpu"), 5e9);
    assert_eq!(value(Some("reason is futex"), "e.off_cpu"), 2e9);
    assert_eq!(value(Some("event is off_cpu and not reason is futex"), "e.off_cpu"), 3e9);
    // Objects, calls and faults are not counted as samples. Each row is one sample.
    let threads =
        whittle_views::threads::threads(&profile, &query("cpu"), &whittle_views::threads::ThreadsShape::default())
            .expect("threads");
    assert_eq!(threads.recorded_samples_count, 6);
}

/// With many metrics, CPU comes first. Requested metrics, and metrics that the filter keeps, are shown.
#[test]
fn the_default_columns_fit_the_query() {
    let profile = profile(
        "
        @event  cpu   off_cpu:futex  alloc
        @bytes  0     0              4096
                main  main           main
                work  lock           build
        ",
    );
    let columns = |query: Query| -> Vec<String> {
        let view = whittle_views::functions::functions(&profile, &query).expect("functions");
        view.columns.iter().map(|column| column.field()).collect()
    };
    let cpu = [
        "exclusive_cpu_ns",
        "exclusive_cpu_ratio",
        "inclusive_cpu_ns",
        "inclusive_cpu_ratio",
        "exclusive_system_cpu_ns",
        "inclusive_system_cpu_ns",
    ];
    assert_eq!(columns(Query::default()), cpu);
    let sorted = Query { sort: Some("e.off_cpu".parse().expect("a metric")), ..Query::default() };
    assert_eq!(columns(sorted), [&["exclusive_off_cpu_ns"], &cpu[..]].concat());
    let sorted = Query { sort: Some("i.cpu".parse().expect("a metric")), ..Query::default() };
    assert_eq!(columns(sorted), cpu);
    let filtered = Query { filter: Some("event is alloc".parse().expect("a filter")), ..Query::default() };
    assert_eq!(columns(filtered)[..2], ["exclusive_alloc_bytes", "exclusive_alloc_ratio"]);
}

#[test]
fn an_empty_selection_is_reported() {
    let filter = Some("event is alloc".parse().expect("a filter"));
    let view = whittle_views::functions::functions(&sample(), &Query { filter, ..query("e.cpu") }).expect("functions");
    assert_eq!(view.preamble.notes, ["the filter leaves no samples"]);
    assert_eq!(view.preamble.filter.as_deref(), Some("event is alloc"));
}
