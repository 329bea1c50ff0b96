//! Tests of the table of waits, and of the filter `wait is`, on experiments drawn as text.

use crate::support::text;
use std::fs;
use std::path::Path;
use whittle_model::{Collector, CollectorStatus, Request, RequestKind, Tables, ThreadIndex};
use whittle_profile::waits::{RULES, WaitMeaning};
use whittle_profile::{Profile, Query};
use whittle_testkit::{add_thread_states, experiment_from_text};
use whittle_views::threads::{ThreadsShape, threads};
use whittle_views::waits::{WaitsView, waits};

/// A worker waits for a connection of the pool, for a lock, and for its next job. One wait has no stack.
const WAITS: &str = "
    @thread  worker 1                                         worker 1                                          worker 1                                         worker 1                     worker 2                                         C2 [jit_compiler]
    @event   off_cpu:futex                                    off_cpu:futex                                     off_cpu:futex                                    off_cpu:futex                off_cpu:page_fault                               off_cpu:futex
    @weight  2                                                1                                                 5                                                3                            0.5                                              9
             app.Shop.order                                   app.Shop.order                                    java/util/concurrent/ThreadPoolExecutor.getTask  <truncated>[t:unanswered]    java/util/concurrent/ThreadPoolExecutor.getTask  park[j]
             com/zaxxer/hikari/util/ConcurrentBag.borrow      java/util/concurrent/locks/ReentrantLock.lock     java/util/concurrent/LinkedBlockingQueue.take                                 app.Shop.order
             java/util/concurrent/locks/LockSupport.parkNanos java/util/concurrent/locks/LockSupport.park       java/util/concurrent/locks/LockSupport.park
";

const STATES: &str = "
    thread    on_cpu_user  blocked:futex  blocked:page_fault  blocked:socket
    worker 1  1            16             -                   -
    worker 2  1            -              0.5                 4
    C2        1            9              -                   -
";

fn profile() -> Profile {
    let (manifest, mut tables) = experiment_from_text(WAITS);
    add_thread_states(&mut tables, STATES);
    Profile::load(manifest, tables).expect("valid")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

fn seconds(view: &WaitsView) -> Vec<(&'static str, f64)> {
    view.rows.iter().map(|row| (row.meaning, (row.figures.duration_ns / 1e6).round() / 1e3)).collect()
}

/// 16 s of worker 1 were counted, and 2 s, 1 s and 5 s sampled with a stack. Of the difference, they get 4, 1 and 25 of 30 parts:
/// 3.067 s, 1.267 s and 11.667 s. 9 s of idle time are those of the compiler's thread. The wait of worker 2 for a page is no
/// idle wait, and its 4 s in sockets were never sampled.
#[test]
fn exact_time_is_distributed_and_idle_threads_have_no_share() {
    assert_eq!(
        text(&waits(&profile(), &Query::default()).expect("waits")),
        "
Waits by meaning; the percentages do not include idle threads

▼ wait s       %  samples  threads  wait is          waits for                  file or peer
   8.833  100.00        3        2                   <Total>
   4.000   45.28        0        1  socket           a socket
   3.067   34.72        1        1  connection_pool  a connection from a pool
   1.267   14.34        1        1  lock             a lock
   0.500    5.66        1        1  page_fault       a page of memory
  20.667       -        2        2  idle             work (the thread is idle)

Note: the kernel counted how long each thread waited, by reason; the sampled waits of its pool tell for what
"
    );
}

/// The only sampled wait of worker 2 is for a lock, and worker 3 has none. This does not mean that worker 2 waited for the lock
/// in all of its time: the times of the pool are distributed over the samples of the pool.
#[test]
fn the_samples_of_a_pool_tell_what_its_threads_waited_for() {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  worker 1                                          worker 2                                       worker 3
        @event   off_cpu:futex                                     off_cpu:futex                                  cpu
        @weight  9                                                 1                                              1
                 java/util/concurrent/ThreadPoolExecutor.getTask   app.Shop.order                                 app.Shop.order
                 java/util/concurrent/LinkedBlockingQueue.take     java/util/concurrent/locks/ReentrantLock.lock
        ",
    );
    let states = "
        thread    on_cpu_user  blocked:futex
        worker 1  1            10
        worker 2  1            10
        worker 3  1            10
    ";
    add_thread_states(&mut tables, states);
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = waits(&profile, &Query::default()).expect("waits");
    // 30 s were counted and 10 s sampled. Of the difference, the waits get 81 and 1 of 82 parts.
    assert_eq!(seconds(&view), [("lock", 1.244), ("idle", 28.756)]);
    assert_eq!(view.rows.iter().map(|row| row.figures.threads_count).collect::<Vec<_>>(), [1, 2]);
    // A thread of the pool has its part of the time, whether it was sampled or not.
    for filter in ["thread = \"worker 2\"", "thread is \"worker 3\""] {
        let view = waits(&profile, &filtered(filter)).expect("waits");
        assert_eq!(seconds(&view), [("lock", 0.415), ("idle", 9.585)], "{filter}");
    }
}

