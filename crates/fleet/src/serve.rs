//! Serves the fleet over HTTP, in the analyzer's server. The server answers queries for services, for the functions
//! with the highest cost and for shares. The page can also open the result of a query as an experiment. Then all views
//! of the analyzer can show this result.
//!
//! ```text
//! GET  /api/fleet/services?since=24h            each answer is the JSON object that whittle-fleet prints
//! GET  /api/fleet/top?since=24h&limit=50
//! GET  /api/fleet/share?function=A.f&every=1h&by=version
//! GET  /api/fleet/regressions?service=checkout&since=24h
//! GET  /api/fleet/saving?service=checkout&baseline_since=14d&baseline_until=7d&since=7d
//! POST /api/fleet/open  {"service": ["checkout"], "since": "1h"}  ->  {"experiment": 3, …}
//! ```

mod kept;
mod request;

use crate::catalogue::Snapshot;
use crate::cost::Price;
use crate::fleet::{Fleet, QueryError};
use crate::question::{Question, Split};
use crate::regressions::{PeriodError, RegressionsQuestion};
use crate::saving::SavingQuestion;
use crate::share::ShareQuestion;
use crate::top::TopView;
use kept::Kept;
use request::Asked;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use whittle_model::Metric;
use whittle_profile::{AnalysisError, Profile, Query};
use whittle_server::{Experiments, OtherError, OtherRequest, OtherRoutes, Served, Source};
use whittle_views::source::NoFiles;

/// The catalogue is read again after this time.
const SNAPSHOT_AGE: Duration = Duration::from_secs(2);
/// The current time is rounded down to a multiple of this length. So a query that is repeated soon gets the stored
/// answer.
const NOW_STEP_S: i64 = 10;

/// The routes of the fleet.
pub struct FleetRoutes {
    fleet: Arc<Fleet>,
    experiments: Arc<Experiments>,
    /// Executes the fleet's work, because the engine needs more than one thread.
    runtime: Handle,
    price: Price,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    snapshot: Option<(Instant, Arc<Snapshot>)>,
    /// JSON answers by snapshot, price and query.
    answers: Kept<(u64, Price, Wanted)>,
    /// The answer to the last query for top functions.
    top: Option<(TopKey, Arc<TopView>)>,
    /// The number of the experiment for an opened query, by snapshot and query.
    opened: FxHashMap<(u64, Opened), usize>,
}

/// A query. Its answer depends only on the query, the snapshot and the price.
#[derive(Debug, PartialEq)]
enum Wanted {
    Services(Question),
    Share(ShareQuestion),
    Regressions(Box<RegressionsQuestion>),
    Saving(SavingQuestion),
}

/// Snapshot, query, requested mode and order, and price.
type TopKey = (u64, Question, (Option<String>, Option<String>), Price);

/// The queries of an experiment: the query, and for a comparison also the baseline's query.
type Opened = (Question, Option<Question>);

impl FleetRoutes {
    /// The routes for a fleet. Opened queries are added to `experiments`. `runtime` executes the fleet's work.
    pub fn new(fleet: Arc<Fleet>, experiments: Arc<Experiments>, (runtime, price): (Handle, Price)) -> Self {
        Self { fleet, experiments, runtime, price, known: Mutex::default() }
    }

    /// Opens a query as an experiment. Returns the experiment's number.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn open(&self, question: Question, baseline: Option<Question>) -> Result<usize, QueryError> {
        let snapshot = self.snapshot()?;
        let key = (snapshot.version, (question, baseline));
        if let Some(number) = self.known().opened.get(&key) {
            return Ok(*number);
        }
        let opened = &key.1;
        let served = serve(self.runtime.block_on(answer(&self.fleet, &snapshot, opened))?);
        let source = Source { name: name(opened), path: String::new(), live: None, keeps_program: false, sides: None };
        let number = self.experiments.add(source, served);
        let (fleet, runtime, again) = (Arc::clone(&self.fleet), self.runtime.clone(), opened.clone());
        // A reload uses the snapshot that is valid at that time. Compaction does not change the observations.
        let reload = move || {
            let asked = async { answer(&fleet, &fleet.snapshot().await?, &again).await };
            runtime.block_on(asked).map(serve).map_err(|error| error.to_string())
        };
        self.experiments.set_reload(number, Box::new(reload));
        self.known().opened.insert(key, number);
        Ok(number)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The valid snapshot. The result can be up to [`SNAPSHOT_AGE`] old.
    fn snapshot(&self) -> Result<Arc<Snapshot>, QueryError> {
        if let Some((read, snapshot)) = &self.known().snapshot
            && read.elapsed() < SNAPSHOT_AGE
        {
            return Ok(Arc::clone(snapshot));
        }
        let snapshot = Arc::new(self.runtime.block_on(self.fleet.snapshot())?);
        let mut known = self.known();
        known.snapshot = Some((Instant::now(), Arc::clone(&snapshot)));
        // Experiments stay open. Only their assignment to queries is forgotten.
        known.opened.retain(|(version, _), _| *version == snapshot.version);
        Ok(snapshot)
    }

