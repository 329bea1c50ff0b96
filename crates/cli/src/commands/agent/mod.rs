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

use crate::collect::{ending_signals, written_by};
use crate::{Failure, output};
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

/// How often we look for processes that have started.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// A process that could not be collected is tried again after this time, which doubles each time up to a limit.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// What fails with a process that began so shortly ago is not told at once.
const YOUNG: Duration = Duration::from_secs(10);

/// How often the agent says how it goes.
const STATUS_INTERVAL: Duration = Duration::from_secs(600);

/// What all threads of the agent use.
struct Agent {
    collector: HostCollector,
    spool: Spool,
    rules: Rules,
    native: Vec<Regex>,
    /// Labels of all processes.
    given: Labels,
    finish: Finish,
    /// How many processes are collected now.
    collected_count: Mutex<usize>,
}

/// Runs until a signal ends it.
pub(crate) fn run(arguments: &AgentArguments) -> Result<(), Failure> {
    let failure = |message: String| Failure { message, exit_code: 1 };
    let rules = arguments.rules.as_deref().map(Rules::read).transpose().map_err(failure)?.unwrap_or_default();
    let native = arguments.native.iter().map(|pattern| Regex::new(pattern)).collect::<Result<_, _>>()?;
    check_store(&arguments.store)?;
    let spool = Spool::open(&arguments.spool, arguments.spool_limit).map_err(failure)?;
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

/// A store whose name is wrong never comes back. A directory can.
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

/// The host's name, and what the user said of all processes.
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
    /// Starts a thread for each process that is to be collected, until the agent ends.
    fn watch<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let mut watch = ProcessWatch::default();
        let mut told = Instant::now();
        loop {
            for process in watch.look(|process| self.is_wanted(process)) {
                scope.spawn(move || self.follow(&process));
            }
            if told.elapsed() >= STATUS_INTERVAL {
                told = Instant::now();
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

    /// Collects a process until it ends, trying again where that cannot begin.
    fn follow(&self, process: &RunningProcess) {
        let pid = process.process_id;
        let mut stream = match self.stream(process) {
            Ok(stream) => stream,
            Err(error) => return output::note(&format!("agent: process {pid} is not collected: {error}")),
        };
        let (mut pause, mut told) = (FIRST_RETRY, String::new());
        let is_young = Duration::from_nanos(process.uptime_ns) < YOUNG;
        loop {
            *self.count() += 1;
            let followed = self.collector.follow(pid, &self.finish, &mut stream);
            *self.count() -= 1;
            match followed {
                // It has ended, or we have.
                Ok(()) | Err(Error::NoSuchProcess { .. }) => return,
                // A JVM that is just starting cannot be attached to yet.
                Err(_) if is_young && pause <= FIRST_RETRY * 4 => {}
                Err(error) if told != error.to_string() => {
                    told = error.to_string();
                    output::note(&format!("agent: {told}; trying again from time to time"));
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
        let labels = labels::labels(&subject, &self.rules, &self.given);
        let units = self.rules.units(&command).into_iter().map(|rule| UnitCounter::new(rule, pid)).collect();
        let next = SegmentId { stream: random_stream()?, sequence: 0 };
        Ok(Stream { process_id: pid, spool: &self.spool, labels, units, next })
    }

    fn count(&self) -> std::sync::MutexGuard<'_, usize> {
        self.collected_count.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn say_hello(&self, arguments: &AgentArguments) {
        output::note(&format!(
            "agent: {} samples a second on each CPU, segments of {} s to {}, spool {}",
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
        let figures = self.spool.figures();
        format!(
            "segments: {} landed, {} wait ({:.1} MB), {} dropped",
            figures.landed,
            figures.waiting,
            figures.waiting_bytes as f64 / 1e6,
            figures.dropped
        )
    }

    fn say_goodbye(&self) {
        output::note(&format!("agent: ended; {}", self.segments()));
        if self.spool.figures().waiting > 0 {
            output::note("agent: what waits is sent when the agent runs again");
        }
    }
}

/// The environment of a process; empty if it may not be read.
fn environment(process_id: u32) -> BTreeMap<String, String> {
    let bytes = std::fs::read(format!("/proc/{process_id}/environ")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