/// The agent of `--instrument` changes the method in which idle workers wait, so their stacks end there.
#[test]
fn a_worker_that_waits_in_a_changed_method_is_idle() {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  worker 1                                       worker 1
        @event   off_cpu:futex                                  off_cpu:futex
        @weight  9                                              1
                 <truncated>[t:unwalkable_java]                 <truncated>[t:unwalkable_java]
                 java/util/concurrent/LinkedBlockingQueue.take  app.Shop.order
                 java/util/concurrent/locks/LockSupport.park    java/util/concurrent/LinkedBlockingQueue.take
                                                                java/util/concurrent/locks/LockSupport.park
        ",
    );
    let meanings = |tables: &Tables| {
        let profile = Profile::load(manifest.clone(), tables.clone()).expect("valid");
        seconds(&waits(&profile, &Query::default()).expect("waits"))
    };
    assert_eq!(meanings(&tables), [("queue", 10.0)]);
    tables.requests.push(Request::unknown(RequestKind::Task, "app.Task", ThreadIndex(0), (0, 1)));
    assert_eq!(meanings(&tables), [("queue", 1.0), ("idle", 9.0)]);
}

/// The kernel counted 30 s of the carriers. 20 s of them are waits of pinned virtual threads, so 10 s are left.
#[test]
fn the_waits_of_pinned_virtual_threads_are_not_counted_twice() {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  ForkJoinPool-1-worker-1                      ForkJoinPool-1-worker-2                      booking-# (pinned)
        @event   off_cpu:futex                                off_cpu:futex                                off_cpu:futex
        @weight  6                                            4                                            20
                 java/util/concurrent/ForkJoinPool.awaitWork  java/util/concurrent/ForkJoinPool.awaitWork  java/lang/VirtualThread.run
                                                                                                           app.Stock.load
                                                                                                           java/lang/Thread.sleep
        ",
    );
    let states = "
        thread                   on_cpu_user  blocked:futex
        ForkJoinPool-1-worker-1  1            10
        ForkJoinPool-1-worker-2  1            20
    ";
    add_thread_states(&mut tables, states);
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = waits(&profile, &Query::default()).expect("waits");
    assert_eq!(seconds(&view), [("sleep", 20.0), ("idle", 10.0)]);
}

/// One sample of 0.1 s cannot represent 60 s. For what the thread waited in most of this time is unknown.
#[test]
fn few_samples_represent_a_limited_time() {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  scheduler
        @event   off_cpu:futex
        @weight  0.1
                 app.Shop.order
                 java/util/concurrent/locks/ReentrantLock.lock
        ",
    );
    add_thread_states(&mut tables, "thread     on_cpu_user  blocked:futex\nscheduler  1            60");
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = waits(&profile, &Query::default()).expect("waits");
    assert_eq!(seconds(&view), [("other_thread", 59.1), ("lock", 0.9)]);
}

#[test]
fn a_filter_selects_waits_by_meaning() {
    let profile = profile();
    for (filter, expected) in [
        ("wait is lock", vec![("lock", 1.267)]),
        ("wait is idle", vec![("idle", 20.667)]),
        ("wait is page_fault", vec![("page_fault", 0.5)]),
        ("not wait is idle and thread = \"worker 1\"", vec![("connection_pool", 3.067), ("lock", 1.267)]),
        ("thread = \"worker 2\"", vec![("socket", 4.0), ("page_fault", 0.5)]),
        ("wait is dns", vec![]),
    ] {
        let view = waits(&profile, &filtered(filter)).expect("waits");
        assert_eq!(seconds(&view), expected, "{filter}");
    }
    let query = |filter: &str| filtered(filter);
    let unsampled = waits(&profile, &query("wait is other_thread")).expect("waits");
    // The wait without a stack is distributed over the others.
    assert_eq!(seconds(&unsampled), []);
    assert_eq!(unsampled.preamble.notes, ["the filter leaves no waits"]);
}

