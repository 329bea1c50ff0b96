//! The agent that changes classes of a JVM, so that the kernel side sees the JVM's requests and tasks (`--instrument`).
//!
//! ```text
//! lock file, jar and library in the JVM's /tmp     the hand of the session's folder has the lock
//!     └ the JVM is ready ── load the jar ── load the library ── start ── report     in a thread of its own
//!                             └ the collection ends: stop ── report                 in a thread of its own
//! ```
//!
//! If whittle ends in any other way, the kernel releases the lock, and the agent restores the classes itself.

mod report;

use self::report::Report;
use crate::Error;
use crate::attach::{Jvm, Library};
use crate::hand::{Identity, Installed};
use crate::jvm_ready::wait_until_ready;
use crate::process::Process;
use crate::session_folder::SessionFolder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Instant;

/// The first JDK that prints a warning when an agent is loaded, unless it was started with an option.
const WARNING_RELEASE: u32 = 21;

/// The option of a launched JVM that accepts an agent without a warning. `None`: the JDK prints no warning, or its release is
/// unknown. A contrary option of the user comes later in the command line, so it takes precedence.
pub(crate) fn launch_option(release: Option<u32>) -> Option<String> {
    let is_needed = release.is_some_and(|release| release >= WARNING_RELEASE);
    is_needed.then(|| "-XX:+EnableDynamicAgentLoading".to_owned())
}

/// The agent in one JVM.
pub(crate) struct Instrument {
    process: Process,
    folder: Arc<SessionFolder>,
    identity: Option<Identity>,
    has_ended: Arc<AtomicBool>,
    /// The agent's jar after the start. `None`: the result was taken, or the stop waits for it.
    started: Option<Receiver<Result<PathBuf, Error>>>,
    /// The agent's jar, after the agent was started.
    jar: Option<PathBuf>,
    /// The last report.
    report: Report,
    stopped: Option<Receiver<Stopped>>,
}

/// What became of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum News {
    /// A note for the user.
    Note(String),
    /// What the collection does not show because of a failure.
    Missing(String),
    /// The places in a JVM that the agent has changed.
    Places(String),
    /// What the agent could not record.
    Lost(String),
}

impl Instrument {
    /// Starts the agent as soon as the JVM is ready. This method does not wait.
    pub(crate) fn start(process: Process, folder: &Arc<SessionFolder>, identity: Option<&Identity>) -> Self {
        let has_ended = Arc::new(AtomicBool::new(false));
        let (sender, started) = channel();
        let start = Start {
            process,
            folder: Arc::clone(folder),
            identity: identity.cloned(),
            has_ended: Arc::clone(&has_ended),
        };
        // If the thread cannot be started, the sender is dropped, and the session reports it.
        let _ = thread::Builder::new().spawn(move || sender.send(start.run()));
        Self {
            process,
            folder: Arc::clone(folder),
            identity: identity.cloned(),
            has_ended,
            started: Some(started),
            jar: None,
            report: Report::default(),
            stopped: None,
        }
    }

    /// What happened since the last call. Call this regularly.
    pub(crate) fn poll(&mut self) -> Vec<News> {
        let Some(started) = &self.started else { return Vec::new() };
        match started.try_recv() {
            Ok(result) => {
                self.started = None;
                self.add_result(result)
            }
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Vec::new(),
        }
    }

    /// Begins to restore the classes in a JVM that continues. This method does not wait. An agent that is being started is
    /// awaited until `deadline`.
    pub(crate) fn begin_stop(&mut self, deadline: Instant) {
        self.has_ended.store(true, Ordering::Relaxed);
        let (sender, stopped) = channel();
        let stop = Stop {
            process: self.process,
            identity: self.identity.clone(),
            started: self.started.take(),
            jar: self.jar.clone(),
            deadline,
        };
        // After the deadline, nobody waits for the result.
        let _ = thread::Builder::new().spawn(move || sender.send(stop.run()).is_ok());
        self.stopped = Some(stopped);
    }

