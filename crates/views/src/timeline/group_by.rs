//! What the rows of a timeline are grouped by.

use crate::definition::{Parameter, read_word};
use serde::Deserialize;

/// What the rows of threads and pools are grouped by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// Pools are the only groups.
    #[default]
    Pool,
    /// There are no groups. Each thread is a row.
    None,
    /// The process of the threads.
    Process,
    /// The state in which the threads were for the longest time of the shown range.
    State,
    /// The package of the program's code with the most CPU time of the threads.
    Package,
}

/// The option `--group-by`.
pub(super) const GROUP_BY: Parameter = Parameter {
    default: Some("pool"),
    read: |text| read_word::<GroupBy>(text, "pool, process, state, package or none"),
    ..Parameter::text(
        "group_by",
        "WHAT",
        "Groups of rows: pool, process, state (in which the threads were most of the time), package (of the code with the most CPU time) \
         or none (a row for each thread). --pools open also shows the rows of the groups",
    )
};
