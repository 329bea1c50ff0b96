//! One collection from start to end.

use crate::accounts::Accounts;
use crate::async_profiler::{self, Start};
use crate::attach::Jvm;
use crate::closure::SampledCpu;
use crate::engine::{self, ChosenEngine, Engine, EngineChoice};
use crate::launch::{self, Ended, Launched};
use crate::process::Process;
use crate::recording::GrowingRecording;
use crate::target_folder::{self, SessionFolder, SharedPath};
use crate::{Error, host};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use whittle_experiment::ExperimentWriter;
use whittle_import::{JfrImport, JfrOptions, Recording};
use whittle_model::{
    Closure, Collector, CollectorStatus, ExitStatus, Jvm as JvmFacts, LossReason, Manifest, Program, SampleTable,
    State, Table, TableBuilder,
};

/// How often the accounts are read and the progress is shown.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Until the recording is there, polls come faster: the CPU time before it is interpolated between them.
const EARLY_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long a program may take to end by itself after an interrupt, before the signal is passed on: on
/// a terminal it got the same Ctrl-C as we did.
const INTERRUPT_PATIENCE: Duration = Duration::from_millis(500);

/// What to collect.
#[derive(Debug, Clone)]
pub enum Target {
    /// Start this command line, whose first word is a `java` launcher.
    Launch(Vec<OsString>),
    /// Attach to the JVM with this process id.
    Attach(u32),
}

/// How to collect.
#[derive(Debug, Clone)]
pub struct CollectOptions {
    /// CPU time between two samples of a thread.
    pub interval: Duration,
    /// Which engine.
    pub engine: EngineChoice,
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

/// Requests to stop, which a signal handler's thread can make.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    request_count: AtomicUsize,
    last_signal: AtomicI32,
}

impl Stop {
    /// Asks to stop because of `signal`.
    pub fn request(&self, signal: i32) {
        self.0.last_signal.store(signal, Ordering::Relaxed);
        self.0.request_count.fetch_add(1, Ordering::Release);
    }

    fn request_count(&self) -> usize {
        self.0.request_count.load(Ordering::Acquire)
    }

    fn last_signal(&self) -> i32 {
        self.0.last_signal.load(Ordering::Relaxed)
    }
}

/// State of a collection, for a progress line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Time since the start.
    pub elapsed: Duration,
    /// Samples on disk.
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

/// Collects `target` into an experiment.
///
/// # Errors
/// It could not start (then the target is as it was), or not everything could be written (then the
/// error says what is where).
pub fn collect(
    target: &Target,
    options: &CollectOptions,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    match target {
        Target::Launch(command) => collect_launched(command, options, stop, observer),
        Target::Attach(pid) => collect_attached(*pid, options, stop, observer),
    }
}

fn collect_launched(
    command: &[OsString],
    options: &CollectOptions,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    launch::check_is_java(command)?;
    let chosen = engine::choose(options.engine, Process(std::process::id()))?;
    let library = target_folder::install_library(None)?;
    let session = SessionFolder::create(None)?;
    let mut manifest = new_manifest(options, &chosen);
    manifest.command = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let writer = ExperimentWriter::create(&options.output, &manifest, options.replaces)?;
    let agent_options = start_options(options, &chosen, &session);
    let launched = launch::launch(command, &library.inside, &agent_options, options.adds_jvm_flags);
    let launched = launched.inspect_err(|_| remove_empty_experiment(&writer))?;
    let accounts = Accounts::open(launched.process, true);
    let parts = Parts { writer, manifest, session, accounts, options, engine: chosen.engine };
    let mut collection = Collection::new(launched.process, parts);
    let ending = collection.run(&mut |elapsed| launched_ending(&launched, stop, options, elapsed), observer);
    if ending != Ending::ProgramEnded && !launched.has_ended() {
        collection.stop_profiler(&library, observer);
        let finished = collection.finish(None, observer);
        let exit = wait_for_end(launched, ending, stop, observer);
        return finished.map(|manifest| Outcome { manifest, ending, exit });
    }
    collection.accounts.poll_process();
    let ended = launched.bury();
    let exit = ended.as_ref().map(|ended| ended.exit);
    let manifest = collection.finish(ended, observer)?;
    Ok(Outcome { manifest, ending, exit })
}

