//! A query to the fleet. It selects observations in a time range and defines how rows are grouped. This module makes
//! the SQL and the list of files to read.
//!
//! ```text
//!          from                                            to
//!           ├──────┬───────────┬───────────┬───────────┬────┤
//!           samples   rollup      rollup      rollup    samples
//! ```
//!
//! `samples` and `rollup` hold the same observations, but the rollup has sums per hour and no threads. So queries read
//! whole hours from the rollup, and only incomplete hours at both ends from `samples`. Queries by thread or for less
//! than an hour read only `samples`.

mod filter;
mod time;

pub use filter::{LabelFilter, Whose};
pub(crate) use time::moment;
pub use time::{TimeError, TimeRange, parse_length, parse_moment};

use crate::catalogue::{DataFile, Snapshot};
use crate::tables::{FleetTable, HOUR_S, hour_of};
use whittle_model::EventKind;

/// How rows of an answer are grouped, in addition to stack and kind of observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Split {
    /// The service.
    Service,
    /// The machine.
    Host,
    /// The program's version.
    Version,
    /// The region of the machine.
    Region,
    /// The labels that have no separate column, as `name=value,name=value`.
    Labels,
    /// The thread's name. Only the table `samples` contains threads.
    Thread,
    /// Periods with this length in seconds, counted from 1970-01-01 UTC.
    Time(i64),
}

impl Split {
    /// The column of the answer that contains this grouping's values.
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

/// A query about observations.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    /// The selected observations.
    pub whose: Whose,
    /// The time range.
    pub time: TimeRange,
    /// How rows are grouped.
    pub split: Vec<Split>,
}

/// A query in SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The SQL text. It begins with `SELECT`.
    pub sql: String,
    /// The files that the query reads.
    pub files: Vec<DataFile>,
}

/// Columns of observations. One of these columns is the thread class. If a stack without Java frames is from a JVM
/// thread, the stack gets a different name.
const OBSERVED: [&str; 5] = ["thread_class", "event", "mode", "reason", "stack"];

/// The amounts that are added up.
const SUMS: &str = "SUM(\"count\") AS \"count\", SUM(duration_ns) AS duration_ns, SUM(bytes) AS bytes";

impl Question {
    /// Length of the periods in seconds, if rows are grouped by time. None: rows are not grouped by time.
    pub fn width_s(&self) -> Option<i64> {
        self.split.iter().find_map(|split| if let Split::Time(width_s) = split { Some(*width_s) } else { None })
    }

    /// Makes the SQL for the files of a snapshot: sums by stack, kind of observation and group.
    pub fn observations(&self, snapshot: &Snapshot) -> Asked {
        self.grouped(snapshot, &OBSERVED, None)
    }

    /// Makes the same SQL, for CPU time only.
    pub fn cpu_observations(&self, snapshot: &Snapshot) -> Asked {
        self.grouped(snapshot, &OBSERVED, Some(EventKind::Cpu))
    }

    /// Makes the SQL for sums by event and group, over all stacks.
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

    /// Makes the SQL that adds up the counters of all segments that began in the time range, by service, host, version,
    /// region and counter.
    pub fn counters(&self, snapshot: &Snapshot) -> Asked {
        let keys = "service, host, version, region, counter";
        let columns = "SUM(value) AS value, COUNT(*) AS segments, MIN(time_s) AS first_s, MAX(time_s) AS last_s";
        self.of_counters(snapshot, |condition| {
            format!("SELECT {keys}, {columns} FROM \"counters\" WHERE {condition} GROUP BY {keys}")
        })
    }

    /// Makes the SQL for the same sums by host, counter and start of the segment. Counters that describe a machine or
    /// the collection are left out.
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

    /// The files of `stacks` that an answer can refer to.
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

    /// The tables to read, each with its time ranges.
    fn parts(&self, snapshot: &Snapshot) -> Vec<Part> {
        let TimeRange { from_s, to_s } = self.time;
        let samples = |ranges| Part { table: FleetTable::Samples, ranges };
        if self.split.iter().any(|split| split.needs_samples()) {
            return vec![samples(vec![(from_s, to_s)])];
        }
        // If there are no observations after the end, the last hour counts as a whole hour.
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

    /// The earliest and latest second with samples of the services.
    pub(crate) fn known_time(&self, snapshot: &Snapshot) -> (i64, i64) {
        let is_asked = |file: &&DataFile| file.table == FleetTable::Samples && self.whose.has_service(&file.service);
        let files = || snapshot.files.iter().filter(is_asked);
        let first_s = files().map(|file| file.first_s).min().unwrap_or(i64::MIN);
        (first_s, files().map(|file| file.last_s).max().unwrap_or(i64::MAX))
    }

    /// The first and the last second with an observation of the services, in any time range. None: there are no
    /// observations.
    pub fn observed(&self, snapshot: &Snapshot) -> Option<(i64, i64)> {
        let known = self.known_time(snapshot);
        (known.0 <= known.1 && known.0 != i64::MIN).then_some(known)
    }

    /// Number of requested seconds between the first and the last observation of the services. The result is at least
    /// 1.
    pub fn covered_s(&self, snapshot: &Snapshot) -> i64 {
        self.time.covered_s(self.known_time(snapshot))
    }
}

/// A table to read, and its time ranges.
struct Part {
    table: FleetTable,
    /// Start and end of each range in seconds. Ends are exclusive.
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
