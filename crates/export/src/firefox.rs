//! The processed profile format of the Firefox Profiler (profiler.firefox.com), as JSON: every sample of one
//! metric, by thread, with its time.
//!
//! ```text
//! samples ─> stackTable (prefix tree) ─> frameTable (line, category) ─> funcTable ─> resourceTable ─> libs
//! ```
//!
//! Written is version 55, in which each thread has its own tables; the profiler upgrades it by itself. The
//! category of a frame is the kind of its function, the subcategory how it was executing. Weights of time are
//! written as `tracing-ms`, milliseconds.

use super::firefox_tables::ThreadTables;
use super::frame_kinds::frame_kinds;
use super::shown::{ShownMetric, ShownSamples};
use serde::Serialize;
use serde_json::{Value, json};
use whittle_model::{CpuMode, EventKind, FunctionKind, Manifest, Unit};

/// The version of the format that is written.
const FORMAT_VERSION: u32 = 55;

/// What the profiler's own format is called in `version`; the processed format does not use it.
const GECKO_VERSION: u32 = 24;

/// The first subcategory of each category, which stands for the category itself.
const OTHER: &str = "Other";

/// Categories with their colours and subcategories, in the order of [`category`].
const CATEGORIES: [(&str, &str, &[&str]); 6] = [
    (OTHER, "grey", &[OTHER]),
    ("Java", "green", &[OTHER, "Interpreted", "C1", "C2/JIT", "Inlined"]),
    ("Native", "blue", &[OTHER, "Inlined"]),
    ("JVM", "purple", &[OTHER]),
    ("Kernel", "orange", &[OTHER]),
    ("Stub", "brown", &[OTHER]),
];

/// The category of a kind of function.
pub(super) fn category(kind: FunctionKind) -> usize {
    match kind {
        FunctionKind::Pseudo => 0,
        FunctionKind::Java => 1,
        FunctionKind::Native => 2,
        FunctionKind::Jvm => 3,
        FunctionKind::Kernel => 4,
        FunctionKind::Stub => 5,
    }
}

/// The subcategory called `name` of a category; 0 if there is none.
pub(super) fn subcategory(category: usize, name: &str) -> usize {
    CATEGORIES[category].2.iter().position(|known| *known == name).unwrap_or(0)
}

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
    /// CPU time since the sample before, by which the profiler draws the activity of threads.
    #[serde(rename = "threadCPUDelta", skip_serializing_if = "Option::is_none")]
    thread_cpu_delta: Option<Vec<u64>>,
}

/// Writes the first metric.
pub(crate) fn write(shown: &ShownSamples<'_>) -> Vec<u8> {
    let kinds = frame_kinds(shown);
    let mut libs = Libs::default();
    let by_thread = shown.weighted_rows_by_thread();
    let mut threads: Vec<Thread> =
        by_thread.iter().map(|(thread, rows)| write_thread(shown, (*thread, rows), (&kinds, &mut libs))).collect();
    name_main_threads(&mut threads);
    let manifest = shown.profile.manifest();
    let meta = meta(manifest, &shown.metrics[0]);
    let libs = libs.paths.iter().map(|(path, build_id)| lib(path, build_id.as_deref())).collect();
    let profile = Profile { meta, libs, threads, pages: [], profiler_overhead: [], counters: [] };
    serde_json::to_vec(&profile).unwrap_or_default()
}

/// The binaries of all threads.
#[derive(Default)]
pub(super) struct Libs {
    /// Row of binaries of each.
    binaries: Vec<usize>,
    /// Path and build id of each.
    paths: Vec<(String, Option<String>)>,
}

impl Libs {
    /// The position of a binary, added if it is new.
    pub(super) fn index(&mut self, shown: &ShownSamples<'_>, binary: usize) -> usize {
        let known = self.binaries.iter().position(|known| *known == binary);
        known.unwrap_or_else(|| {
            let binaries = &shown.profile.tables().binaries;
            self.binaries.push(binary);
            self.paths.push((binaries.path[binary].clone(), binaries.build_id[binary].clone()));
            self.paths.len() - 1
        })
    }
}

fn lib(path: &str, build_id: Option<&str>) -> Value {
    let name = path.rsplit('/').next().unwrap_or(path);
    json!({
        "arch": "", "name": name, "path": path, "debugName": name, "debugPath": path,
        "breakpadId": "", "codeId": build_id,
    })
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
        // Unknown ids have to differ too.
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

/// One thread of each process has to be its main thread: the one whose id is the process's, else its first.
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
    let categories: Vec<Value> = CATEGORIES
        .iter()
        .map(|(name, color, subcategories)| json!({"name": name, "color": color, "subcategories": subcategories}))
        .collect();
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
        "categories": categories,
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
