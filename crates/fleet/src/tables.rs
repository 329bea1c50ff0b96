//! The columns, files and names of the fleet's tables. The tables contain only text and signed integers, which every
//! engine can read.
//!
//! ```text
//! tables/samples/service=checkout/day=2026-11-22/<name>.parquet
//! tables/rollup/…     the same sums per hour, without threads
//! tables/stacks/…     the stacks that both tables refer to, as nodes of a prefix tree
//! tables/counters/…   amounts of one segment: covered time, exact CPU time, units of work
//! ```

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use object_store::path::Path;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};
use whittle_experiment::path_part;

/// Seconds of an hour.
pub const HOUR_S: i64 = 3600;
/// Seconds of a day.
pub const DAY_S: i64 = 24 * HOUR_S;

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

/// The columns of labels, in every table except `stacks`.
pub const LABEL_COLUMNS: [&str; 5] = ["service", "host", "version", "region", "labels"];

/// The columns that describe the kind of an observation. Experiments store codes, and these columns contain the names
/// of the codes.
const KIND_COLUMNS: [&str; 4] = ["event", "mode", "reason", "thread_class"];

/// The columns of amounts. Each amount has its unit.
pub const AMOUNT_COLUMNS: [&str; 3] = ["count", "duration_ns", "bytes"];

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

    /// The columns. `time_s` is in seconds since 1970-01-01 UTC. `stack` is an `id` in the table `stacks`, or 0 for the
    /// stack without frames. In `stacks`, `id` and `hash_high` are the lower and upper half of the stack's identity.
    pub fn schema(self) -> &'static SchemaRef {
        static SCHEMAS: LazyLock<[SchemaRef; 4]> = LazyLock::new(|| FLEET_TABLES.map(schema));
        &SCHEMAS[self as usize]
    }

    /// Whether the table's rows have a time. Otherwise the rows belong to a day.
    pub fn has_time(self) -> bool {
        self != Self::Stacks
    }

    /// The path of a file of the table. The file has this name.
    pub fn path(self, service: &str, day: &str, name: &str) -> Path {
        let path = format!("tables/{}/service={}/day={day}/{name}.parquet", self.name(), path_part(service));
        Path::parse(path).expect("parts of a path are plain and not empty")
    }
}

fn schema(table: FleetTable) -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let number = |name: &str| Field::new(name, DataType::Int64, false);
    let time_and_labels = || std::iter::once(number("time_s")).chain(LABEL_COLUMNS.map(text));
    let observation = || KIND_COLUMNS.map(text).into_iter().chain([number("stack")]).chain(AMOUNT_COLUMNS.map(number));
    let fields: Vec<Field> = match table {
        FleetTable::Samples => time_and_labels().chain([text("thread")]).chain(observation()).collect(),
        FleetTable::Rollup => time_and_labels().chain(observation()).collect(),
        FleetTable::Counters => {
            time_and_labels().chain([text("counter"), Field::new("value", DataType::Float64, false)]).collect()
        }
        FleetTable::Stacks => {
            let missing = |name: &str, data_type: DataType| Field::new(name, data_type, true);
            let mut fields = vec![text("service"), number("id"), number("hash_high"), number("parent")];
            fields.extend(["display_name", "internal_name", "function_kind", "binary", "binary_kind"].map(text));
            fields.extend([missing("source_file", DataType::Utf8), missing("first_line", DataType::Int64)]);
            fields.extend(["frame_kind", "reason"].map(text));
            fields.extend(["line", "bytecode_index"].map(|name| missing(name, DataType::Int64)));
            fields
        }
    };
    Arc::new(Schema::new(fields))
}

/// Start of the hour that contains `time_s`.
pub fn hour_of(time_s: i64) -> i64 {
    time_s - time_s.rem_euclid(HOUR_S)
}

/// Start of the day (UTC) that contains `time_s`.
pub fn day_of(time_s: i64) -> i64 {
    time_s - time_s.rem_euclid(DAY_S)
}
