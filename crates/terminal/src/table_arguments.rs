//! The options that all views take.

use crate::format::FormatArguments;
use crate::stacks::StackArguments;
use clap::Args;
use whittle_profile::{MetricTerms, Query, SortTerm};

/// Which samples count, and which columns and rows are shown.
#[derive(Debug, Clone, Args)]
pub struct TableArguments {
    #[command(flatten)]
    stacks: StackArguments,
    /// Columns: e. exclusive, i. inclusive, a. attributed; %: percent. For example e.system_cpu,e.system_cpu%,i.cpu
    #[arg(long)]
    metrics: Option<MetricTerms>,
    /// Column to sort by, or name
    #[arg(long)]
    sort: Option<SortTerm>,
    /// Most rows to show; 0: all [default: 30, overview 5]
    #[arg(short, long)]
    limit: Option<usize>,
    /// The language of the output.
    #[command(flatten)]
    pub format: FormatArguments,
}

impl TableArguments {
    /// The query. If the command line has no limit, the limit is `rows`.
    pub fn query(&self, rows: Option<usize>) -> Query {
        Query {
            metrics: self.metrics.clone(),
            sort: self.sort.clone(),
            // 0 means no limit.
            limit: self.limit.map_or(rows, |limit| (limit > 0).then_some(limit)),
            ..self.stacks.query()
        }
    }
}
