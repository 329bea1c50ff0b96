//! The manifest: everything about an experiment that is not a table. Stored as `manifest.json`.

use crate::{Losses, MetricDefinition};
use serde::{Deserialize, Serialize};
#[cfg(not(target_arch = "wasm32"))]
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The newest format version: the one that this program writes.
pub const FORMAT_VERSION: u32 = 2;

/// What is known about an experiment as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format of manifest and tables.
    pub format_version: u32,
    /// The program that wrote the experiment.
    pub written_by: Program,
    /// Whether the collection came to its end.
    pub state: State,
    /// Start in nanoseconds since 1970-01-01 UTC. Missing: the input does not tell.
    pub start_wall_ns: Option<u64>,
    /// Start on CLOCK_MONOTONIC of the host, in nanoseconds. Missing: the input does not tell.
    pub start_monotonic_ns: Option<u64>,
    /// Elapsed time from start to end.
    pub duration_ns: u64,
    /// The machine. Missing: the input does not tell.
    pub host: Option<Host>,
    /// The command line of the program that was observed; empty: not known.
    pub command: Vec<String>,
    /// The JVM. Missing: not a Java program, or not known.
    pub jvm: Option<Jvm>,
    /// What collected, or tried to.
    pub collectors: Vec<Collector>,
    /// The metrics that the samples support.
    pub metrics: Vec<MetricDefinition>,
    /// Samples against the kernel's accounting. Missing: there was nothing to compare with.
    pub closure: Option<Closure>,
    /// What is missing, by reason.
    pub losses: Losses,
    /// What the collectors cannot count, one sentence each, for example `io_uring: its operations are no system
    /// calls`.
    #[serde(default)]
    pub not_counted: Vec<String>,
    /// What the program used. Missing: not measured.
    pub resources: Option<ResourceUse>,
    /// Work that the program said it did.
    pub units_of_work: Vec<UnitOfWork>,
    /// How the program ended. Missing: it was still running, or not known.
    pub exit: Option<ExitStatus>,
    /// Free text of the user.
    pub comment: String,
    /// Where the program runs and which it is, by name: `service`, `version`, `host`, `region` and others. Empty: nobody
    /// said.
    // The engine in the browser shows neither, and every byte of it is in every report file.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Which part of a continuous collection this is. Missing: it is the whole of a collection.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<SegmentId>,
}

/// The identity of a segment: a part of a continuous collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SegmentId {
    /// The collection: a random number, drawn when it began.
    pub stream: StreamId,
    /// The segment's number in it, counted from 0 without gaps.
    pub sequence: u64,
}

/// A continuous collection of one process: 128 random bits; as text 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StreamId(pub u128);

impl fmt::Display for StreamId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

impl From<StreamId> for String {
    fn from(stream: StreamId) -> Self {
        stream.to_string()
    }
}

impl FromStr for StreamId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hexadecimal = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = is_hexadecimal.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        number.map(Self).ok_or_else(|| format!("\"{text}\" is no stream: wanted 32 hexadecimal digits"))
    }
}

impl TryFrom<String> for StreamId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Manifest {
    /// A manifest of this program with nothing known yet.
    pub fn new(written_by: Program) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            written_by,
            state: State::Incomplete,
            start_wall_ns: None,
            start_monotonic_ns: None,
            duration_ns: 0,
            host: None,
            command: Vec::new(),
            jvm: None,
            collectors: Vec::new(),
            metrics: Vec::new(),
            closure: None,
            losses: Losses::default(),
            not_counted: Vec::new(),
            resources: None,
            units_of_work: Vec::new(),
            exit: None,
            comment: String::new(),
            #[cfg(not(target_arch = "wasm32"))]
            labels: BTreeMap::new(),
            #[cfg(not(target_arch = "wasm32"))]
            segment: None,
        }
    }

    /// The label called `name`; empty: nobody said.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }

    /// The metric called `name`.
    pub fn metric(&self, name: &str) -> Option<&MetricDefinition> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Name.
    pub name: String,
    /// Version.
    pub version: String,
}

/// Whether a collection came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Collection is under way, or was killed: the last seconds may be missing.
    Incomplete,
    /// Everything was written.
    Complete,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Host name.
    pub name: String,
    /// Kernel release, as `uname -r` prints it.
    pub kernel: String,
    /// Number of online CPUs.
    pub cpu_count: u32,
    /// Timer ticks per second of the kernel. Missing: not known.
    pub tick_hz: Option<u32>,
}