/// Waits for different peers are different rows. Waits of idle threads are one row, whatever they wait for.
#[test]
fn waits_are_told_apart_by_peer() {
    let (manifest, tables) = experiment_from_text(
        "
        @thread  worker 1           worker 2           worker 1            worker 1        accepting
        @event   off_cpu:socket     off_cpu:socket     off_cpu:socket      off_cpu:futex   off_cpu:socket
        @weight  2                  1                  5                   3               9
        @file    tcp 10.0.0.7:5432  tcp 10.0.0.7:5432  tcp [2001::1]:443   -               tcp listening on port 80
                 app.Dao.load       app.Dao.load       app.Prices.get      app.Shop.order  java/util/concurrent/ThreadPoolExecutor.getTask
                                                                                           java/util/concurrent/LinkedBlockingQueue.take
        ",
    );
    let profile = Profile::load(manifest, tables).expect("valid");
    let rows = |query: &Query| -> Vec<(&'static str, String, f64)> {
        let view = waits(&profile, query).expect("waits");
        view.rows.into_iter().map(|row| (row.meaning, row.file, row.figures.duration_ns / 1e9)).collect()
    };
    let (web, database) = ("tcp [2001::1]:443".to_owned(), "tcp 10.0.0.7:5432".to_owned());
    let expected = [
        ("socket", web, 5.0),
        ("other_thread", String::new(), 3.0),
        ("socket", database.clone(), 3.0),
        ("idle", String::new(), 9.0),
    ];
    assert_eq!(rows(&Query::default()), expected);
    let of_database = [("socket", database, 3.0)];
    assert_eq!(rows(&filtered("file is \"tcp 10.0.0.7:5432\"")), of_database);
    assert_eq!(rows(&filtered("file is \"tcp 10.0.0.7:5432\" and thread = \"worker 2\"")).len(), 1);
    let unknown = waits(&profile, &filtered("file is \"tcp 10.0.0.8:5432\""));
    assert!(unknown.is_err_and(|error| error.to_string().contains("no file or peer has the name")));
}

/// The engines `cpu` and `ctimer` only observe threads, so no count corrects the sampled times. The view reports this. Only the 3 s
/// without a stack are distributed over the other waits of the pool.
#[test]
fn waits_that_were_only_observed_are_estimates() {
    let (mut manifest, tables) = experiment_from_text(WAITS);
    for (engine, is_estimate) in [("ctimer", true), ("cpu", true), ("kernel", false)] {
        manifest.collectors = vec![collector(engine)];
        let profile = Profile::load(manifest.clone(), tables.clone()).expect("valid");
        let view = waits(&profile, &Query::default()).expect("waits");
        assert_eq!(seconds(&view), [("connection_pool", 2.4), ("lock", 1.1), ("page_fault", 0.5), ("idle", 16.5)]);
        let has_note = view.preamble.notes.iter().any(|note| note.contains("estimates"));
        assert_eq!(has_note, is_estimate, "{engine}: {:?}", view.preamble.notes);
    }
    let unavailable = Collector { status: CollectorStatus::Unavailable, ..collector("cpu") };
    manifest.collectors = vec![collector("kernel"), unavailable];
    assert!(!manifest.has_estimated_waits(), "an engine that was not available has observed nothing");
}

/// The table of threads has a column for the estimate, because it has no counted waits.
#[test]
fn the_table_of_threads_shows_estimated_waits() {
    let (mut manifest, tables) = experiment_from_text(
        "
        @thread  worker        worker
        @event   cpu           off_cpu:futex
        @weight  1             4
                 app.Shop.run  app.Shop.run
        ",
    );
    for (engine, expected) in
        [("ctimer", &["cpu", "cpu", "system_cpu", "off_cpu"][..]), ("kernel", &["cpu", "cpu", "system_cpu"])]
    {
        manifest.collectors = vec![collector(engine)];
        let profile = Profile::load(manifest.clone(), tables.clone()).expect("valid");
        let table = threads(&profile, &Query::default(), &ThreadsShape::default()).expect("threads");
        let metrics: Vec<&str> = table.columns.iter().map(|column| column.metric.as_str()).collect();
        assert_eq!(metrics, expected, "{engine}");
    }
}

fn collector(engine: &str) -> Collector {
    Collector {
        name: String::new(),
        engine: engine.to_owned(),
        interval_ns: None,
        status: CollectorStatus::Used,
        reason: String::new(),
    }
}

#[test]
fn orders_and_columns_are_checked() {
    let profile = profile();
    let sorted = |by: &str| waits(&profile, &Query { sort: Some(by.parse().expect("an order")), ..Query::default() });
    let names: Vec<&str> = sorted("name").expect("waits").rows.iter().map(|row| row.meaning).collect();
    assert_eq!(names, ["connection_pool", "lock", "page_fault", "socket", "idle"]);
    assert!(sorted("i.cpu").is_err());
    let (manifest, tables) = experiment_from_text("app.Main.main()");
    let view = waits(&Profile::load(manifest, tables).expect("valid"), &Query::default()).expect("waits");
    assert!(view.preamble.notes[0].starts_with("this experiment has no waits"), "{:?}", view.preamble.notes);
}

