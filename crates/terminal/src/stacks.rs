//! The options that select samples and change their stacks.

use clap::Args;
use whittle_profile::{Filter, Query, Transform, ViewMode};

/// The samples that count, and how their stacks are shown.
#[derive(Debug, Clone, Args)]
pub struct StackArguments {
    /// Frames to show: user (Java as written), expert (with the native code below), machine (everything)
    #[arg(short, long, default_value = "user")]
    mode: ViewMode,
    /// Count only these samples, for example: thread ~ "worker" and time in 10s..20s
    #[arg(long)]
    filter: Option<Filter>,
    /// Transform the stacks; transforms are applied in the order of the command line. For example: merge "A.f", hide
    /// "B.g", collapse package "java.util", focus "C.h", collapse recursion
    #[arg(long, value_name = "TRANSFORM")]
    transform: Vec<Transform>,
}

impl StackArguments {
    /// Makes a query from these arguments. The query has no metrics, no order and no limit.
    pub fn query(&self) -> Query {
        Query { mode: self.mode, filter: self.filter.clone(), transforms: self.transform.clone(), ..Query::default() }
    }
}
