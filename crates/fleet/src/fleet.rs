//! A fleet for queries, with its store, its catalogue, an engine, and the stacks in memory.

use crate::catalogue::{Catalogue, CatalogueError, DataFile, Snapshot};
use crate::engine::{Engine, EngineError, Rows};
use crate::periods::PeriodError;
use crate::profile::{Answer, Counted, ExactAmounts, Observed};
use crate::question::{Question, Split};
use crate::stacks::{LoadedStacks, StackCache};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use thiserror::Error;
use whittle_experiment::{Store, StoreError};
use whittle_model::{Manifest, Tables};
use whittle_profile::compare::{Rename, Run};
use whittle_profile::sides::Per;
use whittle_profile::{AnalysisError, Profile};
use whittle_verdict::regressions::RegressionsError;

/// A fleet for queries.
pub struct Fleet {
    catalogue: Catalogue,
    engine: Box<dyn Engine>,
    stacks: StackCache,
}

/// Why a query has no answer.
#[derive(Debug, Error)]
pub enum QueryError {
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The catalogue cannot be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// An error of the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The answer is not a valid profile, or a view has no answer.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The fleet has no service with this name.
    #[error("{store} has no service \"{service}\"; {known}")]
    UnknownService {
        /// The requested name.
        service: String,
        /// The store.
        store: String,
        /// The services that exist.
        known: String,
    },
    /// No observation matches the query.
    #[error("there are no observations of {whose}, {time}; {known}")]
    NothingObserved {
        /// The requested observations.
        whose: String,
        /// The requested time range.
        time: String,
        /// The observations that exist.
        known: String,
    },
    /// The requested versions cannot be compared.
    #[error("{reason}; in {whose}, {time}, {known}")]
    Versions {
        /// The requested observations.
        whose: String,
        /// The requested time range.
        time: String,
        /// Why the versions cannot be compared.
        reason: String,
        /// The versions that exist.
        known: String,
    },
    /// Functions of several services cannot be compared, so a query must select one service.
    #[error("regressions are computed for one service only, but the query selects {whose}")]
    OneService {
        /// The requested observations.
        whose: String,
    },
    /// The requested time range cannot be divided into these periods.
    #[error(transparent)]
    Periods(#[from] PeriodError),
    /// The requested periods of a share are too short.
    #[error("{time} has {count} periods, but whittle shows at most {most}; choose longer periods (--every)")]
    TooManyPeriods {
        /// The time range.
        time: String,
        /// The number of periods.
        count: i64,
        /// The limit.
        most: i64,
    },
    /// The requested error limits are invalid.
    #[error(transparent)]
    Regressions(#[from] RegressionsError),
    /// The store has no tables.
    #[error("{store} contains no tables; run the intake first: whittle-fleet intake --store {store}")]
    Empty {
        /// The store.
        store: String,
    },
}

/// An answer as an experiment, with notes.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The part of the experiment that is not in tables.
    pub manifest: Manifest,
    /// The tables.
    pub tables: Tables,
    /// Notes about missing data. Each note is one sentence.
    pub notes: Vec<String>,
}

impl Fleet {
    /// The fleet in `store`, with queries through `engine`.
    pub fn new(store: Arc<Store>, engine: Box<dyn Engine>) -> Self {
        Self { catalogue: Catalogue::new(store), engine, stacks: StackCache::default() }
    }

    /// The store with the fleet's tables.
    pub fn store(&self) -> &Store {
        self.catalogue.store()
    }

    /// The valid snapshot.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is empty.
    pub async fn snapshot(&self) -> Result<Snapshot, QueryError> {
        let snapshot = self.catalogue.newest().await?;
        let store = || self.store().location().to_owned();
        if snapshot.files.is_empty() { Err(QueryError::Empty { store: store() }) } else { Ok(snapshot) }
    }

    /// Runs SQL that this crate generated, and returns the rows.
    pub(crate) async fn rows(&self, sql: &str, files: &[DataFile]) -> Result<Rows, QueryError> {
        if files.is_empty() {
            return Ok(Rows::default());
        }
        Ok(self.engine.rows(sql, files).await?)
    }

    /// The sums that answer a query.
    ///
    /// # Errors
    /// See [`QueryError`]. A query without observations is an error.
    pub async fn observed(&self, snapshot: &Snapshot, question: &Question) -> Result<Observed, QueryError> {
        self.check_services(snapshot, question)?;
        let asked = question.observations(snapshot);
        let rows = self.rows(&asked.sql, &asked.files).await?;
        let observed = Observed::read(question, &rows)?;
        if observed.is_empty() { Err(nothing_observed(snapshot, question)) } else { Ok(observed) }
    }

