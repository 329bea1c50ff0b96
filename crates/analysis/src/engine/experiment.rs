//! What an experiment is, for a front end that opens it: which views, metrics and modes it can offer.

use crate::compare::Comparison;
use crate::order::sort_by_key;
use crate::{Profile, ViewMode};
use serde::Serialize;
use whittle_model::{Closure, Collector, Host, Jvm, Program, State, Table, Unit};

/// An experiment's essentials.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExperimentAnswer<'a> {
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
    /// Names of the counters, each once.
    counters: Vec<&'a str>,
    /// What is compared. Missing: this is one experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
    /// What a reader has to know, one sentence each.
    notes: &'a [String],
}

/// A metric and its sum over all samples.
#[derive(Debug, Clone, Serialize)]
struct MetricLine<'a> {
    name: &'a str,
    title: &'a str,
    unit: Unit,
    total: f64,
}

impl Profile {
    /// An experiment's essentials.
    pub(crate) fn experiment(&self) -> ExperimentAnswer<'_> {
        let (manifest, tables) = (self.manifest(), self.tables());
        let metrics = manifest.metrics.iter().zip(self.totals()).step_by(self.parts_count());
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
                })
                .collect(),
            modes: ViewMode::ALL,
            thread_count: tables.threads.len(),
            sample_count: self.sample_count(),
            function_count: tables.functions.len(),
            has_thread_states: !tables.thread_states.is_empty(),
            has_syscalls: !tables.syscalls.is_empty(),
            has_java: tables.functions.kind.contains(&whittle_model::FunctionKind::Java),
            counters,
            comparison: self.comparison(),
            notes: self.notes(),
        }
    }
}