    fn get(&self, path: &str, query: &str) -> Result<String, OtherError> {
        let (asked, now_s) = (Asked::of_query(query)?, now_s());
        let price = asked.price().map_or(Ok(self.price), |price| price)?;
        let snapshot = self.snapshot().map_err(refusal)?;
        let wanted = match path {
            "services" => Wanted::Services(asked.question(now_s)?),
            "top" => return self.top(&snapshot, &asked, (asked.question(now_s)?, price)),
            "share" => Wanted::Share(asked.share(asked.question(now_s)?)?),
            "regressions" => Wanted::Regressions(Box::new(asked.regressions(now_s)?)),
            "saving" => Wanted::Saving(asked.saving(now_s)?),
            _ => return Err(OtherError::NotFound("there is nothing at this address".to_owned())),
        };
        let key = (snapshot.version, price, wanted);
        let known = self.known().answers.get(&key);
        if let Some(json) = known {
            return Ok(json);
        }
        let json = self.runtime.block_on(self.answer(&snapshot, (&key.2, price)))?;
        self.known().answers.put(key, json.clone());
        Ok(json)
    }

    async fn answer(&self, snapshot: &Snapshot, (wanted, price): (&Wanted, Price)) -> Result<String, OtherError> {
        match wanted {
            Wanted::Services(question) => to_json(&self.fleet.services(snapshot, question, price).await),
            Wanted::Share(asked) => to_json(&self.fleet.share(snapshot, asked, price).await),
            Wanted::Regressions(asked) => to_json(&self.fleet.regressions(snapshot, asked, price).await),
            Wanted::Saving(asked) => to_json(&self.fleet.saving(snapshot, asked, price).await),
        }
    }

    /// The functions with the highest cost, or the functions that match the search. All functions of the last query are
    /// kept, because the page repeats the query for each letter of a search.
    fn top(
        &self,
        snapshot: &Snapshot,
        asked: &Asked,
        (question, price): (Question, Price),
    ) -> Result<String, OtherError> {
        let query = asked.query()?;
        let limit = query.limit;
        let key = (snapshot.version, question, (asked.mode.clone(), asked.sort.clone()), price);
        let known = self.known().top.as_ref().filter(|(known, _)| *known == key).map(|(_, all)| Arc::clone(all));
        let all = match known {
            Some(all) => all,
            None => {
                let query = Query { limit: None, ..query };
                let all = self.runtime.block_on(self.fleet.top(snapshot, (&key.1, &query), price)).map_err(refusal)?;
                let all = Arc::new(all);
                self.known().top = Some((key, Arc::clone(&all)));
                all
            }
        };
        to_json(&Ok(all.some(asked.search.as_deref(), limit)))
    }

    fn post(&self, path: &str, body: &[u8]) -> Result<String, OtherError> {
        if path != "open" {
            return Err(OtherError::NotFound("there is nothing at this address".to_owned()));
        }
        let (asked, baseline) = Asked::of_body(body)?;
        let now_s = now_s();
        let question = asked.question(now_s)?;
        let baseline = baseline.map(|baseline| baseline.question(now_s)).transpose()?;
        let (whose, time) = (question.whose.words(), question.time);
        let name = name(&(question.clone(), baseline.clone()));
        let experiment = self.open(question, baseline).map_err(refusal)?;
        let answer = json!({
            "experiment": experiment, "name": name, "whose": whose, "time": time.to_string(),
            "from_s": time.from_s, "to_s": time.to_s
        });
        Ok(answer.to_string())
    }
}

