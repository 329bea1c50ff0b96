//! `whittle-fleet compare`: two versions, times or sets of machines side by side.

use crate::command::Failure;
use crate::command::asked::{BaselineArguments, PartArguments, StoreArguments};
use crate::command::progress::say_if_long;
use crate::command::show::ShowArguments;
use clap::{Args, ValueEnum};
use whittle_analysis::Query;
use whittle_analysis::compare::{Per, Rename};
use whittle_fleet::question::Question;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle-fleet compare --store /var/lib/whittle --service checkout --baseline-version 1.4 --version 1.5 --since 24h\n  \
    whittle-fleet compare --store /var/lib/whittle --service checkout --baseline-since 25h --baseline-until 24h --since 1h\n\n\
    What is not said of the baseline is as for the candidate. Values are per unit of work where both sides know the same \
    unit, else per second. For how sure a change is: whittle-fleet regressions."
)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    store: StoreArguments,
    /// The service
    #[arg(short, long, value_name = "NAME")]
    service: String,
    #[command(flatten)]
    candidate: PartArguments,
    #[command(flatten)]
    baseline: BaselineArguments,
    /// What values are per: a unit of work that both know, second, cpu-second or run [default: the first such unit, else
    /// second]
    #[arg(long, value_name = "UNIT")]
    per: Option<Per>,
    /// A class or package that the candidate calls differently; may be given again
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<Rename>,
    /// What is shown
    #[arg(long, value_enum, default_value_t = Shown::Functions)]
    view: Shown,
    #[command(flatten)]
    show: ShowArguments,
}

/// A view of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shown {
    /// The comparison at a glance
    Overview,
    /// Functions
    Functions,
    /// Stacks
    Stacks,
    /// Source lines
    Lines,
}

/// Compares and prints.
pub(crate) async fn run(arguments: &CompareArguments) -> Result<(), Failure> {
    let services = std::slice::from_ref(&arguments.service);
    let [baseline, candidate] = arguments.baseline.questions(services, &arguments.candidate)?;
    let fleet = arguments.store.open()?;
    let [first, second] = [&baseline, &candidate].map(words);
    let text = format!("comparing {second} with {first} …");
    let profile = say_if_long(&text, async {
        let snapshot = fleet.snapshot().await?;
        let (baseline, candidate) =
            futures::try_join!(fleet.ask(&snapshot, &baseline), fleet.ask(&snapshot, &candidate))?;
        candidate.compared_with(baseline, [&first, &second], (arguments.per.clone(), &arguments.rename))
    })
    .await?;
    let query: Query = arguments.show.query();
    let output = arguments.show.output;
    match arguments.view {
        Shown::Overview => output.print(&profile.comparison_overview(&query)?),
        Shown::Functions => output.print(&profile.functions(&query)?),
        Shown::Stacks => output.print(&profile.stacks(&query)?),
        Shown::Lines => output.print(&profile.lines(&query)?),
    }
}

/// How a side is called.
fn words(question: &Question) -> String {
    format!("{}, {}", question.whose.words(), question.time)
}
