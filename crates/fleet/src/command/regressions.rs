//! `whittle-fleet regressions` shows which functions changed with a version or at an unknown date.

use crate::command::Failure;
use crate::command::asked::{PlaceArguments, StoreArguments, parse_length, time};
use crate::command::progress::say_if_long;
use clap::{Args, ValueEnum};
use whittle_fleet::cost::Price;
use whittle_fleet::regressions::{Change, RegressionsQuestion, Watched};
use whittle_fleet::tables::DAY_S;
use whittle_profile::{Flavour, ViewMode};
use whittle_terminal::FormatArguments;
use whittle_verdict::regressions::{Measure, Question as Limits};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle-fleet regressions --store /var/lib/whittle --service checkout --since 24h\n  \
    whittle-fleet regressions --store /var/lib/whittle --service checkout --from-version 1.4 --to-version 1.5 --since 7d\n  \
    whittle-fleet regressions --store /var/lib/whittle --service checkout --unknown-date --since 30d\n\n\
    Each machine is compared with itself, and with machines that stayed on the old version: at least three of each. A change \
    on all machines at once, such as traffic, is not attributed to the version."
)]
pub(crate) struct RegressionsArguments {
    #[command(flatten)]
    store: StoreArguments,
    /// The service
    #[arg(short, long, value_name = "NAME")]
    service: String,
    /// The old version [default: the version that appeared before the new one]
    #[arg(long, value_name = "VERSION")]
    from_version: Option<String>,
    /// The new version [default: the version that appeared last]
    #[arg(long, value_name = "VERSION")]
    to_version: Option<String>,
    /// Find a change at an unknown date, in all versions
    #[arg(long, conflicts_with_all = ["from_version", "to_version"])]
    unknown_date: bool,
    #[command(flatten)]
    place: PlaceArguments,
    /// Start: how long ago (30m, 24h, 7d), or a time in UTC (2026-11-22, 2026-11-22T14:30) [default: 24h before
    /// --until]
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// End, in the same form [default: now]
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Length of a period: 5m, 1h, 24h [default: 24h for at least 4 days, 1h for at least 6 hours, otherwise shorter]
    #[arg(long, value_name = "TIME", value_parser = parse_length)]
    every: Option<i64>,
    /// Exclusive costs of functions, or inclusive costs, with callees
    #[arg(long, value_enum, default_value_t = FlavourChoice::Exclusive)]
    flavour: FlavourChoice,
    /// user (Java as written), expert (also the native code below Java), machine (everything, also JVM and kernel)
    #[arg(short, long, default_value = "user")]
    mode: ViewMode,
    /// A function to watch, so that smaller changes are detected; without a signature: all overloads; can be repeated
    #[arg(long, value_name = "NAME")]
    function: Vec<String>,
    /// A package with functions to watch; can be repeated
    #[arg(long, value_name = "NAME")]
    package: Vec<String>,
    /// Measure of costs [default: per unit of work if enough machines report the unit, otherwise share]
    #[arg(long, value_enum)]
    measure: Option<MeasureChoice>,
    /// The unit of work [default: the unit that most machines report]
    #[arg(long, value_name = "NAME")]
    unit: Option<String>,
    /// Probability of a false alarm for a watched function; intervals cover the true value with the remaining
    /// probability
    #[arg(long, value_name = "RATIO", default_value_t = Limits::default().alpha_ratio)]
    alpha: f64,
    /// Accepted share of false discoveries among the functions that are reported as changed
    #[arg(long, value_name = "RATIO", default_value_t = Limits::default().false_discovery_ratio)]
    false_discovery: f64,
    /// A change below this ratio counts as unchanged, if the data proves that the change is so small
    #[arg(long, value_name = "RATIO", default_value_t = Limits::default().margin_ratio)]
    margin: f64,
    /// Maximum number of functions for each kind of change; other functions are added up to this number; 0: all
    #[arg(short, long, default_value_t = 30)]
    limit: usize,
    /// Price of a core for an hour
    #[arg(long, value_name = "PRICE", default_value_t = Price::default().per_core_hour)]
    price: f64,
    #[command(flatten)]
    format: FormatArguments,
}

/// Exclusive or inclusive costs of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FlavourChoice {
    /// Cost of the function itself
    Exclusive,
    /// With its callees
    Inclusive,
}

/// What a host's cost is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MeasureChoice {
    /// By the host's total CPU time
    Share,
    /// By units of work
    PerUnit,
}

/// Runs the query and prints the answer.
pub(crate) async fn run(arguments: &RegressionsArguments) -> Result<(), Failure> {
    let asked = arguments.question()?;
    let fleet = arguments.store.open()?;
    let price = Price { per_core_hour: arguments.price };
    let view = async { fleet.regressions(&fleet.snapshot().await?, &asked, price).await };
    arguments.format.view_format().print(&say_if_long(&asked.words(), view).await?)
}

impl RegressionsArguments {
    fn question(&self) -> Result<RegressionsQuestion, Failure> {
        let change = match self.unknown_date {
            true => Change::UnknownDate,
            false => Change::Version { from: self.from_version.clone(), to: self.to_version.clone() },
        };
        let functions = self.function.iter().cloned().map(Watched::Function);
        let packages = self.package.iter().cloned().map(Watched::Package);
        let measure = self.measure.map(|measure| match measure {
            MeasureChoice::Share => Measure::Share,
            MeasureChoice::PerUnit => Measure::PerUnit,
        });
        Ok(RegressionsQuestion {
            whose: self.place.whose(std::slice::from_ref(&self.service)),
            time: time((&self.since, &self.until), DAY_S)?,
            change,
            period_s: self.every,
            flavour: match self.flavour {
                FlavourChoice::Exclusive => Flavour::Exclusive,
                FlavourChoice::Inclusive => Flavour::Inclusive,
            },
            mode: self.mode,
            watched: functions.chain(packages).collect(),
            unit: self.unit.clone(),
            limits: Limits {
                alpha_ratio: self.alpha,
                false_discovery_ratio: self.false_discovery,
                margin_ratio: self.margin,
                measure,
                watched: Vec::new(),
            },
            limit: Some(self.limit).filter(|limit| *limit > 0),
        })
    }
}
