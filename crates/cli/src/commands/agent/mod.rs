//! `whittle agent`: continuous collection of a host's JVMs.
//!
//! ```text
//! watch ── finds processes ──> a thread for each ── segments ──> spool ──> upload ──> store
//!            └ targets: limits      └ labels, units of work
//! ```
//!
//! A process of another user can be hostile: it can delay each of its responses. So the agent does not wait for the threads
//! of its processes for long when it ends. They use the agent until the program ends.

mod arguments;
mod gaps;
mod labels;
mod pods;
mod process_labels;
mod rules;
mod spool;
mod stream;
mod targets;
mod units;
mod upload;

pub(crate) use arguments::AgentArguments;

use crate::hints;
use crate::signals::ending_signals;
use crate::terminal::output;
use crate::written_by::written_by;
use gaps::Gaps;
use labels::{Labels, Subject};
use pods::{KnownPods, Kubelet, PodPlace, pod_place};
use process_labels::ProcessLabels;
use regex::Regex;
use rules::Rules;
use signal_hook::iterator::Signals;
use spool::Spool;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stream::{Stream, random_stream};
use targets::{Admission, Refusal, Refused, Targets};
use units::UnitCounter;
use whittle_collect::{
    ContinuousOptions, Error, Finish, HostCollector, ProcessKind, ProcessWatch, RunningProcess, end_all_within,
    environment_of, running_process_without_jdk,
};
use whittle_experiment::Store;
use whittle_model::SegmentId;
use whittle_terminal::Failure;

/// Interval between two searches for new processes.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// If a process cannot be collected, the agent tries again after this time. The time doubles with each try, up to a
/// limit.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// If a process has run for less than this time, its first failures are not reported.
const YOUNG: Duration = Duration::from_secs(10);

/// How often the agent prints its status.
const STATUS_INTERVAL: Duration = Duration::from_secs(600);

/// How many reasons the agent reports for one process that cannot be collected.
const MAX_REPORTS: usize = 3;

/// If a user has too many processes, the rest is tried again after this time.
const REFUSED_INTERVAL: Duration = Duration::from_secs(10);

/// When the agent ends, it waits this long for the last responses of JVMs, then for the last segments, then for the store.
/// A profiler that could not be ended in this time ends automatically.
const LAST_RESPONSES: Duration = Duration::from_millis(1000);
const LAST_SEGMENTS: Duration = Duration::from_millis(1500);
const LAST_UPLOADS: Duration = Duration::from_millis(1900);

/// The state that all threads of the agent share.
struct Agent {
    collector: HostCollector,
    spool: Spool,
    gaps: Gaps,
    rules: Rules,
    native: Vec<Regex>,
    /// Labels of all processes.
    given: Labels,
    /// `None`: the user did not name a kubelet.
    pods: Option<Arc<KnownPods>>,
    targets: Targets,
    finish: Finish,
}

/// Runs the agent until a signal ends it.
pub(crate) fn run(arguments: &AgentArguments) -> Result<(), Failure> {
    let rules = arguments.rules.as_deref().map(Rules::read).transpose().map_err(Failure::new)?.unwrap_or_default();
    let native = arguments.native.iter().map(|pattern| Regex::new(pattern)).collect::<Result<_, _>>()?;
    check_store(&arguments.store)?;
    let spool = Spool::open(&arguments.spool, arguments.spool_limit).map_err(Failure::new)?;
    let (gaps, notes) = Gaps::open(&arguments.spool).map_err(Failure::new)?;
    notes.iter().for_each(|note| output::note(note));
    let collector = HostCollector::new(&ContinuousOptions {
        interval: arguments.interval(),
        segment: arguments.segment,
        engine: arguments.engine,
        command_line: arguments.command_line,
        written_by: written_by(),
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let given = given_labels(&arguments.labels);
    let kubelet = arguments.kubelet().map(Kubelet::new).transpose()?;
    let pods = kubelet.map(KnownPods::ask).transpose()?;
    let targets = Targets::new(arguments.processes_per_user as usize);
    // The agent lives as long as the program, because the program can end before all threads do.
    let agent: &'static Agent = Box::leak(Box::new(Agent {
        collector,
        spool,
        gaps,
        rules,
        native,
        given,
        pods,
        targets,
        finish: Finish::default(),
    }));
    finish_at_signals(&agent.finish)?;
    agent.say_hello(arguments);
    let (all_is_spooled, all_is_sent) = (Finish::default(), Finish::default());
    let sender = (arguments.store.clone(), all_is_spooled.clone(), all_is_sent.clone());
    std::thread::spawn(move || {
        let (store, all_is_spooled, all_is_sent) = sender;
        upload::send_all(&agent.spool, &store, &runtime, &all_is_spooled);
        all_is_sent.request();
    });
    agent.watch();
    let ending = Instant::now();
    let left = agent.targets.wait_until_empty(ending + LAST_SEGMENTS);
    all_is_spooled.request();
    all_is_sent.wait(LAST_UPLOADS.saturating_sub(ending.elapsed()));
    agent.say_goodbye(left);
    Ok(())
}

