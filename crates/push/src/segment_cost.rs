//! How much memory a segment needs as rows of the fleet's tables. Small tables can become large rows, because a row of
//! stacks contains the names of its frame, and because each day has its own stacks.

use std::collections::BTreeSet;
use std::fmt;
use whittle_model::Tables;

/// Maximum memory of a segment's rows in bytes. A segment of a busy host needs about 30 MB.
pub const MAX_ROW_BYTES: u64 = 256 << 20;

/// Maximum number of different hours in a segment, because each hour becomes two files. A segment of an agent has up to
/// a minute.
pub const MAX_HOURS: usize = 48;

/// Memory of a sample or of a node of stacks, without names.
const FIXED_BYTES: u64 = 128;

const NS_PER_HOUR: u64 = 3_600_000_000_000;
const HOURS_PER_DAY: u64 = 24;

/// The cost of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentCost {
    /// Memory of the rows in bytes. The value is estimated.
    pub row_bytes: u64,
    /// Number of different hours that contain samples.
    pub hour_count: usize,
}

impl SegmentCost {
    /// The cost of tables that start at `start_ns`, nanoseconds since 1970-01-01 UTC. The tables must be valid.
    pub fn of(tables: &Tables, start_ns: u64) -> Self {
        let times = tables.samples.time_ns.iter();
        let hours: BTreeSet<u64> = times.map(|time| start_ns.saturating_add(*time) / NS_PER_HOUR).collect();
        let days: BTreeSet<u64> = hours.iter().map(|hour| hour / HOURS_PER_DAY).collect();
        let of_frames: Vec<u64> = (0..tables.frames.function.len()).map(|frame| frame_bytes(tables, frame)).collect();
        let of_stacks = sum(tables.stacks.frame.iter().map(|frame| of_frames[frame.row()]));
        let of_samples = (tables.samples.time_ns.len() as u64).saturating_mul(FIXED_BYTES);
        let of_days = of_stacks.saturating_mul(days.len() as u64);
        let row_bytes = sum(of_frames.into_iter().chain([of_samples, of_days]));
        Self { row_bytes, hour_count: hours.len() }
    }

    /// Returns an error if the cost exceeds a limit.
    ///
    /// # Errors
    /// See [`TooCostly`].
    pub fn check(self) -> Result<(), TooCostly> {
        let Self { row_bytes, hour_count } = self;
        if row_bytes > MAX_ROW_BYTES || hour_count > MAX_HOURS { Err(TooCostly(self)) } else { Ok(()) }
    }
}

/// A segment exceeds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooCostly(SegmentCost);

impl fmt::Display for TooCostly {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SegmentCost { row_bytes, hour_count } = self.0;
        if row_bytes > MAX_ROW_BYTES {
            let [found, most] = [row_bytes, MAX_ROW_BYTES].map(|bytes| bytes >> 20);
            return write!(formatter, "it needs {found} MiB in the fleet's tables; the limit is {most} MiB");
        }
        write!(formatter, "its samples are in {hour_count} different hours; the limit is {MAX_HOURS}")
    }
}

/// Memory of one node with this frame.
fn frame_bytes(tables: &Tables, frame: usize) -> u64 {
    let functions = &tables.functions;
    let function = tables.frames.function[frame].row();
    let binary = &tables.binaries.path[functions.binary[function].row()];
    let source = functions.source_file[function].as_ref().map_or(0, String::len);
    let names = [functions.display_name[function].len(), functions.internal_name[function].len(), binary.len(), source];
    sum(names.into_iter().map(|length| length as u64).chain([FIXED_BYTES]))
}

fn sum(amounts: impl Iterator<Item = u64>) -> u64 {
    amounts.fold(0, u64::saturating_add)
}
