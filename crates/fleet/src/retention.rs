//! Retention removes old days from the tables. It also deletes files that no snapshot names.

use crate::catalogue::{Catalogue, CatalogueError};
use crate::intake::Refusal;
use crate::tables::{DAY_S, day_of};
use object_store::ObjectMeta;
use rustc_hash::FxHashSet;

/// Minimum age of the unnamed files that are removed. A commit may be about to name a newer file, or a program may
/// still read the newer file.
const GRACE_S: i64 = 3600;

/// How long data is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionOptions {
    /// Number of days in the tables, including today.
    pub days: u32,
    /// Number of days to keep refused segments for inspection.
    pub refused_days: u32,
}

impl Default for RetentionOptions {
    fn default() -> Self {
        Self { days: 30, refused_days: 7 }
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

/// Removes old data at the time `now_s`, seconds since 1970-01-01 UTC.
///
/// # Errors
/// The store reports an error. Call again to continue.
pub async fn retain(catalogue: &Catalogue, options: RetentionOptions, now_s: i64) -> Result<Removed, CatalogueError> {
    let oldest_s = day_of(now_s) - i64::from(options.days.saturating_sub(1)) * DAY_S;
    let mut expired_count = 0;
    let committed = catalogue.commit(|newest| {
        let mut next = newest.clone();
        next.files.retain(|file| day_of(file.last_s) >= oldest_s);
        expired_count = (newest.files.len() - next.files.len()) as u64;
        (expired_count > 0).then_some(next)
    });
    committed.await?;
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
