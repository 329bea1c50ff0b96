//! Who runs the SQL: the embedded engine, or a Trino cluster over the same files. Both get one text over the names of the
//! fleet's tables and the files that count; both only filter and group.

mod columns;
mod datafusion;
mod trino;

pub(crate) use columns::fractions;
pub use columns::{Numbers, Rows, Texts};
pub use datafusion::{DataFusion, EngineLimits};
pub use trino::{Trino, TrinoPlace};

use crate::catalogue::DataFile;
use futures::future::BoxFuture;
use thiserror::Error;

/// Answers SQL over the fleet's tables.
pub trait Engine: Send + Sync {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// The rows that `sql` gives over the tables `samples`, `rollup`, `stacks` and `counters`, which are exactly `files`.
    /// The text begins with `SELECT` and has the names of tables in quotes: `rollup` is a word of SQL's own.
    fn rows<'a>(&'a self, sql: &'a str, files: &'a [DataFile]) -> BoxFuture<'a, Result<Rows, EngineError>>;
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The engine refuses, or a file cannot be read.
    #[error("{engine}: {reason}")]
    Refused {
        /// The engine's name.
        engine: &'static str,
        /// What it says.
        reason: String,
    },
    /// The answer has other columns than were asked for.
    #[error("the engine's answer has no column {column} of the kind that was asked for")]
    WrongAnswer {
        /// The column.
        column: String,
    },
}

/// `value` as SQL text.
///
/// ```
/// assert_eq!(whittle_fleet::engine::sql_text("it's"), "'it''s'");
/// ```
pub fn sql_text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}
