//! Finds the JVMs that an observed program starts or becomes, and starts the profiler in each of them.
//!
//! ```text
//! start script ── exec ──> java      the same process becomes a JVM
//! build tool ──── fork ──> java      with `--follow`, the process is observed from its first instruction on
//!                           │ maps libjvm.so                     an event of the kernel, at once
//!                           │ is ready to be attached to         waited for in a thread of its own
//!                           └ runs with the profiler inside      the session reads its recording
//! ```
//!
//! Until then, the JVM's own frames are visible, but not its Java code.

use crate::Error;
use crate::agent::Agent;
use crate::attach::{self, Jvm};
use crate::engine::Engine;
use crate::jvm_log;
use crate::jvm_ready::wait_until_ready;
use crate::kernel::KernelSide;
use crate::options::CollectOptions;
use crate::process::Process;
use crate::process_events::{Changes, ProcessEvents};
use crate::process_memory::command_line;
use crate::process_owner::accountable_user;
use crate::running::{name_of_java, other_processes};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often all observed processes are checked. The kernel's events report a JVM earlier, where they are allowed.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// A JVM is young for this time after its library was mapped.
const YOUNG: Duration = Duration::from_secs(1);

/// Maximum number of profilers of one user that are started at the same time. Each start costs about 0.1 s of CPU time, and a
/// hostile program can delay it for a minute.
const MAX_STARTING_OF_USER: usize = 4;

/// Maximum number of JVMs with the profiler inside at the same time, with those that wait for it. Each has a recording, a
/// folder and a helper process.
const MAX_JVMS: usize = 64;

/// At the end of a collection, profilers that are being started are awaited for this time.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

/// A JVM in which the profiler was started.
pub(super) struct StartedJvm {
    pub(super) process: Process,
    pub(super) agent: Agent,
    /// Whether this is the JVM whose counters and stops are recorded.
    pub(super) is_described: bool,
    /// Whether the JVM writes its own log to the session's folder.
    pub(super) has_log: bool,
    /// What the JVM cannot report.
    pub(super) left_out: Vec<String>,
    /// A note for the user.
    pub(super) note: Option<String>,
}

/// What became of a JVM.
pub(super) enum Found {
    Started(Box<StartedJvm>),
    /// A note for the user.
    Failed(String),
}

/// The number of a start, its process, and its result.
type Started = (u64, Process, Result<StartedJvm, Error>);

/// The search for JVMs.
pub(super) struct JvmSearch {
    /// None: the kernel does not allow the events.
    events: Option<ProcessEvents>,
    main: Process,
    /// True if the profiler is in `main` already.
    has_profiler: bool,
    /// The JVM whose counters and stops are recorded. There is one at a time, because their tables have no column for the process.
    described: Option<Process>,
    options: Arc<CollectOptions>,
    /// Processes that are not considered again until they execute another program.
    known: FxHashSet<u32>,
    /// JVMs that wait for the start of the profiler, each with its user.
    waiting: VecDeque<(Process, u32)>,
    /// JVMs in which the profiler is being started: the number of the start, the process and its user.
    starting: Vec<(u64, Process, u32)>,
    /// Number of starts so far.
    start_count: u64,
    results: (Sender<Started>, Receiver<Started>),
    has_ended: Arc<AtomicBool>,
    /// JVMs that ended before the profiler was inside.
    short_count: u64,
    /// JVMs that were left out because of [`MAX_JVMS`].
    left_out_count: u64,
    has_noted_unobserved: bool,
    /// False until all processes below `main` were looked at once. The events tell nothing of JVMs that began before them.
    has_looked_below: bool,
    /// When the last JVM appeared, and whether the session knows it.
    last_jvm: Option<(Instant, bool)>,
    last_look: Instant,
    found: Vec<Found>,
}

impl JvmSearch {
    /// A search below `main`. `has_profiler`: the profiler is in `main` already.
    pub(super) fn new(main: Process, has_profiler: bool, options: &CollectOptions) -> Self {
        Self {
            events: ProcessEvents::open().ok(),
            main,
            has_profiler,
            described: has_profiler.then_some(main),
            options: Arc::new(options.clone()),
            known: FxHashSet::default(),
            waiting: VecDeque::new(),
            starting: Vec::new(),
            start_count: 0,
            results: channel(),
            has_ended: Arc::default(),
            short_count: 0,
            left_out_count: 0,
            has_noted_unobserved: false,
            has_looked_below: false,
            last_jvm: None,
            last_look: Instant::now(),
            found: Vec::new(),
        }
    }

