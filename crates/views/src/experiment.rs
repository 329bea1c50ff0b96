//! The facts that a front end needs to open an experiment: its views, metrics and modes.

use crate::definition::{Answered, Answerer, NoKeys, ViewDefinition, keys};
use crate::requests::no_requests;
use crate::wakes_missing::no_wakers;
use serde::Serialize;
use whittle_model::{Closure, Collector, Host, Jvm, Program, Shown, State, Table, Unit};
use whittle_profile::Profile;
use whittle_profile::ViewMode;
use whittle_profile::order::sort_by_key;
use whittle_profile::sides::Comparison;

/// The definition of this view. Its answer is [`ExperimentAnswer`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "experiment",
        answer: |on, asked| {
            let NoKeys {} = keys(asked)?;
            Answered::data(&experiment(on.profile))
        },
    },
    not_compared: None,
    command: None,
};

/// The main facts about an experiment.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExperimentAnswer<'a> {
    view: &'static str,
    written_by: &'a Program,
    command: &'a [String],
    comment: &'a str,
    state: State,
    duration_ns: u64,
    start_wall_ns: Option<u64>,
    host: Option<&'a Host>,
    jvm: Option<&'a Jvm>,
    collectors: &'a [Collector],
    closure: Option<&'a Closure>,
    closure_ratio: Option<f64>,
    metrics: Vec<MetricLine<'a>>,
    modes: [ViewMode; 3],
    thread_count: usize,
    sample_count: usize,
    function_count: usize,
    has_thread_states: bool,
    has_syscalls: bool,
    has_java: bool,
    /// Why there are no requests, without a full stop at the end. Missing: there are requests.
    no_requests: Option<&'static str>,
    /// Why nothing tells who ended waits, without a full stop at the end. Missing: there are such waits.
    no_wakers: Option<&'static str>,
    /// Names of the counters. Each name occurs once.
    counters: Vec<&'a str>,
    /// The compared sides. Missing if the experiment is not a comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    comparison: Option<&'a Comparison>,
    /// Notes for the reader, one sentence each.
    notes: &'a [String],
}

/// A metric and its sum over all samples.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct MetricLine<'a> {
    name: &'a str,
    title: &'a str,
    unit: Unit,
    total: f64,
    shown: Shown,
    /// Whether another metric contains this metric's values.
    is_part: bool,
}

/// Returns the main facts about an experiment.
pub fn experiment(profile: &Profile) -> ExperimentAnswer<'_> {
    let (manifest, tables) = (profile.manifest(), profile.tables());
    let metrics = manifest.metrics.iter().zip(profile.totals()).step_by(profile.parts_count());
    let mut counters: Vec<&str> = tables.counters.counter.iter().map(String::as_str).collect();
    counters.dedup();
    sort_by_key(&mut counters, |counter| *counter);
    counters.dedup();
    ExperimentAnswer {
        view: "experiment",
        written_by: &manifest.written_by,
        command: &manifest.command,
        comment: &manifest.comment,
        state: manifest.state,
        duration_ns: manifest.duration_ns,
        start_wall_ns: manifest.start_wall_ns,
        host: manifest.host.as_ref(),
        jvm: manifest.jvm.as_ref(),
        collectors: &manifest.collectors,
        closure: manifest.closure.as_ref(),
        closure_ratio: manifest.closure.as_ref().and_then(Closure::ratio),
        metrics: metrics
            .map(|(metric, total)| MetricLine {
                name: &metric.name,
                title: &metric.title,
                unit: metric.unit,
                total: *total,
                shown: metric.shown(),
                is_part: metric.is_part(),
            })
            .collect(),
        modes: ViewMode::ALL,
        thread_count: tables.threads.len(),
        sample_count: profile.sample_count(),
        function_count: tables.functions.len(),
        has_thread_states: !tables.thread_states.is_empty(),
        has_syscalls: !tables.syscalls.is_empty(),
        has_java: tables.functions.kind.contains(&whittle_model::FunctionKind::Java),
        no_requests: no_requests(profile),
        no_wakers: no_wakers(profile),
        counters,
        comparison: profile.comparison(),
        notes: profile.notes(),
    }
}
