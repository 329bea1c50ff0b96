//! Finds functions that became more expensive with a version or at some date. This module queries the fleet's tables.
//!
//! ```text
//! totals by host, version, period ──> periods, versions, who changed when ─┐
//! amounts by host, start ───────────> units of work ───────────────────────┼──> FleetCosts ──> analysis ──> view
//! sums by host, period, stack ──────> functions, some periods at a time ───┘
//! ```
//!
//! This module finds hosts, periods and functions. `whittle_verdict::regressions` decides what is a regression.
//! **Memory.** A service with 20,000 stacks on 30 machines has 14 million sums per day. So the module queries sums for
//! a few periods at a time, and converts them to functions immediately. Only one number for each function, host and
//! period stays in memory.

mod change;
mod functions;
mod seen;
mod text;
mod units;
mod view;

pub use crate::periods::{PeriodError, Periods};
pub use change::Role;
pub use view::{FleetRegressionsView, HostRow, RegressionRow, RoleCounts, StepRow, WordCount};

use crate::catalogue::Snapshot;
use crate::cost::Price;
use crate::fleet::{Fleet, QueryError};
use crate::question::{Question, Split, TimeRange, Whose};
use change::{Changed, changed};
use seen::Seen;
use view::Found;
use whittle_profile::{Flavour, ViewMode};
use whittle_verdict::regressions::{FleetCosts, HostCosts, Question as Limits, unknown_date, version_change};

/// Maximum number of table rows for one query. This also limits the number of sums. Each sum needs about 200 bytes.
const ROWS_AT_ONCE: u64 = 2_000_000;

/// The query.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionsQuestion {
    /// The observations: one service, and some of its hosts. Versions are not set here.
    pub whose: Whose,
    /// The time range.
    pub time: TimeRange,
    /// The kind of change to find.
    pub change: Change,
    /// Length of a period in seconds. Missing: the length depends on the time range.
    pub period_s: Option<i64>,
    /// Exclusive or inclusive costs of functions.
    pub flavour: Flavour,
    /// Which frames are shown.
    pub mode: ViewMode,
    /// Functions that the user chose before seeing results.
    pub watched: Vec<Watched>,
    /// The unit of work. Missing: the unit that most hosts report.
    pub unit: Option<String>,
    /// Limits of error, and the measure of costs. The field `watched` is ignored.
    pub limits: Limits,
    /// Maximum number of rows for each kind of change. Functions without a detected change are added until the answer
    /// has this number of rows. Missing: all rows.
    pub limit: Option<usize>,
}

/// The kind of change to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Some hosts changed version.
    Version {
        /// The old version. Missing: the version that appeared before the new one.
        from: Option<String>,
        /// The new version. Missing: the version that appeared last.
        to: Option<String>,
    },
    /// There was an unknown change at an unknown date.
    UnknownDate,
}

/// A choice of watched functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// A function with this name. A name without a signature selects all overloads.
    Function(String),
    /// All functions of a package and of the packages inside this package.
    Package(String),
}

impl Watched {
    fn is(&self, function: &str) -> bool {
        match self {
            Self::Function(name) => {
                function == name || function.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('('))
            }
            Self::Package(package) => whittle_verdict::regressions::domain_of(function).is_some_and(|own| {
                own == package || own.strip_prefix(package.as_str()).is_some_and(|rest| rest.starts_with('.'))
            }),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Function(name) => format!("function {name}"),
            Self::Package(name) => format!("a function of package {name}"),
        }
    }
}

impl Fleet {
    /// Finds the functions that changed.
    ///
    /// # Errors
    /// See [`QueryError`]. An unobserved version is an error, and a time range without a whole period is an error.
    pub async fn regressions(
        &self,
        snapshot: &Snapshot,
        asked: &RegressionsQuestion,
        price: Price,
    ) -> Result<FleetRegressionsView, QueryError> {
        let gathered = self.gather(snapshot, asked).await?;
        let Gathered { costs, asked_limits, .. } = &gathered;
        let mut view = match &asked.change {
            Change::Version { .. } => version_change(costs, asked_limits)?,
            Change::UnknownDate => unknown_date(costs, asked_limits)?,
        };
        // The row of each left-out host contains the reason, so the sentences do not repeat the reason.
        let left_out = std::mem::take(&mut view.left_out);
        let view = view.told_with(&|period| gathered.periods.name(period));
        Ok(Found { asked, gathered: &gathered, left_out, view, price }.into_view())
    }

    /// The costs for the analysis, and their origin.
    ///
    /// # Errors
    /// The same as for [`Fleet::regressions`].
    pub async fn fleet_costs(
        &self,
        snapshot: &Snapshot,
        asked: &RegressionsQuestion,
    ) -> Result<FleetCosts, QueryError> {
        Ok(self.gather(snapshot, asked).await?.costs)
    }

    async fn gather(&self, snapshot: &Snapshot, asked: &RegressionsQuestion) -> Result<Gathered, QueryError> {
        let question = Question { whose: asked.whose.clone(), time: asked.time, split: Vec::new() };
        if question.whose.services.len() != 1 {
            return Err(QueryError::OneService { whose: question.whose.words() });
        }
        self.check_services(snapshot, &question)?;
        let known = question.known_time(snapshot);
        if asked.time.from_s > known.1 || asked.time.to_s <= known.0 {
            return Err(crate::fleet::nothing_observed(snapshot, &question));
        }
        let (periods, mut notes) = Periods::choose(asked.time, known, asked.period_s)?;
        let split = vec![Split::Host, Split::Version, Split::Time(periods.width_s)];
        let mut question = Question { time: periods.time(), split, ..question };
        let totals = question.totals(snapshot);
        let seen = Seen::read(&self.rows(&totals.sql, &totals.files).await?, periods)?;
        if seen.is_empty() {
            return Err(crate::fleet::nothing_observed(snapshot, &question));
        }
        let changed = changed(&seen, asked)?;
        question.whose.versions = changed.versions_asked();
        let known = self.units(snapshot, (&question, periods), asked.unit.as_deref()).await?;
        let hosts: Vec<HostCosts> = changed
            .counted()
            .map(|(host, upgrade)| seen.host(host, upgrade, (|version| changed.compares(version), &known)))
            .collect();
        let (functions, more) = self.function_costs(snapshot, (&question, periods), (asked, &hosts)).await?;
        notes.extend(changed.notes());
        notes.extend(known.notes(&hosts));
        notes.extend(more);
        let costs = FleetCosts { period_count: periods.count, hosts, functions };
        let watched = costs.functions.iter().map(|function| function.name.as_str());
        let watched: Vec<String> =
            watched.filter(|name| asked.watched.iter().any(|it| it.is(name))).map(str::to_owned).collect();
        notes.extend(unseen(&asked.watched, &watched));
        let asked_limits = Limits { watched, ..asked.limits.clone() };
        Ok(Gathered { costs, asked_limits, periods, changed, versions: seen.versions, unit: known.name, notes })
    }
}

/// The input of the analysis, and information about its origin.
struct Gathered {
    costs: FleetCosts,
    asked_limits: Limits,
    periods: Periods,
    changed: Changed,
    /// Versions in order of appearance.
    versions: Vec<String>,
    unit: Option<String>,
    notes: Vec<String>,
}

fn unseen(asked: &[Watched], watched: &[String]) -> Vec<String> {
    let is_unseen = |asked: &&Watched| !watched.iter().any(|name| asked.is(name));
    asked.iter().filter(is_unseen).map(|asked| format!("{} was not observed", asked.words())).collect()
}
