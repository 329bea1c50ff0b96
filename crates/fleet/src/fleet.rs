//! A fleet that can be asked: its store, its catalogue, an engine, and the stacks in memory.

use crate::catalogue::{Catalogue, CatalogueError, DataFile, Snapshot};
use crate::engine::{Engine, EngineError, Rows};
use crate::profile::{Answer, Counted, ExactAmounts, Observed};
use crate::question::{Question, Split};
use crate::regressions::PeriodError;
use crate::stacks::{LoadedStacks, StackCache};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use thiserror::Error;
use whittle_analysis::compare::{Per, Rename, Run};
use whittle_analysis::regressions::RegressionsError;
use whittle_analysis::{AnalysisError, Profile};
use whittle_experiment::{Store, StoreError};
use whittle_model::{Manifest, Tables};

/// A fleet that can be asked.
pub struct Fleet {
    catalogue: Catalogue,
    engine: Box<dyn Engine>,
    stacks: StackCache,
}

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum QueryError {
    /// The store refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The catalogue cannot be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The engine refuses.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The answer does not make a profile, or a view has no answer.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The fleet has no such service.
    #[error("there is no service \"{service}\" in {store}; {known}")]
    UnknownService {
        /// The name.
        service: String,
        /// The store.
        store: String,
        /// What there is.
        known: String,
    },
    /// Nothing was observed.
    #[error("nothing was observed of {whose}, {time}; {known}")]
    NothingObserved {
        /// Whose observations were asked for.
        whose: String,
        /// The time asked for.
        time: String,
        /// What there is.
        known: String,
    },
    /// Versions cannot be compared.
    #[error("{reason}; of {whose}, {time}, {known}")]
    Versions {
        /// Whose observations were asked for.
        whose: String,
        /// The time asked for.
        time: String,
        /// Why.
        reason: String,
        /// What there is.
        known: String,
    },
    /// Functions of several services are not the same.
    #[error("regressions are of one service; asked for were those of {whose}")]
    OneService {
        /// Whose observations were asked for.
        whose: String,
    },
    /// The time asked for cannot be cut into periods.
    #[error(transparent)]
    Periods(#[from] PeriodError),
    /// A share is asked for in too short periods.
    #[error("{time} has {count} periods, at most {most} are shown; ask for longer ones (--every)")]
    TooManyPeriods {
        /// The time.
        time: String,
        /// How many there are.
        count: i64,
        /// How many there may be.
        most: i64,
    },
    /// Limits of error that make no sense.
    #[error(transparent)]
    Regressions(#[from] RegressionsError),
    /// The store holds nothing.
    #[error("{store} holds no tables; run the intake first: whittle-fleet intake --store {store}")]
    Empty {
        /// The store.
        store: String,
    },
}

/// An answer as an experiment, and what is to be known about it.
#[derive(Debug, Clone)]
pub struct Answered {
    /// Everything that is not a table.
    pub manifest: Manifest,
    /// The tables.
    pub tables: Tables,
    /// What is missing, one sentence each.
    pub notes: Vec<String>,
}

impl Fleet {
    /// The fleet in `store`, asked through `engine`.
    pub fn new(store: Arc<Store>, engine: Box<dyn Engine>) -> Self {
        Self { catalogue: Catalogue::new(store), engine, stacks: StackCache::default() }
    }

    /// Its store.
    pub fn store(&self) -> &Store {
        self.catalogue.store()
    }

    /// What holds now.
    ///
    /// # Errors
    /// The catalogue cannot be read, or nothing is in it.
    pub async fn snapshot(&self) -> Result<Snapshot, QueryError> {
        let snapshot = self.catalogue.newest().await?;
        let store = || self.store().location().to_owned();
        if snapshot.files.is_empty() { Err(QueryError::Empty { store: store() }) } else { Ok(snapshot) }
    }

    /// The rows of a text of our own.
    pub(crate) async fn rows(&self, sql: &str, files: &[DataFile]) -> Result<Rows, QueryError> {
        if files.is_empty() {
            return Ok(Rows::default());
        }
        Ok(self.engine.rows(sql, files).await?)
    }

    /// The sums of a question.
    ///
    /// # Errors
    /// See [`QueryError`]; nothing observed is one.
    pub async fn observed(&self, snapshot: &Snapshot, question: &Question) -> Result<Observed, QueryError> {
        self.check_services(snapshot, question)?;
        let asked = question.observations(snapshot);
        let rows = self.rows(&asked.sql, &asked.files).await?;
        let observed = Observed::read(question, &rows)?;
        if observed.is_empty() { Err(nothing_observed(snapshot, question)) } else { Ok(observed) }
    }

    /// The exact amounts of a question, by who they are of.
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

    /// The stacks that the answer to a question can point into.
    ///
    /// # Errors
    /// The store is away.
    pub async fn stacks(&self, snapshot: &Snapshot, question: &Question) -> Result<LoadedStacks, QueryError> {
        Ok(self.stacks.load(self.store(), &question.stack_files(snapshot)).await?)
    }

    /// The answer to a question, as an experiment. Of several services rows are told apart by service as well.
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
    /// The answer prepared for views.
    ///
    /// # Errors
    /// The tables do not fit together, which is a fault of this program.
    pub fn into_profile(self) -> Result<Profile, QueryError> {
        Ok(Profile::load(self.manifest, self.tables)?.with_notes(self.notes))
    }

    /// Compares with the answer to another question, which is the baseline.
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
        Ok(Profile::compare(vec![baseline], vec![candidate], (per, renames))?.with_notes(notes))
    }
}

/// Which service a stack belongs to must be known.
fn told_apart(question: &Question) -> Question {
    let mut question = question.clone();
    if question.whose.services.len() != 1 && !question.split.contains(&Split::Service) {
        question.split.insert(0, Split::Service);
    }
    question
}

/// What stacks are missing, one sentence each.
pub(crate) fn notes_of_stacks(stacks: &LoadedStacks) -> Vec<String> {
    let note = |reason: &String| format!("stacks are missing, shown as <truncated: missing_entry>: {reason}");
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
            "there are observations from {} to {} UTC: see --since and --until, and whittle-fleet services for versions \
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
