//! A collection under way: polls the accounts, reads what the engine delivers, writes parts.
//!
//! Two sources come together here. The kernel side (if the engine is kernel-driven) has events, exact
//! figures and native stacks; the profiler in the JVM (if there is one) has Java stacks, allocations and
//! locks, which arrive in its recording some seconds later.

use crate::accounts::{Accounts, Ends, set_classes};
use crate::agent::Agent;
use crate::attach::{self, Jvm};
use crate::class_archive::ClassArchiver;
use crate::closure::SampledCpu;
use crate::counters::Counters;
use crate::engine::Engine;
use crate::kernel::KernelSide;
use crate::launch::Ended;
use crate::options::{CollectOptions, Ending, Observer, Progress};
use crate::process::Process;
use crate::program_output::CapturedOutput;
use crate::thread_dump;
use crate::{Error, host};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use whittle_experiment::ExperimentWriter;
use whittle_import::{JfrOptions, Recording};
use whittle_model::{
    Closure, EventKind, Jvm as JvmFacts, LossReason, Losses, Manifest, MetricDefinition, NewRows, Sample, StackIndex,
    State, Table, TableBuilder, Tables, UnitOfWork,
};

/// How often the accounts are read and the progress is shown.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Until the recording is there, polls come faster: the CPU time before it is interpolated between
/// them, and the profiler's signal handler is confirmed.
const EARLY_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long the recording may take to appear before that is worth a word.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// Parts are written this often where no recording's chunks set the pace.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// How often figures over time are noted.
const COUNTER_INTERVAL: Duration = Duration::from_secs(1);

/// The same in a continuous collection.
const SEGMENT_COUNTER_INTERVAL: Duration = Duration::from_secs(15);

/// How often a continuous collection reads the figures of all threads.
const SEGMENT_THREADS_INTERVAL: Duration = Duration::from_secs(10);

/// A record of the kernel side is with us after this time: a continuous collection takes them in bunches.
pub(crate) const SEGMENT_RECORDS_DELAY: Duration = Duration::from_millis(400);

/// How often we look whether an observed process is a JVM.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Signals on their way when sampling ends have this long to arrive.
const LAST_SIGNALS: Duration = Duration::from_millis(5);

/// The engine's name in async-profiler's own settings, for perf events.
const PERF_ENGINE: &str = "perf_events";

/// What is not counted where threads share rows.
const SINGLE_THREADS: &str = "threads one by one";

/// How a collection began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// With the program: all its CPU time counts.
    Launched,
    /// In its midst: only the time of the recording counts.
    Attached,
}

/// What delivers samples: at least one of the two.
pub(crate) struct Sources {
    pub(crate) agent: Option<Agent>,
    pub(crate) kernel: Option<KernelSide>,
    /// What a launched program prints, if that is read.
    pub(crate) output: Option<CapturedOutput>,
}

/// A collection under way.
pub(crate) struct Session<'a> {
    process: Process,
    beginning: Beginning,
    /// Missing: a part of a continuous collection, which is kept in memory until its end.
    writer: Option<ExperimentWriter>,
    manifest: Manifest,
    accounts: Accounts,
    agent: Option<Agent>,
    kernel: Option<KernelSide>,
    archiver: Option<ClassArchiver>,
    builder: TableBuilder,
    sampled: SampledCpu,
    /// Rows that are not on disk yet.
    pending: NewRows,
    /// The last thing that went wrong and was told, so that it is told once.
    told: Option<String>,
    started: Instant,
    last_write: Instant,
    last_look: Instant,
    counters: Counters,
    /// Work that was done besides what the options and the program's output say.
    work: Vec<UnitOfWork>,
    /// CLOCK_MONOTONIC when sampling ended; none while it goes on.
    end_ns: Option<u64>,
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

