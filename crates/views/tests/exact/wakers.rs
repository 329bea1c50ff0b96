//! Tests of the tree of wakers on experiments drawn as text.

use crate::support::{profile, text};
use whittle_profile::Query;
use whittle_render::{Format, Style, render};
use whittle_views::wakers::{WakersView, wakers};

/// From 0 s to 10 s, `web` waits for a lock that `loader` gives back. Meanwhile, `loader` waits for a database until 8 s, and then
/// executes. Then `web` waits for a queue; no sample shows what `loader` does meanwhile. Then it sleeps. Who ended its last wait is
/// unknown. `pool 1` is idle.
pub(crate) const CHAIN: &str = "
    @thread  web                                            loader               loader                loader          loader             web                                            loader             web                     web            web                                            pool 1                                           web
    @wakes   -                                              web                  -                     loader          -                  -                                              web                -                       web            -                                              -                                                pool 1
    @kind    -                                              -                    -                     network         -                  -                                              -                  -                       timer          -                                              -                                                -
    @event   off_cpu:futex                                  off_cpu:futex        off_cpu:socket        off_cpu:socket  cpu                off_cpu:futex                                  off_cpu:futex      off_cpu:sleep           off_cpu:sleep  off_cpu:futex                                  off_cpu:futex                                    off_cpu:futex
    @time    10                                             10                   8                     8               9                  12                                             12                 13                      13             14                                             9                                                9
    @weight  10                                             10                   8                     8               2                  2                                              2                  1                       1              1                                              4                                                4
    @file    -                                              -                    tcp 10.0.0.7:5432     -               -                  -                                              -                  -                       -              -                                              -                                                -
             app.Shop.order()                               app.Cache.refresh()  app.Dao.load()                        app.Cache.parse()  app.Shop.order()                               app.Shop.submit()  app.Shop.order()                       app.Shop.order()                               java/util/concurrent/ThreadPoolExecutor.getTask  app.Shop.submit()
             java/util/concurrent/locks/ReentrantLock.lock                       java/net/Socket.read                                     java/util/concurrent/LinkedBlockingQueue.take                     java/lang/Thread.sleep                 java/util/concurrent/LinkedBlockingQueue.take  java/util/concurrent/LinkedBlockingQueue.take
";

/// `a` waits for `b 1`, which waits for `c`, which waits for a database, and then for `a`.
const THREE: &str = "
    @thread  a                                              b 1            b 1                          c              c                     c               c                                              a
    @wakes   -                                              a              -                            b 1            -                     c               -                                              c
    @kind    -                                              -              -                            -              -                     network         -                                              -
    @event   off_cpu:futex                                  off_cpu:futex  off_cpu:futex                off_cpu:futex  off_cpu:socket        off_cpu:socket  off_cpu:futex                                  off_cpu:futex
    @time    10                                             10             9                            9              7                     7               8.5                                            8.5
    @weight  10                                             10             9                            9              7                     7               0.5                                            0.5
    @file    -                                              -              -                            -              tcp 10.0.0.7:5432     -               -                                              -
             app.A.run()                                    app.B.end()    app.B.run()                  app.C.end()    app.C.run()                           app.C.run()                                    app.A.end()
             java/util/concurrent/locks/ReentrantLock.lock                 jvm:ObjectMonitor::enter[j]                 java/net/Socket.read                  java/util/concurrent/locks/ReentrantLock.lock
";

