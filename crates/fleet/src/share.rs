//! Computes the share of one function over time, or by version, machine, region or service.
//!
//! ```text
//! 14:00   v1.4   12.1 %        one answer, grouped by time and, for example, by version. In each group:
//!         v1.5    3.4 %        the function's exclusive and inclusive value, divided by the group's total
//! 15:00   v1.4   12.0 %
//! ```

use crate::catalogue::Snapshot;
use crate::cost::{Cost, Price};
use crate::fleet::{Fleet, QueryError};
use crate::profile::without_jvm_threads;
use crate::question::{Question, TimeRange, moment};
use serde::Serialize;
use whittle_model::{Metric, Table, ThreadIndex};
use whittle_profile::{AnalysisError, FunctionShare, Parts, Profile, Query, ViewMode};
use whittle_render::layout::note_line;
use whittle_render::{DrawnCell, DrawnColumn, DrawnTable, Sheet, View};

/// A query for a function's share.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareQuestion {
    /// The observations, the time range and the grouping. [`Split::Time`](crate::question::Split::Time) divides the
    /// time range into periods.
    pub question: Question,
    /// The function's name as shown. A name without a signature selects all overloads.
    pub function: String,
    /// Which frames are shown.
    pub mode: ViewMode,
    /// The metric's name, such as `cpu` or `alloc_bytes`.
    pub metric: String,
}

