//! What a collection is asked for, and what it answers: the types of this crate's entrance.

use crate::engine::EngineChoice;
use crate::events::Events;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;
use whittle_model::{ExitStatus, Manifest, Program, UnitOfWork};

/// What to collect.
#[derive(Debug, Clone)]
pub enum Target {
    /// Start this command line; if its first word is a `java` launcher, as a JVM.
    Launch(Vec<OsString>),
    /// Attach to the process with this id: as to a JVM if it is one.
    Attach(u32),
}

/// How to collect.
#[derive(Debug, Clone)]
pub struct CollectOptions {
    /// CPU time between two samples of a thread.
    pub interval: Duration,
    /// Which engine.
    pub engine: EngineChoice,
    /// What is sampled besides CPU time.
    pub events: Events,
    /// Whether the processes that the target starts are collected, too.
    pub follows: bool,
    /// Launch: a regular expression whose named groups are counters in the program's output.
    pub metric: Option<String>,
    /// Work that the user says the program does.
    pub units_of_work: Vec<UnitOfWork>,
    /// For tests of the join: every so many signals is not sent though the kernel side believes it; 0: all are.
    pub drop_every: u32,
    /// End after this time; without it, at the program's end or an interrupt.
    pub duration: Option<Duration>,
    /// Launch: whether to add the JVM flags that make line numbers exact.
    pub adds_jvm_flags: bool,
    /// Attach: whether to end a recording that another whittle left behind in the JVM.
    pub takes_over: bool,
    /// Where the experiment goes.
    pub output: PathBuf,
    /// Whether an experiment there is replaced.
    pub replaces: bool,
    /// Free text for the manifest.
    pub comment: String,
    /// Name and version of this program, for the manifest.
    pub written_by: Program,
}

/// A request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopRequest {
    /// The signal that asked.
    pub signal: i32,
    /// True if the kernel sent it to the terminal's whole foreground group, so that a launched program
    /// got it as well.
    pub is_from_terminal: bool,
}

/// Requests to stop, which a signal handler's thread can make and the collection takes.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Mutex<Vec<StopRequest>>>);

impl Stop {
    /// Asks to stop.
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
    /// Explained share of the CPU time until the last sample that was read.
    pub closure_ratio: Option<f64>,
}

/// Where a collection tells how it goes.
pub trait Observer {
    /// Called a few times a second.
    fn progress(&mut self, progress: &Progress);
    /// Something that the user should know, one sentence.
    fn note(&mut self, note: &str);
}

/// Why a collection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The program ended.
    ProgramEnded,
    /// The asked-for time was over.
    DurationOver,
    /// The user interrupted.
    Interrupted,
}

/// A collection that came to its end.
#[derive(Debug)]
pub struct Outcome {
    /// The manifest as written.
    pub manifest: Manifest,
    /// Why it ended.
    pub ending: Ending,
    /// How the launched program ended; none if attached.
    pub exit: Option<ExitStatus>,
}
