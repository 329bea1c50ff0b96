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
use std::sync::{Arc, LazyLock};
use whittle_experiment::path_part;

pub use whittle_catalogue::{DAY_S, FLEET_TABLES, FleetTable, HOUR_S, day_of, hour_of};

/// The columns of labels, in every table except `stacks`.
pub const LABEL_COLUMNS: [&str; 5] = ["service", "host", "version", "region", "labels"];

/// The columns that describe the kind of an observation. Experiments store codes, and these columns contain the names
/// of the codes.
const KIND_COLUMNS: [&str; 4] = ["event", "mode", "reason", "thread_class"];

/// The columns of amounts. Each amount has its unit.
pub const AMOUNT_COLUMNS: [&str; 3] = ["count", "duration_ns", "bytes"];

/// The columns of a table. `time_s` is in seconds since 1970-01-01 UTC. `stack` is an `id` in the table `stacks`, or 0
/// for the stack without frames. In `stacks`, `id` and `hash_high` are the lower and upper half of the stack's identity.
pub fn schema_of(table: FleetTable) -> &'static SchemaRef {
    static SCHEMAS: LazyLock<[SchemaRef; 4]> = LazyLock::new(|| FLEET_TABLES.map(schema));
    &SCHEMAS[table as usize]
}

/// The path of a table's file. The file has this name.
pub fn path_of(table: FleetTable, service: &str, day: &str, name: &str) -> Path {
    let path = format!("{}/service={}/day={day}/{name}.parquet", table.folder(), path_part(service));
    Path::parse(path).expect("parts of a path are plain and not empty")
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
