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
use crate::jvm_counters::JvmCounters;
use crate::jvm_log;
use crate::kernel::KernelSide;
use crate::options::CollectOptions;
use crate::process::Process;
use crate::process_events::{Changes, ProcessEvents};
use crate::process_memory::command_line;
use crate::running::java_program;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How often all observed processes are checked. The kernel's events report a JVM earlier, where they are allowed.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// A JVM that is not ready after this time is attached to nevertheless, so that the user gets the reason.
const READY_PATIENCE: Duration = Duration::from_secs(10);

/// A JVM without counters (`-XX:-UsePerfData`) does not say when it is ready. It gets this time.
const READY_WITHOUT_COUNTERS: Duration = Duration::from_secs(2);

/// How often a starting JVM is checked.
const READY_INTERVAL: Duration = Duration::from_millis(5);

/// Maximum number of profilers that are started at the same time. Each start costs about 0.1 s of CPU time.
const MAX_STARTING: usize = 4;

/// Maximum number of JVMs with the profiler inside, one after the other or together. Each has a recording, a folder and a
/// helper process.
const MAX_JVMS: usize = 200;

/// A JVM in which the profiler was started.
pub(super) struct StartedJvm {
    pub(super) process: Process,
    pub(super) agent: Agent,
    /// Whether the JVM writes its own log to the session's folder.
    pub(super) has_log: bool,
    /// A note for the user.
    pub(super) note: Option<String>,
}

/// What became of a JVM.
pub(super) enum Found {
    Started(Box<StartedJvm>),
    /// A note for the user.
    Failed(String),
}

/// The search for JVMs.
pub(super) struct JvmSearch {
    /// None: the kernel does not allow the events.
    events: Option<ProcessEvents>,
    main: Process,
    options: Arc<CollectOptions>,
    /// Processes that are not considered again until they execute another program.
    known: FxHashSet<u32>,
    waiting: VecDeque<Process>,
    results: (Sender<Result<StartedJvm, (Process, Error)>>, Receiver<Result<StartedJvm, (Process, Error)>>),
    starting_count: usize,
    started_count: usize,
    /// JVMs that ended before the profiler was inside.
    short_count: u64,
    has_noted_unobserved: bool,
    last_look: Instant,
    found: Vec<Found>,
}

impl JvmSearch {
    /// A search below `main`. `has_profiler`: the profiler is in `main` already.
    pub(super) fn new(main: Process, has_profiler: bool, options: &CollectOptions) -> Self {
        Self {
            events: ProcessEvents::open().ok(),
            main,
            options: Arc::new(options.clone()),
            known: has_profiler.then_some(main.0).into_iter().collect(),
            waiting: VecDeque::new(),
            results: channel(),
            starting_count: 0,
            started_count: 0,
            short_count: 0,
            has_noted_unobserved: false,
            last_look: Instant::now(),
            found: Vec::new(),
        }
    }

    /// Looks for new JVMs among the observed processes, and starts the profiler in them. Returns true if there is
    /// something to [take](Self::take).
    pub(super) fn look(&mut self, kernel: &KernelSide) -> bool {
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
            self.note_unobserved(&changes, &observed);
            for process in observed {
                let is_jvm = changes.mapped_jvm.contains(&process.0) || is_due && attach::is_jvm(process);
                if is_jvm && self.known.insert(process.0) {
                    self.waiting.push_back(process);
                }
            }
        }
        self.collect_results();
        self.start_waiting();
        !self.found.is_empty()
    }

    /// The JVMs since the last call.
    pub(super) fn take(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    /// Ends the search, and waits for profilers that are being started. Returns how many JVMs ended too early.
    pub(super) fn finish(mut self) -> (Vec<Found>, u64) {
        while self.starting_count > 0 {
            let Ok(result) = self.results.1.recv() else { break };
            self.add_result(result);
        }
        (self.found, self.short_count)
    }

    /// Notifies the user of a JVM that the program started, if such processes are not observed.
    fn note_unobserved(&mut self, changes: &Changes, observed: &[Process]) {
        if self.options.follows || self.has_noted_unobserved {
            return;
        }
        let is_below = |process: &Process| !observed.contains(process) && process.is_descendant_of(self.main);
        let jvm = changes.mapped_jvm.iter().map(|id| Process(*id)).find(is_below);
        if let Some(process) = jvm {
            self.has_noted_unobserved = true;
            let (Process(pid), name) = (process, java_program(&command_line(process)));
            self.found.push(Found::Failed(format!(
                "the program has started a JVM (process {pid}, {name}), which is not collected: `--follow` also collects \
                 the processes that the program starts"
            )));
        }
    }

    fn collect_results(&mut self) {
        while let Ok(result) = self.results.1.try_recv() {
            self.add_result(result);
        }
    }

    fn add_result(&mut self, result: Result<StartedJvm, (Process, Error)>) {
        self.starting_count -= 1;
        match result {
            Ok(started) => self.found.push(Found::Started(Box::new(started))),
            Err((process, _)) if !process.is_alive() => self.short_count += 1,
            Err((Process(pid), error)) => {
                let text = format!("process {pid} is a JVM, but its Java methods will not be visible: {error}");
                self.found.push(Found::Failed(text));
            }
        }
    }

    fn start_waiting(&mut self) {
        while self.starting_count < MAX_STARTING
            && let Some(process) = self.waiting.pop_front()
        {
            self.started_count += 1;
            if self.started_count > MAX_JVMS {
                let Process(pid) = process;
                self.found.push(Found::Failed(format!(
                    "process {pid} is a JVM, but its Java methods will not be visible: the profiler was started in \
                     {MAX_JVMS} JVMs before"
                )));
                continue;
            }
            self.starting_count += 1;
            let (sender, options) = (self.results.0.clone(), Arc::clone(&self.options));
            let is_main = process == self.main;
            std::thread::spawn(move || {
                let started = start(process, is_main, &options).map_err(|error| (process, error));
                // The search was dropped after an error, and with it everything that could end the profiler.
                let _ = sender.send(started);
            });
        }
    }
}

/// Prepares everything outside the JVM, waits until the JVM is ready, and starts the profiler in it.
fn start(process: Process, is_main: bool, options: &CollectOptions) -> Result<StartedJvm, Error> {
    let agent = Agent::for_attach(&Jvm::find(process)?)?;
    wait_until_ready(process)?;
    let jvm = Jvm::find(process)?;
    agent.start(&jvm, &agent.start_options(options, Engine::Kernel))?;
    // The table of the JVM's events has no column for the process.
    let log = if is_main { Some(jvm_log::start(&jvm, &agent.folder, agent.identity())) } else { None };
    let has_log = matches!(log, Some(Ok(())));
    let note = log.and_then(Result::err).map(|error| jvm_log::not_started(&error));
    Ok(StartedJvm { process, agent, has_log, note })
}

/// Waits until a starting JVM runs Java code. The profiler must not be loaded earlier.
fn wait_until_ready(process: Process) -> Result<(), Error> {
    let began = Instant::now();
    let mut counters = None;
    while began.elapsed() < READY_PATIENCE {
        if !process.is_alive() {
            return Err(Error::NoSuchProcess { pid: process.0 });
        }
        if counters.is_none() {
            counters = JvmCounters::open(process);
        }
        let is_ready = match &mut counters {
            Some(counters) => counters.is_started(),
            None => began.elapsed() > READY_WITHOUT_COUNTERS && process.status()?.catches_sigquit(),
        };
        if is_ready {
            break;
        }
        std::thread::sleep(READY_INTERVAL);
    }
    Ok(())
}
