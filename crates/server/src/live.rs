//! Live collection as the page sees it: processes to choose from, collections under way.
//!
//! The front end implements [`LiveCollector`]; the server only passes on. A collection's experiment is read again while
//! it grows and put into the list of experiments, so that every view works on it.

use serde::{Deserialize, Serialize};

/// Starts and stops collections of processes that run already.
pub trait LiveCollector: Send + Sync {
    /// The processes that could be collected.
    fn processes(&self, wanted: WantedProcesses) -> LiveProcesses;

    /// Starts a collection.
    ///
    /// # Errors
    /// The request is wrong, or the process is being collected already.
    fn start(&self, request: StartRequest) -> Result<LiveCollection, LiveError>;

    /// All collections since the server's start.
    fn collections(&self) -> Vec<LiveCollection>;

    /// Asks a collection to end; gives how it stands.
    ///
    /// # Errors
    /// There is no such collection.
    fn stop(&self, id: u32) -> Result<LiveCollection, LiveError>;
}

/// Which processes are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedProcesses {
    /// JVMs.
    Jvms,
    /// JVMs and native programs.
    All,
}

/// Processes, and where their experiments would go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveProcesses {
    /// Newest first.
    pub processes: Vec<LiveProcess>,
    /// The directory that experiments are written to.
    pub directory: String,
}

/// A process that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveProcess {
    /// Its id.
    pub process_id: u32,
    /// Whether it is a JVM.
    pub kind: LiveProcessKind,
    /// Main class, jar or program.
    pub name: String,
    /// The command line, cut if very long.
    pub command: String,
    /// The user whose process it is.
    pub user: String,
    /// Version of its JDK. Missing: not a JVM, or not known.
    pub jdk: Option<String>,
    /// How long it has run.
    pub uptime_ns: u64,
    /// Why it cannot be collected, in words. Missing: it can.
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

/// What to collect.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartRequest {
    /// The process.
    pub process_id: u32,
    /// CPU time between two samples. Missing: the default of `whittle collect`.
    pub interval_ms: Option<u32>,
    /// As for `whittle collect --events`. Missing: all.
    pub events: Option<String>,
    /// End after this time. Missing: when asked to.
    pub duration_s: Option<u32>,
    /// Name of the experiment, without a path. Missing: made from process and time.
    pub name: Option<String>,
    /// Text to keep with the experiment.
    pub comment: Option<String>,
}

/// One collection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LiveCollection {
    /// Its number, from 1.
    pub id: u32,
    /// The process that is collected.
    pub process_id: u32,
    /// Main class, jar or program.
    pub name: String,
    /// Where the experiment lies.
    pub path: String,
    /// How far it is.
    pub state: LiveState,
    /// Time since the start; once over, until the end.
    pub elapsed_ns: u64,
    /// Samples in the experiment as last read.
    pub sample_count: u64,
    /// Share of the CPU time that is explained, as last read. Missing: not known yet.
    pub closure_ratio: Option<f64>,
    /// Its place in the list of experiments. Missing: nothing to see yet.
    pub experiment: Option<usize>,
    /// How often the experiment was read again.
    pub revision: u32,
    /// Why it failed.
    pub error: Option<String>,
    /// The last lines that the collector printed.
    pub log: Vec<String>,
}

/// How far a collection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveState {
    /// Nothing to see yet.
    Starting,
    /// The experiment grows and can be asked.
    Running,
    /// Asked to end.
    Stopping,
    /// The whole experiment was written and read.
    Complete,
    /// It ended without a complete experiment.
    Failed,
}

/// Why a live collection does not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// The request makes no sense.
    #[error("{0}")]
    BadRequest(String),
    /// No collection has this id.
    #[error("there is no collection {0}")]
    Unknown(u32),
    /// The process is being collected.
    #[error("{0}")]
    Conflict(String),
    /// The collector could not be started.
    #[error("{0}")]
    Failed(String),
}
