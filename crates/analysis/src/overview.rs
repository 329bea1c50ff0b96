//! The experiment at a glance: what it is, how much of the CPU it explains, and where that went.

use crate::calibration::CalibrationLine;
use crate::functions::{FunctionRow, ValueShape};
use crate::metrics::{Column, ColumnKind, Columns, Flavour, why_split_is_missing};
use crate::profile::totals;
use crate::query::{Preamble, Query, Values};
use crate::reduction::EntityKey;
use crate::stat_view::StatSyscalls;
use crate::thread_times::{ReasonTime, ThreadTimes, thread_times};
use crate::{AnalysisError, Profile};
use serde::Serialize;
use whittle_model::{Closure, Collector, ExitStatus, Host, Jvm, Loss, Program, ResourceUse, State, UnitOfWork};

/// The answer of [`Profile::overview`].
#[derive(Debug, Clone, Serialize)]
pub struct OverviewView {
    /// Mode, filter and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The program that wrote the experiment.
    pub written_by: Program,
    /// Whether the collection came to its end.
    pub state: State,
    /// The command line; empty: not known.
    pub command: Vec<String>,
    /// Elapsed time.
    pub duration_ns: u64,
    /// Start since 1970-01-01 UTC. Missing: not known.
    pub start_wall_ns: Option<u64>,
    /// How the program ended. Missing: still running, or not known.
    pub exit: Option<ExitStatus>,
    /// The machine. Missing: not known.
    pub host: Option<Host>,
    /// The JVM. Missing: none, or not known.
    pub jvm: Option<Jvm>,
    /// Number of samples that count.
    pub samples_count: u64,
    /// Number of threads with samples.
    pub threads_count: u64,
    /// The columns of `totals`.
    pub columns: Vec<Column>,
    /// Sum of each metric.
    pub totals: Values,
    /// Share of the exact CPU time that samples with a rooted stack explain. Missing: nothing exact to compare with.
    pub closure_ratio: Option<f64>,
    /// Share of the exact CPU time that samples of any stack cover. Missing: nothing exact to compare with.
    pub coverage_ratio: Option<f64>,
    /// What the two shares are made of. Missing: nothing exact to compare with.
    pub closure: Option<Closure>,
    /// Why threads were blocked, counted by the kernel, the largest first, all threads together; empty: not counted.
    pub blocked_by_reason: Vec<ReasonTime>,
    /// Time in which threads were able to execute and no CPU was free, counted by the kernel. Missing: not counted.
    pub run_queue_ns: Option<u64>,
    /// System calls, counted by the kernel. Missing: not counted.
    pub syscalls: Option<StatSyscalls>,
    /// Samples against what the kernel counted, by metric.
    pub calibration: Vec<CalibrationLine>,
    /// What the collectors cannot count.
    pub not_counted: Vec<String>,
    /// CPU time of whittle's own programs in the kernel, part of the program's. Missing: it had none, or not known.
    pub whittle_cpu_ns: Option<u64>,
    /// What is missing, by reason.
    pub losses: Vec<LossLine>,
    /// What collected, or could not.
    pub collectors: Vec<Collector>,
    /// Why user and system CPU are not told apart. Missing: they are, or the reason is not known.
    pub why_no_system_cpu: Option<String>,
    /// What the program used. Missing: not measured.
    pub resources: Option<ResourceUse>,
    /// Work that the program said it did.
    pub units_of_work: Vec<UnitOfWork>,
    /// The functions with the largest values of the sort metric.
    pub top_functions: Vec<FunctionRow>,
}

/// A loss with its reason in words.
#[derive(Debug, Clone, Serialize)]
pub struct LossLine {
    /// Reason code and amounts.
    #[serde(flatten)]
    pub loss: Loss,
    /// The reason in words.
    pub description: String,
}

/// Number of functions in an overview without a limit: what fits on a screen below the rest.
const TOP_FUNCTIONS: usize = 5;

impl Profile {
    /// The experiment at a glance. `Query::limit` is the number of top functions.
    ///
    /// # Errors
    /// An unknown metric, or a filter that names what is not there.
    pub fn overview(&self, query: &Query) -> Result<OverviewView, AnalysisError> {
        let manifest = self.manifest();
        let weights = self.weights(query)?;
        let top_columns = match self.columns(ColumnKind::Table, query, &weights) {
            // An experiment without metrics still has an overview: it says why there is nothing.
            Err(AnalysisError::NoMetrics) => Columns { shown: Vec::new(), sort: None },
            columns => columns?,
        };
        let limit = Some(query.limit.unwrap_or(TOP_FUNCTIONS));
        let top_query = Query { limit, skip: 0, ..query.clone() };
        let top = self.rank_entities(&top_query, EntityKey::Function, (&top_columns, &weights))?;
        let metrics = &manifest.metrics;
        let columns: Vec<Column> =
            (0..metrics.len()).map(|metric| Column::new(Flavour::Plain, metrics, metric)).collect();
        let totals = totals(&weights);
        let shape = ValueShape::new(&columns, |column| totals[column.metric_index]);
        let closure = manifest.closure.as_ref();
        let (mut all_times, times) = (ThreadTimes::default(), thread_times(self.tables()));
        times.iter().flatten().for_each(|times| all_times.add(times));
        Ok(OverviewView {
            preamble: self.preamble("overview", query, (&top_columns, &weights)),
            written_by: manifest.written_by.clone(),
            state: manifest.state,
            command: manifest.command.clone(),
            duration_ns: manifest.duration_ns,
            start_wall_ns: manifest.start_wall_ns,
            exit: manifest.exit,
            host: manifest.host.clone(),
            jvm: manifest.jvm.clone(),
            samples_count: weights.sample_count(),
            threads_count: weights.samples_by_thread.iter().filter(|count| **count > 0).count() as u64,
            totals: shape.values(|column| totals[column.metric_index]),
            columns,
            closure_ratio: closure.and_then(Closure::ratio),
            coverage_ratio: closure.and_then(Closure::coverage_ratio),
            closure: closure.cloned(),
            whittle_cpu_ns: self.own_cpu_ns(&weights),
            blocked_by_reason: all_times.by_reason(),
            run_queue_ns: times.iter().any(Option::is_some).then_some(all_times.run_queue_ns),
            syscalls: self.syscall_totals(),
            calibration: self.calibration_lines(),
            not_counted: manifest.not_counted.clone(),
            losses: manifest.losses.iter().map(LossLine::new).collect(),
            collectors: manifest.collectors.clone(),
            why_no_system_cpu: why_split_is_missing(manifest),
            resources: manifest.resources.clone(),
            units_of_work: manifest.units_of_work.clone(),
            top_functions: top.rows.into_iter().map(|(function, values)| self.function_row(function, values)).collect(),
        })
    }
}

impl LossLine {
    fn new(loss: &Loss) -> Self {
        Self { loss: loss.clone(), description: loss.reason.description().to_owned() }
    }
}
