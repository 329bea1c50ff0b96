//! The snapshots of a fleet's catalogue: which files the fleet's tables have, and which segments these files contain.
//! Whoever can write to the store can write a snapshot, so a snapshot is checked when it is read.

mod snapshot;
mod streams;
mod table;

pub use snapshot::{DataFile, Level, Snapshot, SnapshotError};
pub use streams::{Stream, Streams};
pub use table::{DAY_S, FLEET_TABLES, FleetTable, HOUR_S, day_of, hour_of};
