//! The experiments that can be asked, by number. A growing one is replaced while others ask: who has begun with the old
//! one ends with it.

use serde::Serialize;
use std::sync::{Arc, PoisonError, RwLock};
use whittle_analysis::{CodeSource, Profile};
use whittle_model::State;

/// An experiment to serve.
#[derive(Clone)]
pub struct Served {
    /// The loaded experiment.
    pub profile: Arc<Profile>,
    /// Where the code of its functions is found.
    pub code: Arc<dyn CodeSource + Send + Sync>,
}

/// Where an experiment comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Short name for headings.
    pub name: String,
    /// Where it lies.
    pub path: String,
    /// The live collection that writes it. Missing: it was there before.
    pub live: Option<u32>,
}

/// All experiments of a server. Numbers are never given twice.
#[derive(Default)]
pub struct Experiments(RwLock<Vec<Entry>>);

struct Entry {
    source: Source,
    served: Served,
    revision: u32,
}

/// One line of the list that the page gets.
#[derive(Debug, Serialize)]
pub(crate) struct ListedExperiment {
    experiment: usize,
    name: String,
    path: String,
    state: State,
    revision: u32,
    live: Option<u32>,
}

impl Experiments {
    /// Adds an experiment; gives its number.
    pub fn add(&self, source: Source, served: Served) -> usize {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        entries.push(Entry { source, served, revision: 0 });
        entries.len() - 1
    }

    /// Puts a newer reading in the place of an older one; gives its revision.
    pub fn replace(&self, number: usize, served: Served) -> Option<u32> {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get_mut(number)?;
        let old = std::mem::replace(&mut entry.served, served);
        entry.revision += 1;
        let revision = entry.revision;
        // Freeing a large profile takes time; others need not wait for it.
        drop(entries);
        drop(old);
        Some(revision)
    }

    /// The experiment with this number.
    pub(crate) fn get(&self, number: usize) -> Option<Served> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        entries.get(number).map(|entry| entry.served.clone())
    }

    pub(crate) fn list(&self) -> Vec<ListedExperiment> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let listed = entries.iter().enumerate().map(|(experiment, entry)| ListedExperiment {
            experiment,
            name: entry.source.name.clone(),
            path: entry.source.path.clone(),
            state: entry.served.profile.manifest().state,
            revision: entry.revision,
            live: entry.source.live,
        });
        listed.collect()
    }
}
