//! Continuous collection: one process for as long as it lives, in segments without a gap between them.
//!
//! ```text
//! profiler   chunk ─┬─ chunk ─┬─ chunk ─┬─ chunk ─┬─ chunk     its recording, a new file every quarter of an hour
//! kernel     · ··· ·· · · ·│· ···· · ·· · · ·· ·│· · ·         events, divided by their time
//! parts      ── part 1 ────┤                    │
//!                    waits ┴─> segment          │              until the chunk with its last stacks is there
//!                          ├─ part 2 ───────────┤
//! ```
//!
//! A part is a [`Session`] with tables of its own, so memory is that of one or two parts however long it goes on. The chunk in
//! which one ends is read for both. All processes of a host share one set of programs in the kernel.

use crate::agent::Agent;
use crate::attach::Jvm;
use crate::collection::{begin_attached, kernel_options, new_manifest};
use crate::engine::{Engine, EngineChoice, HostEngine, Subject};
use crate::events::Events;
use crate::options::{CollectOptions, Observer, Progress};
use crate::process::Process;
use crate::reached::only_reached;
use crate::session::{Beginning, Session, Sources};
use crate::{Error, host};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use whittle_model::{Manifest, Program, Tables, UnitOfWork};

/// How often a process is looked at.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often records are taken out of the kernel's buffer. It holds some hundred seconds of what comes.
const RECORDS_PAUSE: Duration = Duration::from_millis(200);

/// A recording is no longer than this: it takes room in the process's `/tmp`, and its stacks in the process's memory.
const RECORDING_LENGTH: Duration = Duration::from_secs(15 * 60);

/// A profiler that nobody tells to end does so by itself after this time, or a minute later.
const ALONE: Duration = Duration::from_secs(2 * 15 * 60);

/// A part that was cut waits so long for its last stacks. A chunk of the recording takes five seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// How to collect continuously.
#[derive(Debug, Clone)]
pub struct ContinuousOptions {
    /// CPU time between two samples on a CPU.
    pub interval: Duration,
    /// How long a segment is.
    pub segment: Duration,
    /// Which engine.
    pub engine: EngineChoice,
    /// Name and version of this program, for the manifests.
    pub written_by: Program,
}

/// Where segments go. All methods are called from the thread that follows the process.
pub trait SegmentSink {
    /// A segment ends at this moment: the work that was done since the last one did.
    fn count_work(&mut self) -> Vec<UnitOfWork>;
    /// A segment is there; labels and identity are still missing.
    fn take(&mut self, manifest: Manifest, tables: Tables);
    /// Something that the user should know, one sentence.
    fn note(&mut self, note: &str);
}

/// A request to finish, which many threads can wait for.
#[derive(Debug, Clone, Default)]
pub struct Finish(Arc<(Mutex<bool>, Condvar)>);

