//! When the JVM stopped all threads, and what its collector did: each kind of pause with its number, time and longest.
//!
//! The JVM reported these events, so their numbers and times are exact. Rows overlap: a pause of the collector is inside a
//! safepoint, and it has phases.

mod last_thread;
mod text;

use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use crate::fixed_order::{preamble, sort_field};
use crate::pause_figures::PauseFigures;
use crate::timeline::without_time;
use serde::Serialize;
use whittle_model::{JvmEvent, JvmEventKind, Table};
use whittle_profile::order::sort_by_key;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Preamble, Query};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::{AnalysisError, Profile};

pub use last_thread::SlowSafepoint;

/// The definition of this view. Its answer is [`PausesView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "pauses",
        answer: |on, asked| {
            keys::<NoKeys>(asked)?;
            Ok(Answered::view(pauses(on.profile, on.query)?))
        },
    },
    not_compared: Some("pauses of two versions are not compared: look at the pauses of each version"),
    command: Some(Command {
        orders: &["time", "count", "longest", "reaching", "name"],
        in_fleet: false,
        ..Command::table("When the JVM stopped all threads: safepoints, and pauses and phases of the collector")
    }),
};

/// The answer of [`pauses`](pauses()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PausesView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// Length of the time range: the filter's range, otherwise the whole experiment.
    pub range_ns: u64,
    /// All safepoints: the time in which all threads were stopped.
    pub stopped: PauseFigures,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows. They overlap.
    pub rows: Vec<PauseRow>,
    /// The safepoints for which the JVM waited longest, the longest first.
    pub slow_safepoints: Vec<SlowSafepoint>,
}

/// Events of the same kind and name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PauseRow {
    /// What the JVM did.
    pub kind: JvmEventKind,
    /// The JVM's name of it.
    pub name: String,
    /// The share of the time range. For events that can happen at the same time, this can be more than 1.
    pub ratio: Option<f64>,
    /// The values.
    #[serde(flatten)]
    pub figures: PauseFigures,
}

/// The words that `--sort` accepts, each with the field that decides the order.
const SORTS: [(&str, &str); 4] =
    [("time", "duration_ns"), ("count", "events_count"), ("longest", "longest_ns"), ("reaching", "reaching_ns")];

const NO_EVENTS: &str = "the JVM reported no pauses: `whittle collect` reads pauses of JDK 9 and newer";

const RANGE_ONLY: &str = "only the time range of the filter is used: a pause stops all threads";

const OVERLAP: &str = "rows overlap: a pause of the collector is inside a safepoint, and phases are inside a pause";

/// The table of pauses. `Query::sort` is one of `time`, `count`, `longest`, `reaching`, `name`. `Query::metrics` must be
/// missing.
///
/// # Errors
/// The order is unknown, columns are requested, or the filter contains an unknown name.
pub fn pauses(profile: &Profile, query: &Query) -> Result<PausesView, AnalysisError> {
    let sorted_by = sort_field(query, "pauses", &SORTS)?;
    let predicate = query.filter.as_ref().map(|filter| profile.predicate(filter, query.mode)).transpose()?;
    let (range, rest) = predicate.map_or((None, None), without_time);
    let (from_ns, to_ns) = range.unwrap_or((0, u64::MAX));
    let range = (from_ns, to_ns.min(profile.manifest().duration_ns));
    let range_ns = range.1.saturating_sub(range.0);
    let (stopped, groups) = groups(profile, range);
    let row = |((kind, name), figures): ((JvmEventKind, String), PauseFigures)| PauseRow {
        kind,
        name,
        ratio: (range_ns > 0).then(|| figures.duration_ns as f64 / range_ns as f64),
        figures,
    };
    let mut rows: Vec<PauseRow> = groups.into_iter().map(row).collect();
    let row_count = rows.len();
    let name = |row: &PauseRow| (row.name.clone(), row.kind as usize);
    match sorted_by {
        Some(field) => keep_largest(&mut rows, query.window(), |row| value(&row.figures, field), name),
        None => keep_first(&mut rows, query.window(), name),
    }
    sort_by_key(&mut rows, |row| row.kind as usize);
    let mut notes = Vec::new();
    notes.extend(rest.is_some().then(|| RANGE_ONLY.to_owned()));
    notes.push(if profile.tables().jvm_events.is_empty() { NO_EVENTS } else { OVERLAP }.to_owned());
    Ok(PausesView {
        preamble: Preamble { notes, ..preamble(profile, query, "pauses", sorted_by) },
        range_ns,
        stopped,
        row_count,
        rows,
        slow_safepoints: last_thread::slow_safepoints(profile, range),
    })
}

/// The events of a range.
fn events_in(profile: &Profile, (from_ns, to_ns): (u64, u64)) -> impl Iterator<Item = JvmEvent> + '_ {
    let events = &profile.tables().jvm_events;
    let is_inside = move |row: &usize| events.start_ns[*row] < to_ns && events.end_ns[*row] >= from_ns;
    (0..events.len()).filter(is_inside).map(|row| events.row(row))
}

type Groups = Vec<((JvmEventKind, String), PauseFigures)>;

/// All safepoints, and the events by kind and name.
fn groups(profile: &Profile, (from_ns, to_ns): (u64, u64)) -> (PauseFigures, Groups) {
    let mut groups: OrderedMap<(JvmEventKind, String), PauseFigures> = OrderedMap::default();
    let mut stopped = PauseFigures::default();
    for event in events_in(profile, (from_ns, to_ns)) {
        let figures = PauseFigures::of(&event, (from_ns, to_ns));
        if event.kind == JvmEventKind::Safepoint {
            stopped.add(figures);
        }
        groups.at((event.kind, event.name), PauseFigures::default).add(figures);
    }
    (stopped, groups.into_pairs())
}

/// The value that rows are sorted by.
fn value(figures: &PauseFigures, field: &str) -> f64 {
    let value = match field {
        "events_count" => figures.events_count,
        "longest_ns" => figures.longest_ns,
        "reaching_ns" => figures.reaching_ns,
        _ => figures.duration_ns,
    };
    value as f64
}
