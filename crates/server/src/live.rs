//! Live collection for the page, with the list of processes and the running collections.
//!
//! The front end implements [`LiveCollector`], and the server only forwards requests. A collection's experiment is in
//! the list of experiments, so all views can show this experiment. While the experiment grows, it is read again
//! repeatedly.

use serde::{Deserialize, Serialize};

/// Starts and stops collections of running processes.
pub trait LiveCollector: Send + Sync {
    /// The processes that can be collected.
    fn processes(&self, wanted: WantedProcesses) -> LiveProcesses;

    /// Starts a collection.
    ///
    /// # Errors
    /// The request is not valid, or the process is already being collected.
    fn start(&self, request: StartRequest) -> Result<LiveCollection, LiveError>;

    /// All collections since the server's start.
    fn collections(&self) -> Vec<LiveCollection>;

    /// Ends a collection and returns its state.
    ///
    /// # Errors
    /// There is no collection with this id.
    fn stop(&self, id: u32) -> Result<LiveCollection, LiveError>;
}

/// Which processes are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedProcesses {
    /// Only JVMs are listed.
    Jvms,
    /// JVMs and native programs are listed.
    All,
}

/// The listed processes, and the directory for their experiments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveProcesses {
    /// The processes, newest first.
    pub processes: Vec<LiveProcess>,
    /// The directory for new experiments.
    pub directory: String,
}

/// A running process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveProcess {
    /// Id of the process.
    pub process_id: u32,
    /// Whether the process is a JVM.
    pub kind: LiveProcessKind,
    /// Name of the main class, jar or program.
    pub name: String,
    /// The command line. A very long command line is cut.
    pub command: String,
    /// Name of the process's user.
    pub user: String,
    /// Version of the process's JDK. Missing: the process is not a JVM, or the version is unknown.
    pub jdk: Option<String>,
    /// Time since the start of the process.
    pub uptime_ns: u64,
    /// A text that explains why the process cannot be collected. Missing: the process can be collected.
    pub obstacle: Option<String>,
}

/// Kinds of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveProcessKind {
    /// A HotSpot JVM.
    Jvm,
    /// Any other program.
    Native,
}

/// A request to collect a process.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartRequest {
    /// The process.
    pub process_id: u32,
    /// CPU time between two samples. Missing: the default of `whittle collect`.
    pub interval_ms: Option<u32>,
    /// The events, as for `whittle collect --events`. Missing: all events.
    pub events: Option<String>,
    /// The collection ends after this time. Missing: the collection ends when the user stops it.
    pub duration_s: Option<u32>,
    /// Name of the experiment, without a path. Missing: the name is made from process and time.
    pub name: Option<String>,
    /// Text to keep with the experiment.
    pub comment: Option<String>,
}

/// One collection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LiveCollection {
    /// Number of the collection, counted from 1.
    pub id: u32,
    /// The collected process.
    pub process_id: u32,
    /// Name of the main class, jar or program.
    pub name: String,
    /// Path of the experiment.
    pub path: String,
    /// State of the collection.
    pub state: LiveState,
    /// Time since the start of the collection. For an ended collection: the length of the collection.
    pub elapsed_ns: u64,
    /// Number of samples when the experiment was last read.
    pub sample_count: u64,
    /// Closure when the experiment was last read. Missing: closure is not yet known.
    pub closure_ratio: Option<f64>,
    /// The experiment's number in the list of experiments. Missing: the experiment is not yet in the list.
    pub experiment: Option<usize>,
    /// Number of times that the experiment was read again.
    pub revision: u32,
    /// Why the collection failed.
    pub error: Option<String>,
    /// The last lines that the collector printed.
    pub log: Vec<String>,
}

/// State of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveState {
    /// The experiment cannot be shown yet.
    Starting,
    /// The experiment grows and can be shown.
    Running,
    /// A stop was requested.
    Stopping,
    /// The complete experiment was written and read.
    Complete,
    /// The collection ended without a complete experiment.
    Failed,
}

/// An error of live collection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// The request is not valid.
    #[error("{0}")]
    BadRequest(String),
    /// No collection has this id.
    #[error("collection {0} does not exist")]
    Unknown(u32),
    /// The process is already being collected.
    #[error("{0}")]
    Conflict(String),
    /// The collector could not be started.
    #[error("{0}")]
    Failed(String),
}
