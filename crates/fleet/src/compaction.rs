//! Compaction merges the small files of an hour into one file, and the hourly files of a day into one file. The content
//! of the tables does not change.
//!
//! ```text
//! Fresh Fresh Fresh … ──> Hour Hour Hour … ──> Day
//! ```
//!
//! A commit replaces the old files with the new file in one step. If another program has removed an old file meanwhile,
//! the commit changes nothing. Programs can still read the old files until [`retention`](crate::retention) removes
//! these files.

use crate::catalogue::{Catalogue, CatalogueError, DataFile, Level, Snapshot};
use crate::rows::{CounterRows, FileError, ObservationRows, PlacedFile, StackRows, read_file, write_file};
use crate::tables::{DAY_S, FleetTable, HOUR_S, day_of, hour_of};
use datafusion::arrow::array::RecordBatch;
use std::collections::BTreeMap;
use thiserror::Error;
use whittle_experiment::Store;

/// If the current hour has at least this number of fresh files, the fresh files are merged into one file.
const FRESH_FILES: usize = 8;

/// Seconds to wait after the end of an hour or a day before its files are merged, because segments arrive late.
const GRACE_S: i64 = 600;

/// Why files could not be compacted. The tables are unchanged.
#[derive(Debug, Error)]
pub enum CompactionError {
    /// An error of the catalogue.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The result of one call of [`compact`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Files that were replaced.
    pub old_count: u64,
    /// New files.
    pub new_count: u64,
}

/// Files of one table, service and time range that are merged into one file.
type Group = (Level, Vec<DataFile>);

/// Merges all files that are ready at the time `now_s`, seconds since 1970-01-01 UTC.
///
/// # Errors
/// See [`CompactionError`]. Earlier commits remain.
pub async fn compact(catalogue: &Catalogue, now_s: i64) -> Result<Compacted, CompactionError> {
    let mut done = Compacted::default();
    for level in [Level::Hour, Level::Day] {
        let snapshot = catalogue.newest().await?;
        for (level, files) in groups(&snapshot, level, now_s) {
            let new = merge(catalogue.store(), level, &files).await?;
            if replace(catalogue, &files, new).await? {
                done.old_count += files.len() as u64;
                done.new_count += 1;
            }
        }
    }
    Ok(done)
}

/// Groups of files to merge. Each group becomes one file of `level`.
fn groups(snapshot: &Snapshot, level: Level, now_s: i64) -> Vec<Group> {
    let mut groups: BTreeMap<(FleetTable, &str, i64), Vec<&DataFile>> = BTreeMap::new();
    for file in snapshot.files.iter().filter(|file| file.level <= level) {
        let start_s = if level == Level::Day { day_of(file.first_s) } else { hour_of(file.first_s) };
        groups.entry((file.table, &file.service, start_s)).or_default().push(file);
    }
    let length_s = if level == Level::Day { DAY_S } else { HOUR_S };
    let is_due = |((table, _, start_s), files): &((FleetTable, &str, i64), Vec<&DataFile>)| {
        let length_s = if table.has_time() { length_s } else { DAY_S };
        let is_over = now_s >= start_s + length_s + GRACE_S;
        let fresh_count = files.iter().filter(|file| file.level == Level::Fresh).count();
        match level {
            Level::Day => is_over && files.iter().any(|file| file.level != Level::Day),
            _ => fresh_count >= FRESH_FILES || is_over && fresh_count > 0,
        }
    };
    groups.into_iter().filter(is_due).map(|(_, files)| (level, files.into_iter().cloned().collect())).collect()
}

/// Writes the rows of `files` to one file. All `files` belong to the same table and service.
async fn merge(store: &Store, level: Level, files: &[DataFile]) -> Result<DataFile, FileError> {
    let DataFile { table, service, .. } = &files[0];
    let (table, service) = (*table, service.as_str());
    let first_s = files.iter().map(|file| file.first_s).min().unwrap_or(0);
    let last_s = files.iter().map(|file| file.last_s).max().unwrap_or(0);
    let rows = match table {
        FleetTable::Samples | FleetTable::Rollup => merge_observations(store, (table, service), files).await?,
        FleetTable::Stacks => {
            let mut rows = StackRows::new(service);
            for_each_batch(store, files, |batch| rows.push_batch(batch)).await?;
            rows.finish();
            vec![rows.to_batch()]
        }
        FleetTable::Counters => {
            let mut rows = CounterRows::new(service);
            for_each_batch(store, files, |batch| rows.push_batch(batch)).await?;
            rows.finish();
            vec![rows.to_batch()]
        }
    };
    write_file(store, PlacedFile { table, service, span_s: (first_s, last_s), level }, &rows).await
}

/// Merges the rows hour by hour, because all rows of a day would need much memory. Rows of different hours are never
/// equal, so the result is the same.
async fn merge_observations(
    store: &Store,
    (table, service): (FleetTable, &str),
    files: &[DataFile],
) -> Result<Vec<RecordBatch>, FileError> {
    let mut hours: BTreeMap<i64, Vec<&DataFile>> = BTreeMap::new();
    // If rows arrived late, there is already a file of the whole day. This file contains many hours, so all files
    // become one group.
    let has_day = files.iter().any(|file| file.level == Level::Day);
    for file in files {
        hours.entry(if has_day { 0 } else { hour_of(file.first_s) }).or_default().push(file);
    }
    let mut merged = Vec::new();
    for files in hours.values() {
        let mut rows = ObservationRows::new(table, service);
        for_each_batch(store, files.iter().copied(), |batch| rows.push_batch(batch)).await?;
        rows.finish();
        merged.push(rows.to_batch());
    }
    Ok(merged)
}

/// Reads one file after the other, so memory contains only the rows of one file and the result.
async fn for_each_batch<'a>(
    store: &Store,
    files: impl IntoIterator<Item = &'a DataFile>,
    mut push: impl FnMut(&RecordBatch) -> Result<(), FileError>,
) -> Result<(), FileError> {
    for file in files {
        read_file(store, &file.path).await?.iter().try_for_each(&mut push)?;
    }
    Ok(())
}

/// Commits `new` as the replacement of `old`. Returns false if another program has changed these files.
async fn replace(catalogue: &Catalogue, old: &[DataFile], new: DataFile) -> Result<bool, CatalogueError> {
    let is_old = |file: &DataFile| old.iter().any(|gone| gone.path == file.path);
    let committed = catalogue.commit(|newest| {
        let is_whole = newest.files.iter().filter(|file| is_old(file)).count() == old.len();
        is_whole.then(|| {
            let mut next = newest.clone();
            next.files.retain(|file| !is_old(file));
            next.files.push(new.clone());
            next
        })
    });
    Ok(committed.await?.is_some())
}