    /// Waits until the classes are restored, but not longer than until `deadline`, and reads the last report.
    pub(crate) fn finish_stop(mut self, deadline: Instant) -> Vec<News> {
        let left = deadline.saturating_duration_since(Instant::now());
        let stopped = self.stopped.take().and_then(|stopped| stopped.recv_timeout(left).ok());
        let mut news = Vec::new();
        let restored = match stopped {
            Some(Stopped { started, restored }) => {
                news.extend(started.into_iter().flat_map(|result| self.add_result(result)));
                restored.map_err(|error| error.to_string())
            }
            None if self.jar.is_none() => {
                news.push(
                    self.missing("the JVM does not respond; if the agent starts, it ends itself after whittle's end"),
                );
                Ok(())
            }
            None => Err("the JVM does not respond".to_owned()),
        };
        if let Err(reason) = restored
            && self.process.is_alive()
        {
            news.push(News::Note(format!(
                "process {}: the agent did not restore the changed classes ({reason}); it does this itself within \
                 seconds after whittle's end, if the JVM executes its thread",
                self.process.0
            )));
        }
        news.extend(self.last_report());
        news
    }

    /// What the agent has done, after its end or the end of its JVM.
    pub(crate) fn last_report(&mut self) -> Vec<News> {
        if self.jar.is_none() {
            return Vec::new();
        }
        self.read_report();
        let pid = self.process.0;
        let mut news = vec![News::Places(format!("process {pid} is instrumented: {}", self.report.places()))];
        let failures = self.report.failures();
        news.extend(failures.map(|failures| {
            News::Missing(format!("process {pid}: classes that could not be instrumented: {failures}"))
        }));
        news.extend(self.report.losses().map(|loss| News::Lost(format!("work items of process {pid}: {loss}"))));
        news
    }

    fn add_result(&mut self, result: Result<PathBuf, Error>) -> Vec<News> {
        match result {
            Ok(jar) => {
                self.jar = Some(jar);
                self.read_report();
                vec![News::Note(format!("process {} is instrumented", self.process.0))]
            }
            // A JVM that has ended needs no note.
            Err(Error::NoSuchProcess { .. }) => Vec::new(),
            Err(_) if !self.process.is_alive() => Vec::new(),
            Err(error) => vec![self.missing(&error.to_string())],
        }
    }

    /// Keeps the report before if there is no new one: a JVM that ends can be inside the change of the file.
    fn read_report(&mut self) {
        let report = Report::parse(&self.folder.read_report(report::MAX_BYTES).unwrap_or_default());
        if report.is_ready {
            self.report = report;
        }
    }

    fn missing(&self, reason: &str) -> News {
        News::Missing(format!("process {} is not instrumented: {reason}", self.process.0))
    }
}

impl Drop for Instrument {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

/// The end of the agent in one JVM.
struct Stop {
    process: Process,
    identity: Option<Identity>,
    /// The start, if its result is not known yet.
    started: Option<Receiver<Result<PathBuf, Error>>>,
    jar: Option<PathBuf>,
    deadline: Instant,
}

/// How an agent ended.
struct Stopped {
    /// The result of its start, if it was not known before.
    started: Option<Result<PathBuf, Error>>,
    restored: Result<(), Error>,
}

impl Stop {
    fn run(self) -> Stopped {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let started = self.started.as_ref().and_then(|started| started.recv_timeout(left).ok());
        let new = started.as_ref().and_then(|result| result.as_ref().ok());
        let restored = match self.jar.as_ref().or(new) {
            Some(jar) => self.restore(jar),
            None => Ok(()),
        };
        Stopped { started, restored }
    }

