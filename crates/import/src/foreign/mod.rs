//! What the readers of other profilers' files have in common: what they hand back, how names become functions,
//! how values become samples, and how much room an input may take.

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
pub(crate) use target::Target;
pub(crate) use value_types::{Meaning, ValueType, ValueTypes, nanoseconds_in, whole};
use whittle_model::{Losses, Manifest, MetricDefinition};

/// A file of another profiler that was read; its rows are in the builder that was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignImport {
    /// The program that wrote the file; empty: it does not tell.
    pub producer: String,
    /// The metrics that the samples have.
    pub metrics: Vec<MetricDefinition>,
    /// What is missing, by reason.
    pub losses: Losses,
    /// What the file holds and an experiment cannot, one sentence each.
    pub left_out: Vec<String>,
    /// Start in nanoseconds since 1970-01-01 UTC. Missing: the file does not tell.
    pub start_wall_ns: Option<u64>,
    /// Elapsed time, 0 if the file does not tell.
    pub duration_ns: u64,
    /// CPU or elapsed time between two samples. Missing: the file does not tell.
    pub interval_ns: Option<u64>,
    /// The command line that was observed; empty: not known.
    pub command: Vec<String>,
}

impl ForeignImport {
    /// Writes into a manifest what the file tells. The collector is left to the caller, who knows what to call it.
    pub fn describe(self, manifest: &mut Manifest) {
        manifest.start_wall_ns = self.start_wall_ns;
        manifest.duration_ns = self.duration_ns;
        manifest.metrics = self.metrics;
        manifest.losses = self.losses;
        manifest.not_counted = self.left_out;
        manifest.command = self.command;
    }
}

/// Name and id in `main (tid 7)`, as whittle labels threads where a format has room for one text.
pub(crate) fn split_thread_label(label: &str) -> (&str, Option<u32>) {
    let parts = label.strip_suffix(')').and_then(|rest| rest.rsplit_once("(tid "));
    match parts.and_then(|(name, id)| Some((name.trim_end(), id.parse().ok()?))) {
        Some((name, id)) => (name, Some(id)),
        None => (label, None),
    }
}
