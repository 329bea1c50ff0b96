//! An overview of the experiment: what was collected, the share of CPU time that samples explain, and the top
//! functions.

mod calibration;
mod own_cost;
#[cfg(not(target_arch = "wasm32"))]
mod own_function;
mod text;
#[cfg(not(target_arch = "wasm32"))]
mod time_breakdown;
use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use crate::functions::FunctionRow;
use crate::functions::function_row;
use crate::functions::rank_entities;
use crate::overview::calibration::CalibrationLine;
use crate::overview::calibration::calibration_lines;
use crate::overview::own_cost::own_cpu_ns;
#[cfg(not(target_arch = "wasm32"))]
use crate::overview::time_breakdown::{TimeBreakdown, time_breakdown};
use crate::pause_figures::PauseFigures;
#[cfg(not(target_arch = "wasm32"))]
use crate::processes::{ProcessLine, process_lines};
use crate::stat::syscall_totals;
use crate::stat::view::StatSyscalls;
use crate::threads::seen_threads;
use serde::Serialize;
#[cfg(not(target_arch = "wasm32"))]
use whittle_model::StackCost;
use whittle_model::{
    Closure, Collector, ExitStatus, Host, Jvm, JvmEventKind, Loss, Program, ResourceUse, State, UnitOfWork,
};
use whittle_profile::AnalysisError;
use whittle_profile::metrics::{Column, ColumnKind, Columns, Flavour, why_split_is_missing};
use whittle_profile::pools::threads_count;
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::reduction::EntityKey;
use whittle_profile::thread_times::{ReasonTime, ThreadTimes, thread_times};
use whittle_profile::value_shape::ValueShape;
use whittle_profile::{Profile, totals};

/// The definition of this view. Its answer is [`OverviewView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "overview",
        answer: |on, asked| {
            let NoKeys {} = keys(asked)?;
            Ok(Answered::view(overview(on.profile, on.query)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        rows: None,
        ..Command::table("Totals, closure, losses and top functions of the experiment")
    }),
};

/// The answer of [`overview`](overview()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OverviewView {
    /// Mode, filter and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The program that wrote the experiment.
    pub written_by: Program,
    /// Whether the collection is complete.
    pub state: State,
    /// The command line. Empty if unknown.
    pub command: Vec<String>,
    /// Elapsed time.
    pub duration_ns: u64,
    /// Start time in nanoseconds since 1970-01-01 UTC. Missing if unknown.
    pub start_wall_ns: Option<u64>,
    /// How the program ended. Missing if the program is still running, or if unknown.
    pub exit: Option<ExitStatus>,
    /// The machine. Missing if unknown.
    pub host: Option<Host>,
    /// The JVM. Missing if unknown, or if there is no JVM.
    pub jvm: Option<Jvm>,
    /// Number of selected samples.
    pub samples_count: u64,
    /// Number of threads with samples.
    pub threads_count: u64,
    /// Number of threads in the table of threads: those with samples and, without a filter, those that only the kernel counted.
    pub seen_threads_count: u64,
    /// The processes, those with the most CPU time first. Missing if there is only one, and in the browser, whose engine must
    /// be small. Not limited by the filter.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<ProcessLine>>"))]
    pub processes: Vec<ProcessLine>,
    /// The columns of `totals`.
    pub columns: Vec<Column>,
    /// Sum of each metric.
    pub totals: Values,
    /// Whose code was executed, and what threads waited for. Missing if there are no metrics, and in the browser, whose
    /// engine must be small.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub time_breakdown: Option<TimeBreakdown>,
    /// Share of the exact CPU time that samples with a rooted stack explain. Missing if there is no exact CPU time.
    pub closure_ratio: Option<f64>,
    /// Share of the exact CPU time that samples cover, with any stack. Missing if there is no exact CPU time.
    pub coverage_ratio: Option<f64>,
    /// The values that both ratios are computed from. Missing if there is no exact CPU time.
    pub closure: Option<Closure>,
    /// Blocked time of all threads by reason, as counted by the kernel, the largest first. Empty if not counted.
    pub blocked_by_reason: Vec<ReasonTime>,
    /// Time in which threads could execute but no CPU was free, counted by the kernel. Missing if not counted.
    pub run_queue_ns: Option<u64>,
    /// Times in which the JVM had stopped all threads. Missing if the JVM reported none.
    pub safepoints: Option<PauseFigures>,
    /// Pauses of the collector, inside safepoints. Missing if the JVM reported none.
    pub gc_pauses: Option<PauseFigures>,
    /// System calls, counted by the kernel. Missing if not counted.
    pub syscalls: Option<StatSyscalls>,
    /// Samples compared with the kernel's counts, by metric.
    pub calibration: Vec<CalibrationLine>,
    /// Values that the collectors cannot count.
    pub not_counted: Vec<String>,
    /// CPU time of whittle's BPF programs. This time is also part of the program's CPU time. Missing if unknown, or if
    /// there are no BPF programs.
    pub whittle_cpu_ns: Option<u64>,
    /// The profiler's signal handlers in the program's threads. Missing if not counted, and in the browser, whose engine must
    /// be small.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub stack_cost: Option<StackCost>,
    /// Missing data, grouped by reason.
    pub losses: Vec<LossLine>,
    /// The collectors, including those that were not available.
    pub collectors: Vec<Collector>,
    /// Why user and system CPU are not separated. Missing if they are separated, or if the reason is unknown.
    pub why_no_system_cpu: Option<String>,
    /// Resources that the program used. Missing if not measured.
    pub resources: Option<ResourceUse>,
    /// Work that the program reported.
    pub units_of_work: Vec<UnitOfWork>,
    /// The function of the program's own code with the largest value of the sort metric, with the code of others that it
    /// calls. Missing if no own code has a value, and in the browser.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub hottest_own_function: Option<String>,
    /// The functions with the largest values of the sort metric.
    pub top_functions: Vec<FunctionRow>,
}