/// Fails if a URL names no valid store, because such a store never becomes available. A directory can become available
/// later.
fn check_store(place: &str) -> Result<(), Failure> {
    match Store::open(place) {
        Err(error) if place.contains("://") => Err(error.into()),
        Err(error) => {
            output::note(&format!("agent: {error}; segments wait in the spool"));
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}

/// The name of the host, and the labels that the user sets for all processes.
fn given_labels(labels: &[(String, String)]) -> Labels {
    let mut given = Labels::from([("host".to_owned(), whittle_collect::host_name())]);
    let region = std::env::var("WHITTLE_REGION").ok().filter(|region| !region.is_empty());
    given.extend(region.map(|region| ("region".to_owned(), region)));
    given.extend(labels.iter().cloned());
    given
}

fn finish_at_signals(finish: &Finish) -> Result<(), Failure> {
    let mut signals = Signals::new(ending_signals())?;
    let finish = finish.clone();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            // Before the request: the search for processes can also wait for a hostile process.
            end_all_within(LAST_RESPONSES);
            finish.request();
        }
    });
    Ok(())
}

impl Agent {
    /// Starts a thread for each process that must be collected, until the agent must end.
    fn watch(&'static self) {
        let mut watch = ProcessWatch::default();
        let (mut reported, mut tried) = (Instant::now(), Instant::now());
        let mut refused = Refused::default();
        loop {
            watch.look(|process| self.is_wanted(process), |process| self.start(process, &mut refused));
            if tried.elapsed() >= REFUSED_INTERVAL {
                tried = Instant::now();
                let again = refused.take().filter_map(running_process_without_jdk);
                again.filter(|process| self.is_wanted(process)).for_each(|process| self.start(process, &mut refused));
            }
            if reported.elapsed() >= STATUS_INTERVAL {
                reported = Instant::now();
                self.say_status();
            }
            self.say_gaps(false);
            if self.finish.wait(WATCH_INTERVAL) {
                return;
            }
        }
    }

    /// Follows a process in a new thread. If this is not possible now, the process is noted in `refused`.
    fn start(&'static self, process: RunningProcess, refused: &mut Refused) {
        let (process_id, user_id) = (process.process_id, process.user_id);
        if !self.try_to_start(process) {
            refused.note(process_id, user_id);
        }
    }

    fn try_to_start(&'static self, process: RunningProcess) -> bool {
        let admission = match self.targets.admit(process.process_id, process.user_id) {
            Ok(admission) => admission,
            Err(refusal) => {
                self.say_refusal(refusal, &process.user);
                return false;
            }
        };
        let started = std::thread::Builder::new().spawn(move || self.follow(&process, &admission));
        if let Err(error) = &started {
            output::note(&format!("agent: a process is not collected now, because no thread can be started: {error}"));
        }
        started.is_ok()
    }

    fn is_wanted(&self, process: &RunningProcess) -> bool {
        let command = process.command.join(" ");
        let is_chosen = process.kind == ProcessKind::Jvm || self.native.iter().any(|native| native.is_match(&command));
        is_chosen && !self.rules.ignores(&command)
    }

    /// Collects a process until it ends. If the collection cannot start, the agent tries again.
    fn follow(&self, process: &RunningProcess, admission: &Admission<'_>) {
        let (pid, user) = (process.process_id, &process.user);
        let (mut pause, mut reported) = (FIRST_RETRY, BTreeSet::new());
        let is_young = Duration::from_nanos(process.uptime_ns) < YOUNG;
        loop {
            match self.try_to_follow(process, admission) {
                // The process or the agent has ended, or the process executes another program.
                Ok(()) | Err(Error::NoSuchProcess { .. }) => return self.forget(process),
                // A JVM that is just starting cannot be attached to yet.
                Err(_) if is_young && pause <= FIRST_RETRY * 4 => {}
                Err(_) if self.finish.wait(Duration::ZERO) => return,
                Err(error) if reported.len() < MAX_REPORTS && reported.insert(error.to_string()) => {
                    let hint = hints::hint(&error).map_or_else(String::new, |hint| format!("; {hint}"));
                    output::note(&format!(
                        "agent: process {pid} of {user} is not collected: {error}{hint}. The agent tries again from time \
                         to time"
                    ));
                }
                Err(_) => {}
            }
            if self.finish.wait(pause) {
                return;
            }
            pause = (pause * 2).min(LONGEST_RETRY);
        }
    }

