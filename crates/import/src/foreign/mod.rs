//! Shared parts of the readers of other profilers' files: their result, functions from names, samples from values, and
//! limits on memory.

mod code;
mod gzip;
mod json;
mod rows;
mod target;
mod value_types;

pub(crate) use code::{CodeName, pseudo_frame};
pub(crate) use gzip::{inflate, is_gzip};
pub(crate) use json::{Json, cell_index, cell_number, parse_json, parsed_bytes};
pub(crate) use rows::Observation;
pub(crate) use target::{MAX_STACKS, Target};
pub(crate) use value_types::{Meaning, ValueType, ValueTypes, nanoseconds_in, whole};
use whittle_model::{Losses, Manifest, MetricDefinition};

/// The result of reading another profiler's file. Its rows are in the builder that the caller passed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignImport {
    /// The program that wrote the file; empty: not in the file.
    pub producer: String,
    /// The metrics that the samples have.
    pub metrics: Vec<MetricDefinition>,
    /// Missing data, by reason.
    pub losses: Losses,
    /// Content of the file that an experiment cannot store, one sentence each.
    pub left_out: Vec<String>,
    /// Start in nanoseconds since 1970-01-01 UTC. Missing: not in the file.
    pub start_wall_ns: Option<u64>,
    /// Elapsed time; 0: not in the file.
    pub duration_ns: u64,
    /// CPU or elapsed time between two samples. Missing: not in the file.
    pub interval_ns: Option<u64>,
    /// The observed command line; empty: unknown.
    pub command: Vec<String>,
}

impl ForeignImport {
    /// Copies the file's information to a manifest. The caller adds the collector.
    pub fn describe(self, manifest: &mut Manifest) {
        manifest.start_wall_ns = self.start_wall_ns;
        manifest.duration_ns = self.duration_ns;
        manifest.metrics = self.metrics;
        manifest.losses = self.losses;
        manifest.not_counted = self.left_out;
        manifest.command = self.command;
    }
}

/// Name and id in `main (tid 7)`. Whittle writes this label in formats with only one text per thread.
pub(crate) fn split_thread_label(label: &str) -> (&str, Option<u32>) {
    let parts = label.strip_suffix(')').and_then(|rest| rest.rsplit_once("(tid "));
    match parts.and_then(|(name, id)| Some((name.trim_end(), id.parse().ok()?))) {
        Some((name, id)) => (name, Some(id)),
        None => (label, None),
    }
}
