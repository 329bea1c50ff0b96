//! Helpers of the drawn tests.

#![allow(dead_code, reason = "each test file uses a part of it")]

use whittle_profile::{Profile, Query};
use whittle_render::{Format, Style, View, render};
use whittle_testkit::experiment_from_text;

/// A drawn experiment, ready for views.
pub(crate) fn profile(drawing: &str) -> Profile {
    let (manifest, tables) = experiment_from_text(drawing);
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
