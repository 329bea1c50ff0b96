//! Continuous collection. Whittle collects a process for its whole life, in segments without gaps.
//!
//! ```text
//! profiler   chunk ─┬─ chunk ─┬─ chunk ─┬─ chunk ─┬─ chunk     its recording, a new file about every minute
//! kernel     · ··· ·· · · ·│· ···· · ·· · · ·· ·│· · ·         events, divided by their time
//! parts      ── part 1 ────┤                    │
//!                    waits ┴─> segment          │              until the chunk with its last stacks is there
//!                          ├─ part 2 ───────────┤
//! ```
//!
//! Each part is a [`Session`] and has its own tables, so whittle never needs memory for more than two parts. If a part
//! ends within a chunk, the chunk is read for both parts. All processes of a host share one set of programs in the
//! kernel.

use crate::agent::Agent;
use crate::attach::Jvm;
use crate::chosen_engine::HostEngine;
use crate::collection::{begin_attached, kernel_options, new_manifest};
use crate::engine::{Engine, EngineChoice, Subject};
use crate::events::Events;
use crate::options::{CollectOptions, Observer, Progress};
use crate::process::Process;
use crate::process_memory::command_line;
use crate::reached::only_reached;
use crate::session::{Beginning, Session, Sources};
use crate::session_folder::session_owner;
use crate::{Error, host};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use whittle_model::{CommandLineDetail, Manifest, Program, Tables, UnitOfWork};

/// Time between two polls of a process.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Time between two readings of the kernel's buffer, which can hold some hundred seconds of records.
const RECORDS_PAUSE: Duration = Duration::from_millis(200);

/// Minimum length of a recording. At the first cut after this time, a new recording begins. The profiler in the JVM ends
/// automatically a minute after the planned end of its recording. So if whittle dies, the profiler soon ends, too.
const RECORDING_LENGTH: Duration = Duration::from_secs(60);

/// How long a finished part waits for its last stacks. The recording gets a chunk every five seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Options of continuous collection.
#[derive(Debug, Clone)]
pub struct ContinuousOptions {
    /// CPU time between two samples on a CPU.
    pub interval: Duration,
    /// Length of a segment.
    pub segment: Duration,
    /// The engine to use.
    pub engine: EngineChoice,
    /// How much of a command line is stored.
    pub command_line: CommandLineDetail,
    /// Name and version of this program, for the manifests.
    pub written_by: Program,
}

/// Receives the segments. All methods are called from the thread that follows the process.
pub trait SegmentSink {
    /// Called when a segment ends. Returns the work that was done since the end of the previous segment.
    fn count_work(&mut self) -> Vec<UnitOfWork>;
    /// Takes a segment. It has no labels and no identity yet.
    fn take(&mut self, manifest: Manifest, tables: Tables);
    /// A notice for the user, one sentence.
    fn note(&mut self, note: &str);
}

/// A request to finish, for many waiting threads.
#[derive(Debug, Clone, Default)]
pub struct Finish(Arc<(Mutex<bool>, Condvar)>);

