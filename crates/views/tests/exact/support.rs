//! Helpers of the drawn tests.

#![allow(dead_code, reason = "each test file uses a part of it")]

use whittle_model::{Manifest, Tables, ThreadIndex, ThreadState, ThreadStateSpan, WaitReason};
use whittle_profile::{Profile, Query};
use whittle_render::{Format, Style, View, render};
use whittle_testkit::experiment_from_text;

/// A second.
const SECOND_NS: u64 = 1_000_000_000;

/// A drawn experiment, ready for views.
pub(crate) fn profile(drawing: &str) -> Profile {
    let (manifest, tables) = experiment_from_text(drawing);
    Profile::load(manifest, tables).expect("a valid drawing")
}

/// The first thread waits twice, for 1 s until 3 s and then until 9 s, between CPU samples. Each sampled wait represents 4 s. The
/// length of the second wait is unknown.
pub(crate) fn scaled_waits() -> Profile {
    scaled_waits_until(10)
}

/// The same experiment with another end, in seconds. A wait that ends with the experiment is open.
pub(crate) fn scaled_waits_until(end_s: u64) -> Profile {
    let (mut manifest, mut tables) = experiment_from_text(
        "
        @thread  main  main           waker          main  main
        @wakes   -     -              main           -     -
        @time    1     3.1            3              6     9
        @weight  1     4              4              1     4
        @event   cpu   off_cpu:futex  off_cpu:futex  cpu   off_cpu:futex
                 run   run            run            run   run
                 read  park[n]        unpark         read  await[n]
        ",
    );
    assert_eq!(tables.wakes.thread, [ThreadIndex::from_row(0)]);
    tables.wakes.duration_ns[0] = SECOND_NS;
    manifest.duration_ns = end_s * SECOND_NS;
    Profile::load(manifest, tables).expect("a valid drawing")
}

/// Two busy threads, three idle ones, and a thread that is idle only in the second half. Idle threads have a sampled wait for
/// work.
pub(crate) fn with_idle() -> (Manifest, Tables) {
    let line =
        |head: &str, cells: [&str; 6]| format!("{head:<9}{}\n", cells.map(|cell| format!("{cell:<50}")).concat());
    let (task, take) =
        ("java/util/concurrent/ThreadPoolExecutor.getTask", "java/util/concurrent/LinkedBlockingQueue.take");
    let futex = "off_cpu:futex";
    let (mut manifest, mut tables) = experiment_from_text(
        &[
            line("@thread", ["http-exec-1", "http-exec-2", "reaper", "half", "burner", "waiter"]),
            line("@event", [futex, futex, futex, futex, "cpu", "off_cpu:socket"]),
            line("@time", ["4"; 6]),
            line("@weight", ["4", "4", "4", "2", "1", "4"]),
            line("", [task, task, task, task, "app.Burn", "app.Read"]),
            line("", [take, take, take, take, "", ""]),
        ]
        .concat(),
    );
    manifest.duration_ns = 4 * SECOND_NS;
    let span = |thread, (from, to), state, reason| ThreadStateSpan {
        thread: ThreadIndex(thread),
        start_ns: from * SECOND_NS,
        end_ns: to * SECOND_NS,
        state,
        reason,
        duration_ns: (to - from) * SECOND_NS,
    };
    let (user, blocked) = (ThreadState::OnCpuUser, ThreadState::Blocked);
    for row in [
        span(0, (0, 4), blocked, WaitReason::Futex),
        span(1, (0, 4), blocked, WaitReason::Futex),
        span(2, (0, 4), blocked, WaitReason::Futex),
        span(3, (0, 2), user, WaitReason::None),
        span(3, (2, 4), blocked, WaitReason::Futex),
        span(4, (0, 1), user, WaitReason::None),
        span(5, (0, 4), blocked, WaitReason::Socket),
    ] {
        tables.thread_states.push(row);
    }
    (manifest, tables)
}

/// A query for these metrics in user mode.
pub(crate) fn query(metrics: &str) -> Query {
    Query { metrics: Some(metrics.parse().expect("metrics")), ..Query::default() }
}

/// A view as text, with a line break before it. The expected text in a test starts on a separate line.
pub(crate) fn text(view: &impl View) -> String {
    format!("\n{}", render(view, Format::Text, Style::default()))
}
