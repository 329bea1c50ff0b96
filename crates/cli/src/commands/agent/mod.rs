//! `whittle agent`: continuous collection of a host's JVMs.
//!
//! ```text
//! watch ── finds processes ──> a thread for each ── segments ──> spool ──> upload ──> store
//!                                   └ labels, units of work
//! ```

mod arguments;
mod labels;
mod rules;
mod spool;
mod stream;
mod units;
mod upload;

pub(crate) use arguments::AgentArguments;

use crate::hints;
use crate::signals::ending_signals;
use crate::terminal::output;
use crate::written_by::written_by;
use labels::{Labels, Subject};
use regex::Regex;
use rules::Rules;
use signal_hook::iterator::Signals;
use spool::Spool;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread::Scope;
use std::time::{Duration, Instant};
use stream::{Stream, random_stream};
use units::UnitCounter;
use whittle_collect::{ContinuousOptions, Error, Finish, HostCollector, ProcessKind, ProcessWatch, RunningProcess};
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

/// The state that all threads of the agent share.
struct Agent {
    collector: HostCollector,
    spool: Spool,
    rules: Rules,
    native: Vec<Regex>,
    /// Labels of all processes.
    given: Labels,
    finish: Finish,
    /// Number of processes that are being collected.
    collected_count: Mutex<usize>,
}

/// Runs the agent until a signal ends it.
pub(crate) fn run(arguments: &AgentArguments) -> Result<(), Failure> {
    let rules = arguments.rules.as_deref().map(Rules::read).transpose().map_err(Failure::new)?.unwrap_or_default();
    let native = arguments.native.iter().map(|pattern| Regex::new(pattern)).collect::<Result<_, _>>()?;
    check_store(&arguments.store)?;
    let spool = Spool::open(&arguments.spool, arguments.spool_limit).map_err(Failure::new)?;
    let collector = HostCollector::new(&ContinuousOptions {
        interval: arguments.interval(),
        segment: arguments.segment,
        engine: arguments.engine,
        written_by: written_by(),
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let given = given_labels(&arguments.labels);
    let (finish, collected_count) = (Finish::default(), Mutex::new(0));
    let agent = Agent { collector, spool, rules, native, given, finish, collected_count };
    finish_at_signals(&agent.finish)?;
    agent.say_hello(arguments);
    let all_is_spooled = Finish::default();
    std::thread::scope(|sender| {
        sender.spawn(|| upload::send_all(&agent.spool, &arguments.store, &runtime, &all_is_spooled));
        std::thread::scope(|scope| agent.watch(scope));
        all_is_spooled.request();
    });
    agent.say_goodbye();
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
    std::thread::spawn(move || signals.forever().for_each(|_| finish.request()));
    Ok(())
}

impl Agent {
    /// Starts a thread for each process that must be collected, until the agent ends.
    fn watch<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let mut watch = ProcessWatch::default();
        let mut reported = Instant::now();
        loop {
            for process in watch.look(|process| self.is_wanted(process)) {
                scope.spawn(move || self.follow(&process));
            }
            if reported.elapsed() >= STATUS_INTERVAL {
                reported = Instant::now();
                self.say_status();
            }
            if self.finish.wait(WATCH_INTERVAL) {
                return;
            }
        }
    }

    fn is_wanted(&self, process: &RunningProcess) -> bool {
        let command = process.command.join(" ");
        let is_chosen = process.kind == ProcessKind::Jvm || self.native.iter().any(|native| native.is_match(&command));
        is_chosen && !self.rules.ignores(&command)
    }

    /// Collects a process until it ends. If the collection cannot start, the agent tries again.
    fn follow(&self, process: &RunningProcess) {
        let pid = process.process_id;
        let mut stream = match self.stream(process) {
            Ok(stream) => stream,
            Err(error) => return output::note(&format!("agent: process {pid} is not collected: {error}")),
        };
        let (mut pause, mut reported) = (FIRST_RETRY, String::new());
        let is_young = Duration::from_nanos(process.uptime_ns) < YOUNG;
        loop {
            *self.count() += 1;
            let followed = self.collector.follow(pid, &self.finish, &mut stream);
            *self.count() -= 1;
            match followed {
                // The process or the agent has ended.
                Ok(()) | Err(Error::NoSuchProcess { .. }) => return,
                // A JVM that is just starting cannot be attached to yet.
                Err(_) if is_young && pause <= FIRST_RETRY * 4 => {}
                Err(error) if reported != error.to_string() => {
                    reported = error.to_string();
                    let hint = hints::hint(&error).map_or_else(String::new, |hint| format!("; {hint}"));
                    output::note(&format!("agent: {reported}{hint}. The agent tries again from time to time"));
                }
                Err(_) => {}
            }
            if self.finish.wait(pause) {
                return;
            }
            pause = (pause * 2).min(LONGEST_RETRY);
        }
    }

    fn stream(&self, process: &RunningProcess) -> std::io::Result<Stream<'_>> {
        let pid = process.process_id;
        let command = process.command.join(" ");
        let subject =
            Subject { name: process.name.clone(), command: process.command.clone(), environment: environment(pid) };
        let labels = labels::labels(&subject, self.rules.labels(&command), &self.given);
        let units = self.rules.units(&command).into_iter().map(|rule| UnitCounter::new(rule, pid)).collect();
        let next = SegmentId { stream: random_stream()?, sequence: 0 };
        Ok(Stream { process_id: pid, spool: &self.spool, labels, units, next })
    }

    fn count(&self) -> std::sync::MutexGuard<'_, usize> {
        self.collected_count.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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

    fn say_status(&self) {
        let processes = *self.count();
        output::note(&format!("agent: {processes} processes; {}", self.segments()));
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

    fn say_goodbye(&self) {
        output::note(&format!("agent: ended; {}", self.segments()));
        if self.spool.counts().waiting > 0 {
            output::note("agent: the next run of the agent sends the waiting segments");
        }
    }
}

/// The environment of a process. Empty: the environment cannot be read.
fn environment(process_id: u32) -> BTreeMap<String, String> {
    let bytes = std::fs::read(format!("/proc/{process_id}/environ")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