impl Finish {
    /// Requests all threads to finish.
    pub fn request(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    /// Waits for the request, but at most `at_most`. True if the request was made.
    pub fn wait(&self, at_most: Duration) -> bool {
        let asked = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.1.wait_timeout_while(asked, at_most, |asked| !*asked);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Collects processes of a host continuously.
pub struct HostCollector {
    engine: HostEngine,
    options: CollectOptions,
    segment: Duration,
}

impl HostCollector {
    /// Loads the data and programs that all processes share.
    ///
    /// # Errors
    /// The requested engine is not available.
    pub fn new(options: &ContinuousOptions) -> Result<Self, Error> {
        let of_segments = options_of_segments(options);
        let engine = HostEngine::load(options.engine, &kernel_options(&of_segments), RECORDS_PAUSE)?;
        Ok(Self { engine, options: of_segments, segment: options.segment })
    }

    /// Why the engine `kernel` is not used, and what to do. None: the engine is used, or another engine was requested.
    pub fn obstacle(&self) -> Option<String> {
        self.engine.obstacle()
    }

    /// Begins to collect a process.
    ///
    /// # Errors
    /// The collection could not start. The process is unchanged.
    pub fn begin(&self, process_id: u32, start_ticks: u64) -> Result<Following<'_>, Error> {
        let process = Process(process_id);
        let stat = process.stat().filter(|stat| stat.start_ticks == start_ticks);
        let Some(stat) = stat else { return Err(Error::NoSuchProcess { pid: process_id }) };
        let identity = stat.identity();
        Ok(Following { identity, stream: Stream::begin(self, process)? })
    }
}

/// The collection of one process.
pub struct Following<'a> {
    /// The program that the process executed at the start.
    identity: (u64, (u64, u64)),
    stream: Stream<'a>,
}

impl Following<'_> {
    /// Collects the process until it ends, executes another program, or `finish` is requested.
    ///
    /// # Errors
    /// The recording is not accessible any longer, because the process with the rights of the program's user was lost.
    /// The data so far is in segments, and the collection can begin again.
    pub fn follow(mut self, finish: &Finish, sink: &mut dyn SegmentSink) -> Result<(), Error> {
        let (process, identity) = (self.stream.process, self.identity);
        let is_there = || process.is_alive() && process.stat().is_some_and(|stat| stat.identity() == identity);
        let mut checked = Ok(());
        while !finish.wait(POLL_INTERVAL) && is_there() && checked.is_ok() {
            self.stream.poll(sink);
            checked = self.stream.check();
        }
        self.stream.end(sink);
        if is_there() { checked } else { Ok(()) }
    }
}

/// Options that collect only CPU time. Everything that has a cost while the program is idle is switched off.
fn options_of_segments(options: &ContinuousOptions) -> CollectOptions {
    CollectOptions {
        interval: options.interval,
        engine: options.engine,
        events: Events::CPU_ONLY,
        follows: false,
        metric: None,
        units_of_work: Vec::new(),
        drop_every: 0,
        // A cut is at most one segment later.
        duration: Some(RECORDING_LENGTH.max(options.segment)),
        adds_jvm_flags: false,
        instrument: false,
        takes_over: false,
        output: PathBuf::new(),
        replaces: false,
        command_line: options.command_line,
        comment: String::new(),
        written_by: options.written_by.clone(),
    }
}

/// The continuous collection of one process.
struct Stream<'a> {
    host: &'a HostCollector,
    process: Process,
    engine: Engine,
    /// The manifest for a new part.
    template: Manifest,
    part: Session<'a>,
    part_began: Instant,
    recording_began: Instant,
    /// Finished parts that wait for their last stacks.
    waiting: Vec<Waiting<'a>>,
}

struct Waiting<'a> {
    part: Session<'a>,
    cut: Instant,
    is_recording_over: bool,
}

impl<'a> Stream<'a> {
    fn begin(host: &'a HostCollector, process: Process) -> Result<Self, Error> {
        if process.is_32_bit() {
            return Err(Error::ThirtyTwoBit { pid: process.0 });
        }
        let jvm = match Jvm::find(process) {
            Ok(jvm) => Some(jvm),
            // The profiler cannot be loaded into OpenJ9.
            Err(Error::NotAJvm { .. } | Error::OpenJ9 { .. }) => None,
            Err(error) => return Err(error),
        };
        let subject = if jvm.is_some() { Subject::Java } else { Subject::Native };
        let mut chosen = host.engine.choose((process, subject), &kernel_options(&host.options))?;
        let agent = jvm.as_ref().map(agent_of_segment).transpose()?;
        let template = new_manifest(&host.options, &chosen, (subject, command_line(process)));
        let takes_over = is_abandoned(process);
        let options = CollectOptions { takes_over, ..host.options.clone() };
        // Only CPU time is collected, which every JVM reports.
        let _ = begin_attached((jvm.as_ref(), agent.as_ref()), &mut chosen, process, &options)?;
        let sources = Sources { agent, kernel: chosen.kernel, has_jvm_log: false, output: None };
        let mut manifest = template.clone();
        manifest.start_wall_ns = Some(host::wall_ns());
        manifest.start_monotonic_ns = Some(host::monotonic_ns());
        let part = Session::new((process, Beginning::Attached), (None, manifest), sources, &host.options);
        let now = Instant::now();
        let engine = chosen.engine;
        Ok(Self { host, process, engine, template, part, part_began: now, recording_began: now, waiting: Vec::new() })
    }

