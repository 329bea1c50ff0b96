//! Pools of threads: one row in the views `threads` and `timeline`, and a filter.

use crate::support::{query, text};
use serde_json::{Value, json};
use whittle_model::{Manifest, Table, Tables};
use whittle_profile::{Profile, Query};
use whittle_render::{Format, Style, render};
use whittle_testkit::{add_thread_states, experiment_from_text};
use whittle_views::PoolRows;
use whittle_views::threads::{ThreadsShape, ThreadsView};
use whittle_views::timeline::TimelineShape;

/// Two pools of two threads, and two other threads.
fn tables() -> (Manifest, Tables) {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  main  exec-1  exec-2  exec-2   pool-2-thread-1  pool-2-thread-2
                 a     b       b       b        c                c
                                       read[k]
        ",
    );
    add_thread_states(
        &mut tables,
        "
        thread           on_cpu_user  runnable:run_queue  blocked:futex  blocked:socket
        main             2            0.5                 7.5            -
        exec-1           1            -                   3              6
        exec-2           2            1                   7              -
        pool-2-thread-1  1            -                   -              9
        ",
    );
    (manifest, tables)
}

fn profile() -> Profile {
    let (manifest, tables) = tables();
    Profile::load(manifest, tables).expect("valid")
}

fn threads(query: &Query, pools: PoolRows, open: &[usize]) -> ThreadsView {
    let shape = ThreadsShape { pools, open: open.to_vec() };
    whittle_views::threads::threads(&profile(), query, &shape).expect("threads")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..query("cpu") }
}

fn names(view: &ThreadsView) -> Vec<(usize, &str, u64)> {
    view.rows.iter().map(|row| (row.depth, row.thread.as_str(), row.threads_count)).collect()
}

#[test]
fn a_pool_is_one_row_with_the_sums_of_its_threads() {
    assert_eq!(
        text(&threads(&query("cpu"), PoolRows::Closed, &[])),
        "
Threads, user mode

         exact   exact     exact      run  blocked   blocked
▼ CPU s  CPU s  user s  system s  queue s  futex s  socket s  class  thread
  6.000                                                              <Total>
  3.000  3.000   3.000     0.000    1.000   10.000     6.000  work   exec-# (2 threads)
  2.000  1.000   1.000     0.000    0.000    0.000     9.000  work   pool-2-thread-# (2 threads)
  1.000  2.000   2.000     0.000    0.500    7.500     0.000  work   main

A row of several threads is a pool; its values are sums. --pools open also shows its threads.
"
    );
}

#[test]
fn an_open_pool_has_its_threads_below_it() {
    let whole = threads(&query("cpu"), PoolRows::Open, &[]);
    assert_eq!(
        text(&whole),
        "
Threads, user mode

         exact   exact     exact      run  blocked   blocked
▼ CPU s  CPU s  user s  system s  queue s  futex s  socket s  class  thread
  6.000                                                              <Total>
  3.000  3.000   3.000     0.000    1.000   10.000     6.000  work   exec-# (2 threads)
  2.000  2.000   2.000     0.000    1.000    7.000     0.000  work     exec-2
  1.000  1.000   1.000     0.000    0.000    3.000     6.000  work     exec-1
  2.000  1.000   1.000     0.000    0.000    0.000     9.000  work   pool-2-thread-# (2 threads)
  1.000  1.000   1.000     0.000    0.000    0.000     9.000  work     pool-2-thread-1
  1.000      -       -         -        -        -         -  work     pool-2-thread-2
  1.000  2.000   2.000     0.000    0.500    7.500     0.000  work   main

A row of several threads is a pool; its values are sums. --pools open also shows its threads.
"
    );
    // The analyzer opens single pools. The limit counts rows of threads, too.
    let part = threads(&Query { skip: 2, limit: Some(2), ..query("cpu") }, PoolRows::Closed, &[4]);
    assert_eq!(names(&part), [(1, "pool-2-thread-1", 1), (1, "pool-2-thread-2", 1)]);
    assert_eq!((part.row_count, part.threads_count), (5, 5));
    let each = threads(&query("cpu"), PoolRows::None, &[]);
    let expected =
        [(0, "exec-2", 1), (0, "exec-1", 1), (0, "main", 1), (0, "pool-2-thread-1", 1), (0, "pool-2-thread-2", 1)];
    assert_eq!(names(&each), expected);
}

