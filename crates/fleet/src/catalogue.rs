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

pub use whittle_catalogue::{DataFile, Level, Snapshot, Streams};

use object_store::ObjectStoreExt;
use object_store::path::Path;
use std::sync::Arc;
use thiserror::Error;
use whittle_experiment::{Store, StoreError};

/// The folder of snapshots.
const FOLDER: &str = "catalogue";

/// Number of snapshots to keep, because programs may still read old snapshots.
const KEPT_SNAPSHOTS: u64 = 16;

/// Largest snapshot in bytes. An entry of a file needs about 250 bytes, and a service has four files a day after
/// compaction, so this is enough for a thousand services during almost three years.
const MAX_SNAPSHOT_BYTES: u64 = 1 << 30;

/// Maximum number of attempts for a commit. An attempt fails if another program commits at the same time.
const TRIES: usize = 20;

/// The catalogue of a store.
#[derive(Debug, Clone)]
pub struct Catalogue {
    store: Arc<Store>,
}

/// Why the catalogue could not be read or written.
#[derive(Debug, Error)]
pub enum CatalogueError {
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A snapshot is damaged.
    #[error("{path}: the snapshot of the catalogue is damaged: {reason}")]
    Damaged {
        /// The snapshot.
        path: String,
        /// The problem.
        reason: String,
    },
    /// The next snapshot would be larger than the largest that can be read.
    #[error(
        "the catalogue is full: it would have more than {} MiB; keep fewer days (--keep-days), or use a store for each \
         group of services",
        MAX_SNAPSHOT_BYTES >> 20
    )]
    Full,
    /// Every attempt failed because other programs committed at the same time.
    #[error("other programs commit to this catalogue all the time; run only one intake per store")]
    Contended,
}

impl Catalogue {
    /// The catalogue of `store`.
    pub fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// The store with the tables.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The newest snapshot, or an empty snapshot if nothing was committed yet.
    ///
    /// # Errors
    /// See [`CatalogueError`].
    pub async fn newest(&self) -> Result<Snapshot, CatalogueError> {
        let versions = self.versions().await?;
        let Some(newest) = versions.into_iter().max() else { return Ok(Snapshot::default()) };
        let path = path_of(newest);
        let found = self.store.objects().get(&path).await.map_err(|error| self.store.refused(error))?;
        let damaged = |reason: String| CatalogueError::Damaged { path: path.to_string(), reason };
        if found.meta.size > MAX_SNAPSHOT_BYTES {
            return Err(damaged(format!(
                "it has {} MiB; the limit is {}",
                found.meta.size >> 20,
                MAX_SNAPSHOT_BYTES >> 20
            )));
        }
        let bytes = found.bytes().await.map_err(|error| self.store.refused(error))?;
        let snapshot = Snapshot::from_json(&bytes).map_err(|error| damaged(error.to_string()))?;
        if snapshot.version != newest {
            return Err(damaged(format!("it has the number {}", snapshot.version)));
        }
        Ok(snapshot)
    }

    /// Calls `change` with the newest snapshot, commits the result, and returns the committed snapshot. If another
    /// program commits in the meantime, `change` is called again. If `change` returns `None`, nothing is committed.
    ///
    /// # Errors
    /// See [`CatalogueError`].
    pub async fn commit(
        &self,
        mut change: impl FnMut(&Snapshot) -> Option<Snapshot>,
    ) -> Result<Option<Snapshot>, CatalogueError> {
        for _ in 0..TRIES {
            let newest = self.newest().await?;
            let Some(mut next) = change(&newest) else { return Ok(None) };
            next.version = newest.version + 1;
            let text = next.to_json();
            // A larger snapshot could not be read again. Retention can still make it smaller.
            if text.len() as u64 > MAX_SNAPSHOT_BYTES && next.files.len() >= newest.files.len() {
                return Err(CatalogueError::Full);
            }
            if self.store.create(&path_of(next.version), text).await? {
                self.forget_old(next.version).await;
                return Ok(Some(next));
            }
        }
        Err(CatalogueError::Contended)
    }

    async fn versions(&self) -> Result<Vec<u64>, CatalogueError> {
        let listed = self.store.list(FOLDER).await?;
        Ok(listed.iter().filter_map(|object| version_of(&object.location)).collect())
    }

    /// Removes snapshots that are too old. If an old snapshot cannot be removed, it does no harm.
    async fn forget_old(&self, newest: u64) {
        let Some(oldest) = newest.checked_sub(KEPT_SNAPSHOTS) else { return };
        let versions = self.versions().await.unwrap_or_default();
        let old = versions.into_iter().filter(|version| *version < oldest).map(path_of).collect();
        let _ = self.store.remove(old).await;
    }
}

fn path_of(version: u64) -> Path {
    Path::from(format!("{FOLDER}/{version:020}.json"))
}

fn version_of(path: &Path) -> Option<u64> {
    path.filename()?.strip_suffix(".json")?.parse().ok()
}
