//! The names of the fleet's tables, and their times.

use serde::{Deserialize, Serialize};

/// Seconds of an hour.
pub const HOUR_S: i64 = 3600;
/// Seconds of a day.
pub const DAY_S: i64 = 24 * HOUR_S;

/// Latest time in a snapshot, seconds since 1970-01-01 UTC. Segments have times in nanoseconds as unsigned 64-bit
/// numbers, so no time in the tables is later or negative.
pub(crate) const MAX_TIME_S: i64 = (u64::MAX / 1_000_000_000) as i64;

/// One of the fleet's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FleetTable {
    /// One row for each combination of second, labels, thread, stack and kind of observation.
    Samples,
    /// One row for each combination of hour, labels, stack and kind of observation.
    Rollup,
    /// One row per node of a service's stacks, which form a prefix tree.
    Stacks,
    /// One row per segment and counter.
    Counters,
}

/// All tables.
pub const FLEET_TABLES: [FleetTable; 4] =
    [FleetTable::Samples, FleetTable::Rollup, FleetTable::Stacks, FleetTable::Counters];

impl FleetTable {
    /// The table's name in SQL and in paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Rollup => "rollup",
            Self::Stacks => "stacks",
            Self::Counters => "counters",
        }
    }

    /// Whether the table's rows have a time. Otherwise the rows belong to a day.
    pub fn has_time(self) -> bool {
        self != Self::Stacks
    }

    /// The folder in the store that contains the table's files.
    pub fn folder(self) -> String {
        format!("tables/{}", self.name())
    }
}

/// Start of the hour that contains `time_s`.
pub fn hour_of(time_s: i64) -> i64 {
    time_s - time_s.rem_euclid(HOUR_S)
}

/// Start of the day (UTC) that contains `time_s`.
pub fn day_of(time_s: i64) -> i64 {
    time_s - time_s.rem_euclid(DAY_S)
}

/// Why a time is wrong.
pub(crate) fn check_time(time_s: i64) -> Result<(), String> {
    let is_valid = (0..=MAX_TIME_S).contains(&time_s);
    is_valid.then_some(()).ok_or_else(|| format!("{time_s} is not a time in seconds since 1970"))
}
