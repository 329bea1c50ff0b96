//! The stacks that answers refer to. The nodes of each service stay in memory, by id.
//!
//! ```text
//! files of stacks ── read once ──> nodes of a service: id -> parent, frame ──┐
//!                             └──> code: functions and frames, each once     ├──> tables of an answer: only its
//!                                  for all services                         ─┘    stacks and their callers
//! ```
//!
//! Files never change, so the nodes are always valid. If the cache has too many nodes, the nodes of the least recently
//! queried service are removed. If two files give the same id to different stacks, the id is marked as ambiguous, and
//! no answer uses this id.

mod code;
mod nodes;
mod tree;

pub use nodes::ServiceStacks;
pub use tree::AnswerTree;

use crate::catalogue::DataFile;
use code::Code;
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use object_store::ObjectStoreExt;
use object_store::path::Path;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use whittle_experiment::{Store, StoreError};

/// Number of nodes to keep. Each node needs about 40 bytes.
const KEPT_NODES: usize = 16_000_000;

/// Number of rows to read at once.
const BATCH_ROWS: usize = 64 * 1024;

/// Stacks of services.
#[derive(Debug)]
pub struct StackCache {
    kept_nodes: usize,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    code: Arc<Code>,
    services: FxHashMap<String, Entry>,
    asked_count: u64,
}

#[derive(Debug, Default)]
struct Entry {
    stacks: Arc<ServiceStacks>,
    last_asked: u64,
}

/// Stacks of the services of an answer.
#[derive(Debug, Clone, Default)]
pub struct LoadedStacks {
    code: Arc<Code>,
    services: FxHashMap<String, Arc<ServiceStacks>>,
    /// Files that could not be read, each with the reason.
    pub damaged: Vec<String>,
}

impl Default for StackCache {
    fn default() -> Self {
        Self::new(KEPT_NODES)
    }
}

impl StackCache {
    /// A cache for `kept_nodes` nodes. The nodes for the current answer are always kept.
    pub fn new(kept_nodes: usize) -> Self {
        Self { kept_nodes, known: Mutex::default() }
    }

    /// Loads the stacks of `files`. Files that were read before are not read again.
    ///
    /// # Errors
    /// The store cannot be reached. A damaged file is not an error. The file is listed in `damaged`, and its stacks are
    /// missing.
    pub async fn load(&self, store: &Store, files: &[DataFile]) -> Result<LoadedStacks, StoreError> {
        let mut damaged = Vec::new();
        for file in files.iter().filter(|file| !self.has_read(file)) {
            let bytes = read(store, &file.path).await?;
            if let Err(reason) = self.add(file, bytes) {
                damaged.push(format!("{}: {reason}", file.path));
            }
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.asked_count += 1;
        let asked = known.asked_count;
        let mut loaded = LoadedStacks { code: Arc::clone(&known.code), damaged, ..LoadedStacks::default() };
        for file in files {
            if let Some(entry) = known.services.get_mut(&file.service) {
                entry.last_asked = asked;
                loaded.services.insert(file.service.clone(), Arc::clone(&entry.stacks));
            }
        }
        known.forget(self.kept_nodes, asked);
        Ok(loaded)
    }

    fn has_read(&self, file: &DataFile) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.services.get(&file.service).is_some_and(|entry| entry.stacks.has_read(&file.path))
    }

    fn add(&self, file: &DataFile, bytes: bytes::Bytes) -> Result<(), String> {
        // The Parquet library panics on some damaged files. This function converts such a panic to an error.
        let batches = catch_unwind(AssertUnwindSafe(|| batches(bytes)));
        let batches = batches.unwrap_or_else(|_| Err("the Parquet reader cannot read the file".to_owned()))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Known { code, services, .. } = &mut *known;
        let stacks = &mut services.entry(file.service.clone()).or_default().stacks;
        Arc::make_mut(stacks).add(&file.path, &batches, Arc::make_mut(code))
    }
}

impl Known {
    /// Removes services until there is enough space, first the least recently queried service. The requested services
    /// are kept.
    fn forget(&mut self, kept_nodes: usize, asked: u64) {
        let node_count = |known: &Self| known.services.values().map(|entry| entry.stacks.len()).sum::<usize>();
        while node_count(self) > kept_nodes {
            let oldest = self.services.iter().min_by_key(|(_, entry)| entry.last_asked);
            let Some((service, _)) = oldest.filter(|(_, entry)| entry.last_asked < asked) else { break };
            let service = service.clone();
            self.services.remove(&service);
        }
        // All services share the code, so the code is forgotten only together with all services.
        if self.code.len() > kept_nodes {
            *self = Self { asked_count: self.asked_count, ..Self::default() };
        }
    }
}

async fn read(store: &Store, path: &str) -> Result<bytes::Bytes, StoreError> {
    let refused = |error| store.refused(error);
    let path = Path::parse(path).map_err(|error| refused(error.into()))?;
    store.objects().get(&path).await.map_err(refused)?.bytes().await.map_err(refused)
}

/// Reads a file in batches. Text columns are stored as dictionaries and are read as dictionaries. So each name is
/// processed once per batch.
fn batches(bytes: bytes::Bytes) -> Result<Vec<datafusion::arrow::array::RecordBatch>, String> {
    let words = |error: &dyn std::error::Error| error.to_string();
    let options = ArrowReaderOptions::new().with_schema(nodes::schema());
    let reader =
        ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options).map_err(|error| words(&error))?;
    let reader = reader.with_batch_size(BATCH_ROWS).build().map_err(|error| words(&error))?;
    reader.collect::<Result<Vec<_>, _>>().map_err(|error| words(&error))
}

impl LoadedStacks {
    /// The stacks of a service. Missing: the store has no stacks of this service for the time range.
    pub fn service(&self, service: &str) -> Option<&Arc<ServiceStacks>> {
        self.services.get(service)
    }

    pub(crate) fn code(&self) -> &Code {
        &self.code
    }
}