    fn restore(&self, jar: &Path) -> Result<(), Error> {
        Jvm::find(self.process)?.load_java_agent(jar, "stop", self.identity.as_ref())
    }
}

/// The start of the agent in one JVM.
struct Start {
    process: Process,
    folder: Arc<SessionFolder>,
    identity: Option<Identity>,
    has_ended: Arc<AtomicBool>,
}

impl Start {
    /// Waits until the JVM is ready, and loads the agent and its library. Returns the path of the agent's jar.
    fn run(&self) -> Result<PathBuf, Error> {
        wait_until_ready(self.process, &self.has_ended)?;
        let jar = self.folder.install(Installed::AgentJar)?;
        let hook = self.folder.install(Installed::Hook)?;
        let lock = self.folder.create_lock()?;
        let (jvm, identity) = (Jvm::find(self.process)?, self.identity.as_ref());
        jvm.load_java_agent(&jar, &format!("load:{}", lock.display()), identity)?;
        // The library comes before the changes, so that stacks lose their frames only for a moment.
        self.load_hook(&jvm, hook).map_err(|error| self.reason_of_load().unwrap_or(error))?;
        jvm.load_java_agent(&jar, &format!("start:{}", lock.display()), identity)?;
        self.check_ready()?;
        if self.has_ended.load(Ordering::Relaxed) {
            self.undo(&jvm, &jar);
        }
        Ok(jar)
    }

    /// The agent writes its report before it answers.
    fn check_ready(&self) -> Result<(), Error> {
        let report = Report::parse(&self.folder.read_report(report::MAX_BYTES).unwrap_or_default());
        if report.is_ready {
            return Ok(());
        }
        let answer = report.failures().unwrap_or_else(|| "the agent wrote no report".to_owned());
        Err(Error::AttachRefused { pid: self.process.0, command: "start".to_owned(), answer })
    }

    /// Why the library finds no class of the agent, if the agent itself has reported a reason.
    fn reason_of_load(&self) -> Option<Error> {
        let answer = Report::parse(&self.folder.read_report(report::MAX_BYTES)?).failures()?;
        Some(Error::AttachRefused { pid: self.process.0, command: "load".to_owned(), answer })
    }

    fn load_hook(&self, jvm: &Jvm, hook: PathBuf) -> Result<(), Error> {
        match jvm.load_agent(&Library::File(hook), "", self.identity.as_ref())? {
            0 => Ok(()),
            code => Err(Error::AttachRefused {
                pid: self.process.0,
                command: "load".to_owned(),
                answer: format!("the library of the agent returned {code}"),
            }),
        }
    }

    /// The collection has ended meanwhile, and perhaps nobody waits for this start.
    fn undo(&self, jvm: &Jvm, jar: &Path) {
        // If this fails, the agent ends itself.
        let _ = jvm.load_java_agent(jar, "stop", self.identity.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::World;
    use std::sync::mpsc::Sender;

    /// An agent whose start returns what the sender sends.
    fn starting(folder: &Arc<SessionFolder>) -> (Instrument, Sender<Result<PathBuf, Error>>) {
        let (sender, started) = channel();
        let instrument = Instrument {
            process: Process(std::process::id()),
            folder: Arc::clone(folder),
            identity: None,
            has_ended: Arc::default(),
            started: Some(started),
            jar: None,
            report: Report::default(),
            stopped: None,
        };
        (instrument, sender)
    }

    /// The first agent never answers, so its deadline is long over when the second one is asked.
    #[test]
    fn a_jvm_that_hangs_does_not_take_the_time_of_the_others() {
        let world = World::of(Process(std::process::id())).unwrap();
        let folder = Arc::new(SessionFolder::create(world).unwrap());
        let ((mut hanging, _never), (mut refused, sender)) = (starting(&folder), starting(&folder));
        let deadline = Instant::now();
        hanging.begin_stop(deadline + LONG);
        refused.begin_stop(deadline + LONG);
        sender.send(Err(Error::AttachTimeout { pid: 7, seconds: 1 })).unwrap();
        let is_missing = |news: &[News], text: &str| matches!(news, [News::Missing(what)] if what.contains(text));
        let news = refused.finish_stop(deadline + LONG);
        assert!(is_missing(&news, "is not instrumented"), "{news:?}");
        let news = hanging.finish_stop(deadline);
        assert!(is_missing(&news, "the JVM does not respond"), "{news:?}");
    }

    /// Longer than any test.
    const LONG: std::time::Duration = std::time::Duration::from_secs(3600);
}
