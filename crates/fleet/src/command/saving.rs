//! `whittle-fleet saving` shows what a change saved over the fleet.

use crate::command::Failure;
use crate::command::asked::{BaselineArguments, PartArguments, StoreArguments};
use crate::command::progress::say_if_long;
use clap::Args;
use whittle_fleet::cost::Price;
use whittle_fleet::saving::SavingQuestion;
use whittle_terminal::FormatArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle-fleet saving --store /var/lib/whittle --service checkout --baseline-since 14d --baseline-until 7d --since 7d\n  \
    whittle-fleet saving --store /var/lib/whittle --service checkout --baseline-version 1.4 --version 1.5 --since 24h\n\n\
    Options that are not set for the baseline have the candidate's values. The honest value is CPU time per unit of work \
    over all machines. This value needs units of work in the segments."
)]
pub(crate) struct SavingArguments {
    #[command(flatten)]
    store: StoreArguments,
    /// The service; several: separated by commas, or repeat the option
    #[arg(short, long, value_delimiter = ',', value_name = "NAME", required = true)]
    service: Vec<String>,
    #[command(flatten)]
    candidate: PartArguments,
    #[command(flatten)]
    baseline: BaselineArguments,
    /// The unit of work [default: the first unit that all machines report]
    #[arg(long, value_name = "NAME")]
    unit: Option<String>,
    /// Price of a core for an hour
    #[arg(long, value_name = "PRICE", default_value_t = Price::default().per_core_hour)]
    price: f64,
    #[command(flatten)]
    format: FormatArguments,
}

/// Runs the query and prints the answer.
pub(crate) async fn run(arguments: &SavingArguments) -> Result<(), Failure> {
    let [before, after] = arguments.baseline.questions(&arguments.service, &arguments.candidate)?;
    let fleet = arguments.store.open()?;
    let text =
        format!("comparing {}, {} with {}, {} …", after.whose.words(), after.time, before.whose.words(), before.time);
    let asked = SavingQuestion { before, after, unit: arguments.unit.clone() };
    let price = Price { per_core_hour: arguments.price };
    let view = async { fleet.saving(&fleet.snapshot().await?, &asked, price).await };
    arguments.format.view_format().print(&say_if_long(&text, view).await?)
}
