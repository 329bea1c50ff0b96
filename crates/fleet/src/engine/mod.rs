//! Engines that run SQL: the embedded engine, or a Trino cluster that reads the same files. Both engines get the same
//! SQL text and the list of valid files. The text uses the names of the fleet's tables. The queries only filter and
//! group.

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
    /// The engine's name, for users.
    fn name(&self) -> &'static str;

    /// Runs `sql` and returns its rows. The tables `samples`, `rollup`, `stacks` and `counters` consist of exactly
    /// `files`. The SQL text begins with `SELECT`. Names of tables are in quotes, because `rollup` is a keyword of SQL.
    fn rows<'a>(&'a self, sql: &'a str, files: &'a [DataFile]) -> BoxFuture<'a, Result<Rows, EngineError>>;
}

/// Why a query has no answer.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The engine reports an error, or a file cannot be read.
    #[error("{engine}: {reason}")]
    Refused {
        /// The engine's name.
        engine: &'static str,
        /// The engine's message.
        reason: String,
    },
    /// The answer does not have the expected columns.
    #[error("the engine's answer has no column {column} of the expected type")]
    WrongAnswer {
        /// The column.
        column: String,
    },
}

/// Writes `value` as a text literal of SQL.
///
/// ```
/// assert_eq!(whittle_fleet::engine::sql_text("it's"), "'it''s'");
/// ```
pub fn sql_text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}
