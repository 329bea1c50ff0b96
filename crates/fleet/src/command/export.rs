//! `whittle-fleet export` writes an answer to a file for another viewer.

use crate::command::asked::{SplitChoice, StoreArguments, WhoseArguments};
use crate::command::progress::say_if_long;
use crate::command::{Failure, output};
use clap::Args;
use std::path::{Path, PathBuf};
use whittle_export::ExportFormat;
use whittle_fleet::question::Split;
use whittle_profile::{MetricTerms, Query, Transform, ViewMode};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle-fleet export --store /var/lib/whittle --service checkout --since 24h -o checkout.collapsed\n  \
    whittle-fleet export --store /var/lib/whittle --service checkout --format collapsed -o - | flamegraph.pl > checkout.svg\n\n\
    pprof files are not compressed; go tool pprof reads them without unpacking."
)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    whose: WhoseArguments,
    /// How rows are grouped; each group becomes a thread
    #[arg(long, value_enum, value_delimiter = ',')]
    by: Vec<SplitChoice>,
    /// The file to write; -: standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// pprof, collapsed, firefox or speedscope
    #[arg(long, default_value = "collapsed")]
    format: ExportFormat,
    /// The metric, by default cpu; pprof takes several (cpu,alloc_bytes), by default all
    #[arg(long)]
    metric: Option<MetricTerms>,
    /// user (Java as written), expert (also the native code below Java), machine (everything, also JVM and kernel)
    #[arg(short, long, default_value = "user")]
    mode: ViewMode,
    /// A transform of the stacks, as for the views; can be repeated, applied in this order
    #[arg(long, value_name = "TRANSFORM")]
    transform: Vec<Transform>,
}

/// Writes the file and reports its content.
pub(crate) async fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let fleet = arguments.store.open()?;
    let question = arguments.whose.question(arguments.by.iter().copied().map(Split::from).collect())?;
    let text = format!("querying {}, {} …", question.whose.words(), question.time);
    let answered = say_if_long(&text, async {
        let snapshot = fleet.snapshot().await?;
        fleet.ask(&snapshot, &question).await
    })
    .await?;
    let query = Query {
        mode: arguments.mode,
        transforms: arguments.transform.clone(),
        metrics: arguments.metric.clone(),
        ..Query::default()
    };
    let export = whittle_export::export(&answered.into_profile()?, arguments.format, &query)?;
    if arguments.output == Path::new("-") {
        output::print(&export.bytes)?;
    } else {
        std::fs::write(&arguments.output, &export.bytes).map_err(|error| Failure {
            message: format!("{}: cannot write the file: {error}", arguments.output.display()),
            exit_code: 1,
        })?;
    }
    let metrics = export.metrics.join(", ");
    output::note(&format!(
        "{}: {} sums in {} mode; metrics: {metrics}",
        arguments.format, export.sample_count, query.mode
    ));
    Ok(())
}
