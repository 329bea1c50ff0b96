//! The catalogue lists the files of the fleet's tables, and the segments in these files.
//!
//! ```text
//! catalogue/00000000000000000041.json     a whole snapshot; the highest number is valid
//! catalogue/00000000000000000042.json
//! ```
//!
//! A commit creates the file with the next number. The commit fails if this file already exists. If two programs commit
//! at once, one program succeeds, and the other program reads the new snapshot and tries again. After a crash, either
//! the old snapshot or the new snapshot is valid. Both snapshots are complete. [`retention`](crate::retention) removes
//! files that no snapshot names.

mod commit;
mod streams;

pub use commit::{Catalogue, CatalogueError};
pub use streams::{Stream, Streams};

use crate::tables::FleetTable;
use serde::{Deserialize, Serialize};

/// The valid files and segments at one point in time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Number of the commit. 0: nothing was committed yet.
    pub version: u64,
    /// The files of all tables.
    pub files: Vec<DataFile>,
    /// The segments in these files.
    pub streams: Streams,
}

/// One Parquet file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// The table that contains this file.
    pub table: FleetTable,
    /// The file's path in the store.
    pub path: String,
    /// The service of the file's rows.
    pub service: String,
    /// Time of the earliest row, seconds since 1970-01-01 UTC. For `stacks`: the start of the file's day.
    pub first_s: i64,
    /// Time of the latest row. For `stacks`: the start of the file's day.
    pub last_s: i64,
    /// The file's level of compaction.
    pub level: Level,
    /// Number of rows.
    pub row_count: u64,
    /// Size of the file.
    pub bytes: u64,
}

/// How far a file is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The intake wrote the file. The file contains some seconds of an hour.
    Fresh,
    /// The file contains a whole hour. For `stacks`: the part of the day that has passed.
    Hour,
    /// The file contains a whole day.
    Day,
}

impl Snapshot {
    /// The files of a table that can contain rows of `service` from `from_s` to before `to_s`. If `service` is `None`,
    /// the files of all services are included. For `stacks`, the files of all days that overlap this time range are
    /// included.
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
