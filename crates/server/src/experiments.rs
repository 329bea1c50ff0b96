//! The open experiments by number. A growing experiment can be replaced while requests use it. A request that began
//! with the old version uses this version until the end. A complete experiment is removed from memory if it is not in
//! use and can be loaded again.

use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use whittle_model::State;
use whittle_profile::Profile;
use whittle_views::source::CodeSource;

/// An experiment to serve.
#[derive(Clone)]
pub struct Served {
    /// The loaded experiment.
    pub profile: Arc<Profile>,
    /// Finds the code of the experiment's functions.
    pub code: Arc<dyn CodeSource + Send + Sync>,
}

/// The sides of a comparison of open experiments, as their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedNumbers {
    /// The baseline's runs.
    pub baseline: Vec<usize>,
    /// The candidate's runs.
    pub candidate: Vec<usize>,
}

/// The origin of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Short name for headings.
    pub name: String,
    /// Path of the experiment.
    pub path: String,
    /// The live collection that writes the experiment. Missing: the experiment is not from a live collection.
    pub live: Option<u32>,
    /// The experiment contains the files of its program, so the program can run again.
    pub keeps_program: bool,
    /// The compared experiments. Missing: the experiment is no comparison of open experiments.
    pub sides: Option<ComparedNumbers>,
}

/// Loads an experiment again. The error explains why the experiment could not be loaded.
pub type Reload = Box<dyn Fn() -> Result<Served, String> + Send + Sync>;

/// Maximum number of reloadable experiments in memory. Recently used experiments are kept. A page uses one experiment,
/// or compares two experiments.
const RELOADABLE_IN_MEMORY: usize = 2;

/// All experiments of a server. Numbers are never reused.
#[derive(Default)]
pub struct Experiments {
    entries: RwLock<Vec<Entry>>,
    /// Locked while an experiment is loaded, so only one experiment is loaded at a time.
    loading: Mutex<()>,
    /// Total number of uses of all experiments.
    asked_count: AtomicU64,
}

struct Entry {
    source: Source,
    /// The loaded experiment. Missing: the experiment must be loaded again.
    served: Option<Served>,
    state: State,
    revision: u32,
    /// Loads the experiment again. Missing: the experiment stays in memory.
    reload: Option<Arc<Reload>>,
    /// The value of `asked_count` when this experiment was last used.
    last_asked: AtomicU64,
}

/// One entry of the page's list.
#[derive(Debug, Serialize)]
pub(crate) struct ListedExperiment {
    experiment: usize,
    name: String,
    path: String,
    state: State,
    revision: u32,
    live: Option<u32>,
    keeps_program: bool,
    sides: Option<ComparedNumbers>,
}

impl Experiments {
    /// Adds an experiment and returns its number.
    pub fn add(&self, source: Source, served: Served) -> usize {
        let state = served.profile.manifest().state;
        let last_asked = AtomicU64::new(self.asked_count.fetch_add(1, Ordering::Relaxed));
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.push(Entry { source, served: Some(served), state, revision: 0, reload: None, last_asked });
        entries.len() - 1
    }

    /// Replaces an experiment with a newer version and returns the new revision.
    pub fn replace(&self, number: usize, served: Served) -> Option<u32> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get_mut(number)?;
        entry.state = served.profile.manifest().state;
        let old = entry.served.replace(served);
        entry.revision += 1;
        let revision = entry.revision;
        // Freeing a large profile takes time. The lock is released first, so other requests do not wait.
        drop(entries);
        drop(old);
        Some(revision)
    }

    /// Marks an experiment as complete. A complete experiment can be removed from memory when other experiments are
    /// used.
    pub fn set_reload(&self, number: usize, reload: Reload) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get_mut(number) {
            entry.reload = Some(Arc::new(reload));
        }
        drop(entries);
        self.shrink();
    }

    /// The origin of an experiment. Missing: the number is unknown.
    pub fn source(&self, number: usize) -> Option<Source> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.get(number).map(|entry| entry.source.clone())
    }

    /// The number of the comparison with these sides. Missing: they were not compared yet.
    pub fn comparison_of(&self, sides: &ComparedNumbers) -> Option<usize> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.iter().position(|entry| entry.source.sides.as_ref() == Some(sides))
    }

    /// The experiment with this number, loaded again if necessary. None: the number is unknown.
    ///
    /// # Errors
    /// Explains why the experiment could not be loaded again.
    pub(crate) fn get(&self, number: usize) -> Option<Result<Served, String>> {
        match self.known(number)? {
            (Some(served), _) => Some(Ok(served)),
            (None, reload) => {
                let _one_at_a_time = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
                // Another request may have loaded the experiment in the meantime.
                if let (Some(served), _) = self.known(number)? {
                    return Some(Ok(served));
                }
                let loaded =
                    reload.map_or_else(|| Err("the experiment is not in memory".to_owned()), |reload| reload());
                if let Ok(served) = &loaded {
                    self.entries.write().unwrap_or_else(PoisonError::into_inner).get_mut(number)?.served =
                        Some(served.clone());
                    self.shrink();
                }
                Some(loaded)
            }
        }
    }

    /// The state of an experiment. This call counts as a use of the experiment.
    fn known(&self, number: usize) -> Option<(Option<Served>, Option<Arc<Reload>>)> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(number)?;
        entry.last_asked.store(self.asked_count.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some((entry.served.clone(), entry.reload.clone()))
    }

    /// Removes reloadable experiments from memory, first the least recently used experiment.
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
            keeps_program: entry.source.keeps_program,
            sides: entry.source.sides.clone(),
        });
        listed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use whittle_testkit::experiment_from_text;
    use whittle_views::source::NoFiles;

    fn served() -> Served {
        let (manifest, tables) = experiment_from_text("main");
        let profile = Profile::load(manifest, tables).expect("drawn experiments load");
        Served { profile: Arc::new(profile), code: Arc::new(NoFiles { reason: "a test" }) }
    }

    fn source(name: &str) -> Source {
        Source { name: name.to_owned(), path: format!("/{name}"), live: None, keeps_program: false, sides: None }
    }

    #[test]
    fn comparisons_are_found_by_their_sides() {
        let experiments = Experiments::default();
        let sides =
            |baseline: usize, candidate| ComparedNumbers { baseline: vec![baseline], candidate: vec![candidate] };
        experiments.add(source("a"), served());
        experiments.add(source("b"), served());
        experiments.add(Source { sides: Some(sides(0, 1)), ..source("a and b") }, served());
        assert_eq!([sides(0, 1), sides(1, 0)].map(|sides| experiments.comparison_of(&sides)), [Some(2), None]);
        assert_eq!(experiments.source(1), Some(source("b")));
        assert_eq!(experiments.source(3), None);
        let listed = serde_json::to_value(experiments.list()).expect("JSON");
        assert_eq!(listed[2]["sides"], serde_json::json!({ "baseline": [0], "candidate": [1] }));
        assert_eq!(listed[1]["sides"], serde_json::Value::Null);
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
