//! The experiments that can be asked, by number. A growing one is replaced while others ask: who has begun with the old
//! one ends with it. One that grows no more and can be loaded again stays in memory only while it is asked.

use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
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

/// Loads an experiment once more. The error says why it cannot.
pub type Reload = Box<dyn Fn() -> Result<Served, String> + Send + Sync>;

/// Of experiments that can be loaded again so many stay in memory, those asked last. A page asks one, or compares two.
const RELOADABLE_IN_MEMORY: usize = 2;

/// All experiments of a server. Numbers are never given twice.
#[derive(Default)]
pub struct Experiments {
    entries: RwLock<Vec<Entry>>,
    /// One is loaded at a time.
    loading: Mutex<()>,
    /// How often any was asked.
    asked_count: AtomicU64,
}

struct Entry {
    source: Source,
    /// Missing: it can be loaded again.
    served: Option<Served>,
    state: State,
    revision: u32,
    /// Missing: it stays in memory.
    reload: Option<Arc<Reload>>,
    /// The count at which it was asked last.
    last_asked: AtomicU64,
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
        let state = served.profile.manifest().state;
        let last_asked = AtomicU64::new(self.asked_count.fetch_add(1, Ordering::Relaxed));
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.push(Entry { source, served: Some(served), state, revision: 0, reload: None, last_asked });
        entries.len() - 1
    }

    /// Puts a newer reading in the place of an older one; gives its revision.
    pub fn replace(&self, number: usize, served: Served) -> Option<u32> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get_mut(number)?;
        entry.state = served.profile.manifest().state;
        let old = entry.served.replace(served);
        entry.revision += 1;
        let revision = entry.revision;
        // Freeing a large profile takes time; others need not wait for it.
        drop(entries);
        drop(old);
        Some(revision)
    }

    /// The experiment grows no more: from now on it may leave memory when others are asked.
    pub fn set_reload(&self, number: usize, reload: Reload) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get_mut(number) {
            entry.reload = Some(Arc::new(reload));
        }
        drop(entries);
        self.shrink();
    }

    /// The experiment with this number, loaded again if need be. None: there is none.
    ///
    /// # Errors
    /// Why it cannot be loaded again.
    pub(crate) fn get(&self, number: usize) -> Option<Result<Served, String>> {
        match self.known(number)? {
            (Some(served), _) => Some(Ok(served)),
            (None, reload) => {
                let _one_at_a_time = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
                // Others may have waited for the same one.
                if let (Some(served), _) = self.known(number)? {
                    return Some(Ok(served));
                }
                let loaded = reload.map_or_else(|| Err("it is not in memory".to_owned()), |reload| reload());
                if let Ok(served) = &loaded {
                    self.entries.write().unwrap_or_else(PoisonError::into_inner).get_mut(number)?.served =
                        Some(served.clone());
                    self.shrink();
                }
                Some(loaded)
            }
        }
    }

    /// What is known of an experiment, which counts as asked now.
    fn known(&self, number: usize) -> Option<(Option<Served>, Option<Arc<Reload>>)> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(number)?;
        entry.last_asked.store(self.asked_count.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some((entry.served.clone(), entry.reload.clone()))
    }

    /// Lets those go that can be loaded again and were not asked for longest.
    fn shrink(&self) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let mut reloadable: Vec<&mut Entry> =
            entries.iter_mut().filter(|entry| entry.reload.is_some() && entry.served.is_some()).collect();
        reloadable.sort_by_key(|entry| std::cmp::Reverse(entry.last_asked.load(Ordering::Relaxed)));
        let gone = reloadable.into_iter().skip(RELOADABLE_IN_MEMORY).map(|entry| entry.served.take());
        let gone: Vec<Option<Served>> = gone.collect();
        drop(entries);
        drop(gone);
    }

    pub(crate) fn list(&self) -> Vec<ListedExperiment> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let listed = entries.iter().enumerate().map(|(experiment, entry)| ListedExperiment {
            experiment,
            name: entry.source.name.clone(),
            path: entry.source.path.clone(),
            state: entry.state,
            revision: entry.revision,
            live: entry.source.live,
        });
        listed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use whittle_analysis::NoFiles;
    use whittle_testkit::experiment_from_text;

    fn served() -> Served {
        let (manifest, tables) = experiment_from_text("main");
        let profile = Profile::load(manifest, tables).expect("drawn experiments load");
        Served { profile: Arc::new(profile), code: Arc::new(NoFiles { reason: "a test" }) }
    }

    fn source(name: &str) -> Source {
        Source { name: name.to_owned(), path: format!("/{name}"), live: None }
    }

    #[test]
    fn what_can_be_loaded_again_leaves_memory_when_others_are_asked() {
        let experiments = Experiments::default();
        let loaded_count = Arc::new(AtomicUsize::new(0));
        let profiles: Vec<_> = (0..5)
            .map(|number| {
                let served = served();
                let profile = Arc::downgrade(&served.profile);
                assert_eq!(experiments.add(source("a"), served), number);
                if number > 0 {
                    let count = Arc::clone(&loaded_count);
                    let reload = move || {
                        count.fetch_add(1, Ordering::Relaxed);
                        Ok(self::served())
                    };
                    experiments.set_reload(number, Box::new(reload));
                }
                profile
            })
            .collect();
        let in_memory: Vec<bool> = profiles.iter().map(|profile| profile.strong_count() > 0).collect();
        assert_eq!(in_memory, [true, false, false, true, true]);
        for number in [1, 1, 4, 0, 1, 2] {
            assert!(experiments.get(number).is_some_and(|found| found.is_ok()));
        }
        assert_eq!(loaded_count.load(Ordering::Relaxed), 2);
        assert!(profiles[4].strong_count() == 0 || profiles[3].strong_count() == 0);
        assert_eq!(experiments.list().len(), 5);
        assert!(experiments.get(5).is_none());
    }

    #[test]
    fn one_whose_files_are_gone_says_so() {
        let experiments = Experiments::default();
        for number in 0..3 {
            experiments.add(source("a"), served());
            experiments.set_reload(number, Box::new(|| Err("no such directory".to_owned())));
        }
        assert_eq!(experiments.get(0).and_then(Result::err), Some("no such directory".to_owned()));
        assert!(experiments.get(2).is_some_and(|found| found.is_ok()));
    }
}
