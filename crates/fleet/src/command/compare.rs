//! `whittle-fleet compare` shows two versions, times or sets of machines side by side.

use crate::command::Failure;
use crate::command::asked::{BaselineArguments, PartArguments, StoreArguments};
use crate::command::progress::say_if_long;
use crate::command::views::{NO_CODE, OfFleet};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::Map;
use whittle_engine::VIEWS;
use whittle_fleet::question::Question;
use whittle_profile::compare::Rename;
use whittle_profile::sides::Per;
use whittle_terminal::{Offer, TableArguments, print_view};
use whittle_views::definition::ViewDefinition;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle-fleet compare --store /var/lib/whittle --service checkout --baseline-version 1.4 --version 1.5 --since 24h\n  \
    whittle-fleet compare --store /var/lib/whittle --service checkout --baseline-since 25h --baseline-until 24h --since 1h\n\n\
    Options that are not set for the baseline have the candidate's values. Values are per unit of work if both sides \
    have the same unit, otherwise per second. whittle-fleet regressions shows how certain a change is."
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
    /// Show values per unit of work of this name, per second, cpu-second or run [default: the first unit of work that
    /// both sides have, otherwise second]
    #[arg(long, value_name = "UNIT")]
    per: Option<Per>,
    /// A class or package that has another name in the candidate; can be repeated
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<Rename>,
    #[command(flatten)]
    table: TableArguments,
    /// The view to show
    #[arg(long, default_value = "functions", value_parser = compared_views())]
    view: String,
}

/// The views that can show a comparison and need no arguments.
fn views_that_compare() -> impl Iterator<Item = &'static ViewDefinition> {
    VIEWS.iter().filter(|view| {
        let needs_argument = view.command.is_none_or(|command| command.parameters.iter().any(|key| key.is_required));
        view.not_compared.is_none() && OfFleet::has(view) && !needs_argument
    })
}

fn compared_views() -> PossibleValuesParser {
    views_that_compare().map(|view| view.name()).collect::<Vec<_>>().into()
}

/// Compares the two sides and prints the view.
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
    let view = views_that_compare().find(|view| view.name() == arguments.view);
    let view = view.ok_or_else(|| Failure::usage(format!("{} is not a view of comparisons", arguments.view)))?;
    print_view(view, (&arguments.table, Map::new()), &profile, &NO_CODE)
}

/// The name of a side, from its query.
fn words(question: &Question) -> String {
    format!("{}, {}", question.whose.words(), question.time)
}