/// The answer of [`Fleet::share`].
#[derive(Debug, Clone, Serialize)]
pub struct ShareView {
    /// The text `share`.
    pub view: &'static str,
    /// The function.
    pub function: String,
    /// The metric.
    pub metric: String,
    /// The observations, in words.
    pub whose: String,
    /// The requested time range, in words.
    pub time: String,
    /// Start of the first period, seconds since 1970-01-01 UTC.
    pub from_s: i64,
    /// End of the last period.
    pub to_s: i64,
    /// Length of a period in seconds.
    pub every_s: i64,
    /// The price of a core.
    #[serde(flatten)]
    pub price: Price,
    /// The rows, sorted by time, then by group.
    pub rows: Vec<ShareRow>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// The function's share in one period of one group, such as a version or machine.
#[derive(Debug, Clone, Serialize)]
pub struct ShareRow {
    /// Start of the period, seconds since 1970-01-01 UTC.
    pub from_s: i64,
    /// End of the period, exclusive.
    pub to_s: i64,
    /// Name of the group. It is `<all>` if rows are not grouped.
    pub part: String,
    /// The exclusive value, in the metric's unit.
    pub exclusive: f64,
    /// The inclusive value.
    pub inclusive: f64,
    /// The total of the group.
    pub total: f64,
    /// `exclusive` divided by `total`. Missing: the total is 0.
    pub exclusive_ratio: Option<f64>,
    /// `inclusive` divided by `total`. Missing: the total is 0.
    pub inclusive_ratio: Option<f64>,
    /// Cost of `inclusive`, if the metric is CPU time.
    pub inclusive_cost: Option<Cost>,
}

/// Maximum number of periods.
const MOST_PERIODS: i64 = 1000;
/// Maximum number of rows of an answer. Rows without observations also count, although they are removed later.
const MOST_ROWS: i64 = 1_000_000;

impl Fleet {
    /// The share of a function.
    ///
    /// # Errors
    /// See [`QueryError`]. An unknown function is an error, and too many periods are an error.
    pub async fn share(
        &self,
        snapshot: &Snapshot,
        asked: &ShareQuestion,
        price: Price,
    ) -> Result<ShareView, QueryError> {
        let mut question = asked.question.clone();
        let width_s = question.width_s();
        if let Some(width_s) = width_s {
            question.time = question.time.widened(width_s);
        }
        let width_s = width_s.unwrap_or_else(|| question.time.length_s()).max(1);
        let count = question.time.length_s() / width_s;
        let too_many = |most: i64| QueryError::TooManyPeriods { time: question.time.to_string(), count, most };
        if count > MOST_PERIODS {
            return Err(too_many(MOST_PERIODS));
        }
        let profile = self.ask(snapshot, &question).await?.into_profile()?;
        let parts = i64::try_from(profile.tables().threads.len()).unwrap_or(i64::MAX).max(1);
        let most = (MOST_ROWS / parts).max(1);
        if count > most {
            return Err(too_many(most));
        }
        let mut rows = rows(&profile, asked, (question.time, width_s))?;
        join_jvm_threads(&mut rows);
        let known = question.known_time(snapshot);
        let covered = |row: &ShareRow| TimeRange { from_s: row.from_s, to_s: row.to_s }.covered_s(known);
        if asked.metric == Metric::Cpu.name() {
            rows.iter_mut().for_each(|row| row.inclusive_cost = Some(price.cost(row.inclusive, covered(row))));
        }
        Ok(ShareView {
            view: "share",
            function: asked.function.clone(),
            metric: asked.metric.clone(),
            whose: question.whose.words(),
            time: question.time.to_string(),
            from_s: question.time.from_s,
            to_s: question.time.to_s,
            every_s: width_s,
            price,
            rows,
            notes: profile.notes().to_vec(),
        })
    }
}

/// The function's share in each period of each thread, sorted by time. Rows without observations are left out.
fn rows(
    profile: &Profile,
    asked: &ShareQuestion,
    (time, width_s): (TimeRange, i64),
) -> Result<Vec<ShareRow>, AnalysisError> {
    let names = &profile.tables().threads.name;
    let starts: Vec<i64> = (time.from_s..time.to_s).step_by(usize::try_from(width_s).unwrap_or(usize::MAX)).collect();
    let width_ns = u64::try_from(width_s.saturating_mul(1_000_000_000)).unwrap_or(u64::MAX).max(1);
    let part = |thread: ThreadIndex, time_ns: u64| {
        let period = usize::try_from(time_ns / width_ns).ok().filter(|period| *period < starts.len())?;
        Some(period * names.len() + thread.row())
    };
    let parts = Parts { count: starts.len() * names.len(), of: &part };
    let query = Query { mode: asked.mode, ..Query::default() };
    let shares = profile.function_by_part(&query, (&asked.function, &asked.metric), &parts)?;
    let row = |(part, share): (usize, FunctionShare)| {
        let from_s = starts[part / names.len()];
        ShareRow {
            from_s,
            to_s: from_s.saturating_add(width_s).min(time.to_s),
            part: without_jvm_threads(&names[part % names.len()]).to_owned(),
            exclusive: share.exclusive,
            inclusive: share.inclusive,
            total: share.total,
            exclusive_ratio: Some(share.exclusive / share.total),
            inclusive_ratio: Some(share.inclusive / share.total),
            inclusive_cost: None,
        }
    };
    Ok(shares.into_iter().enumerate().filter(|(_, share)| share.total > 0.0).map(row).collect())
}

/// Adds the JVM's own threads to their group. These threads were separate only because their stacks have a different
/// name.
fn join_jvm_threads(rows: &mut Vec<ShareRow>) {
    rows.dedup_by(|row, sum| {
        let is_same = (row.from_s, &row.part) == (sum.from_s, &sum.part);
        if is_same {
            sum.exclusive += row.exclusive;
            sum.inclusive += row.inclusive;
            sum.total += row.total;
            sum.exclusive_ratio = Some(sum.exclusive / sum.total);
            sum.inclusive_ratio = Some(sum.inclusive / sum.total);
        }
        is_same
    });
}

const COLUMNS: [DrawnColumn; 6] = [
    DrawnColumn { above: "exclusive", title: "%", field: "exclusive_ratio", is_number: true },
    DrawnColumn { above: "inclusive", title: "%", field: "inclusive_ratio", is_number: true },
    DrawnColumn { above: "inclusive", title: "cores", field: "inclusive_cores", is_number: true },
    DrawnColumn { above: "inclusive", title: "cost per year", field: "inclusive_cost_per_year", is_number: true },
    DrawnColumn { above: "", title: "from", field: "from_s", is_number: false },
    DrawnColumn { above: "", title: "of", field: "part", is_number: false },
];

impl View for ShareView {
    fn sheet(&self) -> Sheet {
        let percent = |ratio: Option<f64>| DrawnCell {
            raw: DrawnCell::number(ratio, 4).raw,
            ..DrawnCell::number(ratio.map(|ratio| ratio * 100.0), 2)
        };
        let row = |row: &ShareRow| {
            vec![
                percent(row.exclusive_ratio),
                percent(row.inclusive_ratio),
                DrawnCell::number(row.inclusive_cost.map(|cost| cost.cores), 3),
                DrawnCell::number(row.inclusive_cost.map(|cost| cost.cost_per_year), 0),
                DrawnCell { text: moment(row.from_s), raw: row.from_s.to_string() },
                DrawnCell::text(&row.part),
            ]
        };
        let heading = vec![
            format!("Share of {} in {}: {}, {} UTC", self.function, self.metric, self.whose, self.time),
            format!("Percentages refer to the total of the same period and group; {}", self.price.words()),
        ];
        let footer = self.notes.iter().map(|note| note_line(note)).collect();
        DrawnTable { heading, columns: COLUMNS.to_vec(), rows: self.rows.iter().map(row).collect(), footer }.into()
    }
}