/// Why a launched program's collection ends now, if it does. Passes interrupts on to the program.
fn launched_ending(launched: &Launched, stop: &Stop, options: &CollectOptions, elapsed: Duration) -> Option<Ending> {
    if launched.has_ended() {
        return Some(Ending::ProgramEnded);
    }
    if options.duration.is_some_and(|duration| elapsed >= duration) {
        return Some(Ending::DurationOver);
    }
    if stop.request_count() == 0 {
        return None;
    }
    let patience = Instant::now() + INTERRUPT_PATIENCE;
    while Instant::now() < patience {
        if launched.has_ended() {
            return Some(Ending::ProgramEnded);
        }
        std::thread::sleep(EARLY_POLL_INTERVAL);
    }
    Some(Ending::Interrupted)
}

/// After the collection has ended before the program: waits for it, and passes interrupts on.
fn wait_for_end(launched: Launched, ending: Ending, stop: &Stop, observer: &mut dyn Observer) -> Option<ExitStatus> {
    observer.note("collection ended; waiting for the program (Ctrl-C is passed on to it)");
    let mut seen = if ending == Ending::Interrupted { 0 } else { stop.request_count() };
    while !launched.has_ended() {
        let count = stop.request_count();
        if count > seen {
            seen = count;
            launched.signal(stop.last_signal());
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    launched.bury().map(|ended| ended.exit)
}

fn collect_attached(
    pid: u32,
    options: &CollectOptions,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let process = Process(pid);
    let jvm = Jvm::find(process)?;
    let chosen = engine::choose(options.engine, process)?;
    let library = target_folder::install_library(Some(&jvm))?;
    let session = SessionFolder::create(Some(&jvm))?;
    let mut manifest = new_manifest(options, &chosen);
    manifest.command = process.command_line();
    let writer = ExperimentWriter::create(&options.output, &manifest, options.replaces)?;
    let agent_options = start_options(options, &chosen, &session);
    let started = start_attached(&jvm, &library, (&agent_options, &session), options.takes_over);
    started.inspect_err(|_| remove_empty_experiment(&writer))?;
    let accounts = Accounts::open(process, false);
    let parts = Parts { writer, manifest, session, accounts, options, engine: chosen.engine };
    let mut collection = Collection::new(process, parts);
    let mut ending = |elapsed: Duration| {
        let is_over = options.duration.is_some_and(|duration| elapsed >= duration);
        if !process.is_alive() {
            Some(Ending::ProgramEnded)
        } else if stop.request_count() > 0 {
            Some(Ending::Interrupted)
        } else {
            is_over.then_some(Ending::DurationOver)
        }
    };
    let ending = collection.run(&mut ending, observer);
    if ending != Ending::ProgramEnded {
        collection.stop_profiler(&library, observer);
    }
    let manifest = collection.finish(None, observer)?;
    Ok(Outcome { manifest, ending, exit: None })
}

fn start_attached(
    jvm: &Jvm,
    library: &SharedPath,
    (agent_options, session): (&str, &SessionFolder),
    takes_over: bool,
) -> Result<(), Error> {
    let pid = jvm.process.0;
    if takes_over {
        let stop = async_profiler::stop_options(&session.recording.inside, &session.log.inside);
        jvm.load_agent(&library.inside, &stop)?;
    }
    if jvm.load_agent(&library.inside, agent_options)? == 0 {
        return Ok(());
    }
    let answer = async_profiler::last_error(&session.read_log()).unwrap_or_else(|| "no reason given".to_owned());
    if async_profiler::is_already_started(&answer) {
        return Err(Error::AlreadyProfiled { pid });
    }
    Err(Error::Profiler { pid, answer })
}

fn start_options(options: &CollectOptions, chosen: &ChosenEngine, session: &SessionFolder) -> String {
    let start = Start {
        engine: chosen.engine,
        interval_ns: options.interval.as_nanos() as u64,
        recording: &session.recording.inside,
        log: &session.log.inside,
    };
    start.options()
}

fn new_manifest(options: &CollectOptions, chosen: &ChosenEngine) -> Manifest {
    let mut manifest = Manifest::new(options.written_by.clone());
    manifest.start_wall_ns = Some(host::wall_ns());
    manifest.start_monotonic_ns = Some(host::monotonic_ns());
    manifest.host = Some(host::host());
    manifest.comment.clone_from(&options.comment);
    manifest.collectors = vec![Collector {
        name: format!("async-profiler {}", async_profiler::VERSION),
        engine: chosen.engine.name().to_owned(),
        interval_ns: Some(options.interval.as_nanos() as u64),
        status: CollectorStatus::Used,
        reason: chosen.reason.clone(),
    }];
    manifest
}

/// An experiment whose target never started holds nothing that anybody could want.
fn remove_empty_experiment(writer: &ExperimentWriter) {
    let _ = std::fs::remove_dir_all(writer.directory());
}

/// What a collection is made of.
struct Parts<'a> {
    writer: ExperimentWriter,
    manifest: Manifest,
    session: SessionFolder,
    accounts: Accounts,
    options: &'a CollectOptions,
    engine: Engine,
}

/// A collection under way.
struct Collection<'a> {
    process: Process,
    writer: ExperimentWriter,
    manifest: Manifest,
    session: SessionFolder,
    accounts: Accounts,
    recording: GrowingRecording,
    builder: TableBuilder,
    sampled: SampledCpu,
    /// Samples that are not on disk yet, because writing failed.
    pending: SampleTable,
    write_error: Option<whittle_experiment::Error>,
    started: Instant,
    options: &'a CollectOptions,
}