    /// Fails if the recording is not accessible any longer.
    fn check(&self) -> Result<(), Error> {
        self.part.agent().map_or(Ok(()), |agent| agent.folder.check(self.process.0))
    }

    fn poll(&mut self, sink: &mut dyn SegmentSink) {
        self.part.poll(&mut Notes(sink));
        self.poll_waiting(sink);
        if self.part_began.elapsed() + POLL_INTERVAL / 2 >= self.host.segment {
            self.cut(sink);
        }
    }

    fn poll_waiting(&mut self, sink: &mut dyn SegmentSink) {
        self.waiting.iter_mut().for_each(|waiting| waiting.part.poll(&mut Notes(sink)));
        let is_over = |waiting: &mut Waiting<'_>| {
            waiting.is_recording_over || waiting.part.is_settled() || waiting.cut.elapsed() > PATIENCE
        };
        for waiting in self.waiting.extract_if(.., is_over).collect::<Vec<_>>() {
            hand_over(waiting.part, waiting.is_recording_over, sink);
        }
    }

    fn cut(&mut self, sink: &mut dyn SegmentSink) {
        let rotated = if self.recording_began.elapsed() >= RECORDING_LENGTH { self.rotate(sink) } else { None };
        let is_recording_over = rotated.is_some();
        let next = self.part.cut(self.template.clone(), rotated, &mut Notes(sink));
        let mut part = std::mem::replace(&mut self.part, next);
        part.set_units_of_work(sink.count_work());
        self.part_began = Instant::now();
        self.waiting.push(Waiting { part, cut: self.part_began, is_recording_over });
    }

    /// Replaces the current recording in the JVM with a new recording. None: there is no JVM, or the current recording
    /// continues.
    fn rotate(&mut self, sink: &mut dyn SegmentSink) -> Option<Agent> {
        let agent = self.part.agent()?;
        let begin = || {
            let jvm = Jvm::find(self.process)?;
            let next = agent_of_segment(&jvm)?;
            agent.stop(self.process)?;
            next.start(&jvm, &self.host.options, self.engine)?;
            Ok::<Agent, Error>(next)
        };
        let rotated = begin();
        if let Err(error) = &rotated {
            sink.note(&format!("process {}: a new recording could not be started: {error}", self.process.0));
        } else {
            self.recording_began = Instant::now();
        }
        rotated.ok()
    }

    fn end(mut self, sink: &mut dyn SegmentSink) {
        self.part.close();
        self.part.set_units_of_work(sink.count_work());
        let stopped = self.part.stop_segment();
        if let Err(error) = stopped.as_ref().err().filter(|_| self.process.is_alive()).map_or(Ok(()), Err) {
            sink.note(&error.to_string());
        }
        self.waiting.into_iter().for_each(|waiting| hand_over(waiting.part, true, sink));
        hand_over(self.part, true, sink);
    }
}

/// The profiler for a running JVM. Each segment has a limit for its recording.
fn agent_of_segment(jvm: &Jvm) -> Result<Agent, Error> {
    let mut agent = Agent::for_attach(jvm)?;
    agent.recording = agent.recording.take().for_segment();
    Ok(agent)
}

fn hand_over(part: Session<'_>, is_recording_over: bool, sink: &mut dyn SegmentSink) {
    let (manifest, tables) = part.into_segment(is_recording_over, &mut Notes(sink));
    sink.take(manifest, only_reached(&tables));
}

/// True if an earlier whittle process ended and left a recording in the process.
fn is_abandoned(process: Process) -> bool {
    let recorded_by = process.open_files().find_map(|file| session_owner(&file));
    recorded_by.is_some_and(|whittle| whittle != std::process::id() && !Process(whittle).is_alive())
}

/// An observer that passes only notes to a sink, but no progress.
struct Notes<'s>(&'s mut dyn SegmentSink);

impl Observer for Notes<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn note(&mut self, note: &str) {
        self.0.note(note);
    }
}
