//! How answers are shown: rows, columns, format.

use crate::command::{Failure, output};
use clap::{Args, ValueEnum};
use std::io::IsTerminal;
use whittle_analysis::{Filter, Format, MetricTerms, Query, SortTerm, Style, Transform, View, ViewMode, render};

/// Rows of a table where the user gives no limit: about a screen.
const DEFAULT_ROWS: usize = 30;

/// How an answer is shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct ShowArguments {
    /// user (Java as written), expert (and the native code below), machine (everything, JVM and kernel too)
    #[arg(short, long, default_value = "user")]
    pub(crate) mode: ViewMode,
    /// Columns: e. exclusive, i. inclusive, a. attributed; %: percent. For example e.system_cpu,e.system_cpu%,i.cpu
    #[arg(long)]
    pub(crate) metrics: Option<MetricTerms>,
    /// Column to sort by, or name
    #[arg(long)]
    pub(crate) sort: Option<SortTerm>,
    /// Sums that count, for example: thread ~ "host-1"; threads are what --by tells apart
    #[arg(long)]
    pub(crate) filter: Option<Filter>,
    /// What is done to the stacks, in this order, for example: merge "A.f", hide "B.g", collapse recursion
    #[arg(long, value_name = "TRANSFORM")]
    pub(crate) transform: Vec<Transform>,
    /// Rows shown at most [default: 30]; 0: all
    #[arg(short, long)]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

/// In which language an answer is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct OutputArguments {
    /// text, csv or json
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,
    /// Whether to colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

/// A language of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Tables for reading
    Text,
    /// Comma-separated values
    Csv,
    /// JSON
    Json,
}

/// Whether output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ShowArguments {
    /// What is asked of the analysis.
    pub(crate) fn query(&self) -> Query {
        Query {
            mode: self.mode,
            filter: self.filter.clone(),
            transforms: self.transform.clone(),
            metrics: self.metrics.clone(),
            sort: self.sort.clone(),
            skip: 0,
            limit: self.limit.or(Some(DEFAULT_ROWS)).filter(|limit| *limit > 0),
        }
    }
}

impl OutputArguments {
    /// Prints a view as the command's result.
    pub(crate) fn print(self, view: &impl View) -> Result<(), Failure> {
        let format = match self.format {
            OutputFormat::Text => Format::Text,
            OutputFormat::Csv => Format::Csv,
            OutputFormat::Json => Format::Json,
        };
        output::print(render(view, format, Style { is_coloured: self.is_coloured() }).as_bytes())
    }

    fn is_coloured(self) -> bool {
        match self.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }
}