fn asked(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

fn words(view: &WakersView) -> Vec<(&str, f64)> {
    view.rows.iter().map(|row| (row.words.as_str(), (row.figures.duration_ns / 1e6).round() / 1e3)).collect()
}

/// Executing 2 s, of `loader`. `web` waits 10 s for `loader`, which waits 8 s of it for the database and executes 2 s, then 2 s for
/// `loader`, which no sample shows, then 1 s for a time, and then 1 s for an unknown thread. `loader` waits 8 s itself.
#[test]
fn the_critical_path_replaces_waits_for_threads_by_what_these_did() {
    let path = |filter: Option<&str>| -> Vec<(char, f64)> {
        let query = filter.map_or_else(Query::default, asked);
        let view = wakers(&profile(CHAIN), &query).expect("wakers");
        let sum: f64 = view.critical_path.iter().map(|part| part.ratio).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{filter:?}: {sum}");
        view.critical_path.iter().map(|part| (part.letter, (part.duration_ns / 1e6).round() / 1e3)).collect()
    };
    assert_eq!(path(None), [('C', 2.0), ('c', 2.0), ('S', 16.0), ('Z', 1.0), ('F', 2.0), ('·', 1.0)]);
    assert_eq!(path(Some("thread = \"web\"")), [('c', 2.0), ('S', 8.0), ('Z', 1.0), ('F', 2.0), ('·', 1.0)]);
    assert_eq!(path(Some("thread = \"loader\" and event is cpu")), [('C', 2.0)]);
}

#[test]
fn waiters_have_their_wakers_and_what_these_did_meanwhile() {
    assert_eq!(
        text(&wakers(&profile(CHAIN), &Query::default()).expect("wakers")),
        "
Waits by waiter, and who ended them
Critical path: CCcSSSSSSSSSSSSSSFF·
S sockets 67 %, C executing 8 %, c others executing 8 %, F other threads, not sampled meanwhile 8 %, Z sleeps and time limits 4 %, · unknown 4 %

▼ wait s       %  samples  longest ms  who waits, who woke it, and what that thread did meanwhile
  22.000  100.00        5    10,000.0  <Total>
  10.000   45.45        1    10,000.0  web waits for a lock in app.Shop.order
  10.000   45.45        1    10,000.0    woken by loader in app.Cache.refresh
   8.000   36.36        1           -      which waited for a socket (tcp 10.0.0.7:5432) in app.Dao.load
   2.000    9.09        1           -      which executed app.Cache.parse
   8.000   36.36        1     8,000.0  loader waits for a socket (tcp 10.0.0.7:5432) in app.Dao.load
   8.000   36.36        1     8,000.0    probably woken by the network
   3.000   13.64        2     2,000.0  web waits for another thread in app.Shop.order
   2.000    9.09        1     2,000.0    woken by loader in app.Shop.submit
   1.000    4.55        1           -    the kernel did not report who woke it
   1.000    4.55        1     1,000.0  web waits for the end of a sleep (Thread.sleep) in app.Shop.order
   1.000    4.55        1     1,000.0    woken by a timer

Note: all values are estimates from the sampled waits. The kernel reported who ended the wait for 95 % of this time
Note: what a thread did meanwhile is told by the waits in which it was sampled (column samples), for all waits of the row above
Note: waits of idle threads are left out; --filter 'wait is idle' shows who gave them work
"
    );
}

#[test]
fn a_chain_goes_on_until_it_comes_back() {
    let view = wakers(&profile(THREE), &asked("thread = \"a\"")).expect("wakers");
    let expected = [
        ("a waits for a lock in app.A.run", 10.0),
        ("woken by b 1 in app.B.end", 10.0),
        ("which waited for another thread in app.B.run", 10.0),
        ("woken by c in app.C.end", 10.0),
        // 7 s and 0.5 s were sampled.
        ("which waited for a socket (tcp 10.0.0.7:5432) in app.C.run", 9.333),
        ("which waited for a lock in app.C.run", 0.667),
        ("woken by a in app.A.end", 0.667),
    ];
    assert_eq!(words(&view), expected);
}

/// The largest rows are kept, with all rows above them.
#[test]
fn a_limit_keeps_the_rows_with_the_most_time() {
    let query = Query { limit: Some(3), ..Query::default() };
    let view = wakers(&profile(CHAIN), &query).expect("wakers");
    assert_eq!(view.rows.iter().map(|row| row.depth).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(view.row_count, 11);
}

#[test]
fn idle_threads_are_shown_if_nothing_else_is_selected() {
    let view = wakers(&profile(CHAIN), &asked("wait is idle")).expect("wakers");
    assert_eq!(words(&view)[1].0, "woken by web in app.Shop.submit");
    assert_eq!(view.preamble.notes.len(), 2, "{:?}", view.preamble.notes);
}

#[test]
fn csv_has_a_column_for_each_part_of_a_sentence() {
    let view = wakers(&profile(THREE), &asked("thread = \"c\"")).expect("wakers");
    assert_eq!(render(&view, Format::Csv, Style::default()).replace("\r\n", "\n"), "\
duration_ns,ratio,samples_count,longest_ns,depth,role,thread,waker_kind,meaning,file,lock,function,line,words
7000000000,0.9333333333333333,1,7000000000,0,waiter,c,,socket,tcp 10.0.0.7:5432,,app.C.run(),,c waits for a socket (tcp 10.0.0.7:5432) in app.C.run
7000000000,0.9333333333333333,1,7000000000,1,waker,,network,,,,,,probably woken by the network
500000000,0.06666666666666667,1,500000000,0,waiter,c,,lock,,,app.C.run(),,c waits for a lock in app.C.run
500000000,0.06666666666666667,1,500000000,1,waker,a,thread,,,,app.A.end(),,woken by a in app.A.end
");
}

#[test]
fn experiments_without_wakes_say_so() {
    let note = |drawing: &str| wakers(&profile(drawing), &Query::default()).expect("wakers").preamble.notes[0].clone();
    assert!(note("main()").starts_with("this experiment has no waits"));
    let without_wakes = "
    @thread  a
    @event   off_cpu:futex
             run()";
    assert!(note(without_wakes).starts_with("this experiment does not tell who ended waits"));
}