impl Finish {
    /// Asks all to finish.
    pub fn request(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    /// Waits for the request, this long at most; true if it was made.
    pub fn wait(&self, at_most: Duration) -> bool {
        let asked = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.1.wait_timeout_while(asked, at_most, |asked| !*asked);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Collects any processes of a host continuously.
pub struct HostCollector {
    engine: HostEngine,
    options: CollectOptions,
    segment: Duration,
}

impl HostCollector {
    /// Loads what all processes share.
    ///
    /// # Errors
    /// The engine that was asked for is not to be had.
    pub fn new(options: &ContinuousOptions) -> Result<Self, Error> {
        let of_segments = options_of_segments(options);
        let engine = HostEngine::load(options.engine, &kernel_options(&of_segments), RECORDS_PAUSE)?;
        Ok(Self { engine, options: of_segments, segment: options.segment })
    }

    /// Why the engine `kernel` is not used, and with what remedy; none: it is, or another one was asked for.
    pub fn obstacle(&self) -> Option<String> {
        self.engine.obstacle()
    }

    /// Collects a process until it ends or `finish` is requested.
    ///
    /// # Errors
    /// The collection could not start; the process is as it was.
    pub fn follow(&self, process_id: u32, finish: &Finish, sink: &mut dyn SegmentSink) -> Result<(), Error> {
        let process = Process(process_id);
        let started = process.stat().map(|stat| stat.start_ticks);
        let mut stream = Stream::begin(self, process)?;
        let is_there = || process.is_alive() && process.stat().map(|stat| stat.start_ticks) == started;
        while !finish.wait(POLL_INTERVAL) && is_there() {
            stream.poll(sink);
        }
        stream.end(sink);
        Ok(())
    }
}

/// CPU time alone, and nothing that costs while nothing happens.
fn options_of_segments(options: &ContinuousOptions) -> CollectOptions {
    CollectOptions {
        interval: options.interval,
        engine: options.engine,
        events: Events::CPU_ONLY,
        follows: false,
        metric: None,
        units_of_work: Vec::new(),
        drop_every: 0,
        duration: Some(ALONE),
        adds_jvm_flags: false,
        takes_over: false,
        output: PathBuf::new(),
        replaces: false,
        comment: String::new(),
        written_by: options.written_by.clone(),
    }
}

/// One process.
struct Stream<'a> {
    host: &'a HostCollector,
    process: Process,
    engine: Engine,
    /// The manifest of a part that begins.
    template: Manifest,
    part: Session<'a>,
    part_began: Instant,
    recording_began: Instant,
    /// Parts that were cut and wait for their last stacks.
    waiting: Vec<Waiting<'a>>,
}

struct Waiting<'a> {
    part: Session<'a>,
    cut: Instant,
    is_recording_over: bool,
}

impl<'a> Stream<'a> {
    fn begin(host: &'a HostCollector, process: Process) -> Result<Self, Error> {
        let jvm = match Jvm::find(process) {
            Ok(jvm) => Some(jvm),
            Err(Error::NotAJvm { .. }) => None,
            Err(error) => return Err(error),
        };
        let subject = if jvm.is_some() { Subject::Java } else { Subject::Native };
        let mut chosen = host.engine.choose((process, subject), &kernel_options(&host.options))?;
        let agent = jvm.as_ref().map(Agent::for_attach).transpose()?;
        let template = new_manifest(&host.options, &chosen, (subject, process.command_line()));
        let takes_over = is_abandoned(process);
        let options = CollectOptions { takes_over, ..host.options.clone() };
        begin_attached((jvm.as_ref(), agent.as_ref()), &mut chosen, process, &options)?;
        let sources = Sources { agent, kernel: chosen.kernel, output: None };
        let mut manifest = template.clone();
        manifest.start_wall_ns = Some(host::wall_ns());
        manifest.start_monotonic_ns = Some(host::monotonic_ns());
        let part = Session::new((process, Beginning::Attached), (None, manifest), sources, &host.options);
        let now = Instant::now();
        let engine = chosen.engine;
        Ok(Self { host, process, engine, template, part, part_began: now, recording_began: now, waiting: Vec::new() })
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
        match next {
            Ok(next) => {
                let mut part = std::mem::replace(&mut self.part, next);
                part.set_units_of_work(sink.count_work());
                self.part_began = Instant::now();
                self.waiting.push(Waiting { part, cut: self.part_began, is_recording_over });
            }
            Err(error) => sink.note(&format!("process {}: {error}", self.process.0)),
        }
    }

    /// Begins a new recording in the JVM and ends the one so far. None: there is no JVM, or the one so far goes on.
    fn rotate(&mut self, sink: &mut dyn SegmentSink) -> Option<Agent> {
        let agent = self.part.agent()?;
        let begin = || {
            let jvm = Jvm::find(self.process)?;
            let next = Agent::for_attach(&jvm)?;
            agent.stop(self.process)?;
            next.start(&jvm, &next.start_options(&self.host.options, self.engine))?;
            Ok::<Agent, Error>(next)
        };
        let rotated = begin();
        if let Err(error) = &rotated {
            sink.note(&format!("process {}: no new recording was begun: {error}", self.process.0));
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

fn hand_over(part: Session<'_>, is_recording_over: bool, sink: &mut dyn SegmentSink) {
    let (manifest, tables) = part.into_segment(is_recording_over, &mut Notes(sink));
    sink.take(manifest, only_reached(&tables));
}

/// True if a whittle that is no more left a recording behind in the process.
fn is_abandoned(process: Process) -> bool {
    process.recorded_by().is_some_and(|whittle| whittle != std::process::id() && !Process(whittle).is_alive())
}

/// A sink's notes, without the progress.
struct Notes<'s>(&'s mut dyn SegmentSink);

impl Observer for Notes<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn note(&mut self, note: &str) {
        self.0.note(note);
    }
}
