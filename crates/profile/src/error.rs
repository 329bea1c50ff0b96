//! Errors of view requests. Lost and truncated samples cause no errors, because views show them in their results.

use crate::filter::FilterError;
use crate::fragment::MalformedFragment;
use crate::function_name::UnknownFunction;
use crate::transform::TransformError;
use crate::view_mode::{UnknownViewMode, ViewMode};
use thiserror::Error;
use whittle_model::BrokenPromise;

/// A requested view cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AnalysisError {
    /// The tables break a rule of their documentation, so views would be wrong.
    #[error("the experiment is damaged: {0}. Collect it again, or open an earlier copy")]
    DamagedTables(#[from] BrokenPromise),
    /// The samples have no values for any metric.
    #[error("the experiment has no metrics, because it has no samples with values")]
    NoMetrics,
    /// A metric that the experiment does not have.
    #[error("no metric \"{name}\" in this experiment. Its metrics: {}{}", known.join(", "), why_missing.as_deref().map_or_else(String::new, |why| format!(". {why}")))]
    UnknownMetric {
        /// The requested name.
        name: String,
        /// The existing metrics.
        known: Vec<String>,
        /// Why the metric is missing, if the experiment contains the reason.
        why_missing: Option<String>,
    },
    /// A metric does not follow the metric syntax.
    #[error("\"{text}\" is not a metric: {problem}. Example: e.system_cpu,i.system_cpu,e.system_cpu%")]
    MalformedMetric {
        /// The text of the metric.
        text: String,
        /// What is wrong with the text.
        problem: &'static str,
    },
    /// A comparison has no runs on one of its sides.
    #[error("a comparison needs at least one experiment on each side")]
    NothingToCompare,
    /// The amount of work or time of a run is unknown.
    #[error("no values {per} for {run}: the run's number of units is unknown or 0{}", known_units(known))]
    UnknownAmount {
        /// The run's name.
        run: String,
        /// The unit by which values should be divided, for example `per message`.
        per: String,
        /// The units of work in the run.
        known: Vec<String>,
    },
    /// A run of a comparison cannot be loaded again.
    #[error("{run} cannot be read again: {reason}")]
    UnreadableRun {
        /// The run's number and side in words.
        run: String,
        /// The reason.
        reason: String,
    },
    /// The text of a renaming is invalid.
    #[error("\"{text}\" is not a renaming. Write OLD=NEW, for example com.acme.old=com.acme.shop")]
    MalformedRename {
        /// The text of the renaming.
        text: String,
    },
    /// A part of a comparison was requested, but nothing is compared.
    #[error("\"{term}\" is a value of a comparison, but nothing is compared here")]
    NothingCompared {
        /// The metric in the user's words.
        term: String,
    },
    /// The user requested columns in a view with fixed columns.
    #[error("{view} always has the same columns")]
    FixedColumns {
        /// The view.
        view: &'static str,
    },
    /// An order that the view does not have.
    #[error("rows cannot be sorted by \"{text}\". Possible orders: {}", known.join(", "))]
    UnknownOrder {
        /// The requested order.
        text: String,
        /// The possible orders.
        known: Vec<&'static str>,
    },
    /// An unknown export format.
    #[error("unknown export format \"{0}\". Known formats: pprof, collapsed, firefox, speedscope")]
    UnknownExportFormat(String),
    /// An unknown grouping of system calls.
    #[error("system calls cannot be grouped by \"{0}\". Possible groups: call, file, caller")]
    UnknownSyscallKey(String),
    /// No selected request has this name or port. The text is such as `the port 80`.
    #[error("no request has {0}; `whittle requests` lists all")]
    UnknownRequest(String),
    /// The slowest requests are neither a share nor a number.
    #[error("the slowest requests are a share such as 1% or a number such as 20, not \"{0}\"")]
    UnknownSlowest(String),
    /// An unknown grouping of allocated objects.
    #[error("allocated objects cannot be grouped by \"{0}\". Possible groups: class, site")]
    UnknownClassKey(String),
    /// The view cannot show these values.
    #[error("\"{term}\" does not fit {view}: {reason}")]
    UnfitMetric {
        /// The metric in the user's words.
        term: String,
        /// The view.
        view: &'static str,
        /// Why the view cannot show these values, and what to request instead.
        reason: &'static str,
    },
    /// No stack of the experiment contains the function.
    #[error(transparent)]
    UnknownFunction(#[from] UnknownFunction),
    /// The function was recorded, but the view mode hides it.
    #[error("\"{name}\" is hidden in {mode} mode and shown in {shown_in} mode")]
    HiddenFunction {
        /// The requested name.
        name: String,
        /// The view mode.
        mode: ViewMode,
        /// The first view mode that shows the function.
        shown_in: ViewMode,
    },
    /// Transforms removed the function from all stacks.
    #[error("\"{name}\" is on no stack after the transforms. Remove a transform")]
    TransformedFunction {
        /// The requested name.
        name: String,
    },
    /// A fragment has no functions, or too many functions.
    #[error(transparent)]
    MalformedFragment(#[from] MalformedFragment),
    /// A search is not a valid regular expression.
    #[error("\"{pattern}\" is not a regular expression: {problem}")]
    MalformedSearch {
        /// The text of the search.
        pattern: String,
        /// What is wrong with the text.
        problem: String,
    },
    /// The tree of stacks does not contain the node.
    #[error("no node {node}: the tree of stacks has {node_count} nodes in this mode and with these transforms")]
    UnknownNode {
        /// The requested node.
        node: u32,
        /// Number of nodes.
        node_count: usize,
    },
    /// The table of threads does not contain the row.
    #[error("no thread {thread}: the experiment has {thread_count} threads, counted from 0")]
    UnknownThread {
        /// The requested thread.
        thread: usize,
        /// Number of threads.
        thread_count: usize,
    },
    /// The thread has no sample at the requested time.
    #[error(
        "no sample of the thread \"{thread}\" is left: the filter removed all samples, or the thread was never sampled"
    )]
    NoSample {
        /// The thread's name.
        thread: String,
    },
    /// The time range has no length, or the number of bins is invalid.
    #[error(
        "a timeline needs an end after its start, and 1 to {most_bins} bins; requested: {from_ns} to {to_ns} ns in {bins}"
    )]
    UnfitRange {
        /// Start of the range.
        from_ns: u64,
        /// End of the range.
        to_ns: u64,
        /// Number of bins.
        bins: usize,
        /// Largest number of bins.
        most_bins: usize,
    },
    /// An unknown base of percentages.
    #[error("percentages in a call tree refer to \"root\" or \"parent\", not to \"{0}\"")]
    UnknownPercentBase(String),
    /// An unknown way to show the frames of frameworks.
    #[error("frames of frameworks are \"folded\" or \"shown\", not \"{0}\"")]
    UnknownFrameworkFrames(String),
    /// An unknown view mode.
    #[error(transparent)]
    UnknownViewMode(#[from] UnknownViewMode),
    /// A filter with a syntax error or an unknown name.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A transform with a syntax error or an unknown name.
    #[error(transparent)]
    Transform(#[from] TransformError),
}

fn known_units(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; known units: {}", known.join(", ")) }
}
