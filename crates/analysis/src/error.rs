//! What can go wrong when a view is asked for. Nothing here stems from the samples themselves:
//! lost and truncated samples are results and appear in the views.

use crate::filter::FilterError;
use crate::transform::TransformError;
use crate::view_mode::ViewMode;
use thiserror::Error;
use whittle_model::BrokenPromise;

/// A view that cannot be computed as asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AnalysisError {
    /// The tables break a promise of their documentation, so no view over them can be trusted.
    #[error("the experiment is damaged: {0}. Collect it again, or open an earlier copy")]
    DamagedTables(#[from] BrokenPromise),
    /// The samples support no metric at all.
    #[error(
        "the experiment has no metric: it holds no sample that could be added up. \
         `whittle overview` shows what was lost and why"
    )]
    NoMetrics,
    /// A metric that the experiment does not have.
    #[error("no metric \"{name}\" in this experiment; it has: {}{}", known.join(", "), why_missing.as_deref().map_or_else(String::new, |why| format!(". {why}")))]
    UnknownMetric {
        /// The name that was asked for.
        name: String,
        /// The metrics that there are.
        known: Vec<String>,
        /// Why the metric is missing, where the experiment tells.
        why_missing: Option<String>,
    },
    /// A text that is no metric of the metric language.
    #[error("\"{text}\" is not a metric: {problem}. Example: e.system_cpu,i.system_cpu,e.system_cpu%")]
    MalformedMetric {
        /// The text.
        text: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A comparison without runs on one of its sides.
    #[error("a comparison needs at least one experiment on each side")]
    NothingToCompare,
    /// A run whose amount of work, or time, is not known.
    #[error("nothing can be said {per} of {run}: that is not known of it, or 0{}", known_units(known))]
    UnknownAmount {
        /// The run's name.
        run: String,
        /// What values were to be per, in words.
        per: String,
        /// The units of work that it knows.
        known: Vec<String>,
    },
    /// A text that does not rename anything.
    #[error("\"{text}\" renames nothing; write OLD=NEW, for example com.acme.old=com.acme.shop")]
    MalformedRename {
        /// The text.
        text: String,
    },
    /// A part of a comparison was asked for, and nothing is compared.
    #[error(
        "\"{term}\" is a value of a comparison, and nothing is compared here; compare with `--baseline EXPERIMENT`"
    )]
    NothingCompared {
        /// The metric as written.
        term: String,
    },
    /// Columns were asked for in a view that has the same ones always.
    #[error("{view} always has the same columns; leave out --metrics")]
    FixedColumns {
        /// The view.
        view: &'static str,
    },
    /// An order that the view does not have.
    #[error("rows cannot be sorted by \"{text}\"; there are: {}", known.join(", "))]
    UnknownOrder {
        /// What was asked for.
        text: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// An export into a format that is not known.
    #[error("no format \"{0}\" to export to; there are: pprof, collapsed, firefox, speedscope")]
    UnknownExportFormat(String),
    /// System calls are to be told apart by something unknown.
    #[error("system calls are not told apart by \"{0}\"; there are: call, file, caller")]
    UnknownSyscallKey(String),
    /// Exclusive, inclusive or attributed values that this view cannot show.
    #[error("\"{term}\" does not fit {view}: {reason}")]
    UnfitMetric {
        /// The metric as written.
        term: String,
        /// The view.
        view: &'static str,
        /// Why not, and what to ask for instead.
        reason: &'static str,
    },
    /// A function that no stack of the experiment holds.
    #[error("no function \"{name}\" in this experiment{}", suggestion_text(suggestions))]
    UnknownFunction {
        /// The name that was asked for.
        name: String,
        /// Names that come near, best first.
        suggestions: Vec<String>,
    },
    /// A function that was recorded but is hidden in the view mode.
    #[error("\"{name}\" is hidden in {mode} mode; add --mode {shown_in}")]
    HiddenFunction {
        /// The name that was asked for.
        name: String,
        /// The view mode.
        mode: ViewMode,
        /// The first mode that shows it.
        shown_in: ViewMode,
    },
    /// A function that transforms took out of all stacks.
    #[error("\"{name}\" is in none of the stacks that the transforms leave; take one of them back")]
    TransformedFunction {
        /// The name that was asked for.
        name: String,
    },
    /// A fragment with no function, or with too many.
    #[error("\"{text}\" is not a fragment of a stack: {problem}. Example: 'Main.run() > Log.write(int)'")]
    MalformedFragment {
        /// The text.
        text: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A search that is no regular expression.
    #[error("\"{pattern}\" is not a regular expression: {problem}")]
    MalformedSearch {
        /// The text.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A node that the tree of stacks does not have.
    #[error("no node {node}: the tree of stacks has {node_count} in this mode and with these transforms")]
    UnknownNode {
        /// What was asked for.
        node: u32,
        /// Number of nodes.
        node_count: usize,
    },
    /// A row that the table of threads does not have.
    #[error("no thread {thread}: the experiment has {thread_count}, counted from 0")]
    UnknownThread {
        /// What was asked for.
        thread: usize,
        /// Number of threads.
        thread_count: usize,
    },
    /// A moment of a thread of which no sample is left.
    #[error("no sample of the thread \"{thread}\" is left: the filter leaves none, or only the kernel saw the thread")]
    NoSample {
        /// The thread's name.
        thread: String,
    },
    /// A stretch of time without length, or cut into no parts or too many.
    #[error("a timeline needs an end after its start and 1 to {most_bins} bins, not {from_ns} to {to_ns} ns in {bins}")]
    UnfitRange {
        /// Start.
        from_ns: u64,
        /// End.
        to_ns: u64,
        /// Number of bins.
        bins: usize,
        /// Largest number of bins.
        most_bins: usize,
    },
    /// A base of percentages that does not exist.
    #[error("percentages in a call tree are of \"root\" or of \"parent\", not of \"{0}\"")]
    UnknownPercentBase(String),
    /// A view mode that does not exist.
    #[error("no view mode \"{0}\"; there are: user, expert, machine")]
    UnknownViewMode(String),
    /// A filter that is not of the filter language, or names something that is not there.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A transform that is not of the transform language, or names something that is not there.
    #[error(transparent)]
    Transform(#[from] TransformError),
}

fn suggestion_text(suggestions: &[String]) -> String {
    match suggestions {
        [] => "; `whittle functions` lists all".to_owned(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}
fn known_units(known: &[String]) -> String {
    if known.is_empty() {
        "; `--per second`, `--per cpu-second` and `--per run` need no units of work".to_owned()
    } else {
        format!("; it knows: {}", known.join(", "))
    }
}
