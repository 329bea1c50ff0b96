//! The manifest: everything about an experiment that is not a table. Stored as `manifest.json`.

use crate::{Losses, Metric, MetricDefinition};
use serde::{Deserialize, Serialize};
#[cfg(not(target_arch = "wasm32"))]
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The newest format version, which this program writes.
pub const FORMAT_VERSION: u32 = 2;

/// The description of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format of manifest and tables.
    pub format_version: u32,
    /// The program that wrote the experiment.
    pub written_by: Program,
    /// Whether the collection was completed.
    pub state: State,
    /// Start in nanoseconds since 1970-01-01 UTC. Missing: the imported file does not contain it.
    pub start_wall_ns: Option<u64>,
    /// Start on CLOCK_MONOTONIC of the host, in nanoseconds. Missing: not in the input.
    pub start_monotonic_ns: Option<u64>,
    /// Elapsed time from start to end.
    pub duration_ns: u64,
    /// The machine. Missing: not in the input.
    pub host: Option<Host>,
    /// The command line of the observed program; empty: unknown or not stored. Values that look like secrets are
    /// replaced by `<redacted>`, unless the user stores the full command line.
    pub command: Vec<String>,
    /// The JVM of the main process, or the first JVM that the program started. Missing: not a Java program, or unknown.
    pub jvm: Option<Jvm>,
    /// All JVMs of a program with several processes. Empty: one process, or no JVM.
    // Like the labels below, this is not in the engine in the browser.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jvm_processes: Vec<JvmProcess>,
    /// The collectors that ran or were tried.
    pub collectors: Vec<Collector>,
    /// The metrics that the samples support.
    pub metrics: Vec<MetricDefinition>,
    /// The CPU time of samples compared with the kernel's count. Missing: there was no count.
    pub closure: Option<Closure>,
    /// The profiler's signal handlers in the program's threads. Missing: not counted.
    // Like the labels below, this is not in the engine in the browser.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_cost: Option<StackCost>,
    /// Missing data, by reason.
    pub losses: Losses,
    /// Events that the collectors cannot count, one sentence each, for example
    /// `io_uring: its operations are not system calls`.
    #[serde(default)]
    pub not_counted: Vec<String>,
    /// The resources that the program used. Missing: not measured.
    pub resources: Option<ResourceUse>,
    /// Units of work that the program reported.
    pub units_of_work: Vec<UnitOfWork>,
    /// How the program ended. Missing: it was still running, or unknown.
    pub exit: Option<ExitStatus>,
    /// The user's comment.
    pub comment: String,
    /// Labels by name: they describe the program and where it runs (`service`, `version`, `host`, `region` and others).
    /// Empty: no labels were set.
    // The engine in the browser shows neither labels nor segments. It does not contain these two fields, because every
    // byte of the engine is in every report file.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Position in a continuous collection. Missing: the experiment is a whole collection.
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<SegmentId>,
}

/// The identity of a segment, which is a part of a continuous collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SegmentId {
    /// The collection: a random number, chosen when the collection began.
    pub stream: StreamId,
    /// The segment's number in the collection, counted from 0 without gaps.
    pub sequence: u64,
}

/// A continuous collection of one process: 128 random bits, written as 32 hexadecimal digits.
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
        number.map(Self).ok_or_else(|| format!("\"{text}\" is not a stream: expected 32 hexadecimal digits"))
    }
}

impl TryFrom<String> for StreamId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Manifest {
    /// A manifest that contains only its writer.
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
            #[cfg(not(target_arch = "wasm32"))]
            jvm_processes: Vec::new(),
            collectors: Vec::new(),
            metrics: Vec::new(),
            closure: None,
            #[cfg(not(target_arch = "wasm32"))]
            stack_cost: None,
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

    /// True if a JVM did not record exact lines of compiled code.
    pub fn has_inexact_lines(&self) -> bool {
        #[cfg(not(target_arch = "wasm32"))]
        let others = self.jvm_processes.iter().map(|process| &process.jvm);
        #[cfg(target_arch = "wasm32")]
        let others = std::iter::empty::<&Jvm>();
        self.jvm.iter().chain(others).any(|jvm| jvm.has_exact_lines == Some(false))
    }

    /// The value of the label `name`; empty: not set.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }

    /// The definition of a metric, if the experiment has the metric.
    pub fn metric(&self, metric: Metric) -> Option<&MetricDefinition> {
        self.metrics.iter().find(|known| known.is(metric))
    }

    /// True if blocked time is an estimate: the engine `cpu` or `ctimer` observed the threads at intervals, and nothing counted
    /// their waits.
    pub fn has_estimated_waits(&self) -> bool {
        self.metric(Metric::OffCpu).is_some() && self.collectors.iter().any(Collector::has_observed_threads)
    }