impl<'a> Collection<'a> {
    fn new(process: Process, parts: Parts<'a>) -> Self {
        let Parts { writer, manifest, session, accounts, options, engine } = parts;
        let weight_per_sample_ns = (engine == Engine::Ctimer).then(|| {
            // A timer fires at a tick of the kernel, so not more often than that.
            host::tick_ns().max(options.interval.as_nanos() as u64)
        });
        let import = JfrOptions { weight_per_sample_ns, process_id: Some(process.0) };
        Self {
            process,
            writer,
            manifest,
            session,
            accounts,
            recording: GrowingRecording::new(import),
            builder: TableBuilder::new(),
            sampled: SampledCpu::default(),
            pending: SampleTable::default(),
            write_error: None,
            started: Instant::now(),
            options,
        }
    }

    /// Polls until `ending` gives a reason to end.
    fn run(&mut self, ending: &mut dyn FnMut(Duration) -> Option<Ending>, observer: &mut dyn Observer) -> Ending {
        loop {
            let elapsed = self.started.elapsed();
            if let Some(ending) = ending(elapsed) {
                return ending;
            }
            self.accounts.poll();
            self.read_new_chunks(observer);
            observer.progress(&Progress {
                elapsed,
                sample_count: self.sampled.sample_count,
                closure_ratio: self.closure_until_last_chunk(),
            });
            let pause = if self.recording.is_open() { POLL_INTERVAL } else { EARLY_POLL_INTERVAL };
            let left = self.options.duration.map_or(pause, |duration| duration.saturating_sub(elapsed));
            std::thread::sleep(pause.min(left));
        }
    }

    /// Opens the recording as soon as the JVM has created it.
    fn open_recording(&mut self) {
        if !self.recording.is_open()
            && let Some(file) = self.session.open_recording()
        {
            self.recording.open(file);
        }
    }

