//! Writes the processed profile format of the Firefox Profiler (profiler.firefox.com), as JSON. The file contains every
//! sample of one metric with its time, grouped by thread.
//!
//! ```text
//! samples ─> stackTable (prefix tree) ─> frameTable (line, category) ─> funcTable ─> resourceTable ─> libs
//! ```
//!
//! The format version is 55. In this version, each thread has separate tables. The Firefox Profiler upgrades older
//! versions automatically. A frame's category is its function kind. Its subcategory shows how the function was
//! executing. Time weights are in milliseconds, `tracing-ms`.

use crate::firefox_categories;
use crate::firefox_libs::Libs;
use crate::firefox_tables::ThreadTables;
use crate::frame_kinds::frame_kinds;
use crate::shown::{ShownMetric, ShownSamples};
use serde::Serialize;
use serde_json::{Value, json};
use whittle_model::{CpuMode, EventKind, Manifest, Unit};

/// The format version that whittle writes.
const FORMAT_VERSION: u32 = 55;

/// The version of the profiler's raw format, for the field `version`. The processed format does not use this version.
const GECKO_VERSION: u32 = 24;

#[derive(Serialize)]
struct Profile {
    meta: Value,
    libs: Vec<Value>,
    threads: Vec<Thread>,
    pages: [(); 0],
    #[serde(rename = "profilerOverhead")]
    profiler_overhead: [(); 0],
    counters: [(); 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thread {
    process_type: &'static str,
    process_name: String,
    process_startup_time: f64,
    process_shutdown_time: Option<f64>,
    register_time: f64,
    unregister_time: Option<f64>,
    paused_ranges: [(); 0],
    name: String,
    is_main_thread: bool,
    pid: String,
    tid: Value,
    samples: Samples,
    markers: Value,
    #[serde(flatten)]
    tables: ThreadTables,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples {
    length: usize,
    stack: Vec<u32>,
    time: Vec<f64>,
    weight: Vec<Value>,
    weight_type: &'static str,
    /// CPU time since the previous sample. The profiler uses it to draw the activity of threads.
    #[serde(rename = "threadCPUDelta", skip_serializing_if = "Option::is_none")]
    thread_cpu_delta: Option<Vec<u64>>,
}

/// Writes the samples of the first metric.
pub(crate) fn write(shown: &ShownSamples<'_>) -> Vec<u8> {
    let kinds = frame_kinds(shown);
    let mut libs = Libs::default();
    let by_thread = shown.weighted_rows_by_thread();
    let mut threads: Vec<Thread> =
        by_thread.iter().map(|(thread, rows)| write_thread(shown, (*thread, rows), (&kinds, &mut libs))).collect();
    name_main_threads(&mut threads);
    let manifest = shown.profile.manifest();
    let meta = meta(manifest, &shown.metrics[0]);
    let profile = Profile { meta, libs: libs.table(), threads, pages: [], profiler_overhead: [], counters: [] };
    serde_json::to_vec(&profile).unwrap_or_default()
}

fn write_thread(
    shown: &ShownSamples<'_>,
    (thread, rows): (usize, &[(usize, u64)]),
    (kinds, libs): (&[whittle_model::FrameKind], &mut Libs),
) -> Thread {
    let mut tables = ThreadTables::default();
    let stack = rows.iter().map(|(row, _)| tables.stack(shown, shown.node(*row), (kinds, libs))).collect();
    let metric = &shown.metrics[0];
    let is_cpu =
        metric.definition.event == EventKind::Cpu && metric.definition.mode.is_none_or(|mode| mode == CpuMode::Unknown);
    let threads = shown.threads();
    let (start, end) = (threads.start_ns[thread], threads.end_ns[thread]);
    Thread {
        process_type: "default",
        process_name: shown.profile.manifest().command.first().cloned().unwrap_or_default(),
        process_startup_time: 0.0,
        process_shutdown_time: None,
        register_time: milliseconds(start.unwrap_or(0)),
        unregister_time: end.map(milliseconds),
        paused_ranges: [],
        name: threads.name[thread].clone(),
        is_main_thread: false,
        pid: threads.process_id[thread].unwrap_or(0).to_string(),
        // Each thread needs a different id, even if its real id is unknown.
        tid: threads.thread_id[thread].map_or_else(|| json!(format!("row {thread}")), |id| json!(id)),
        samples: Samples {
            length: rows.len(),
            stack,
            time: rows.iter().map(|(row, _)| milliseconds(shown.time_ns(*row))).collect(),
            weight: rows.iter().map(|(_, weight)| weight_value(metric, *weight)).collect(),
            weight_type: match metric.definition.unit {
                Unit::Nanoseconds => "tracing-ms",
                Unit::Bytes => "bytes",
                Unit::Count => "samples",
            },
            thread_cpu_delta: (is_cpu && metric.is_duration()).then(|| rows.iter().map(|(_, ns)| *ns).collect()),
        },
        markers: json!({
            "length": 0, "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [],
        }),
        tables,
    }
}

/// The format needs a main thread for each process. This is the thread with the process id. If no thread has this id,
/// the first thread becomes the main thread.
fn name_main_threads(threads: &mut [Thread]) {
    let mut pids: Vec<String> = threads.iter().map(|thread| thread.pid.clone()).collect();
    pids.sort_unstable();
    pids.dedup();
    for pid in pids {
        let is_first = |thread: &&mut Thread| thread.pid == pid && thread.tid.as_u64() == pid.parse().ok();
        if let Some(thread) = threads.iter_mut().find(is_first) {
            thread.is_main_thread = true;
        } else if let Some(thread) = threads.iter_mut().find(|thread| thread.pid == pid) {
            thread.is_main_thread = true;
        }
    }
}

fn weight_value(metric: &ShownMetric<'_>, weight: u64) -> Value {
    if metric.definition.unit == Unit::Nanoseconds { json!(milliseconds(weight)) } else { json!(weight) }
}

fn milliseconds(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn meta(manifest: &Manifest, metric: &ShownMetric<'_>) -> Value {
    let interval_ns = manifest.collectors.iter().find_map(|collector| collector.interval_ns);
    json!({
        "interval": milliseconds(interval_ns.unwrap_or(1_000_000)),
        "startTime": milliseconds(manifest.start_wall_ns.unwrap_or(0)),
        "profilingStartTime": 0,
        "profilingEndTime": milliseconds(manifest.duration_ns),
        "processType": 0,
        "stackwalk": 1,
        "debug": false,
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": FORMAT_VERSION,
        "product": manifest.command.first().map_or("whittle", String::as_str),
        "arguments": manifest.command.join(" "),
        "importedFrom": manifest.written_by.name,
        "categories": firefox_categories::table(),
        "markerSchema": [],
        "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
        "symbolicated": true,
        "symbolicationNotSupported": true,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "extensions": {"length": 0, "baseURL": [], "id": [], "name": []},
        "extra": [{"label": "Whittle", "entries": [
            {"label": "Metric", "format": "string", "value": metric.definition.name},
        ]}],
    })
}
