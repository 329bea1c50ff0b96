//! What the slowest requests of a name did that the others did not: the kinds of time, the places in code, and the stops of the JVM.
//!
//! The kinds of time are exact. Samples distribute them over places, so each place has the number of its samples.

mod demand;
mod executes;
// Report files contain no wakes, which tell the holder.
#[cfg(not(target_arch = "wasm32"))]
mod holder;
mod places;
mod statements;
mod stops;
mod text;
mod traces;

use crate::requests::figures::RequestFigures;
use crate::requests::kinds::RequestTimeKind;
use crate::requests::slowest::places::places;
use crate::requests::slowest::statements::statements;
use crate::requests::slowest::stops::stops;
use crate::requests::slowest::text::summary;
use crate::requests::slowest::traces::traces;
use crate::requests::untimed_note;
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;
use whittle_model::RequestTable;
use whittle_profile::decimal::Decimal;
use whittle_profile::order::sort_by_key;
use whittle_profile::query::{Window, serialize_number};
use whittle_profile::{AnalysisError, Profile};

pub use places::PlaceDifference;
pub use statements::{NamedStatements, StatementDifference};
pub use stops::StopDifference;
pub(super) use text::{csv_sheet, text_sheets};
pub use traces::SlowTrace;

/// How many requests are the slowest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Slowest {
    /// A share of the requests, from 0 to 1.
    Share(f64),
    /// A number of requests.
    Count(u64),
}

impl FromStr for Slowest {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || AnalysisError::UnknownSlowest(text.to_owned());
        match text.strip_suffix('%') {
            Some(percent) => {
                let percent = Decimal::parse(percent.trim()).ok_or_else(unknown)?.as_f64();
                if percent > 0.0 && percent < 100.0 { Ok(Self::Share(percent / 100.0)) } else { Err(unknown()) }
            }
            None => text.parse().ok().filter(|count| *count > 0).map(Self::Count).ok_or_else(unknown),
        }
    }
}

impl fmt::Display for Slowest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The percentage as the user wrote it, without the error of the division.
            Self::Share(share) => write!(f, "{} %", (share * 1e8).round() / 1e6),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}

impl Slowest {
    fn count(self, all: u64) -> u64 {
        match self {
            Self::Share(share) => ((all as f64 * share).ceil() as u64).max(1),
            Self::Count(count) => count,
        }
    }
}

/// The slowest requests of a name, compared with the others of this name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SlowestRequests {
    /// The requested share or number: `1 %`, `20`.
    pub asked: String,
    /// The method and the path.
    pub name: String,
    /// The port on which the server listens.
    pub port: u32,
    /// The largest difference, as a sentence.
    pub summary: String,
    /// The slowest requests.
    pub slowest: RequestFigures,
    /// The other requests.
    pub others: RequestFigures,
    /// The mean length of the slowest requests minus that of the others.
    #[serde(serialize_with = "serialize_number")]
    pub longer_ns: f64,
    /// Differences of the kinds of time, the largest first. If the slowest requests wait longer for a CPU because they execute longer,
    /// executing comes first. Empty if the times of the slowest or of the others are unknown.
    pub kinds: Vec<KindDifference>,
    /// Number of places before the limit is applied.
    pub place_count: usize,
    /// Differences of places in code, the largest first.
    pub places: Vec<PlaceDifference>,
    /// The stops of the JVM. Missing if the JVM reported no stops.
    pub stops: Option<StopDifference>,
    /// The statements of JDBC. Missing if statements are not seen for these requests, or if there are none.
    #[cfg_attr(target_arch = "wasm32", serde(skip))]
    pub statements: Option<StatementDifference>,
    /// The traces of OpenTelemetry of the slowest requests, the longest first. Only the first ones are here.
    #[cfg_attr(target_arch = "wasm32", serde(skip))]
    pub traces: Vec<SlowTrace>,
}

/// The mean time per request of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KindDifference {
    /// The kind.
    pub kind: RequestTimeKind,
    /// The times.
    #[serde(flatten)]
    pub times: TimeDifference,
}

/// Mean times per request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeDifference {
    /// Mean time per slow request.
    pub slowest_ns: f64,
    /// Mean time per other request.
    pub others_ns: f64,
    /// The time of the slowest minus that of the others.
    pub difference_ns: f64,
}