impl<'a> Session<'a> {
    /// A session that begins now; the kernel side observes already.
    pub(crate) fn new(
        (process, beginning): (Process, Beginning),
        (writer, mut manifest): (Option<ExperimentWriter>, Manifest),
        mut sources: Sources,
        options: &'a CollectOptions,
    ) -> Self {
        let is_segment = writer.is_none();
        let counter_interval = if is_segment { SEGMENT_COUNTER_INTERVAL } else { COUNTER_INTERVAL };
        if let Some(agent) = &mut sources.agent {
            // Used where timers sample, which fire at a tick of the kernel and not more often. Answers
            // to signals have no weight of their own.
            let tick_ns = host::tick_ns().max(options.interval.as_nanos() as u64);
            let weight_per_sample_ns = sources.kernel.is_none().then_some(tick_ns);
            agent.set_import(JfrOptions { weight_per_sample_ns, process_id: Some(process.0) });
        }
        if let Some(kernel) = &sources.kernel {
            set_start(&mut manifest, kernel.start_ns());
        }
        let kind = (sources.agent.is_some(), beginning == Beginning::Launched);
        let ends = if sources.kernel.is_some() { Ends::Told } else { Ends::Unseen };
        Self {
            counters: Counters::new(process, kind, (counter_interval, sources.output)),
            process,
            beginning,
            writer,
            manifest,
            accounts: Accounts::open(process, beginning == Beginning::Launched, ends),
            archiver: (sources.agent.is_some() && !is_segment).then(|| ClassArchiver::new(process)),
            agent: sources.agent,
            kernel: sources.kernel,
            builder: TableBuilder::new(),
            sampled: SampledCpu::default(),
            pending: NewRows::default(),
            told: None,
            started: Instant::now(),
            last_write: Instant::now(),
            last_look: Instant::now(),
            work: Vec::new(),
            end_ns: None,
            options,
        }
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
            self.poll(observer);
            observer.progress(&Progress {
                elapsed,
                sample_count: self.sampled.sample_count,
                closure_ratio: self.closure_so_far().ratio(),
            });
            std::thread::sleep(self.pause(elapsed, observer));
        }
    }

    /// Takes what there is.
    pub(crate) fn poll(&mut self, observer: &mut dyn Observer) {
        if self.is_segment() {
            self.poll_segment(observer);
            return;
        }
        self.accounts.poll();
        self.look_for_jvms(observer);
        self.poll_kernel();
        if let Some(archiver) = &mut self.archiver {
            archiver.poll();
        }
        self.note_counters();
        let has_read = self.read_new_chunks(observer);
        if has_read || self.kernel.is_some() && self.last_write.elapsed() >= WRITE_INTERVAL {
            self.write_part(observer);
        }
    }

    /// True for a part of a continuous collection.
    fn is_segment(&self) -> bool {
        self.writer.is_none()
    }

    /// As little as will do: this goes on for days beside a program that may do nothing.
    fn poll_segment(&mut self, observer: &mut dyn Observer) {
        if self.end_ns.is_none() {
            self.accounts.poll_process();
            self.poll_kernel();
            self.note_counters();
            if self.last_look.elapsed() >= SEGMENT_THREADS_INTERVAL {
                self.last_look = Instant::now();
                self.accounts.poll_all();
            }
        }
        self.read_new_chunks(observer);
    }

    /// Ends this part of a continuous collection, and gives the next one, which begins at the same moment. `agent` has a
    /// new recording, if one was started; the manifest is that of the next part.
    pub(crate) fn cut(
        &mut self,
        mut manifest: Manifest,
        agent: Option<Agent>,
        observer: &mut dyn Observer,
    ) -> Result<Self, Error> {
        let at_ns = self.close();
        self.read_new_chunks(observer);
        let agent = match (agent, &self.agent) {
            (None, Some(agent)) => Some(agent.for_next_segment()?),
            (agent, _) => agent,
        };
        let kernel = self.kernel.as_mut().map(|kernel| kernel.next_segment(at_ns));
        set_start(&mut manifest, at_ns);
        let accounts = self.accounts.for_next_segment();
        let sources = Sources { agent, kernel, output: None };
        let next = Self::new((self.process, Beginning::Attached), (None, manifest), sources, self.options);
        Ok(Self { accounts, ..next })
    }

    /// Reads the figures of a part's end and takes the records until then; CLOCK_MONOTONIC of the end.
    pub(crate) fn close(&mut self) -> u64 {
        self.accounts.poll_all();
        let at_ns = if self.process.is_alive() { self.accounts.polled_ns() } else { host::monotonic_ns() };
        self.end_ns = Some(at_ns);
        let start_ns = self.start_ns();
        let Self { kernel, accounts, builder, counters, .. } = self;
        counters.close(start_ns, &mut builder.tables_mut().counters);
        if let Some(kernel) = kernel {
            std::thread::sleep(SEGMENT_RECORDS_DELAY);
            kernel.take_until(at_ns, builder, &mut |ended| accounts.end_thread(ended));
        }
        at_ns
    }

    /// Ends the observation of a process that lives on, or of one that has ended, after [`close`](Self::close).
    pub(crate) fn stop_segment(&mut self) -> Result<(), Error> {
        let stopped = self.kernel.as_mut().map_or(Ok(()), KernelSide::stop);
        self.agent.as_ref().map_or(Ok(()), |agent| agent.stop(self.process))?;
        Ok(stopped?)
    }

    /// Work that was done in this part.
    pub(crate) fn set_units_of_work(&mut self, units: Vec<UnitOfWork>) {
        self.work = units;
    }

    /// True if nothing more comes for a part that was cut: its last stacks are there.
    pub(crate) fn is_settled(&self) -> bool {
        let Some(agent) = &self.agent else { return true };
        let recording = agent.recording.importer().recording();
        let recorded_ns = recording.start_clock_ns.map_or(0, |start_ns| start_ns.saturating_add(recording.duration_ns));
        self.end_ns.is_some_and(|end_ns| recorded_ns > end_ns)
    }

    /// The profiler in the JVM.
    pub(crate) fn agent(&self) -> Option<&Agent> {
        self.agent.as_ref()
    }

    /// What a part that was cut comes to. `is_recording_over`: nothing is written to its recording any more.
    pub(crate) fn into_segment(mut self, is_recording_over: bool, observer: &mut dyn Observer) -> (Manifest, Tables) {
        if is_recording_over {
            self.read_recording_to_its_end(observer);
        } else {
            if let Some(kernel) = &mut self.kernel {
                kernel.finish_join(&mut self.builder);
            }
            self.take_rows();
            self.describe_so_far();
        }
        if let Some(kernel) = &mut self.kernel {
            kernel.write_tables(&mut self.builder, true);
        }
        self.count_ended_threads();
        self.manifest.state = State::Complete;
        let mut tables = self.builder.into_tables();
        let NewRows { samples, sampled_calls, thread_states, counters } = self.pending;
        (tables.samples, tables.sampled_calls) = (samples, sampled_calls);
        (tables.thread_states, tables.counters) = (thread_states, counters);
        (self.manifest, tables)
    }

    /// A process that has ended told of its last moments only by the ends of its threads.
    fn count_ended_threads(&mut self) {
        let of_threads: u64 = self.builder.tables().threads.cpu_ns.iter().flatten().sum();
        if let Some(closure) = self.manifest.closure.as_mut().filter(|_| !self.process.is_alive()) {
            closure.exact_cpu_ns = closure.exact_cpu_ns.max(of_threads);
        }
    }

    fn poll_kernel(&mut self) {
        let Self { kernel: Some(kernel), accounts, builder, agent, .. } = self else { return };
        kernel.poll(builder, &mut |ended| accounts.end_thread(ended));
        if let Some(agent) = agent {
            kernel.confirm_handler(&agent.library_name());
        }
    }

    /// A JVM that a script started is seen from outside only, without its Java code: worth a word.
    fn look_for_jvms(&mut self, observer: &mut dyn Observer) {
        let Some(kernel) = self.kernel.as_ref().filter(|_| self.last_look.elapsed() >= LOOK_INTERVAL) else { return };
        self.last_look = Instant::now();
        let has_agent = |process: &Process| self.agent.is_some() && *process == self.process;
        let jvm = kernel.processes().into_iter().find(|process| !has_agent(process) && attach::is_jvm(*process));
        if let Some(Process(pid)) = jvm {
            let text = format!(
                "process {pid} is a JVM without the profiler inside, so its Java methods are not seen: collect it \
                 with -p {pid}, or put its `java` command itself behind `--`"
            );
            self.tell_once(text, observer);
        }
    }

    fn note_counters(&mut self) {
        let start_ns = self.start_ns();
        let Self { counters, accounts, builder, .. } = self;
        counters.poll(accounts.resident_bytes(), start_ns, &mut builder.tables_mut().counters);
    }

    fn pause(&mut self, elapsed: Duration, observer: &mut dyn Observer) -> Duration {
        let is_unconfirmed = self.kernel.as_ref().is_some_and(|kernel| !kernel.is_handler_confirmed());
        let is_awaited = self.agent.as_ref().is_some_and(|agent| !agent.recording.is_open() || is_unconfirmed);
        let is_early = is_awaited && elapsed < START_PATIENCE;
        if !is_early && let Some(agent) = self.agent.as_ref().filter(|agent| !agent.recording.is_open()) {
            let reason = agent.last_error().map_or(String::new(), |reason| format!(": {reason}"));
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

    /// Reads the chunks of the recording that are new; true if there were any.
    fn read_new_chunks(&mut self, observer: &mut dyn Observer) -> bool {
        self.take_rows();
        let Some(agent) = &mut self.agent else { return false };
        agent.open_recording();
        let read = agent.recording.read_finished_chunks(&mut self.builder);
        if !matches!(read, Ok(false)) {
            let recording = agent.recording.importer().recording().clone();
            self.join_samples(&recording);
        }
        read.unwrap_or_else(|error| {
            self.tell_once(format!("the recording cannot be read ({error}); trying again"), observer);
            false
        })
    }

    /// Gives the samples that the recording has just added to the kernel side, which asked for them.
    fn join_samples(&mut self, recording: &Recording) {
        if let Some(kernel) = &mut self.kernel {
            let start_ns = recording.start_clock_ns.unwrap_or_default();
            let times = (start_ns, start_ns.saturating_add(recording.duration_ns));
            let samples = self.builder.take_samples();
            kernel.add_samples(samples, times, &mut self.builder);
        } else if self.is_segment() {
            self.keep_samples_of_segment(recording.start_clock_ns.unwrap_or_default());
        }
        self.take_rows();
    }

    /// A chunk of the recording can begin before the part, and end after it.
    fn keep_samples_of_segment(&mut self, recording_start_ns: u64) {
        let (start_ns, end_ns) = (self.start_ns(), self.end_ns.unwrap_or(u64::MAX));
        let samples = self.builder.take_samples();
        for row in 0..samples.len() {
            let sample = samples.row(row);
            let time_ns = recording_start_ns.saturating_add(sample.time_ns);
            if (start_ns..end_ns).contains(&time_ns) {
                self.builder.sample(Sample { time_ns: time_ns - start_ns, ..sample });
            }
        }
    }

    fn take_rows(&mut self) {
        let rows = self.builder.take_new_rows();
        self.sampled.add(self.builder.tables(), &rows.samples);
        self.pending.append(rows);
    }

    fn write_part(&mut self, observer: &mut dyn Observer) {
        self.last_write = Instant::now();
        self.describe_so_far();
        if let Err(error) = self.write(false) {
            let text = format!("{error}; the samples are kept in memory and written when that works again");
            self.tell_once(text, observer);
        }
    }

    /// Writes what is new as a part of the experiment, then the manifest.
    fn write(&mut self, is_last: bool) -> Result<(), whittle_experiment::Error> {
        if let Some(kernel) = &mut self.kernel {
            kernel.write_tables(&mut self.builder, is_last);
            self.take_rows();
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if self.kernel.is_some() || !self.pending.samples.time_ns.is_empty() || is_last {
            writer.append(self.builder.tables(), &self.pending)?;
            self.pending = NewRows::default();
        }
        writer.write_manifest(&self.manifest)
    }

    fn describe_so_far(&mut self) {
        let Some(agent) = &self.agent else {
            self.describe(&Recording::default(), Vec::new(), Losses::default());
            return;
        };
        let importer = agent.recording.importer();
        let (metrics, losses) = (importer.metrics(), importer.losses().clone());
        let recording = importer.recording().clone();
        self.describe(&recording, metrics, losses);
    }

    /// Brings the manifest and the threads table up to date with what the recording says about itself.
    fn describe(&mut self, recording: &Recording, metrics: Vec<MetricDefinition>, losses: Losses) {
        self.manifest.jvm = recording.jvm.as_ref().map(JvmFacts::from);
        match &self.kernel {
            Some(kernel) => {
                let others = metrics.into_iter().filter(|metric| metric.event != EventKind::Cpu);
                self.manifest.metrics = kernel.metrics().into_iter().chain(others).collect();
                self.manifest.losses = kernel.losses();
                self.manifest.losses.merge(self.sampled.losses());
                self.manifest.losses.merge(&losses_of_input(&losses));
                self.manifest.duration_ns = self.end_ns() - self.start_ns();
            }
            None if self.is_segment() => {
                self.manifest.metrics = metrics;
                self.manifest.losses = self.sampled.losses().clone();
                self.manifest.losses.merge(&losses_of_input(&losses));
                self.manifest.duration_ns = self.end_ns().saturating_sub(self.start_ns());
                self.describe_engine(recording);
            }
            None => {
                if let Some(start_ns) = recording.start_clock_ns {
                    self.manifest.start_wall_ns = Some(recording.start_wall_ns);
                    self.manifest.start_monotonic_ns = Some(start_ns);
                }
                self.manifest.duration_ns = recording.duration_ns;
                self.manifest.metrics = metrics;
                self.manifest.losses = losses;
                self.describe_engine(recording);
            }
        }
        let start_ns = self.start_ns();
        self.complete_threads(start_ns);
        self.manifest.closure = Some(self.closure_so_far());
        self.describe_resources();
    }

    fn complete_threads(&mut self, start_ns: u64) {
        let Self { accounts, kernel, builder, manifest, .. } = self;
        match kernel {
            Some(kernel) => {
                accounts.live_threads(start_ns).for_each(|live| kernel.complete_thread(&live, builder));
                manifest.not_counted.retain(|text| !text.starts_with(SINGLE_THREADS));
                manifest.not_counted.extend(kernel.shared_rows().map(|(threads, rows)| {
                    format!("{SINGLE_THREADS}: {threads} short ones share {rows} rows of threads, by name; their sums are exact")
                }));
            }
            None => accounts.complete_threads(builder, start_ns),
        }
        set_classes(builder.threads_mut());
    }

    fn describe_resources(&mut self) {
        let mut resources = self.accounts.resources();
        if let Some(kernel) = self.kernel.as_ref().filter(|_| self.writer.is_some()) {
            let (queued_ns, blocked_ns) = kernel.waiting_ns();
            resources.run_queue_ns = Some(queued_ns);
            resources.blocked_ns = Some(blocked_ns);
        }
        (resources.gc_count, resources.gc_ns) = self.counters.garbage_collections();
        self.manifest.units_of_work = self.units_of_work();
        resources.allocated_bytes = self.sampled.allocated().map(|allocated| allocated.0);
        resources.allocated_objects_count = self.sampled.allocated().map(|allocated| allocated.1);
        self.manifest.resources = Some(resources);
    }

    /// What the user says counts more than what the program prints of the same unit.
    fn units_of_work(&self) -> Vec<UnitOfWork> {
        let given = &self.options.units_of_work;
        let printed = self.counters.units_of_work().into_iter();
        let only_printed = printed.filter(|unit| given.iter().all(|given| given.name != unit.name));
        given.iter().chain(&self.work).cloned().chain(only_printed).collect()
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

    /// CLOCK_MONOTONIC at the end of what is described.
    fn end_ns(&self) -> u64 {
        match (self.kernel.is_some() || self.is_segment(), self.end_ns) {
            (true, Some(end_ns)) => end_ns,
            (true, None) => host::monotonic_ns(),
            (false, _) => self.start_ns().saturating_add(self.manifest.duration_ns),
        }
    }

    /// Samples against the accounts of the same time: until the last sample that was read.
    fn closure_so_far(&self) -> Closure {
        let end_ns = match &self.kernel {
            Some(kernel) if self.end_ns.is_none() => kernel.settled_until_ns(),
            _ => self.end_ns(),
        };
        let until_end_ns = self.accounts.cpu_ns_until(end_ns);
        let exact_cpu_ns = match self.beginning {
            Beginning::Launched => until_end_ns,
            Beginning::Attached => until_end_ns.saturating_sub(self.accounts.cpu_ns_until(self.start_ns())),
        };
        self.closure(exact_cpu_ns)
    }

    fn closure(&self, exact_cpu_ns: u64) -> Closure {
        let followed_ns = self.kernel.as_ref().map_or(0, KernelSide::followed_cpu_ns);
        let parts = self.accounts.user_system_ns(exact_cpu_ns).filter(|_| followed_ns == 0);
        Closure {
            exact_cpu_ns: exact_cpu_ns + followed_ns,
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

    /// Ends sampling in a process that lives on, then the profiler inside.
    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        let dump_ns = host::monotonic_ns();
        let waiting = self.waiting_stacks();
        let mut stopped = Ok(());
        if let Some(kernel) = &mut self.kernel {
            self.accounts.poll();
            self.end_ns = Some(host::monotonic_ns());
            stopped = kernel.stop();
            std::thread::sleep(LAST_SIGNALS);
            let accounts = &mut self.accounts;
            // A wait that began after the dump is another one than the dump shows.
            let stack_of =
                |thread_id: u32, began_ns: u64| waiting.get(&thread_id).copied().filter(|_| began_ns < dump_ns);
            kernel.finish_events(&mut self.builder, &stack_of, &mut |ended| accounts.end_thread(ended));
        }
        self.agent.as_ref().map_or(Ok(()), |agent| agent.stop(self.process))?;
        Ok(stopped?)
    }

    /// The Java stacks of all threads now, for those that wait in a system call and do not come back
    /// before the end.
    fn waiting_stacks(&mut self) -> HashMap<u32, StackIndex> {
        let is_wanted = self.kernel.as_ref().is_some_and(|kernel| self.agent.is_some() && kernel.has_waiting_threads());
        if !is_wanted {
            return HashMap::new();
        }
        let dump = Jvm::find(self.process).and_then(|jvm| jvm.thread_dump());
        // A JVM that gives no dump leaves these waits without a stack, which the losses say.
        dump.map(|text| thread_dump::stacks(&text, &mut self.builder)).unwrap_or_default()
    }

    /// Reads the rest of what the engine delivered and writes the last part. `stopped` tells whether the
    /// profiler in a JVM that lives on could be stopped, `ended` how a launched program ended.
    pub(crate) fn finish(
        mut self,
        stopped: Result<(), Error>,
        ended: Option<Ended>,
        observer: &mut dyn Observer,
    ) -> Result<Manifest, Error> {
        if ended.is_none() {
            self.accounts.poll();
        }
        if self.end_ns.is_none()
            && let Some(kernel) = &mut self.kernel
        {
            self.end_ns = Some(host::monotonic_ns());
            let accounts = &mut self.accounts;
            kernel.finish_events(&mut self.builder, &|_, _| None, &mut |ended| accounts.end_thread(ended));
        }
        self.finish_counters(ended.is_some(), observer);
        self.take_rows();
        if !self.read_recording_to_its_end(observer) {
            return Err(self.nothing_collected(ended));
        }
        self.describe_end(ended);
        let written = self.write(true);
        if let Some(agent) = self.agent.as_mut().filter(|_| stopped.is_err() || written.is_err()) {
            // While the profiler goes on, its file must not vanish under it.
            agent.folder.keep();
        }
        stopped?;
        match written {
            Ok(()) => Ok(self.manifest),
            Err(source) => Err(self.not_all_written(source)),
        }
    }

    fn finish_counters(&mut self, has_ended: bool, observer: &mut dyn Observer) {
        let (start_ns, is_segment) = (self.start_ns(), self.is_segment());
        let table = &mut self.builder.tables_mut().counters;
        if !is_segment {
            self.counters.close(start_ns, table);
        }
        if has_ended {
            self.counters.finish(start_ns, table);
        }
        let dropped = self.counters.dropped_count();
        if dropped > 0 {
            observer.note(&format!("{dropped} numbers that the program printed came too fast and are left out"));
        }
    }

    /// Reads the rest of the recording; false if nothing at all was collected.
    fn read_recording_to_its_end(&mut self, observer: &mut dyn Observer) -> bool {
        let (mut recording, mut metrics, mut losses) = Default::default();
        let mut has_recording = false;
        if let Some(agent) = &mut self.agent {
            agent.open_recording();
            let (imported, read_error) = agent.recording.take().finish(&mut self.builder);
            if let Some(error) = &read_error {
                let kept = agent.folder.keep();
                observer.note(&format!("the end of the recording could not be read ({error}); it is kept: {kept}"));
            }
            if let Ok(import) = imported {
                (recording, metrics, losses) = (import.recording, import.metrics, import.losses);
                has_recording = true;
            }
        }
        self.join_samples(&recording);
        if let Some(kernel) = &mut self.kernel {
            kernel.finish_join(&mut self.builder);
            self.take_rows();
        }
        self.archive_classes(&recording, observer);
        self.describe(&recording, metrics, losses);
        // A JVM that the profiler never saw has not come to run Java.
        has_recording || self.agent.is_none()
    }

    fn archive_classes(&mut self, recording: &Recording, observer: &mut dyn Observer) {
        let Some(archiver) = self.archiver.take() else { return };
        let archive = archiver.archive(&self.builder.tables().functions, &recording.system_properties);
        archive.notes.iter().for_each(|note| observer.note(note));
        self.builder.tables_mut().archive = archive.table;
    }

    fn describe_end(&mut self, ended: Option<Ended>) {
        self.manifest.state = State::Complete;
        if self.beginning == Beginning::Launched {
            self.manifest.closure = Some(self.closure(self.accounts.cpu_ns()));
            self.describe_time_without_agent();
        }
        let Some(ended) = ended else { return };
        self.manifest.exit = Some(ended.exit);
        if let Some(resources) = &mut self.manifest.resources {
            // The kernel's figure includes the moment between fork and exec, when the process was a copy of us.
            let own = Process(std::process::id()).status().ok().and_then(|status| status.peak_resident_bytes);
            let at_end = ended.resources.peak_rss_bytes.filter(|peak| *peak > own.unwrap_or(0));
            resources.peak_rss_bytes = resources.peak_rss_bytes.max(at_end);
            resources.voluntary_switches = ended.resources.voluntary_switches;
            resources.involuntary_switches = ended.resources.involuntary_switches;
        }
    }

    /// Where only the profiler in the JVM samples, the CPU time before and after it is a loss with a name.
    fn describe_time_without_agent(&mut self) {
        if self.kernel.is_some() {
            return;
        }
        let (before_ns, until_end_ns) =
            (self.accounts.cpu_ns_until(self.start_ns()), self.accounts.cpu_ns_until(self.end_ns()));
        let after_ns = self.accounts.cpu_ns().saturating_sub(until_end_ns);
        for (reason, cpu_ns) in [(LossReason::BeforeAgent, before_ns), (LossReason::AfterAgent, after_ns)] {
            if cpu_ns > 0 {
                self.manifest.losses.add_cpu(reason, cpu_ns);
            }
        }
    }

    fn not_all_written(&mut self, source: whittle_experiment::Error) -> Error {
        let before = "what was written before opens as an incomplete experiment";
        let kept = match &mut self.agent {
            Some(agent) if self.kernel.is_none() => format!(
                "{before}, and the whole recording is kept: `whittle import {} -o NAME.whittle` reads it once \
                 there is room",
                agent.folder.keep()
            ),
            _ => format!("{before}, the rest is lost; make room and collect again"),
        };
        Error::NotAllWritten { source, kept }
    }

    fn nothing_collected(self, ended: Option<Ended>) -> Error {
        let log = self.agent.as_ref().and_then(Agent::last_error);
        let reason = log.map(|log| format!(": {log}")).unwrap_or_default();
        let error = match self.beginning {
            Beginning::Launched => Error::NothingCollected { reason, exit: ended.map(|ended| ended.exit) },
            Beginning::Attached => Error::NothingRecorded { pid: self.process.0, reason },
        };
        match self.writer {
            Some(writer) => abandon(writer, error),
            None => error,
        }
    }
}

/// A part begins at `start_ns` of CLOCK_MONOTONIC.
fn set_start(manifest: &mut Manifest, start_ns: u64) {
    let ago_ns = host::monotonic_ns().saturating_sub(start_ns);
    manifest.start_wall_ns = Some(host::wall_ns().saturating_sub(ago_ns));
    manifest.start_monotonic_ns = Some(start_ns);
}

/// Losses that concern the recording itself; those of single stacks are counted with the events' weights.
fn losses_of_input(losses: &Losses) -> Losses {
    let mut of_input = Losses::default();
    for loss in losses.iter() {
        match (loss.reason, loss.input_bytes) {
            (reason, Some(bytes)) => of_input.add_input_bytes(reason, bytes),
            (LossReason::ProfilerBusy, None) => of_input.add_count(loss.reason, loss.count),
            _ => {}
        }
    }
    of_input
}
