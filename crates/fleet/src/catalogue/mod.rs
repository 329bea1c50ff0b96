//! The catalogue: which files hold the fleet's tables, and which segments are in them.
//!
//! ```text
//! catalogue/00000000000000000041.json     a whole snapshot; the highest number is valid
//! catalogue/00000000000000000042.json
//! ```
//!
//! A commit creates the next number, and creating fails if it is there: of two programs that commit at once one wins, and
//! the other reads again. So a crash at any moment leaves the old snapshot or the new one, never both and nothing
//! between. Files that no snapshot names are rubbish, which [`retention`](crate::retention) removes.

mod commit;
mod streams;

pub use commit::{Catalogue, CatalogueError};
pub use streams::{Stream, Streams};

use crate::tables::FleetTable;
use serde::{Deserialize, Serialize};

/// What holds at one moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Number of the commit; 0: nothing yet.
    pub version: u64,
    /// The files of all tables.
    pub files: Vec<DataFile>,
    /// Segments that are in them.
    pub streams: Streams,
}

/// One Parquet file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// The table that it is a part of.
    pub table: FleetTable,
    /// Where it lies in the store.
    pub path: String,
    /// The one service that its rows are of.
    pub service: String,
    /// Its earliest row, seconds since 1970-01-01 UTC; of `stacks`, the start of its day.
    pub first_s: i64,
    /// Its latest row; of `stacks`, the start of its day.
    pub last_s: i64,
    /// What it has been through.
    pub level: Level,
    /// Rows.
    pub row_count: u64,
    /// Its size.
    pub bytes: u64,
}

/// How far a file is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As the intake wrote it: some seconds of an hour.
    Fresh,
    /// All of an hour, or of `stacks` of a day so far.
    Hour,
    /// All of a day.
    Day,
}

impl Snapshot {
    /// The files of a table that can hold rows of `service` (all services without one) between `from_s` and `to_s`,
    /// which itself is out; of `stacks`, the files of the days that the time touches.
    pub fn files_of<'a>(
        &'a self,
        table: FleetTable,
        service: Option<&'a str>,
        (from_s, to_s): (i64, i64),
    ) -> impl Iterator<Item = &'a DataFile> {
        let from_s = if table.has_time() { from_s } else { crate::tables::day_of(from_s) };
        self.files.iter().filter(move |file| {
            file.table == table
                && service.is_none_or(|service| file.service == service)
                && file.first_s < to_s
                && file.last_s >= from_s
        })
    }
}