    /// The position of a metric in the experiment's list.
    pub fn metric_index(&self, metric: Metric) -> Option<usize> {
        self.metrics.iter().position(|known| known.is(metric))
    }
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Program {
    /// Name.
    pub name: String,
    /// Version.
    pub version: String,
}

/// Whether a collection was completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The collection is running, or was killed: the last seconds can be missing.
    Incomplete,
    /// Everything was written.
    Complete,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Host {
    /// Host name.
    pub name: String,
    /// Kernel release, as `uname -r` prints it.
    pub kernel: String,
    /// Number of online CPUs.
    pub cpu_count: u32,
    /// The kernel's timer ticks per second. Missing: unknown.
    pub tick_hz: Option<u32>,
}

/// The observed JVM.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Jvm {
    /// Name, for example `OpenJDK 64-Bit Server VM`.
    pub name: String,
    /// Version text.
    pub version: String,
    /// JVM arguments as written on the command line, with the same replacements as in [`Manifest::command`].
    pub arguments: String,
    /// True if lines are exact (`DebugNonSafepoints`), false if lines of compiled code can be wrong by a few lines.
    /// Missing: unknown.
    pub has_exact_lines: Option<bool>,
}

/// The JVM of one of several processes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmProcess {
    /// The process's id.
    pub process_id: u32,
    /// The name of its program: a known launcher's program, otherwise the main class, module or jar.
    pub program: String,
    /// Its JVM.
    #[serde(flatten)]
    pub jvm: Jvm,
}

/// One source of data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Collector {
    /// The program, for example `async-profiler 4.6`.
    pub name: String,
    /// The engine, for example `cpu` or `ctimer`.
    pub engine: String,
    /// The requested sampling interval in nanoseconds. Missing: the engine has no interval, or it is unknown.
    pub interval_ns: Option<u64>,
    /// Whether the collector worked.
    pub status: CollectorStatus,
    /// Why this engine was chosen, or why it is missing: one sentence.
    pub reason: String,
}

impl Collector {
    /// The engine of BPF programs in the kernel.
    pub const KERNEL: &'static str = "kernel";
    /// The agent that changes classes of a JVM.
    pub const INSTRUMENT: &'static str = "instrument";
    /// The engine of perf events in the JVM.
    pub const CPU: &'static str = "cpu";
    /// The engine of timers in the JVM.
    pub const CTIMER: &'static str = "ctimer";

    /// True if the engine found waits by observations of all threads at intervals.
    fn has_observed_threads(&self) -> bool {
        self.status == CollectorStatus::Used && [Self::CPU, Self::CTIMER].contains(&self.engine.as_str())
    }
}

/// Whether a collector worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CollectorStatus {
    /// It collected data.
    Used,
    /// It could not be used here.
    Unavailable,
}

/// The profiler's signal handlers in the program's threads, as the kernel side counted them. A handler takes a stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackCost {
    /// The number of handlers that returned.
    pub handlers_count: u64,
    /// CPU time in these handlers, in nanoseconds. The kernel's work to call and to leave a handler is not part of it.
    pub cpu_ns: u64,
}

/// CPU time of the samples compared with the kernel's count, in nanoseconds, before any calibration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Closure {
    /// Exact on-CPU time of the process during the collection.
    pub exact_cpu_ns: u64,
    /// The part of `exact_cpu_ns` in user mode, from the kernel (scaled timer ticks). Missing: not measured.
    pub exact_user_ns: Option<u64>,
    /// The part of `exact_cpu_ns` in system mode, from the kernel (scaled timer ticks). Missing: not measured.
    pub exact_system_ns: Option<u64>,
    /// Weight of all CPU samples.
    pub sampled_ns: u64,
    /// Weight of the CPU samples with a stack that reaches the thread's root.
    pub rooted_ns: u64,
}

impl Closure {
    /// Share of the exact CPU time that samples with a rooted stack explain. Missing: there was no CPU time.
    pub fn ratio(&self) -> Option<f64> {
        (self.exact_cpu_ns > 0).then(|| self.rooted_ns as f64 / self.exact_cpu_ns as f64)
    }

    /// Share of the exact CPU time that all samples explain, whatever their stack. Missing: there was no CPU time.
    pub fn coverage_ratio(&self) -> Option<f64> {
        (self.exact_cpu_ns > 0).then(|| self.sampled_ns as f64 / self.exact_cpu_ns as f64)
    }
}

/// Resources that the program used during the collection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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
    /// Time that threads waited for a free CPU, summed over all threads. Missing: not measured.
    #[serde(default)]
    pub run_queue_ns: Option<u64>,
    /// Time that threads were blocked, summed over all threads. Missing: not measured.
    #[serde(default)]
    pub blocked_ns: Option<u64>,
}

/// Completed work, in the program's own unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnitOfWork {
    /// The unit, for example `documents`.
    pub name: String,
    /// The number of units.
    pub amount: f64,
    /// The source of the number.
    pub source: String,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// It exited with this status.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}
