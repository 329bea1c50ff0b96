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
    /// Show these columns: e. means exclusive, i. inclusive, a. attributed, % percent. For example
    /// e.system_cpu,e.system_cpu%,i.cpu
    #[arg(long)]
    metrics: Option<MetricTerms>,
    /// Sort by this column, or by name
    #[arg(long)]
    sort: Option<SortTerm>,
    /// Show at most this number of rows; 0: all [default: 30, overview 5, overview of a comparison 10]
    #[arg(short, long)]
    limit: Option<usize>,
    /// The output format.
    #[command(flatten)]
    pub format: FormatArguments,
}

impl TableArguments {
    /// Makes the query. `rows` is the limit if the command line has no limit. Missing: the view has its own limit.
    pub fn query(&self, rows: Option<usize>) -> Query {
        let limit = match self.limit {
            // A query without a limit shows all rows. A view with its own limit needs a limit that it cannot reach.
            Some(0) => rows.is_none().then_some(usize::MAX),
            limit => limit.or(rows),
        };
        Query { metrics: self.metrics.clone(), sort: self.sort.clone(), limit, ..self.stacks.query() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        table: TableArguments,
    }

    fn limit(words: &[&str], rows: Option<usize>) -> Option<usize> {
        Line::parse_from(std::iter::once(&"view").chain(words)).table.query(rows).limit
    }

    #[test]
    fn a_limit_of_0_shows_all_rows() {
        assert_eq!(limit(&["--limit", "0"], Some(30)), None);
        assert_eq!(limit(&["--limit", "0"], None), Some(usize::MAX));
        assert_eq!((limit(&["-l", "7"], Some(30)), limit(&[], Some(30)), limit(&[], None)), (Some(7), Some(30), None));
    }
}
