//! What is asked of the fleet: whose observations, of which time, told apart by what; and the SQL and the files for it.
//!
//! ```text
//!          from                                            to
//!           ├──────┬───────────┬───────────┬───────────┬────┤
//!           samples   rollup      rollup      rollup    samples
//! ```
//!
//! `samples` and `rollup` hold the same observations, the rollup by the hour and without threads. So whole hours come from
//! the rollup, and only the edges from samples. Who asks for threads or for less than an hour gets samples alone.

mod filter;
mod time;

pub use filter::{LabelFilter, Whose};
pub(crate) use time::moment;
pub use time::{TimeError, TimeRange, parse_length, parse_moment};

use crate::catalogue::{DataFile, Snapshot};
use crate::tables::{FleetTable, HOUR_S, hour_of};
use whittle_model::EventKind;

/// What rows of an answer are told apart by, besides stack and kind of observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Split {
    /// The service.
    Service,
    /// The machine.
    Host,
    /// The program's version.
    Version,
    /// Where the machine is.
    Region,
    /// The labels that have no column of their own, as `name=value,name=value`.
    Labels,
    /// The thread's name; only `samples` know it.
    Thread,
    /// Periods of so many seconds, counted from 1970-01-01 UTC.
    Time(i64),
}

impl Split {
    /// The column of the answer.
    pub fn column(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Host => "host",
            Self::Version => "version",
            Self::Region => "region",
            Self::Labels => "labels",
            Self::Thread => "thread",
            Self::Time(_) => "bucket",
        }
    }

    fn expression(self) -> String {
        match self {
            Self::Time(width_s) => format!("time_s / {} AS bucket", width_s.max(1)),
            _ => self.column().to_owned(),
        }
    }

    fn needs_samples(self) -> bool {
        match self {
            Self::Thread => true,
            Self::Time(width_s) => width_s % HOUR_S != 0,
            _ => false,
        }
    }
}

/// A question about observations.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    /// Whose observations.
    pub whose: Whose,
    /// Of which time.
    pub time: TimeRange,
    /// What rows are told apart by.
    pub split: Vec<Split>,
}

/// A question in the engine's language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The text; it begins with `SELECT`.
    pub sql: String,
    /// The files that it is over.
    pub files: Vec<DataFile>,
}

/// Columns of observations; stacks without Java are named differently in the JVM's own threads.
const OBSERVED: [&str; 5] = ["thread_class", "event", "mode", "reason", "stack"];

/// The amounts that are added up.
const SUMS: &str = "SUM(\"count\") AS \"count\", SUM(duration_ns) AS duration_ns, SUM(bytes) AS bytes";

impl Question {
    /// Length in seconds of the periods that rows are told apart by. None: they are not.
    pub fn width_s(&self) -> Option<i64> {
        self.split.iter().find_map(|split| if let Split::Time(width_s) = split { Some(*width_s) } else { None })
    }

    /// The question for the files of a snapshot: sums by stack and kind of observation and what rows are told apart by.
    pub fn observations(&self, snapshot: &Snapshot) -> Asked {
        self.grouped(snapshot, &OBSERVED, None)
    }

    /// The same of CPU time alone.
    pub fn cpu_observations(&self, snapshot: &Snapshot) -> Asked {
        self.grouped(snapshot, &OBSERVED, Some(EventKind::Cpu))
    }

    /// Sums by event and what rows are told apart by, whatever the stack.
    pub fn totals(&self, snapshot: &Snapshot) -> Asked {
        self.grouped(snapshot, &["event"], None)
    }

    fn grouped(&self, snapshot: &Snapshot, kinds: &[&str], event: Option<EventKind>) -> Asked {
        let inner: Vec<String> = self.split.iter().map(|split| split.expression()).collect();
        let outer: Vec<&str> = self.split.iter().map(|split| split.column()).collect();
        let keys = [outer, kinds.to_vec()].concat().join(", ");
        let columns =
            inner.into_iter().chain(kinds.iter().map(|kind| (*kind).to_owned())).collect::<Vec<_>>().join(", ");
        let event = event.map_or_else(String::new, |event| format!(" AND event = '{}'", event.name()));
        let parts = self.parts(snapshot);
        let select = |part: &Part| {
            let (table, condition) = (part.table.name(), self.whose.condition(&time_condition(&part.ranges)));
            format!("SELECT {columns}, \"count\", duration_ns, bytes FROM \"{table}\" WHERE {condition}{event}")
        };
        let selects: Vec<String> = parts.iter().map(select).collect();
        let from = selects.join("\nUNION ALL\n");
        let sql = format!("SELECT {keys}, {SUMS} FROM (\n{from}\n) AS observations GROUP BY {keys}");
        let files = parts.into_iter().flat_map(|part| self.files(snapshot, part)).collect();
        Asked { sql, files }
    }

    /// The sums of amounts of segments that began in the time, by service, host, version, region and counter.
    pub fn counters(&self, snapshot: &Snapshot) -> Asked {
        let keys = "service, host, version, region, counter";
        let columns = "SUM(value) AS value, COUNT(*) AS segments, MIN(time_s) AS first_s, MAX(time_s) AS last_s";
        self.of_counters(snapshot, |condition| {
            format!("SELECT {keys}, {columns} FROM \"counters\" WHERE {condition} GROUP BY {keys}")
        })
    }

