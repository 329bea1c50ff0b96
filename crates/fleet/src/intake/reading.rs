//! Remembers which segments are being read. If a segment makes the program end, for example because the segment needs
//! all memory, the next starts read this segment alone, and finally refuse it.
//!
//! ```text
//! intake/reading.json   {"alone_count": 0, "segments": ["segments/…", "segments/…"]}
//! ```

use object_store::path::Path;
use object_store::{Error, ObjectStoreExt, PutPayload};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use whittle_experiment::{Store, StoreError};

/// The object with the segments that are being read.
const PATH: &str = "intake/reading.json";

/// If the program ended this often while it read one segment alone, the segment is refused. A program can also be
/// killed by chance, so one time is not enough.
pub(super) const MAX_ALONE: u32 = 2;

/// The segments that are being read.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Reading {
    /// How often these segments were read alone, including this time. 0: there are several segments.
    alone_count: u32,
    segments: BTreeSet<String>,
}

impl Reading {
    /// The segments that an earlier program was reading when it ended.
    pub(super) async fn left_behind(store: &Store) -> Result<Self, StoreError> {
        let found = match store.objects().get(&Path::from(PATH)).await {
            Ok(found) => found.bytes().await,
            Err(error) => Err(error),
        };
        match found {
            // After a power failure the object can be empty. Then all segments are read as usual.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(Error::NotFound { .. }) => Ok(Self::default()),
            Err(error) => Err(store.refused(error)),
        }
    }

    /// Whether the earlier program was reading this segment.
    pub(super) fn contains(&self, segment: &Path) -> bool {
        self.segments.contains(segment.as_ref())
    }

    /// How often a program ended while it read this segment alone.
    pub(super) fn alone_count(&self, segment: &Path) -> u32 {
        if self.contains(segment) { self.alone_count } else { 0 }
    }

    /// Writes that these segments are being read.
    pub(super) async fn begin(&self, store: &Store, segments: &[&Path]) -> Result<(), StoreError> {
        let alone_count = match segments {
            [] => return Ok(()),
            [alone] => self.alone_count(alone) + 1,
            [_, _, ..] => 0,
        };
        let reading = Self { alone_count, segments: segments.iter().map(ToString::to_string).collect() };
        let bytes = serde_json::to_vec(&reading).expect("numbers and text");
        let written = store.objects().put(&Path::from(PATH), PutPayload::from(bytes)).await;
        written.map(drop).map_err(|error| store.refused(error))
    }

    /// Writes that no segment is being read.
    pub(super) async fn end(store: &Store) -> Result<(), StoreError> {
        store.remove(vec![Path::from(PATH)]).await.map(drop)
    }
}