    fn read_new_chunks(&mut self, observer: &mut dyn Observer) {
        self.open_recording();
        match self.recording.read_finished_chunks(&mut self.builder) {
            Ok(true) => self.write_part(observer),
            Ok(false) => {}
            Err(error) => observer.note(&format!("the recording cannot be read ({error}); trying again")),
        }
    }

    /// Writes what is new as a part of the experiment. A failure is remembered and tried again with the next part.
    fn write_part(&mut self, observer: &mut dyn Observer) {
        let samples = self.builder.take_samples();
        self.sampled.add(self.builder.tables(), &samples);
        self.pending.append(samples);
        self.describe();
        let written = self.writer.append(self.builder.tables(), &self.pending);
        let written = written.and_then(|()| self.writer.write_manifest(&self.manifest));
        match written {
            Ok(()) => {
                self.pending = SampleTable::default();
                self.write_error = None;
            }
            Err(error) => {
                if self.write_error.is_none() {
                    observer
                        .note(&format!("{error}; the samples are kept in memory and written when that works again"));
                }
                self.write_error = Some(error);
            }
        }
    }

    /// Brings the manifest and the threads table up to date.
    fn describe(&mut self) {
        let recording = self.recording.recording();
        if let Some(start_ns) = recording.start_clock_ns {
            self.manifest.start_wall_ns = Some(recording.start_wall_ns);
            self.manifest.start_monotonic_ns = Some(start_ns);
        }
        let importer = self.recording.importer();
        let (metrics, losses) = (importer.metrics(), importer.losses().clone());
        self.manifest.metrics = metrics;
        self.manifest.losses = losses;
        self.manifest.jvm = jvm_facts(recording);
        let start_ns = self.start_ns();
        self.manifest.duration_ns = host::monotonic_ns().saturating_sub(start_ns);
        self.accounts.complete_threads(&mut self.builder, start_ns);
        self.manifest.closure = Some(self.closure());
        self.manifest.resources = Some(self.accounts.resources());
    }

    fn start_ns(&self) -> u64 {
        self.manifest.start_monotonic_ns.unwrap_or_default()
    }

    fn closure(&self) -> Closure {
        let parts = self.accounts.user_system_ns();
        Closure {
            exact_cpu_ns: self.accounts.cpu_ns(),
            exact_user_ns: parts.map(|parts| parts.0),
            exact_system_ns: parts.map(|parts| parts.1),
            sampled_ns: self.sampled.sampled_ns,
            rooted_ns: self.sampled.rooted_ns,
        }
    }

    /// Samples come in parts, so the exact CPU time that they stand against is that until the last part's end.
    fn closure_until_last_chunk(&self) -> Option<f64> {
        let recording = self.recording.recording();
        let end_ns = recording.start_clock_ns? + recording.duration_ns;
        let exact_cpu_ns = self.accounts.cpu_ns_until(end_ns);
        Closure { exact_cpu_ns, ..self.closure() }.ratio()
    }

    /// Ends the recording in a JVM that lives on. If that fails the target must be told about.
    fn stop_profiler(&mut self, library: &SharedPath, observer: &mut dyn Observer) {
        self.accounts.poll();
        let options = async_profiler::stop_options(&self.session.recording.inside, &self.session.log.inside);
        let stopped = Jvm::find(self.process).and_then(|jvm| jvm.load_agent(&library.inside, &options));
        if let Err(error) = stopped
            && self.process.is_alive()
        {
            observer.note(&format!("the profiler in process {} could not be stopped: {error}", self.process.0));
        }
    }