#[test]
fn json_and_csv_say_which_rows_are_pools() {
    let view = threads(&query("cpu"), PoolRows::Open, &[]);
    let json: Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).expect("JSON");
    let of = |row: usize, field: &str| json["rows"][row][field].clone();
    let fields = ["thread", "pool", "is_pool", "depth", "threads_count", "thread_index", "blocked_ns"];
    assert_eq!(
        fields.map(|field| of(0, field)),
        [json!("exec-#"), json!("exec-#"), json!(true), json!(0), json!(2), json!(1), json!(16_000_000_000_u64),]
    );
    assert_eq!(
        fields.map(|field| of(1, field)),
        [json!("exec-2"), json!("exec-#"), json!(false), json!(1), json!(1), json!(2), json!(7_000_000_000_u64),]
    );
    assert_eq!((of(6, "thread"), of(6, "pool")), (json!("main"), Value::Null));
    let csv = render(&threads(&query("cpu"), PoolRows::Closed, &[]), Format::Csv, Style::default());
    assert!(csv.contains(",thread_id,class,thread_index,pool,threads_count,thread\r\n"), "{csv}");
    assert!(csv.contains(",work,1,exec-#,2,exec-#\r\n"), "{csv}");
}

#[test]
fn a_filter_selects_pools() {
    let shown = |filter: &str| {
        let view = threads(&filtered(filter), PoolRows::None, &[]);
        view.rows.iter().map(|row| row.thread.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown("pool is \"exec-#\""), "exec-2 exec-1");
    assert_eq!(shown("pool is #2"), "exec-2 exec-1");
    assert_eq!(shown("not pool is \"exec-#\" and not pool is #4"), "main");
    // In a comparison, a single thread is a pool, and its filter is also used on the runs.
    assert_eq!(shown("pool is \"main\""), "main");
    // A pool with one thread left is shown as this thread.
    let one = threads(&filtered("thread = \"exec-1\""), PoolRows::Closed, &[]);
    assert_eq!(names(&one), [(0, "exec-1", 1)]);
    for (filter, problem) in [
        ("pool is \"exec\"", "character 9: no pool is called \"exec\"; `whittle threads` lists all"),
        ("pool is #0", "character 9: thread 0 is in no pool"),
        ("pool is #9", "character 9: there is no thread 9; the 5 threads are numbered from 0"),
    ] {
        let error = whittle_views::threads::threads(&profile(), &filtered(filter), &ThreadsShape::default());
        let error = error.expect_err("an unknown pool").to_string();
        assert!(error.contains(problem), "{filter}: {error}");
    }
}

#[test]
fn rows_with_several_threads_count_them() {
    let (manifest, mut tables) = tables();
    tables.threads.name[1] = "exec-# (70 threads)".to_owned();
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = whittle_views::threads::threads(&profile, &query("cpu"), &ThreadsShape::default()).expect("threads");
    assert_eq!(names(&view)[0], (0, "exec-#", 71));
    assert_eq!(view.threads_count, 74);
    let text = text(&view);
    assert!(text.contains("exec-# (71 threads)\n"), "{text}");
}

#[test]
fn the_line_of_a_pool_is_the_mean_of_its_threads() {
    let shape =
        |pools, open: &[usize]| TimelineShape { bins: Some(2), pools, open: open.to_vec(), ..Default::default() };
    let timeline =
        |shape| whittle_views::timeline::timeline(&profile(), &Query::default(), &shape).expect("a timeline");
    let closed = timeline(shape(PoolRows::Closed, &[]));
    let names: Vec<_> = closed.header.threads.iter().map(|row| (row.name.as_str(), row.lanes_count)).collect();
    assert_eq!(names, [("exec-#", 2), ("main", 1), ("pool-2-thread-1", 1)]);
    // 3 s of CPU time in 20 s of two threads.
    assert_eq!(closed.bins_of(0, 0).iter().sum::<f32>(), 3e9);
    assert_eq!(
        text(&closed),
        "
Timeline of 0.000 s to 10.000 s, 2 bins of 5.000 s, counted by the kernel

▼ CPU s  blocked s  class  0.000  thread
  3.000     16.000  work   ▂▂     exec-# (2 threads)
  2.000      7.500  work   ▂▂     main
  1.000      9.000  work   ▁▁     pool-2-thread-1

▁ to █ CPU time, q waits for a CPU, f futex, s socket; blank: not observed
A row of several threads is a pool: its line shows the mean over its threads, its times are sums. --pools open also shows its threads.
"
    );
    let open = timeline(shape(PoolRows::Closed, &[2]));
    let rows: Vec<_> = open.header.threads.iter().map(|row| (row.depth, row.name.as_str(), row.cpu_ns)).collect();
    assert_eq!(
        rows,
        [(0, "exec-#", 3e9), (1, "exec-2", 2e9), (1, "exec-1", 1e9), (0, "main", 2e9), (0, "pool-2-thread-1", 1e9)]
    );
    let [pool, second, first] = [0, 1, 2].map(|row| open.bins_of(row, 0).iter().sum::<f32>());
    assert_eq!(pool, first + second);
    assert_eq!(timeline(shape(PoolRows::None, &[])).header.threads.len(), tables().1.threads.len() - 1);
}
