//! The time of a store. The arrival times of segments and the ages of files come from the store, so they are compared
//! with the store's time. A wrong clock of this machine must not make data look old.

use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use std::time::{Duration, Instant};
use whittle_experiment::{Store, StoreError};

/// The object that is written to read the store's time.
const PATH: &str = "clock/now";

/// A clock that was set by a store.
#[derive(Debug, Clone, Copy)]
pub struct StoreClock {
    read_at: Instant,
    store_s: i64,
}

impl StoreClock {
    /// Writes a small object and reads when the store changed this object. In a directory, this is the time of the file
    /// system.
    ///
    /// # Errors
    /// The store reports an error.
    pub async fn read(store: &Store) -> Result<Self, StoreError> {
        let (path, refused) = (Path::from(PATH), |error| store.refused(error));
        store.objects().put(&path, PutPayload::from_static(b"whittle-fleet")).await.map_err(refused)?;
        let written = store.objects().head(&path).await.map_err(refused)?;
        Ok(Self { read_at: Instant::now(), store_s: written.last_modified.timestamp() })
    }

    /// The store's time in seconds since 1970-01-01 UTC. Between two readings, the time does not depend on the clock of
    /// this machine.
    pub fn now_s(&self) -> i64 {
        self.store_s.saturating_add(i64::try_from(self.age().as_secs()).unwrap_or(i64::MAX))
    }

    /// The time since the clock was read from the store.
    pub fn age(&self) -> Duration {
        self.read_at.elapsed()
    }
}
