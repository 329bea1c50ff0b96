//! The views of a query to the fleet: functions, callers-callees, threads, timeline and so on.

use crate::command::Failure;
use crate::command::asked::{SplitChoice, StoreArguments, WhoseArguments};
use crate::command::progress::say_if_long;
use clap::{Args, Command};
use whittle_fleet::question::{Question, Split};
use whittle_terminal::{Offer, ViewCommand};
use whittle_views::definition::ViewDefinition;
use whittle_views::source::NoFiles;

/// The views of a query.
#[derive(Debug)]
pub(crate) struct OfFleet;

impl Offer for OfFleet {
    type Subject = QuestionArguments;

    fn has(view: &ViewDefinition) -> bool {
        view.command.is_some_and(|command| command.in_fleet)
    }

    fn extend(_view: &ViewDefinition, command: Command) -> Command {
        command.after_help(
            "Examples:\n  whittle-fleet functions --store /var/lib/whittle --service checkout --since 24h\n  \
            whittle-fleet functions --store s3://profiles/prod --service checkout --version 1.4.2 --host h1,h2 --limit 10\n  \
            whittle-fleet threads --store /var/lib/whittle --service checkout --by version\n\n\
            Queries read whole hours from hourly sums. Only --by thread and incomplete hours at the ends of the time range read single seconds.",
        )
    }
}

/// A query to the fleet.
#[derive(Debug, Args)]
pub(crate) struct QuestionArguments {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    whose: WhoseArguments,
    /// How rows are grouped; each group becomes a thread of the answer; several: separated by commas
    #[arg(long, value_enum, value_delimiter = ',')]
    by: Vec<SplitChoice>,
}

/// Answers the query and prints the view.
pub(crate) async fn run(mut view: ViewCommand<OfFleet>) -> Result<(), Failure> {
    let QuestionArguments { store, whose, by } = &view.subject;
    let mut question = whose.question(by.iter().copied().map(Split::from).collect())?;
    let fleet = store.open()?;
    if let Some(bins) = view.keys.get(BINS).and_then(serde_json::Value::as_u64) {
        let bins = split_by_time(&mut question, bins as usize);
        view.keys.insert(BINS.to_owned(), bins.into());
    }
    let text = format!("querying {}, {} …", question.whose.words(), question.time);
    let answered = say_if_long(&text, async {
        let snapshot = fleet.snapshot().await?;
        fleet.ask(&snapshot, &question).await
    })
    .await?;
    view.print(&answered.into_profile()?, &NO_CODE)
}

/// A code source without files, because the tables of a fleet contain no code.
pub(crate) const NO_CODE: NoFiles = NoFiles { reason: "the tables of a fleet have no code" };

/// The key for the number of bins in views over time. Its definition has a default, so these views always have the key.
const BINS: &str = "bins";

/// Splits the query by time into about `bins` periods. Returns the actual number of periods. Without this split, the
/// answer contains only sums over the whole time range.
fn split_by_time(question: &mut Question, bins: usize) -> i64 {
    let (width_s, time) = question.time.buckets(bins);
    question.split.push(Split::Time(width_s));
    question.time = time;
    time.length_s() / width_s
}
