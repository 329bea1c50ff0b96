//! Helpers of the drawn tests.

#![allow(dead_code, reason = "each test file uses a part of it")]

use whittle_model::ThreadIndex;
use whittle_profile::{Profile, Query};
use whittle_render::{Format, Style, View, render};
use whittle_testkit::experiment_from_text;

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
    tables.wakes.duration_ns[0] = 1_000_000_000;
    manifest.duration_ns = end_s * 1_000_000_000;
    Profile::load(manifest, tables).expect("a valid drawing")
}

/// A query for these metrics in user mode.
pub(crate) fn query(metrics: &str) -> Query {
    Query { metrics: Some(metrics.parse().expect("metrics")), ..Query::default() }
}

/// A view as text, with a line break before it. The expected text in a test starts on a separate line.
pub(crate) fn text(view: &impl View) -> String {
    format!("\n{}", render(view, Format::Text, Style::default()))
}