/// Rules before it must not make a rule unreachable: a stack with only the rule's frames has the rule's meaning.
#[test]
fn each_rule_matches_its_own_frames() {
    for rule in RULES {
        for frame in rule.frames {
            let name = frame.strip_suffix('*').unwrap_or(frame);
            let (name, kind) = match name.split_once(':') {
                Some(("native", name)) => (name, "[n]"),
                Some(("jvm", name)) => (name, "[j]"),
                _ => (name, ""),
            };
            let below = rule.below.first().map_or("", |below| below.strip_suffix('*').unwrap_or(below));
            let text = format!("@event  off_cpu:futex\n        app.Main.main\n        {name}{kind}\n        {below}\n");
            let (manifest, tables) = experiment_from_text(&text);
            let view = waits(&Profile::load(manifest, tables).expect("valid"), &Query::default()).expect("waits");
            assert_eq!(view.rows[0].meaning, rule.meaning.name(), "{}: {frame}", rule.library);
        }
    }
    // Each thread that shows a rule is in a program, whose measuring tests compare the meaning.
    let sources =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/workloads/src/main/java/whittle/workloads/truth");
    let files = ["Meanings.java", "meanings/Ways.java", "waits/Waits.java"];
    let text: String = files.iter().map(|file| fs::read_to_string(sources.join(file)).expect("a source")).collect();
    for rule in RULES.iter().filter(|rule| !rule.thread.is_empty()) {
        let name = rule.thread.strip_prefix("blocked-").unwrap_or(rule.thread);
        assert!(text.contains(&format!("\"{name}\"")), "no thread {}", rule.thread);
    }
    let has_rule = |meaning: &WaitMeaning| RULES.iter().any(|rule| rule.meaning == *meaning);
    let told_by_reason = ["page_fault", "stopped", "memory_limit", "other_thread", "socket", "unknown"];
    for meaning in WaitMeaning::ALL.iter().filter(|meaning| !told_by_reason.contains(&meaning.name())) {
        assert!(has_rule(meaning), "{meaning:?}");
    }
}

/// Threads of a pool whose only wait has no stack, because the program ended first, are idle, as in the timeline. Their waits do not
/// decide what the others waited for. A thread in no pool can wait for anything.
#[test]
fn threads_of_a_pool_that_never_had_work_are_idle() {
    let (manifest, mut tables) = experiment_from_text(
        "
        @thread  exec-1             exec-2             exec-3                                         single
        @event   off_cpu:futex      off_cpu:futex      off_cpu:futex                                  off_cpu:futex
        @time    4                  4                  3                                              4
        @weight  3                  3                  2                                              3
                 ?[t:thread_ended]  ?[t:thread_ended]  app.Shop.order                                 ?[t:thread_ended]
                                                       java/util/concurrent/locks/ReentrantLock.lock
        ",
    );
    add_thread_states(
        &mut tables,
        "
        thread  on_cpu_user  blocked:futex  blocked:page_fault
        exec-1  0.001        3              0.25
        exec-2  0.001        3              -
        exec-3  2            2              -
        single  0.001        3              -
        ",
    );
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = waits(&profile, &Query::default()).expect("waits");
    assert_eq!(seconds(&view), [("other_thread", 3.0), ("lock", 2.0), ("page_fault", 0.25), ("idle", 6.0)]);
    let idle = view.rows.last().expect("a row").figures;
    assert_eq!((idle.samples_count, idle.threads_count), (2, 2));
    let one = waits(&profile, &filtered("thread = \"exec-1\"")).expect("waits");
    assert_eq!(seconds(&one), [("page_fault", 0.25), ("idle", 3.0)]);
    let stacks = waits(&profile, &filtered("time in 0s..10s and thread ~ \"exec-[12]\"")).expect("waits");
    assert_eq!(seconds(&stacks), [("idle", 6.0)]);
}

/// Without the kernel's record of states, nothing tells that a thread never worked.
#[test]
fn without_states_a_wait_without_a_stack_is_not_idle() {
    let (manifest, tables) = experiment_from_text(
        "
        @thread  exec-1             exec-2
        @event   off_cpu:futex      off_cpu:futex
        @weight  3                  3
                 ?[t:thread_ended]  ?[t:thread_ended]
        ",
    );
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = waits(&profile, &Query::default()).expect("waits");
    assert_eq!(seconds(&view), [("other_thread", 6.0)]);
}
