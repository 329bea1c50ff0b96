//! The queries about the whole fleet: services, top and share.

use crate::command::Failure;
use crate::command::asked::{SplitChoice, StoreArguments, WhoseArguments, parse_length};
use crate::command::progress::say_if_long;
use clap::{Args, Subcommand};
use whittle_fleet::cost::Price;
use whittle_fleet::question::{Question, Split};
use whittle_fleet::share::ShareQuestion;
use whittle_model::Metric;
use whittle_profile::{Query, SortTerm, Transform, ViewMode};
use whittle_terminal::FormatArguments;

#[derive(Debug, Subcommand)]
pub(crate) enum WholeCommand {
    /// Services with versions, machines, cores, cost, and the part of their CPU time that samples explain
    #[command(after_help = "Example:\n  whittle-fleet services --store /var/lib/whittle --since 24h --price 0.05")]
    Services(WholeArguments),
    /// Functions with the highest cost over all services, in cores and money
    #[command(after_help = "Example:\n  whittle-fleet top --store /var/lib/whittle --since 24h --limit 20")]
    Top {
        #[command(flatten)]
        whole: WholeArguments,
        /// user (Java as written), expert (also the native code below Java), machine (everything, also JVM and kernel)
        #[arg(short, long, default_value = "user")]
        mode: ViewMode,
        /// e.cpu, i.cpu or name
        #[arg(long, default_value = "e.cpu")]
        sort: SortTerm,
        /// A transform of the stacks, for example: collapse package "java.util"; can be repeated, applied in this order
        #[arg(long, value_name = "TRANSFORM")]
        transform: Vec<Transform>,
        /// Maximum number of rows; 0: all
        #[arg(short, long, default_value_t = 30)]
        limit: usize,
    },
    /// One function's share over time, or by version or machine
    #[command(
        after_help = "Examples:\n  whittle-fleet share 'com.acme.Codec.decode' --store /var/lib/whittle --service checkout --since 7d --every 1h\n  \
        whittle-fleet share 'com.acme.Codec.decode' --store /var/lib/whittle --service checkout --since 24h --by version\n\n\
        If --every is a number of whole hours, the query is fast, because it reads sums per hour."
    )]
    Share {
        /// Name as shown; without a signature: all overloads
        function: String,
        #[command(flatten)]
        whole: WholeArguments,
        /// Divide the time range into periods of this length: 5m, 1h, 24h [default: one period]
        #[arg(long, value_name = "TIME", value_parser = parse_length)]
        every: Option<i64>,
        /// How rows are grouped; several: separated by commas
        #[arg(long, value_enum, value_delimiter = ',')]
        by: Vec<SplitChoice>,
        /// The metric
        #[arg(long, default_value = Metric::Cpu.name())]
        metric: String,
        /// user, expert or machine, as for top
        #[arg(short, long, default_value = "user")]
        mode: ViewMode,
    },
}

/// Arguments of all queries about the whole fleet.
#[derive(Debug, Args)]
pub(crate) struct WholeArguments {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    whose: WhoseArguments,
    /// Price of a core for an hour
    #[arg(long, value_name = "PRICE", default_value_t = Price::default().per_core_hour)]
    price: f64,
    #[command(flatten)]
    format: FormatArguments,
}

impl WholeArguments {
    fn price(&self) -> Price {
        Price { per_core_hour: self.price }
    }
}

/// Runs the query and prints the answer.
pub(crate) async fn run(command: &WholeCommand) -> Result<(), Failure> {
    match command {
        WholeCommand::Services(whole) => {
            let (fleet, question) = (whole.store.open()?, whole.whose.question(Vec::new())?);
            let view = async { fleet.services(&fleet.snapshot().await?, &question, whole.price()).await };
            whole.format.view_format().print(&say_if_long(&words(&question), view).await?)
        }
        WholeCommand::Top { whole, mode, sort, transform, limit } => {
            let (fleet, question) = (whole.store.open()?, whole.whose.question(Vec::new())?);
            let query = Query {
                mode: *mode,
                transforms: transform.clone(),
                sort: Some(sort.clone()),
                limit: Some(*limit).filter(|limit| *limit > 0),
                ..Query::default()
            };
            let view = async { fleet.top(&fleet.snapshot().await?, (&question, &query), whole.price()).await };
            whole.format.view_format().print(&say_if_long(&words(&question), view).await?)
        }
        WholeCommand::Share { function, whole, every, by, metric, mode } => {
            let split = by.iter().copied().map(Split::from).chain(every.map(Split::Time)).collect();
            let (fleet, question) = (whole.store.open()?, whole.whose.question(split)?);
            let text = words(&question);
            let (function, metric) = (function.clone(), metric.clone());
            let asked = ShareQuestion { question, function, mode: *mode, metric };
            let view = async { fleet.share(&fleet.snapshot().await?, &asked, whole.price()).await };
            whole.format.view_format().print(&say_if_long(&text, view).await?)
        }
    }
}

fn words(question: &Question) -> String {
    format!("querying {}, {} …", question.whose.words(), question.time)
}
