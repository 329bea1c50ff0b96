//! A collection under way: polls the accounts, reads the recording as it grows, writes parts.

use crate::accounts::Accounts;
use crate::async_profiler;
use crate::closure::SampledCpu;
use crate::engine::Engine;
use crate::launch::Ended;
use crate::options::{CollectOptions, Ending, Observer, Progress};
use crate::process::Process;
use crate::recording::GrowingRecording;
use crate::target_folder::SessionFolder;
use crate::{Error, host};
use std::time::{Duration, Instant};
use whittle_experiment::ExperimentWriter;
use whittle_import::{JfrImporter, JfrOptions, Recording};
use whittle_model::{
    Closure, Jvm as JvmFacts, LossReason, Losses, Manifest, MetricDefinition, NewRows, State, TableBuilder,
};

/// How often the accounts are read and the progress is shown.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Until the recording is there, polls come faster: the CPU time before it is interpolated between them.
const EARLY_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long the recording may take to appear before that is worth a word.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// The engine's name in async-profiler's own settings, for perf events.
const PERF_ENGINE: &str = "perf_events";

/// How a collection began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// With the program: all its CPU time counts.
    Launched,
    /// In its midst: only the time of the recording counts.
    Attached,
}

/// A collection under way.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    process: Process,
    beginning: Beginning,
    writer: ExperimentWriter,
    manifest: Manifest,
    folder: SessionFolder,
    accounts: Accounts,
    recording: GrowingRecording,
    builder: TableBuilder,
    sampled: SampledCpu,
    /// Rows that are not on disk yet, because writing failed.
    pending: NewRows,
    /// The last thing that went wrong and was told, so that it is told once.
    told: Option<String>,
    started: Instant,
    options: &'a CollectOptions,
}

/// Removes an experiment whose target never started, puts back what it would have replaced, and
/// hands the reason on.
pub(crate) fn abandon(writer: ExperimentWriter, reason: Error) -> Error {
    match writer.abandon() {
        Ok(()) => reason,
        Err(error) => error.into(),
    }
}

/// What a recording says about itself, by the end or so far.
struct Described<'a> {
    recording: &'a Recording,
    metrics: Vec<MetricDefinition>,
    losses: Losses,
}

impl<'a> Session<'a> {
    /// A session that begins now.
    pub(crate) fn new(
        process: Process,
        beginning: Beginning,
        (writer, manifest, folder): (ExperimentWriter, Manifest, SessionFolder),
        options: &'a CollectOptions,
    ) -> Self {
        // Used where timers sample, which fire at a tick of the kernel and not more often.
        let weight_per_sample_ns = Some(host::tick_ns().max(options.interval.as_nanos() as u64));
        let import = JfrOptions { weight_per_sample_ns, process_id: Some(process.0) };
        Self {
            process,
            beginning,
            writer,
            manifest,
            folder,
            accounts: Accounts::open(process, beginning == Beginning::Launched),
            recording: GrowingRecording::new(import),
            builder: TableBuilder::new(),
            sampled: SampledCpu::default(),
            pending: NewRows::default(),
            told: None,
            started: Instant::now(),
            options,
        }
    }

    /// Where the recording lies.
    pub(crate) fn folder(&self) -> &SessionFolder {
        &self.folder
    }

    /// Gives up before anything was recorded.
    pub(crate) fn abandon(self, reason: Error) -> Error {
        abandon(self.writer, reason)
    }