impl OtherRoutes for FleetRoutes {
    fn prefix(&self) -> &'static str {
        "/api/fleet/"
    }

    fn answer(&self, request: OtherRequest<'_>) -> Result<String, OtherError> {
        if request.is_post { self.post(request.path, request.body) } else { self.get(request.path, request.query) }
    }
}

/// The answer to a query, or its comparison with the baseline's answer.
async fn answer(fleet: &Fleet, snapshot: &Snapshot, (question, baseline): &Opened) -> Result<Profile, QueryError> {
    let Some(baseline) = baseline else { return fleet.ask(snapshot, question).await?.into_profile() };
    let words = [baseline, question].map(words);
    let (first, second) = futures::try_join!(fleet.ask(snapshot, baseline), fleet.ask(snapshot, question))?;
    second.compared_with(first, [&words[0], &words[1]], (None, &[]))
}

fn serve(profile: Profile) -> Served {
    let reason = "the fleet stores no class files; to see code, collect on one machine (whittle collect)";
    Served { profile: Arc::new(profile), code: Arc::new(NoFiles { reason }) }
}

fn words(question: &Question) -> String {
    format!("{}, {}", question.whose.words(), question.time)
}

fn name((question, baseline): &Opened) -> String {
    match baseline {
        None => words(question),
        Some(baseline) => format!("{} \u{2192} {}", words(baseline), words(question)),
    }
}

fn to_json<T: Serialize>(answer: &Result<T, QueryError>) -> Result<String, OtherError> {
    match answer {
        Ok(answer) => serde_json::to_string(answer).map_err(|error| OtherError::Failed(error.to_string())),
        Err(error) => Err(refusal_of(error)),
    }
}

fn refusal(error: QueryError) -> OtherError {
    refusal_of(&error)
}

fn refusal_of(error: &QueryError) -> OtherError {
    let text = error.to_string();
    match error {
        QueryError::Empty { .. }
        | QueryError::NothingObserved { .. }
        | QueryError::UnknownService { .. }
        | QueryError::Versions { .. }
        | QueryError::Periods(PeriodError::None { .. }) => OtherError::NotFound(text),
        QueryError::Periods(PeriodError::TooMany { .. })
        | QueryError::TooManyPeriods { .. }
        | QueryError::Regressions(_)
        | QueryError::OneService { .. } => OtherError::BadRequest(text),
        QueryError::Analysis(
            AnalysisError::UnknownFunction { .. }
            | AnalysisError::HiddenFunction { .. }
            | AnalysisError::TransformedFunction { .. },
        ) => OtherError::NotFound(text),
        QueryError::Analysis(_) => OtherError::BadRequest(text),
        _ => OtherError::Failed(text),
    }
}

/// The current time in seconds since 1970, rounded down to a multiple of [`NOW_STEP_S`].
fn now_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_s = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    now_s - now_s.rem_euclid(NOW_STEP_S)
}

impl Asked {
    fn query(&self) -> Result<Query, OtherError> {
        let wrong = |error: &dyn std::fmt::Display| OtherError::BadRequest(error.to_string());
        Ok(Query {
            mode: self.mode.as_deref().unwrap_or("user").parse().map_err(|error| wrong(&error))?,
            sort: Some(self.sort.as_deref().unwrap_or("e.cpu").parse().map_err(|error: AnalysisError| wrong(&error))?),
            limit: Some(self.limit.unwrap_or(100)).filter(|limit| *limit > 0),
            ..Query::default()
        })
    }

    fn share(&self, question: Question) -> Result<ShareQuestion, OtherError> {
        let [function] = self.function.as_slice() else {
            return Err(OtherError::BadRequest("share needs exactly one function=NAME".to_owned()));
        };
        let function = function.clone();
        let mode = self.query()?.mode;
        Ok(ShareQuestion {
            question,
            function,
            mode,
            metric: self.metric.clone().unwrap_or_else(|| Metric::Cpu.name().to_owned()),
        })
    }

    fn price(&self) -> Option<Result<Price, OtherError>> {
        let wrong = || OtherError::BadRequest("price is not a number".to_owned());
        let price = self.price?;
        Some(if price.is_finite() { Ok(Price { per_core_hour: price }) } else { Err(wrong()) })
    }
}

impl Split {
    /// The split for a word in a request.
    fn of_word(word: &str) -> Option<Self> {
        let known = [Self::Service, Self::Host, Self::Version, Self::Region, Self::Thread];
        known.into_iter().find(|split| split.column() == word)
    }
}