    /// Reads the rest of the recording and writes the last part.
    fn finish(mut self, ended: Option<Ended>, observer: &mut dyn Observer) -> Result<Manifest, Error> {
        self.open_recording();
        let importing = std::mem::replace(&mut self.recording, GrowingRecording::new(JfrOptions::default()));
        let imported =
            importing.finish(&mut self.builder).map_err(Error::io("read", &self.session.recording.outside))?;
        match imported {
            Ok(import) => self.finish_with(&import, ended, observer),
            Err(_) => Err(self.nothing_collected(ended)),
        }
    }

    fn finish_with(
        mut self,
        import: &JfrImport,
        ended: Option<Ended>,
        observer: &mut dyn Observer,
    ) -> Result<Manifest, Error> {
        let samples = self.builder.take_samples();
        self.sampled.add(self.builder.tables(), &samples);
        self.pending.append(samples);
        self.describe_end(import, ended);
        let written = self.writer.append(self.builder.tables(), &self.pending);
        let written = written.and_then(|()| self.writer.write_manifest(&self.manifest));
        if let Err(source) = written {
            let folder = self.session.keep().display();
            let kept = format!(
                "what was written before opens as an incomplete experiment, and the whole recording is kept: \
                 `whittle import {folder}/recording.jfr -o NAME.whittle` reads it once there is room"
            );
            observer.note("the end of the collection could not be written");
            return Err(Error::NotAllWritten { source, kept });
        }
        Ok(self.manifest)
    }

    fn describe_end(&mut self, import: &JfrImport, ended: Option<Ended>) {
        if let Some(start_ns) = import.recording.start_clock_ns {
            self.manifest.start_wall_ns = Some(import.recording.start_wall_ns);
            self.manifest.start_monotonic_ns = Some(start_ns);
        }
        let start_ns = self.start_ns();
        self.manifest.metrics.clone_from(&import.metrics);
        self.manifest.losses = import.losses.clone();
        self.manifest.jvm = jvm_facts(&import.recording);
        self.manifest.duration_ns = import.recording.duration_ns;
        self.accounts.complete_threads(&mut self.builder, start_ns);
        self.manifest.closure = Some(self.closure());
        self.count_uncovered(start_ns, import.recording.duration_ns);
        self.manifest.resources = Some(self.accounts.resources());
        self.manifest.state = State::Complete;
        if let Some(ended) = ended {
            self.manifest.exit = Some(ended.exit);
            if let Some(resources) = &mut self.manifest.resources {
                resources.peak_rss_bytes = ended.resources.peak_rss_bytes;
                resources.voluntary_switches = ended.resources.voluntary_switches;
                resources.involuntary_switches = ended.resources.involuntary_switches;
            }
        }
    }

    /// CPU time of the process before the recording began and after it ended is a loss with a name.
    fn count_uncovered(&mut self, start_ns: u64, duration_ns: u64) {
        let before_ns = self.accounts.cpu_ns_until(start_ns);
        let after_ns = self.accounts.cpu_ns().saturating_sub(self.accounts.cpu_ns_until(start_ns + duration_ns));
        for (reason, cpu_ns) in [(LossReason::BeforeAgent, before_ns), (LossReason::AfterAgent, after_ns)] {
            if cpu_ns > 0 {
                self.manifest.losses.add_cpu(reason, cpu_ns);
            }
        }
    }

    fn nothing_collected(&self, ended: Option<Ended>) -> Error {
        remove_empty_experiment(&self.writer);
        let log = async_profiler::last_error(&self.session.read_log());
        let exit = ended.map(|ended| ended.exit);
        Error::NothingCollected { reason: log.map(|log| format!(": {log}")).unwrap_or_default(), exit }
    }
}

fn jvm_facts(recording: &Recording) -> Option<JvmFacts> {
    let jvm = recording.jvm.as_ref()?;
    Some(JvmFacts {
        name: jvm.name.clone(),
        version: jvm.version.clone(),
        has_exact_lines: Some(jvm.jvm_arguments.contains("+DebugNonSafepoints")),
        arguments: jvm.jvm_arguments.clone(),
    })
}