    /// The same by host, counter and start, without what is only of a machine or of the collection.
    pub fn counters_by_start(&self, snapshot: &Snapshot) -> Asked {
        let (keys, columns) = ("host, counter, time_s", "SUM(value) AS value, COUNT(*) AS segments");
        let others = "counter NOT IN ('cpu_ns', 'cpu_count') AND counter NOT LIKE 'lost\\_%' ESCAPE '\\'";
        self.of_counters(snapshot, |condition| {
            format!("SELECT {keys}, {columns} FROM \"counters\" WHERE {condition} AND {others} GROUP BY {keys}")
        })
    }

    fn of_counters(&self, snapshot: &Snapshot, sql: impl FnOnce(&str) -> String) -> Asked {
        let ranges = vec![(self.time.from_s, self.time.to_s)];
        let sql = sql(&self.whose.condition(&time_condition(&ranges)));
        Asked { sql, files: self.files(snapshot, Part { table: FleetTable::Counters, ranges }) }
    }

    /// The files of stacks that an answer can point into.
    pub fn stack_files(&self, snapshot: &Snapshot) -> Vec<DataFile> {
        let range = (self.time.from_s, self.time.to_s);
        self.files(snapshot, Part { table: FleetTable::Stacks, ranges: vec![range] })
    }

    fn files(&self, snapshot: &Snapshot, part: Part) -> Vec<DataFile> {
        let is_in = |file: &&DataFile| part.ranges.iter().any(|(from_s, to_s)| file_touches(file, (*from_s, *to_s)));
        let files =
            snapshot.files.iter().filter(|file| file.table == part.table && self.whose.has_service(&file.service));
        files.filter(is_in).cloned().collect()
    }

    /// Which table answers for which time.
    fn parts(&self, snapshot: &Snapshot) -> Vec<Part> {
        let TimeRange { from_s, to_s } = self.time;
        let samples = |ranges| Part { table: FleetTable::Samples, ranges };
        if self.split.iter().any(|split| split.needs_samples()) {
            return vec![samples(vec![(from_s, to_s)])];
        }
        // Where nothing lies beyond the time, an hour that it ends in is a whole one.
        let (first_s, last_s) = self.known_time(snapshot);
        let first_hour = if from_s <= first_s { hour_of(from_s) } else { hour_of(from_s - 1) + HOUR_S };
        let last_hour = if to_s > last_s { hour_of(to_s - 1) + HOUR_S } else { hour_of(to_s) };
        if first_hour >= last_hour {
            return vec![samples(vec![(from_s, to_s)])];
        }
        let edges = [(from_s, first_hour), (last_hour, to_s)];
        let edges: Vec<(i64, i64)> = edges.into_iter().filter(|(from_s, to_s)| from_s < to_s).collect();
        let mut parts = vec![Part { table: FleetTable::Rollup, ranges: vec![(first_hour, last_hour)] }];
        if !edges.is_empty() {
            parts.push(samples(edges));
        }
        parts
    }

    /// Earliest and latest second of the samples of the services.
    pub(crate) fn known_time(&self, snapshot: &Snapshot) -> (i64, i64) {
        let is_asked = |file: &&DataFile| file.table == FleetTable::Samples && self.whose.has_service(&file.service);
        let files = || snapshot.files.iter().filter(is_asked);
        let first_s = files().map(|file| file.first_s).min().unwrap_or(i64::MIN);
        (first_s, files().map(|file| file.last_s).max().unwrap_or(i64::MAX))
    }

    /// The first and the last second in which anything was observed of the services, whatever the time asked for. None: never.
    pub fn observed(&self, snapshot: &Snapshot) -> Option<(i64, i64)> {
        let known = self.known_time(snapshot);
        (known.0 <= known.1 && known.0 != i64::MIN).then_some(known)
    }

    /// How many of the asked seconds lie between the first and the last observation of the services; at least 1.
    pub fn covered_s(&self, snapshot: &Snapshot) -> i64 {
        self.time.covered_s(self.known_time(snapshot))
    }
}

/// A table, and the times of which it answers.
struct Part {
    table: FleetTable,
    /// Starts and ends in seconds; the ends are out.
    ranges: Vec<(i64, i64)>,
}

fn file_touches(file: &DataFile, (from_s, to_s): (i64, i64)) -> bool {
    let from_s = if file.table.has_time() { from_s } else { crate::tables::day_of(from_s) };
    file.first_s < to_s && file.last_s >= from_s
}

fn time_condition(ranges: &[(i64, i64)]) -> String {
    let range = |(from_s, to_s): &(i64, i64)| format!("time_s >= {from_s} AND time_s < {to_s}");
    match ranges {
        [one] => range(one),
        several => several.iter().map(|one| format!("({})", range(one))).collect::<Vec<_>>().join(" OR "),
    }
}

#[cfg(test)]
mod tests;
