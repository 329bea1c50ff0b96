//! A snapshot: the valid files and segments at one point in time, and its text.

use crate::streams::Streams;
use crate::table::{FleetTable, check_time, day_of};
use serde::{Deserialize, Serialize};
use thiserror::Error;

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

/// Why a snapshot cannot be read.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The bytes are not the text of a snapshot.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A number is out of its range.
    #[error("{0}")]
    Number(String),
    /// A file's entry is wrong.
    #[error("file \"{path}\": {reason}")]
    File {
        /// The file.
        path: String,
        /// The problem.
        reason: String,
    },
}

/// Largest number of a commit. The next numbers must not overflow.
const MAX_VERSION: u64 = u64::MAX / 2;

impl Snapshot {
    /// Reads a snapshot's text and checks it: the files are in the folders of their tables, and times and sums are in
    /// the ranges that later calculations need.
    ///
    /// # Errors
    /// See [`SnapshotError`].
    pub fn from_json(text: &[u8]) -> Result<Self, SnapshotError> {
        let snapshot: Self = serde_json::from_slice(text)?;
        if snapshot.version > MAX_VERSION {
            return Err(SnapshotError::Number(format!("the commit's number {} is too large", snapshot.version)));
        }
        for file in &snapshot.files {
            file.check().map_err(|reason| SnapshotError::File { path: file.path.clone(), reason })?;
        }
        snapshot.check_sums().map_err(SnapshotError::Number)?;
        snapshot.streams.check().map_err(SnapshotError::Number)?;
        Ok(snapshot)
    }

    /// The snapshot's text.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("snapshots are numbers and text")
    }

    /// The numbers of rows and bytes of all files can be added up.
    fn check_sums(&self) -> Result<(), String> {
        let fits = |number_of: fn(&DataFile) -> u64| {
            let sum = self.files.iter().map(number_of).try_fold(0_u64, u64::checked_add);
            sum.is_some_and(|sum| i64::try_from(sum).is_ok())
        };
        let both_fit = fits(|file| file.row_count) && fits(|file| file.bytes);
        both_fit.then_some(()).ok_or_else(|| "the sizes of all files are too large".to_owned())
    }

    /// The files of a table that can contain rows of `service` from `from_s` to before `to_s`. If `service` is `None`,
    /// the files of all services are included. For `stacks`, the files of all days that overlap this time range are
    /// included.
    pub fn files_of<'a>(
        &'a self,
        table: FleetTable,
        service: Option<&'a str>,
        (from_s, to_s): (i64, i64),
    ) -> impl Iterator<Item = &'a DataFile> {
        let from_s = if table.has_time() { from_s } else { day_of(from_s) };
        self.files.iter().filter(move |file| {
            file.table == table
                && service.is_none_or(|service| file.service == service)
                && file.first_s < to_s
                && file.last_s >= from_s
        })
    }
}

impl DataFile {
    /// Why the entry is wrong.
    fn check(&self) -> Result<(), String> {
        let folder = format!("{}/", self.table.folder());
        let inside = self.path.strip_prefix(&folder).ok_or_else(|| format!("the file is not in {folder}"))?;
        let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(char::is_control);
        if !inside.split('/').all(is_plain) {
            return Err("the path has parts that no file of the tables has".to_owned());
        }
        check_time(self.first_s)?;
        check_time(self.last_s)?;
        (self.first_s <= self.last_s).then_some(()).ok_or_else(|| "the latest row is before the earliest".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::MAX_TIME_S;

    fn file() -> DataFile {
        DataFile {
            table: FleetTable::Samples,
            path: "tables/samples/service=shop/day=2026-11-22/1-a.parquet".to_owned(),
            service: "shop".to_owned(),
            first_s: 1,
            last_s: 2,
            level: Level::Fresh,
            row_count: 3,
            bytes: 4,
        }
    }

    /// The error for a snapshot with these files.
    fn error(version: u64, files: Vec<DataFile>) -> String {
        let snapshot = Snapshot { version, files, streams: Streams::default() };
        Snapshot::from_json(&snapshot.to_json()).unwrap_err().to_string()
    }

    #[test]
    fn a_written_snapshot_is_read() {
        let files = vec![file(), DataFile { table: FleetTable::Stacks, path: "tables/stacks/a".to_owned(), ..file() }];
        let snapshot = Snapshot { version: 7, files, streams: Streams::default() };
        assert_eq!(Snapshot::from_json(&snapshot.to_json()).unwrap(), snapshot);
    }

    #[test]
    fn numbers_that_overflow_later_are_refused() {
        assert!(error(u64::MAX, vec![]).contains("the commit's number"));
        let large = || DataFile { bytes: u64::MAX / 2, ..file() };
        assert!(error(1, vec![large(), large()]).contains("the sizes of all files"));
        for (first_s, last_s) in [(i64::MIN, 2), (1, i64::MAX), (-1, 2), (1, MAX_TIME_S + 1)] {
            assert!(error(1, vec![DataFile { first_s, last_s, ..file() }]).contains("is not a time"));
        }
        assert!(error(1, vec![DataFile { first_s: 3, ..file() }]).contains("before the earliest"));
    }

    #[test]
    fn files_outside_the_folder_of_their_table_are_refused() {
        for path in ["segments/a", "tables/stacks/a", "tables/samples/../../a", "tables/samples//a", "/etc/passwd", ""]
        {
            let message = error(1, vec![DataFile { path: path.to_owned(), ..file() }]);
            assert!(message.starts_with(&format!("file \"{path}\": the ")), "{message}");
        }
    }
}
