//! The views of one answer: functions, callers-callees, call-tree, stacks, lines, threads, timeline, overview.

use crate::command::Failure;
use crate::command::asked::{SplitChoice, StoreArguments, WhoseArguments};
use crate::command::progress::say_if_long;
use crate::command::show::ShowArguments;
use clap::{Args, Subcommand};
use whittle_analysis::{AnalysisError, Fragment, PercentOf, Profile, Query, TimelineShape, TreeShape, View};
use whittle_fleet::question::{Split, TimeRange};

#[derive(Debug, Subcommand)]
pub(crate) enum ViewCommand {
    /// What the answer holds: totals, closure, losses, top functions
    Overview(ViewArguments),
    /// Functions with exclusive and inclusive values
    Functions(ViewArguments),
    /// Who calls a function and what it calls, with attributed values
    CallersCallees {
        /// The centre: `A.f`, or several frames from caller to callee: `A.f > B.g`; left out, <Total>
        #[arg(long, value_name = "FUNCTION [> FUNCTION …]")]
        fragment: Option<Fragment>,
        #[command(flatten)]
        view: ViewArguments,
    },
    /// The tree of calls, from the root or from one function
    CallTree {
        /// Root the tree at this function, which is then 100 %
        #[arg(long, value_name = "FUNCTION")]
        root: Option<String>,
        /// Leave out nodes below this share, in percent
        #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
        min_percent: f64,
        /// Deepest level shown
        #[arg(long)]
        depth: Option<usize>,
        /// Whether percentages are of the root or of the parent
        #[arg(long, default_value = "root")]
        percent_of: PercentOf,
        #[command(flatten)]
        view: ViewArguments,
    },
    /// The most common stacks
    Stacks(ViewArguments),
    /// Source lines with exclusive and inclusive values
    Lines(ViewArguments),
    /// What --by tells apart (machines, versions, threads), with CPU time
    Threads(ViewArguments),
    /// CPU time over time, one line for each of what --by tells apart
    Timeline {
        /// Number of parts that the time is cut into
        #[arg(long, default_value_t = 60)]
        bins: usize,
        #[command(flatten)]
        view: ViewArguments,
    },
}

/// A question and how its answer is shown.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle-fleet functions --store /var/lib/whittle --service checkout --since 24h\n  \
    whittle-fleet functions --store s3://profiles/prod --service checkout --version 1.4.2 --host h1,h2 --limit 10\n  \
    whittle-fleet threads --store /var/lib/whittle --service checkout --by version\n\n\
    Whole hours are answered from sums by the hour; only --by thread and the edges of the time read single seconds."
)]
pub(crate) struct ViewArguments {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    whose: WhoseArguments,
    /// What rows are told apart by: each becomes a thread of the answer; several: separated by commas
    #[arg(long, value_enum, value_delimiter = ',')]
    by: Vec<SplitChoice>,
    #[command(flatten)]
    show: ShowArguments,
}

/// Answers and prints.
pub(crate) async fn run(command: &ViewCommand) -> Result<(), Failure> {
    match command {
        ViewCommand::Overview(view) => show(view, None, Profile::overview).await,
        ViewCommand::Functions(view) => show(view, None, Profile::functions).await,
        ViewCommand::Stacks(view) => show(view, None, Profile::stacks).await,
        ViewCommand::Lines(view) => show(view, None, Profile::lines).await,
        ViewCommand::Threads(view) => show(view, None, Profile::threads).await,
        ViewCommand::CallersCallees { fragment, view } => {
            let fragment = fragment.clone().unwrap_or_else(Fragment::total);
            show(view, None, |profile, query| profile.callers_callees(query, &fragment)).await
        }
        ViewCommand::CallTree { root, min_percent, depth, percent_of, view } => {
            let (root, min_ratio) = (root.clone(), min_percent / 100.0);
            let shape = TreeShape { root, min_ratio, max_depth: *depth, percent_of: *percent_of };
            show(view, None, |profile, query| profile.call_tree(query, &shape)).await
        }
        ViewCommand::Timeline { bins, view } => {
            let (width_s, time) = view.whose.question(Vec::new())?.time.buckets(*bins);
            let bins = usize::try_from(time.length_s() / width_s).ok();
            let shape = TimelineShape { bins, ..TimelineShape::default() };
            show(view, Some((width_s, time)), |profile, query| profile.timeline(query, &shape)).await
        }
    }
}

/// `cut`: the length of the periods that the time is cut into, and the time of all of them; missing: it is not cut.
async fn show<V: View>(
    arguments: &ViewArguments,
    cut: Option<(i64, TimeRange)>,
    view: impl FnOnce(&Profile, &Query) -> Result<V, AnalysisError>,
) -> Result<(), Failure> {
    let fleet = arguments.store.open()?;
    let mut question = arguments.whose.question(arguments.by.iter().copied().map(Split::from).collect())?;
    if let Some((width_s, time)) = cut {
        question.split.push(Split::Time(width_s));
        question.time = time;
    }
    let text = format!("asking for {}, {} …", question.whose.words(), question.time);
    let answered = say_if_long(&text, async {
        let snapshot = fleet.snapshot().await?;
        fleet.ask(&snapshot, &question).await
    })
    .await?;
    let profile = answered.into_profile()?;
    arguments.show.output.print(&view(&profile, &arguments.show.query())?)
}
