//! Options and results of a collection.

use crate::engine::EngineChoice;
use crate::events::Events;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;
use whittle_model::{CommandLineDetail, ExitStatus, Manifest, Program, UnitOfWork};

/// The target of the collection.
#[derive(Debug, Clone)]
pub enum Target {
    /// Launch this command line. If its first word is a `java` launcher, the program is a JVM.
    Launch(Vec<OsString>),
    /// Attach to the process with this id. The process can be a JVM.
    Attach(u32),
}

/// How to collect.
#[derive(Debug, Clone)]
pub struct CollectOptions {
    /// CPU time between two samples of a thread.
    pub interval: Duration,
    /// The engine to use.
    pub engine: EngineChoice,
    /// Events that are sampled in addition to CPU time.
    pub events: Events,
    /// True if the processes that the target starts are also collected.
    pub follows: bool,
    /// Only for a launch: a regular expression for the program's output. Its named groups become counters.
    pub metric: Option<String>,
    /// Units of work that the user counted.
    pub units_of_work: Vec<UnitOfWork>,
    /// For tests of the join: one in this many signals is not sent, although the kernel side counts this signal as
    /// sent. 0: all signals are sent.
    pub drop_every: u32,
    /// The collection ends after this time. Missing: it ends with the program or at an interrupt.
    pub duration: Option<Duration>,
    /// Only for a launch: true to add the JVM flags that make line numbers exact.
    pub adds_jvm_flags: bool,
    /// True to load whittle's agent into each JVM. The agent changes classes until the end of the collection.
    pub instrument: bool,
    /// Only for attaching: true to end a recording that another whittle process left in the JVM.
    pub takes_over: bool,
    /// The experiment's directory.
    pub output: PathBuf,
    /// True if an existing experiment is replaced.
    pub replaces: bool,
    /// How much of the command line is stored.
    pub command_line: CommandLineDetail,
    /// Free text for the manifest.
    pub comment: String,
    /// Name and version of this program, for the manifest.
    pub written_by: Program,
}

/// A request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopRequest {
    /// The signal that made the request.
    pub signal: i32,
    /// True if the kernel sent the signal to the terminal's whole foreground group. Then a launched program also got
    /// the signal.
    pub is_from_terminal: bool,
}

/// Requests to stop. A signal handler's thread adds requests, and the collection takes them.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Mutex<Vec<StopRequest>>>);

impl Stop {
    /// Adds a request to stop.
    pub fn request(&self, request: StopRequest) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(request);
    }

    /// The requests since the last call.
    pub(crate) fn take(&self) -> Vec<StopRequest> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

/// State of a collection, for a progress line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Time since the start.
    pub elapsed: Duration,
    /// Samples read so far.
    pub sample_count: u64,
    /// Share of the CPU time that samples explain, up to the last read sample.
    pub closure_ratio: Option<f64>,
}

/// Gets the progress and the notices of a collection.
pub trait Observer {
    /// Called a few times per second.
    fn progress(&mut self, progress: &Progress);
    /// A notice for the user, one sentence.
    fn note(&mut self, note: &str);
}

/// Why a collection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The program ended.
    ProgramEnded,
    /// The requested time was over.
    DurationOver,
    /// The user interrupted.
    Interrupted,
}

/// A completed collection.
#[derive(Debug)]
pub struct Outcome {
    /// The manifest that was written.
    pub manifest: Manifest,
    /// Why the collection ended.
    pub ending: Ending,
    /// How the launched program ended. None: whittle attached to a running program.
    pub exit: Option<ExitStatus>,
}