    /// The exact amounts that answer a query, by service, host and version.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub async fn exact(
        &self,
        snapshot: &Snapshot,
        question: &Question,
    ) -> Result<BTreeMap<Counted, ExactAmounts>, QueryError> {
        let asked = question.counters(snapshot);
        Ok(ExactAmounts::read(&self.rows(&asked.sql, &asked.files).await?)?)
    }

    /// The stacks that the answer to a query can contain.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn stacks(&self, snapshot: &Snapshot, question: &Question) -> Result<LoadedStacks, QueryError> {
        Ok(self.stacks.load(self.store(), &question.stack_files(snapshot)).await?)
    }

    /// The answer to a query, as an experiment. With several services, rows are also grouped by service.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub async fn ask(&self, snapshot: &Snapshot, question: &Question) -> Result<Answered, QueryError> {
        let question = &told_apart(question);
        let (observed, stacks, exact) = futures::try_join!(
            self.observed(snapshot, question),
            self.stacks(snapshot, question),
            self.exact(snapshot, question)
        )?;
        let exact = ExactAmounts::sum(exact.values());
        let notes = notes_of_stacks(&stacks);
        let answer = Answer { question, observed: &observed, stacks: &stacks, exact: &exact };
        let (manifest, tables) = answer.into_experiment();
        Ok(Answered { manifest, tables, notes })
    }

    pub(crate) fn check_services(&self, snapshot: &Snapshot, question: &Question) -> Result<(), QueryError> {
        let known = services(snapshot);
        let unknown = question.whose.services.iter().find(|service| !known.contains(service.as_str()));
        unknown.map_or(Ok(()), |service| {
            let known = format!("there are {}", some_of(known.iter().copied()));
            let store = self.store().location().to_owned();
            Err(QueryError::UnknownService { service: service.clone(), store, known })
        })
    }
}

impl Answered {
    /// Prepares the answer for views.
    ///
    /// # Errors
    /// The tables are inconsistent. This is a bug of this program.
    pub fn into_profile(self) -> Result<Profile, QueryError> {
        Ok(Profile::load(self.manifest, self.tables)?.with_notes(self.notes))
    }

    /// Compares this answer with a baseline. The baseline is the answer to another query.
    ///
    /// # Errors
    /// See [`Profile::compare`].
    pub fn compared_with(
        self,
        baseline: Self,
        names: [&str; 2],
        (per, renames): (Option<Per>, &[Rename]),
    ) -> Result<Profile, QueryError> {
        let notes = [baseline.notes.as_slice(), &self.notes].concat();
        let run = |name: &str, answered: Self| Run {
            name: name.to_owned(),
            manifest: answered.manifest,
            tables: answered.tables,
        };
        let (baseline, candidate) = (run(names[0], baseline), run(names[1], self));
        Ok(whittle_profile::compare::compare(vec![baseline], vec![candidate], (per, renames))?.with_notes(notes))
    }
}

/// Returns the query, grouped also by service if the query selects several services. Stacks are looked up by service.
fn told_apart(question: &Question) -> Question {
    let mut question = question.clone();
    if question.whose.services.len() != 1 && !question.split.contains(&Split::Service) {
        question.split.insert(0, Split::Service);
    }
    question
}

/// Notes about missing stacks. Each note is one sentence.
pub(crate) fn notes_of_stacks(stacks: &LoadedStacks) -> Vec<String> {
    let note = |reason: &String| format!("stacks are missing and are shown as <truncated: missing_entry>: {reason}");
    stacks.damaged.iter().map(note).collect()
}

/// All services of a snapshot.
pub(crate) fn services(snapshot: &Snapshot) -> BTreeSet<&str> {
    snapshot.files.iter().map(|file| file.service.as_str()).collect()
}

pub(crate) fn nothing_observed(snapshot: &Snapshot, question: &Question) -> QueryError {
    use crate::question::moment;
    use crate::tables::FleetTable;
    let files = || {
        let samples = snapshot.files.iter().filter(|file| file.table == FleetTable::Samples);
        samples.filter(|file| question.whose.has_service(&file.service))
    };
    let first = files().map(|file| file.first_s).min().unwrap_or(0);
    let last = files().map(|file| file.last_s).max().unwrap_or(0);
    QueryError::NothingObserved {
        whose: question.whose.words(),
        time: question.time.to_string(),
        known: format!(
            "there are observations from {} to {} UTC: set --since and --until; whittle-fleet services lists versions \
             and hosts",
            moment(first),
            moment(last)
        ),
    }
}

/// The first few names.
fn some_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 10;
    let names: Vec<&str> = names.collect();
    let more = names.len().saturating_sub(SHOWN);
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if more > 0 { format!("{shown} and {more} more (whittle-fleet services)") } else { shown }
}