    /// Looks for new JVMs among the observed processes, and starts the profiler in them. `live_count`: JVMs that have the
    /// profiler now. Returns true if there is something to [take](Self::take), or a new JVM.
    pub(super) fn look(&mut self, kernel: &KernelSide, live_count: usize) -> bool {
        let changes = self.events.as_mut().map(ProcessEvents::read).unwrap_or_default();
        for id in changes.executed.iter().chain(&changes.ended) {
            self.known.remove(id);
        }
        let is_due = changes.has_gap || self.last_look.elapsed() >= LOOK_INTERVAL;
        if is_due {
            self.last_look = Instant::now();
        }
        if is_due || !changes.mapped_jvm.is_empty() {
            let observed = kernel.processes();
            self.note_unobserved(&changes, &observed, is_due);
            for process in observed {
                let is_launched = self.has_profiler && process == self.main;
                let is_new = !is_launched && !self.known.contains(&process.0);
                let is_jvm = || changes.mapped_jvm.contains(&process.0) || is_due && attach::is_jvm(process);
                if is_new && is_jvm() {
                    self.add(process, live_count);
                }
            }
        }
        while let Ok(result) = self.results.1.try_recv() {
            self.add_result(result);
        }
        self.start_waiting();
        let is_new = self.last_jvm.as_mut().is_some_and(|(_, is_known)| !std::mem::replace(is_known, true));
        is_new || !self.found.is_empty()
    }

    /// True if a JVM has just appeared. It maps its libraries and generates code, and can end soon. So the session reads the
    /// kernel's records often, while the mapped files of the JVM can be found.
    pub(super) fn has_young_jvm(&self) -> bool {
        self.last_jvm.is_some_and(|(seen, _)| seen.elapsed() < YOUNG)
    }

    /// The JVMs since the last call.
    pub(super) fn take(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    /// Ends the search, and waits for profilers that are being started.
    pub(super) fn finish(mut self) -> Vec<Found> {
        self.has_ended.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + LAST_PATIENCE;
        while !self.starting.is_empty()
            && let Ok(result) = self.results.1.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            self.add_result(result);
        }
        while let Ok(result) = self.results.1.try_recv() {
            self.add_result(result);
        }
        for (_, Process(pid), _) in std::mem::take(&mut self.starting) {
            self.found.push(Found::Failed(format!(
                "process {pid} is a JVM that does not respond: if it continues, the profiler may start in it"
            )));
        }
        let too_late = self.waiting.len() as u64 + self.short_count;
        for (count, what) in [
            (too_late, "the JVM or the collection ended before the profiler was inside".to_owned()),
            (self.left_out_count, format!("the profiler was in {MAX_JVMS} other JVMs")),
        ] {
            if count > 0 {
                self.found.push(Found::Failed(format!("JVMs without visible Java methods, because {what}: {count}")));
            }
        }
        self.found
    }

    /// Notifies the user of a JVM that the program started, if such processes are not observed.
    fn note_unobserved(&mut self, changes: &Changes, observed: &[Process], is_due: bool) {
        if self.options.follows || self.has_noted_unobserved {
            return;
        }
        let is_below = |process: &Process| !observed.contains(process) && process.is_descendant_of(self.main);
        let new = changes.mapped_jvm.iter().map(|id| Process(*id)).find(is_below);
        let looks_below = is_due && (changes.has_gap || !self.has_looked_below);
        self.has_looked_below |= is_due;
        let older =
            || other_processes().filter(|_| looks_below).find(|process| is_below(process) && attach::is_jvm(*process));
        if let Some(process) = new.or_else(older) {
            self.has_noted_unobserved = true;
            let (Process(pid), name) = (process, name_of_java(&command_line(process)));
            self.found.push(Found::Failed(format!(
                "the program has started a JVM (process {pid}, {name}), which is not collected: `--follow` also collects \
                 the processes that the program starts"
            )));
        }
    }