    /// Polls until `ending` gives a reason to end.
    pub(crate) fn run(
        &mut self,
        ending: &mut dyn FnMut(Duration) -> Option<Ending>,
        observer: &mut dyn Observer,
    ) -> Ending {
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
                closure_ratio: self.closure_so_far().ratio(),
            });
            std::thread::sleep(self.pause(elapsed, observer));
        }
    }

    fn pause(&mut self, elapsed: Duration, observer: &mut dyn Observer) -> Duration {
        let is_early = !self.recording.is_open() && elapsed < START_PATIENCE;
        if !self.recording.is_open() && !is_early {
            let reason = async_profiler::last_error(&self.folder.read_log());
            let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
            self.tell_once(format!("the profiler inside the program has not started yet{reason}"), observer);
        }
        let pause = if is_early { EARLY_POLL_INTERVAL } else { POLL_INTERVAL };
        self.options.duration.map_or(pause, |duration| pause.min(duration.saturating_sub(elapsed)))
    }

    fn tell_once(&mut self, text: String, observer: &mut dyn Observer) {
        if self.told.as_ref() != Some(&text) {
            observer.note(&text);
            self.told = Some(text);
        }
    }

    /// Opens the recording as soon as the JVM has created it.
    fn open_recording(&mut self) {
        if !self.recording.is_open()
            && let Some(file) = self.folder.open_recording()
        {
            self.recording.open(file);
        }
    }

    fn read_new_chunks(&mut self, observer: &mut dyn Observer) {
        self.open_recording();
        match self.recording.read_finished_chunks(&mut self.builder) {
            Ok(false) => {}
            Ok(true) => {
                self.take_samples();
                self.describe_so_far();
                if let Err(error) = self.write() {
                    let text = format!("{error}; the samples are kept in memory and written when that works again");
                    self.tell_once(text, observer);
                }
            }
            Err(error) => self.tell_once(format!("the recording cannot be read ({error}); trying again"), observer),
        }
    }

    fn take_samples(&mut self) {
        let rows = self.builder.take_new_rows();
        self.sampled.add(self.builder.tables(), &rows.samples);
        self.pending.append(rows);
    }

    /// Writes what is new as a part of the experiment, then the manifest.
    fn write(&mut self) -> Result<(), whittle_experiment::Error> {
        self.writer.append(self.builder.tables(), &self.pending)?;
        self.pending = NewRows::default();
        self.writer.write_manifest(&self.manifest)
    }

    fn describe_so_far(&mut self) {
        let importer: &JfrImporter = self.recording.importer();
        let (metrics, losses) = (importer.metrics(), importer.losses().clone());
        let recording = importer.recording().clone();
        self.describe(Described { recording: &recording, metrics, losses });
    }

    /// Brings the manifest and the threads table up to date.
    fn describe(&mut self, described: Described<'_>) {
        let recording = described.recording;
        if let Some(start_ns) = recording.start_clock_ns {
            self.manifest.start_wall_ns = Some(recording.start_wall_ns);
            self.manifest.start_monotonic_ns = Some(start_ns);
        }
        self.manifest.duration_ns = recording.duration_ns;
        self.manifest.metrics = described.metrics;
        self.manifest.losses = described.losses;
        self.manifest.jvm = recording.jvm.as_ref().map(JvmFacts::from);
        self.describe_engine(recording);
        let start_ns = self.start_ns();
        self.accounts.complete_threads(&mut self.builder, start_ns);
        self.manifest.closure = Some(self.closure_so_far());
        self.manifest.resources = Some(self.accounts.resources());
    }

    /// async-profiler quietly uses timers where it is refused perf events.
    fn describe_engine(&mut self, recording: &Recording) {
        let Some(used) = recording.settings.get("jdk.ActiveRecording", "engine") else { return };
        let Some(collector) = self.manifest.collectors.first_mut() else { return };
        if collector.engine == Engine::Cpu.name() && used != PERF_ENGINE {
            collector.engine = used.to_owned();
            collector.reason =
                "no user/system split by method: perf events were refused inside the JVM (a container's \
                                seccomp profile or user namespace does that), and async-profiler took timers instead"
                    .to_owned();
        }
    }

    fn start_ns(&self) -> u64 {
        self.manifest.start_monotonic_ns.unwrap_or_default()
    }

    fn end_ns(&self) -> u64 {
        self.start_ns().saturating_add(self.manifest.duration_ns)
    }

    /// Samples against the accounts of the same time: until the last sample that was read.
    fn closure_so_far(&self) -> Closure {
        let until_end_ns = self.accounts.cpu_ns_until(self.end_ns());
        let exact_cpu_ns = match self.beginning {
            Beginning::Launched => until_end_ns,
            Beginning::Attached => until_end_ns.saturating_sub(self.accounts.cpu_ns_until(self.start_ns())),
        };
        self.closure(exact_cpu_ns)
    }

    fn closure(&self, exact_cpu_ns: u64) -> Closure {
        let parts = self.accounts.user_system_ns(exact_cpu_ns);
        Closure {
            exact_cpu_ns,
            exact_user_ns: parts.map(|parts| parts.0),
            exact_system_ns: parts.map(|parts| parts.1),
            sampled_ns: self.sampled.sampled_ns,
            rooted_ns: self.sampled.rooted_ns,
        }
    }

    /// Reads the accounts of a program that has ended and is not buried yet.
    pub(crate) fn read_last_accounts(&mut self) {
        self.accounts.poll_process();
    }

    /// Reads the rest of the recording and writes the last part. `stopped` tells whether the profiler
    /// in a JVM that lives on could be stopped, `ended` how a launched program ended.
    pub(crate) fn finish(
        mut self,
        stopped: Result<(), Error>,
        ended: Option<Ended>,
        observer: &mut dyn Observer,
    ) -> Result<Manifest, Error> {
        if ended.is_none() {
            self.accounts.poll();
        }
        self.open_recording();
        let recording = std::mem::replace(&mut self.recording, GrowingRecording::new(JfrOptions::default()));
        let (imported, read_error) = recording.finish(&mut self.builder);
        if let Some(error) = &read_error {
            let kept = self.folder.keep();
            observer.note(&format!("the end of the recording could not be read ({error}); it is kept: {kept}"));
        }
        let Ok(import) = imported else { return Err(self.nothing_collected(ended)) };
        self.take_samples();
        self.describe(Described { recording: &import.recording, metrics: import.metrics, losses: import.losses });
        self.describe_end(ended);
        let written = self.write();
        if stopped.is_err() || written.is_err() {
            // While the profiler goes on, its file must not vanish under it.
            self.folder.keep();
        }
        stopped?;
        match written {
            Ok(()) => Ok(self.manifest),
            Err(source) => Err(self.not_all_written(source)),
        }
    }

    fn describe_end(&mut self, ended: Option<Ended>) {
        self.manifest.state = State::Complete;
        if self.beginning == Beginning::Launched {
            let (until_start_ns, until_end_ns) =
                (self.accounts.cpu_ns_until(self.start_ns()), self.accounts.cpu_ns_until(self.end_ns()));
            self.manifest.closure = Some(self.closure(self.accounts.cpu_ns()));
            // CPU time of the process before the recording began and after it ended is a loss with a name.
            let after_ns = self.accounts.cpu_ns().saturating_sub(until_end_ns);
            for (reason, cpu_ns) in [(LossReason::BeforeAgent, until_start_ns), (LossReason::AfterAgent, after_ns)] {
                if cpu_ns > 0 {
                    self.manifest.losses.add_cpu(reason, cpu_ns);
                }
            }
        }
        let Some(ended) = ended else { return };
        self.manifest.exit = Some(ended.exit);
        if let Some(resources) = &mut self.manifest.resources {
            resources.peak_rss_bytes = ended.resources.peak_rss_bytes;
            resources.voluntary_switches = ended.resources.voluntary_switches;
            resources.involuntary_switches = ended.resources.involuntary_switches;
        }
    }

    fn not_all_written(&mut self, source: whittle_experiment::Error) -> Error {
        let recording = self.folder.keep();
        let kept = format!(
            "what was written before opens as an incomplete experiment, and the whole recording is kept: \
             `whittle import {recording} -o NAME.whittle` reads it once there is room"
        );
        Error::NotAllWritten { source, kept }
    }

    fn nothing_collected(self, ended: Option<Ended>) -> Error {
        let log = async_profiler::last_error(&self.folder.read_log());
        let reason = log.map(|log| format!(": {log}")).unwrap_or_default();
        let error = match self.beginning {
            Beginning::Launched => Error::NothingCollected { reason, exit: ended.map(|ended| ended.exit) },
            Beginning::Attached => Error::NothingRecorded { pid: self.process.0, reason },
        };
        abandon(self.writer, error)
    }
}