/// A loss with its reason in words.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LossLine {
    /// Reason code and amounts of the loss.
    #[serde(flatten)]
    pub loss: Loss,
    /// The reason in words.
    pub description: String,
}

/// Default number of functions in an overview. With this number, the overview fits on a screen.
const TOP_FUNCTIONS: usize = 5;

/// The overview of an experiment. `Query::limit` is the number of top functions.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn overview(profile: &Profile, query: &Query) -> Result<OverviewView, AnalysisError> {
    let manifest = profile.manifest();
    let weights = profile.weights(query)?;
    let top_columns = match profile.columns(ColumnKind::Table, query, &weights) {
        // An experiment without metrics still has an overview, which shows the reason.
        Err(AnalysisError::NoMetrics) => Columns { shown: Vec::new(), sort: None },
        columns => columns?,
    };
    let limit = Some(query.limit.unwrap_or(TOP_FUNCTIONS));
    let top_query = Query { limit, skip: 0, ..query.clone() };
    let top = rank_entities(profile, &top_query, EntityKey::Function, (&top_columns, &weights))?;
    let metrics = &manifest.metrics;
    let columns: Vec<Column> = (0..metrics.len()).map(|metric| Column::new(Flavour::Plain, metrics, metric)).collect();
    let totals = totals(&weights);
    let shape = ValueShape::new(&columns, |column| totals[column.metric_index]);
    #[cfg(not(target_arch = "wasm32"))]
    let sorted_metric = top_columns.sort.as_ref().map(|column| column.metric_index);
    let closure = manifest.closure.as_ref();
    let (mut all_times, times) = (ThreadTimes::default(), thread_times(profile.tables()));
    times.iter().flatten().for_each(|times| all_times.add(times));
    let threads = &profile.tables().threads;
    let seen = seen_threads(profile, query, (&weights, &times));
    let sampled: Vec<usize> = seen.iter().copied().filter(|thread| weights.samples_by_thread[*thread] > 0).collect();
    Ok(OverviewView {
        preamble: profile.preamble("overview", query, (&top_columns, &weights)),
        written_by: manifest.written_by.clone(),
        state: manifest.state,
        command: manifest.command.clone(),
        duration_ns: manifest.duration_ns,
        start_wall_ns: manifest.start_wall_ns,
        exit: manifest.exit,
        host: manifest.host.clone(),
        jvm: manifest.jvm.clone(),
        samples_count: weights.sample_count(),
        #[cfg(not(target_arch = "wasm32"))]
        processes: process_lines(profile),
        threads_count: sampled.len() as u64,
        seen_threads_count: threads_count(threads, &seen),
        totals: shape.values(|column| totals[column.metric_index]),
        columns,
        #[cfg(not(target_arch = "wasm32"))]
        time_breakdown: time_breakdown(profile, query, sorted_metric)?,
        closure_ratio: closure.and_then(Closure::ratio),
        coverage_ratio: closure.and_then(Closure::coverage_ratio),
        closure: closure.cloned(),
        whittle_cpu_ns: own_cpu_ns(profile, &weights),
        #[cfg(not(target_arch = "wasm32"))]
        stack_cost: manifest.stack_cost,
        blocked_by_reason: all_times.by_reason(),
        run_queue_ns: times.iter().any(Option::is_some).then_some(all_times.run_queue_ns),
        safepoints: PauseFigures::of_kind(&profile.tables().jvm_events, JvmEventKind::Safepoint),
        gc_pauses: PauseFigures::of_kind(&profile.tables().jvm_events, JvmEventKind::GcPause),
        syscalls: syscall_totals(profile),
        calibration: calibration_lines(profile),
        not_counted: manifest.not_counted.clone(),
        losses: manifest.losses.iter().map(LossLine::new).collect(),
        collectors: manifest.collectors.clone(),
        why_no_system_cpu: why_split_is_missing(manifest),
        resources: manifest.resources.clone(),
        units_of_work: manifest.units_of_work.clone(),
        #[cfg(not(target_arch = "wasm32"))]
        hottest_own_function: sorted_metric
            .and_then(|metric| own_function::hottest(profile, &weights.by_stack[metric]))
            .map(|function| profile.names().display_name(function).to_owned()),
        top_functions: top.rows.into_iter().map(|(function, values)| function_row(profile, function, values)).collect(),
    })
}

impl LossLine {
    fn new(loss: &Loss) -> Self {
        Self { loss: loss.clone(), description: loss.reason.description().to_owned() }
    }
}