    fn add(&mut self, process: Process, live_count: usize) {
        self.known.insert(process.0);
        let Ok(status) = process.status() else { return };
        if live_count + self.waiting.len() + self.starting.len() >= MAX_JVMS {
            self.left_out_count += 1;
            return;
        }
        // Not more often, because a hostile program can map the library again and again.
        if !self.has_young_jvm() {
            self.last_jvm = Some((Instant::now(), false));
        }
        self.waiting.push_back((process, accountable_user(process, status.user.uid)));
    }

    fn add_result(&mut self, (number, process, result): Started) {
        self.starting.retain(|(other, ..)| *other != number);
        if result.is_err() {
            self.described = self.described.filter(|described| *described != process);
        }
        match result {
            Ok(started) => self.found.push(Found::Started(Box::new(started))),
            // A process that is about to execute another program has the libraries of its parent.
            Err(Error::NotAJvm { .. }) => drop(self.known.remove(&process.0)),
            Err(Error::NoSuchProcess { .. }) => self.short_count += 1,
            Err(_) if !process.is_alive() => self.short_count += 1,
            Err(error) => {
                let Process(pid) = process;
                let text = format!("process {pid} is a JVM, but its Java methods will not be visible: {error}");
                self.found.push(Found::Failed(text));
            }
        }
    }

    /// Decides whether this JVM's counters and stops are recorded: those of the first JVM. If that JVM has ended, as `java -version`
    /// does in a script, the next one takes its place. Two JVMs at a time would mix their counters.
    fn describe(&mut self, process: Process) -> bool {
        if self.described.is_none_or(|described| !described.is_alive()) {
            self.described = Some(process);
        }
        self.described == Some(process)
    }

    fn start_waiting(&mut self) {
        let can_start = |starting: &[(u64, Process, u32)], user| {
            starting.iter().filter(|(.., other)| *other == user).count() < MAX_STARTING_OF_USER
        };
        while let Some(position) = self.waiting.iter().position(|(_, user)| can_start(&self.starting, *user))
            && let Some((process, user)) = self.waiting.remove(position)
        {
            let start = Start {
                process,
                is_described: self.describe(process),
                options: Arc::clone(&self.options),
                has_ended: Arc::clone(&self.has_ended),
            };
            self.start_count += 1;
            let (number, sender) = (self.start_count, self.results.0.clone());
            let spawned = thread::Builder::new().spawn(move || {
                let sent = sender.send((number, process, start.run()));
                // The search has ended, so nobody else ends the profiler.
                if let Err(SendError((_, _, Ok(started)))) = sent {
                    let _ = started.agent.stop(started.process);
                }
            });
            match spawned {
                Ok(_) => self.starting.push((number, process, user)),
                Err(_) => self.short_count += 1,
            }
        }
    }
}

/// The start of the profiler in one JVM.
struct Start {
    process: Process,
    /// Whether the JVM's counters and stops are recorded.
    is_described: bool,
    options: Arc<CollectOptions>,
    has_ended: Arc<AtomicBool>,
}

impl Start {
    /// Prepares everything outside the JVM, waits until the JVM is ready, and starts the profiler in it.
    fn run(&self) -> Result<StartedJvm, Error> {
        let process = self.process;
        let agent = Agent::for_attach(&Jvm::find(process)?)?;
        wait_until_ready(process, &self.has_ended)?;
        // Meanwhile, the JVM can have loaded another profiler.
        agent.check_others(process)?;
        let jvm = Jvm::find(process)?;
        let left_out = match agent.start(&jvm, &self.options, Engine::Kernel) {
            Ok(left_out) => left_out,
            // The JVM did not answer in time, and can execute the command later. So the session reads the recording if there is
            // one, and ends the profiler.
            Err(error @ (Error::HandLost { .. } | Error::Io { .. })) => {
                let note = format!("process {} is a JVM that does not respond: {error}", process.0);
                let (is_described, left_out) = (self.is_described, Vec::new());
                return Ok(StartedJvm { process, agent, is_described, has_log: false, left_out, note: Some(note) });
            }
            Err(error) => return Err(error),
        };
        let log = if self.is_described { Some(jvm_log::start(&jvm, &agent.folder, agent.identity())) } else { None };
        let has_log = matches!(log, Some(Ok(())));
        let no_log = log.and_then(Result::err).map(|error| jvm_log::not_started(&error));
        let left_out = left_out.map(str::to_owned).into_iter().chain(no_log).collect();
        Ok(StartedJvm { process, agent, is_described: self.is_described, has_log, left_out, note: None })
    }
}
