//! Writes the file format of speedscope. Each thread has one sampled profile, sorted by time.
//!
//! Weights of consecutive samples with the same stack are added up. The format contains no lines, times or frame kinds,
//! so samples follow one another without gaps.

use crate::shown::ShownSamples;
use rustc_hash::FxHashMap;
use serde::Serialize;
use whittle_model::Unit;

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    shared: Shared<'a>,
    profiles: Vec<SampledProfile>,
    name: String,
    exporter: String,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
    /// Path of the source file, or of the binary if the source file is unknown.
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SampledProfile {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    /// Stacks as rows of frames, root first.
    samples: Vec<Vec<u32>>,
    weights: Vec<u64>,
}

/// Writes the samples of the first metric.
pub(crate) fn write(shown: &ShownSamples<'_>) -> Vec<u8> {
    let metric = shown.metrics[0].definition;
    let mut frames = Frames { shown, rows: FxHashMap::default(), frames: Vec::new() };
    let threads = shown.weighted_rows_by_thread();
    let profiles = threads.iter().map(|(thread, rows)| sampled_profile(&mut frames, *thread, rows)).collect();
    let program = &shown.profile.manifest().written_by;
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        shared: Shared { frames: frames.frames },
        profiles,
        name: metric.title.clone(),
        // The format has no field for the metric, but whittle needs the metric's name for an import.
        exporter: format!("{} {}, metric {}", program.name, program.version, metric.name),
    };
    serde_json::to_vec(&file).unwrap_or_default()
}

fn sampled_profile(frames: &mut Frames<'_, '_>, thread: usize, rows: &[(usize, u64)]) -> SampledProfile {
    let shown = frames.shown;
    let mut merged: Vec<(u32, u64)> = Vec::new();
    for (row, weight) in rows {
        let node = shown.node(*row);
        match merged.last_mut().filter(|(last, _)| *last == node) {
            Some((_, sum)) => *sum = sum.saturating_add(*weight),
            None => merged.push((node, *weight)),
        }
    }
    SampledProfile {
        kind: "sampled",
        name: shown.thread_label(thread),
        unit: match shown.metrics[0].definition.unit {
            Unit::Nanoseconds => "nanoseconds",
            Unit::Bytes => "bytes",
            Unit::Count => "none",
        },
        start_value: 0,
        end_value: merged.iter().fold(0, |sum: u64, (_, weight)| sum.saturating_add(*weight)),
        samples: merged.iter().map(|(node, _)| frames.stack(*node)).collect(),
        weights: merged.iter().map(|(_, weight)| *weight).collect(),
    }
}

struct Frames<'a, 'p> {
    shown: &'a ShownSamples<'p>,
    /// The row of each entity in `frames`.
    rows: FxHashMap<u32, u32>,
    frames: Vec<Frame<'p>>,
}

impl Frames<'_, '_> {
    fn stack(&mut self, node: u32) -> Vec<u32> {
        let entities = self.shown.entities_leaf_first(node);
        entities.into_iter().rev().map(|entity| self.row(entity)).collect()
    }

    fn row(&mut self, entity: u32) -> u32 {
        let next = self.frames.len() as u32;
        let row = *self.rows.entry(entity).or_insert(next);
        if row == next {
            let function = self.shown.function(entity);
            let file = if function.source_file.is_empty() { function.binary_path } else { function.source_file };
            self.frames.push(Frame { name: function.name, file });
        }
        row
    }
}