    /// Called when a process has ended, or when the agent must end. The next agent continues with the processes that run.
    fn forget(&self, process: &RunningProcess) {
        if !self.finish.wait(Duration::ZERO) {
            self.gaps.forget((process.process_id, process.start_ticks));
        }
    }

    fn try_to_follow(&self, process: &RunningProcess, admission: &Admission<'_>) -> Result<(), Error> {
        let Some(turn) = admission.turn(&self.finish) else { return Ok(()) };
        let following = self.collector.begin(process.process_id, process.start_ticks)?;
        let mut stream = self.stream(process, admission)?;
        drop(turn);
        let _collected = admission.collected();
        following.follow(&self.finish, &mut stream)
    }

    fn stream<'a>(&'a self, process: &RunningProcess, admission: &'a Admission<'a>) -> Result<Stream<'a>, Error> {
        let pid = process.process_id;
        let command = process.command.join(" ");
        let environment = environment_of(pid);
        let subject = Subject { name: process.name.clone(), command: process.command.clone(), environment };
        let mut labels = ProcessLabels::new(&subject, self.rules.labels(&command), &self.given);
        if let Some((known, place)) = self.pods.as_deref().zip(place_of(pid)) {
            labels = labels.in_pod(known, place);
        }
        let units = self.rules.units(&command).into_iter().map(|rule| UnitCounter::new(rule, pid));
        let units = units.collect::<Result<_, _>>()?;
        let next = SegmentId { stream: random_stream().map_err(no_random_numbers)?, sequence: 0 };
        let process = (pid, process.start_ticks);
        let (spool, gaps) = (&self.spool, &self.gaps);
        Ok(Stream { process, admission, spool, gaps, labels, units, next, is_gap_told: false })
    }

    fn say_hello(&self, arguments: &AgentArguments) {
        output::note(&format!(
            "agent: {} samples per second on each CPU, segments of {} s to {}, spool {}",
            arguments.rate,
            arguments.segment.as_secs_f64(),
            arguments.store,
            arguments.spool.display()
        ));
        if let Some(obstacle) = self.collector.obstacle() {
            output::note(&format!("agent: the engine kernel is not used: {obstacle}"));
        }
    }

    fn say_refusal(&self, refusal: Refusal, user: &str) {
        match refusal {
            Refusal::TooMany { limit, is_first: true } => output::note(&format!(
                "agent: user {user} has more than {limit} processes to collect; the rest is not collected \
                 (--processes-per-user)"
            )),
            Refusal::Full { limit, is_first: true } => output::note(&format!(
                "agent: {limit} processes are collected, the limit for all users; the rest is not collected"
            )),
            Refusal::TooMany { .. } | Refusal::Full { .. } | Refusal::Known => {}
        }
    }

    fn say_status(&self) {
        let processes = self.targets.collected_count();
        output::note(&format!("agent: {processes} processes; {}", self.segments()));
    }

    fn say_gaps(&self, is_last: bool) {
        self.gaps.report(is_last).into_iter().for_each(|gaps| output::note(&format!("agent: {gaps}")));
    }

    fn segments(&self) -> String {
        let counts = self.spool.counts();
        format!(
            "segments: {} landed, {} waiting ({:.1} MB), {} dropped",
            counts.landed,
            counts.waiting,
            counts.waiting_bytes as f64 / 1e6,
            counts.dropped
        )
    }

    /// `left`: how many processes did not respond in time.
    fn say_goodbye(&self, left: usize) {
        if left > 0 {
            output::note(&format!(
                "agent: {left} processes did not respond in time; the profilers in them end automatically within two minutes"
            ));
        }
        self.say_gaps(true);
        output::note(&format!("agent: ended; {}", self.segments()));
        if self.spool.counts().waiting > 0 {
            output::note("agent: the next run of the agent sends the waiting segments");
        }
    }
}

/// The kernel writes this text, so a hostile process cannot delay it.
fn place_of(pid: u32) -> Option<PodPlace> {
    pod_place(&std::fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)
}

fn no_random_numbers(source: std::io::Error) -> Error {
    Error::Io { action: "read", path: "/dev/urandom".into(), source }
}