impl SlowestRequests {
    /// Whose times are unknown.
    pub(super) fn notes(&self) -> Vec<String> {
        let sides = [("the slowest requests", &self.slowest), ("the others", &self.others)];
        sides
            .iter()
            .filter_map(|(words, figures)| untimed_note(figures).map(|note| format!("of {words}, {note}")))
            .collect()
    }
}

impl TimeDifference {
    fn new(slowest_ns: f64, others_ns: f64) -> Self {
        Self { slowest_ns, others_ns, difference_ns: slowest_ns - others_ns }
    }
}

/// The rows of the slowest requests, and of the others.
struct Split {
    slowest: Vec<usize>,
    others: Vec<usize>,
}

impl Split {
    /// A row is not divided, so there can be more of the slowest than requested.
    fn new(table: &RequestTable, mut rows: Vec<usize>, slowest: Slowest) -> Self {
        let count = |rows: &[usize]| rows.iter().fold(0_u64, |sum, row| sum.saturating_add(table.requests_count[*row]));
        let wanted = slowest.count(count(&rows));
        sort_by_key(&mut rows, |row| Reverse(table.length_ns(*row)));
        let mut before = 0_u64;
        let slow_rows = rows.iter().take_while(|row| {
            let is_slow = before < wanted;
            before = before.saturating_add(table.requests_count[**row]);
            is_slow
        });
        let slow_count = slow_rows.count();
        let others = rows.split_off(slow_count);
        Self { slowest: rows, others }
    }
}

impl Split {
    /// For each of the first `count` rows of the table: 0 if it is one of the slowest, 1 if it is one of the others.
    fn side_of_row(&self, count: usize) -> Vec<Option<usize>> {
        let mut side_of_row: Vec<Option<usize>> = vec![None; count];
        for (side, rows) in [&self.slowest, &self.others].into_iter().enumerate() {
            rows.iter().for_each(|row| side_of_row[*row] = Some(side));
        }
        side_of_row
    }
}

/// The requests of a name, and the time range that contains them.
pub(super) struct OfName<'a> {
    pub(super) name: &'a str,
    pub(super) port: u32,
    /// Rows of the table of requests.
    pub(super) rows: Vec<usize>,
    pub(super) range_ns: u64,
}

/// Compares the slowest requests of a name with its others. Missing if there are no others.
pub(super) fn slowest_requests(
    profile: &Profile,
    of_name: OfName<'_>,
    asked: Slowest,
    window: Window,
) -> Option<SlowestRequests> {
    let table = &profile.tables().requests;
    let split = Split::new(table, of_name.rows, asked);
    if split.slowest.is_empty() || split.others.is_empty() {
        return None;
    }
    let figures = |rows: &[usize]| RequestFigures::of_rows(table, rows, of_name.range_ns);
    let (slowest, others) = (figures(&split.slowest), figures(&split.others));
    let times = [slowest.times, others.times].map(Option::unwrap_or_default);
    let mut places = places(profile, &split, times);
    let place_count = places.len();
    window.cut(&mut places);
    let kinds = kinds(&slowest, &others);
    let longer_ns = slowest.mean_ns.unwrap_or(0.0) - others.mean_ns.unwrap_or(0.0);
    let more_ns: f64 = kinds.iter().map(|kind| kind.times.difference_ns.max(0.0)).sum();
    let mut view = SlowestRequests {
        asked: asked.to_string(),
        name: of_name.name.to_owned(),
        port: of_name.port,
        summary: String::new(),
        longer_ns,
        kinds,
        place_count,
        places,
        stops: stops(profile, &split, more_ns.max(longer_ns)),
        // Report files do not show them, and their code would make every report larger.
        statements: if cfg!(target_arch = "wasm32") {
            None
        } else {
            statements(profile, &split, [&slowest, &others], window)
        },
        traces: if cfg!(target_arch = "wasm32") { Vec::new() } else { traces(table, &split) },
        slowest,
        others,
    };
    view.summary = summary(&view);
    Some(view)
}

fn kinds(slowest: &RequestFigures, others: &RequestFigures) -> Vec<KindDifference> {
    let Some((slowest, others)) = slowest.times.zip(others.times) else { return Vec::new() };
    let times = |kind| TimeDifference::new(slowest.of(kind), others.of(kind));
    let mut kinds: Vec<KindDifference> =
        RequestTimeKind::ALL.into_iter().map(|kind| KindDifference { kind, times: times(kind) }).collect();
    demand::sort(&mut kinds);
    kinds
}
