//! Retention removes old days from the tables. It also deletes files that no snapshot names.
//!
//! A wrong clock or a wrong option must not delete a fleet's data. So the time must be the store's time (see
//! [`store_clock`](crate::store_clock)), and the user must confirm a removal of more than half of the tables.

use crate::catalogue::{Catalogue, CatalogueError, DataFile, Snapshot};
use crate::intake::Refusal;
use crate::question::moment;
use crate::tables::{DAY_S, day_of};
use object_store::ObjectMeta;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error;
use whittle_experiment::StoreError;

/// Minimum age of the unnamed files that are removed. A commit may be about to name a newer file, or a program may
/// still read the newer file.
const GRACE_S: i64 = 3600;

/// A removal of more than one part in this number of the tables' bytes needs a confirmation. Usually one day of about
/// thirty days is removed.
const CONFIRMED_PART: u64 = 2;

/// How long data is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionOptions {
    /// Number of days in the tables, including today.
    pub days: u32,
    /// Number of days to keep refused segments for inspection.
    pub refused_days: u32,
    /// The user has confirmed that old days can be more than half of the tables.
    pub is_confirmed: bool,
}

impl Default for RetentionOptions {
    fn default() -> Self {
        Self { days: 30, refused_days: 7, is_confirmed: false }
    }
}

/// Why old data could not be removed.
#[derive(Debug, Error)]
pub enum RetentionError {
    /// An error of the catalogue or of the store.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The removal needs a confirmation. Nothing was removed.
    #[error(
        "{0}; whittle removed nothing, because this is more than half of the tables; check the time and --keep-days; \
         if both are right, run the same command with --once --yes"
    )]
    TooMuch(Removal),
}

impl From<StoreError> for RetentionError {
    fn from(error: StoreError) -> Self {
        Self::Catalogue(error.into())
    }
}

/// Files that are too old, compared with all files of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// Number of days to keep.
    pub days: u32,
    /// The store's time, seconds since 1970-01-01 UTC.
    pub now_s: i64,
    /// Number of old files, and of all files.
    pub file_counts: [u64; 2],
    /// Size of the old files, and of all files.
    pub bytes: [u64; 2],
    /// Number of days that contain old files.
    pub day_count: usize,
}

impl Removal {
    fn of(snapshot: &Snapshot, is_old: impl Fn(&DataFile) -> bool, (days, now_s): (u32, i64)) -> Self {
        let old: Vec<&DataFile> = snapshot.files.iter().filter(|file| is_old(file)).collect();
        let bytes = [old.iter().map(|file| file.bytes).sum(), snapshot.files.iter().map(|file| file.bytes).sum()];
        let day_count = old.iter().map(|file| day_of(file.last_s)).collect::<BTreeSet<_>>().len();
        Self { days, now_s, file_counts: [old.len() as u64, snapshot.files.len() as u64], bytes, day_count }
    }

    /// Whether the user must confirm the removal. With `--keep-days 1` or 2, each usual removal is about half of the
    /// tables or more. So one day can always be removed if another day remains.
    fn needs_confirmation(&self) -> bool {
        let [old, all] = self.bytes;
        let [old_count, all_count] = self.file_counts;
        let is_one_of_several_days = self.day_count <= 1 && old_count < all_count;
        old_count > 0 && old > all / CONFIRMED_PART && !is_one_of_several_days
    }
}

impl fmt::Display for Removal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [old_count, all_count] = self.file_counts;
        let [old_mb, all_mb] = self.bytes.map(|bytes| bytes as f64 / 1e6);
        write!(
            formatter,
            "{old_count} of {all_count} files of the tables, {old_mb:.1} of {all_mb:.1} MB, are older than {} days; \
             the store's time is {} UTC",
            self.days,
            moment(self.now_s)
        )
    }
}

/// The result of one call of [`retain`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Files that were removed from the tables because of their age.
    pub expired_count: u64,
    /// Objects that were removed from the store.
    pub object_count: u64,
}

/// Removes old data. `now_s` is the store's time, seconds since 1970-01-01 UTC.
///
/// # Errors
/// The store reports an error: call again to continue. Or the removal needs a confirmation.
pub async fn retain(catalogue: &Catalogue, options: RetentionOptions, now_s: i64) -> Result<Removed, RetentionError> {
    let expired_count = expire(catalogue, options, now_s).await?;
    let snapshot = catalogue.newest().await?;
    let named: FxHashSet<&str> = snapshot.files.iter().map(|file| file.path.as_str()).collect();
    let is_rubbish =
        |object: &ObjectMeta| changed_s(object) < now_s - GRACE_S && !named.contains(object.location.as_ref());
    let mut object_count = remove(catalogue, "tables", is_rubbish).await?;
    let refused_s = now_s - i64::from(options.refused_days) * DAY_S;
    for refusal in Refusal::ALL {
        object_count += remove(catalogue, &refusal.folder(), |object| changed_s(object) < refused_s).await?;
    }
    Ok(Removed { expired_count, object_count })
}

/// Removes old files from the snapshot. Returns the number of these files.
async fn expire(catalogue: &Catalogue, options: RetentionOptions, now_s: i64) -> Result<u64, RetentionError> {
    let oldest_s = day_of(now_s) - i64::from(options.days.saturating_sub(1)) * DAY_S;
    let is_old = |file: &DataFile| day_of(file.last_s) < oldest_s;
    let mut refused = None;
    let mut expired_count = 0;
    let committed = catalogue.commit(|newest| {
        let removal = Removal::of(newest, is_old, (options.days, now_s));
        refused = (removal.needs_confirmation() && !options.is_confirmed).then_some(removal);
        expired_count = removal.file_counts[0];
        let mut next = newest.clone();
        next.files.retain(|file| !is_old(file));
        (expired_count > 0 && refused.is_none()).then_some(next)
    });
    committed.await?;
    refused.map_or(Ok(expired_count), |removal| Err(RetentionError::TooMuch(removal)))
}

fn changed_s(object: &ObjectMeta) -> i64 {
    object.last_modified.timestamp()
}

/// Removes the objects of a folder for which `is_old` is true. Returns the number of removed objects.
async fn remove(
    catalogue: &Catalogue,
    folder: &str,
    is_old: impl Fn(&ObjectMeta) -> bool,
) -> Result<u64, CatalogueError> {
    let store = catalogue.store();
    let old = store.list(folder).await?.into_iter().filter(is_old).map(|object| object.location).collect();
    Ok(store.remove(old).await?)
}