/// The JVM that was observed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jvm {
    /// Name, for example `OpenJDK 64-Bit Server VM`.
    pub name: String,
    /// Version text.
    pub version: String,
    /// JVM arguments as given.
    pub arguments: String,
    /// True if lines are exact (`DebugNonSafepoints`), false if compiled code may show neighbours. Missing: not known.
    pub has_exact_lines: Option<bool>,
}

/// One source of data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collector {
    /// The program, for example `async-profiler 4.6`.
    pub name: String,
    /// The engine, for example `cpu` or `ctimer`.
    pub engine: String,
    /// The asked-for sampling interval in nanoseconds. Missing: the engine has none, or not known.
    pub interval_ns: Option<u64>,
    /// Whether it delivered.
    pub status: CollectorStatus,
    /// Why this engine was chosen, or why it is missing: one sentence.
    pub reason: String,
}

/// Whether a collector delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollectorStatus {
    /// It delivered.
    Used,
    /// It could not be used here.
    Unavailable,
}

/// Samples against what the kernel accounted, in nanoseconds of CPU time, before any calibration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closure {
    /// Exact on-CPU time of the process during the collection.
    pub exact_cpu_ns: u64,
    /// The kernel's own user part of it (scaled timer ticks). Missing: not measured.
    pub exact_user_ns: Option<u64>,
    /// The kernel's own system part of it (scaled timer ticks). Missing: not measured.
    pub exact_system_ns: Option<u64>,
    /// Weight of all CPU samples.
    pub sampled_ns: u64,
    /// Weight of the CPU samples whose stack reaches the thread's root.
    pub rooted_ns: u64,
}

impl Closure {
    /// Share of the exact CPU time that samples with a rooted stack explain; missing without CPU time.
    pub fn ratio(&self) -> Option<f64> {
        (self.exact_cpu_ns > 0).then(|| self.rooted_ns as f64 / self.exact_cpu_ns as f64)
    }

    /// Share of the exact CPU time that samples of any stack cover; missing without CPU time.
    pub fn coverage_ratio(&self) -> Option<f64> {
        (self.exact_cpu_ns > 0).then(|| self.sampled_ns as f64 / self.exact_cpu_ns as f64)
    }
}

/// What the program used during the collection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceUse {
    /// Elapsed time.
    pub real_ns: u64,
    /// CPU time in user mode.
    pub user_ns: u64,
    /// CPU time in the kernel.
    pub system_ns: u64,
    /// Largest resident memory. Missing: not measured.
    pub peak_rss_bytes: Option<u64>,
    /// Mean resident memory. Missing: not measured.
    pub mean_rss_bytes: Option<u64>,
    /// Context switches because the thread waited. Missing: not measured.
    pub voluntary_switches: Option<u64>,
    /// Context switches because another thread took the CPU. Missing: not measured.
    pub involuntary_switches: Option<u64>,
    /// Page faults without disk access. Missing: not measured.
    pub minor_faults: Option<u64>,
    /// Page faults with disk access. Missing: not measured.
    pub major_faults: Option<u64>,
    /// Garbage collections. Missing: not measured.
    #[serde(default)]
    pub gc_count: Option<u64>,
    /// Elapsed time of garbage collections. Missing: not measured.
    #[serde(default)]
    pub gc_ns: Option<u64>,
    /// Bytes allocated on the Java heap, estimated from samples. Missing: not measured.
    #[serde(default)]
    pub allocated_bytes: Option<u64>,
    /// Objects created on the Java heap, estimated from samples. Missing: not measured.
    #[serde(default)]
    pub allocated_objects_count: Option<u64>,
    /// Time that all threads together were able to execute while no CPU was free. Missing: not measured.
    #[serde(default)]
    pub run_queue_ns: Option<u64>,
    /// Time that all threads together were blocked. Missing: not measured.
    #[serde(default)]
    pub blocked_ns: Option<u64>,
}

/// Work that was done, in the program's own unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnitOfWork {
    /// The unit, for example `documents`.
    pub name: String,
    /// How many.
    pub amount: f64,
    /// Where the figure comes from.
    pub source: String,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// It returned this status.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}
