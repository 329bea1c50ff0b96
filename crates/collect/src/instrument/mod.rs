//! The agent that changes classes of a JVM, so that the kernel side sees the JVM's requests and tasks (`--instrument`).
//!
//! ```text
//! lock file, jar and library in the JVM's /tmp     the hand of the session's folder has the lock
//!     └ the JVM is ready ── load the jar ── load the library ── report        in a thread of its own
//!                             └ the collection ends: the agent restores the classes
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
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Duration;

/// At the end of a collection, an agent that is being started is awaited for this time.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

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
    started: Receiver<Result<PathBuf, Error>>,
    /// The agent's jar, after the agent was started.
    jar: Option<PathBuf>,
    /// The last report that the user has read.
    known: Report,
}

/// What became of the start of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum News {
    /// A note for the user.
    Note(String),
    /// What the collection does not show because of a failure.
    Missing(String),
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
        let (folder, identity) = (Arc::clone(folder), identity.cloned());
        Self { process, folder, identity, has_ended, started, jar: None, known: Report::default() }
    }

    /// What happened since the last call. Call this regularly.
    pub(crate) fn poll(&mut self) -> Vec<News> {
        match self.started.try_recv() {
            Ok(result) => self.add_result(result),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Vec::new(),
        }
    }

    /// Restores the classes in a JVM that continues, and reads the last report.
    pub(crate) fn stop(&mut self) -> Vec<News> {
        self.has_ended.store(true, Ordering::Relaxed);
        let mut news = match self.started.recv_timeout(LAST_PATIENCE) {
            Ok(result) => self.add_result(result),
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
            Err(RecvTimeoutError::Timeout) => {
                vec![self.missing("the JVM does not respond; if the agent starts, it ends itself after whittle's end")]
            }
        };
        news.extend(self.last_report());
        let Some(jar) = self.jar.take() else { return news };
        let stopped = Jvm::find(self.process).and_then(|jvm| jvm.load_java_agent(&jar, "stop", self.identity.as_ref()));
        if let Err(error) = stopped
            && self.process.is_alive()
        {
            news.push(News::Note(format!(
                "process {}: the agent did not restore the changed classes ({error}); it does this itself within \
                 seconds after whittle's end, if the JVM executes its thread",
                self.process.0
            )));
        }
        news
    }

    /// The places that were changed since the first report: classes that the program loaded later.
    pub(crate) fn last_report(&mut self) -> Vec<News> {
        if self.jar.is_some() { self.read_report() } else { Vec::new() }
    }

    fn add_result(&mut self, result: Result<PathBuf, Error>) -> Vec<News> {
        match result {
            Ok(jar) => {
                self.jar = Some(jar);
                self.read_report()
            }
            // A JVM that has ended needs no note.
            Err(Error::NoSuchProcess { .. }) => Vec::new(),
            Err(_) if !self.process.is_alive() => Vec::new(),
            Err(error) => vec![self.missing(&error.to_string())],
        }
    }

    fn read_report(&mut self) -> Vec<News> {
        let text = self.folder.read_report(report::MAX_BYTES).unwrap_or_default();
        let report = Report::parse(&text);
        if !report.is_ready {
            let reason = report.failures().unwrap_or_else(|| "the agent wrote no report".to_owned());
            return if self.known.is_ready { Vec::new() } else { vec![self.missing(&reason)] };
        }
        let pid = self.process.0;
        let mut news = Vec::new();
        if report.places() != self.known.places() || !self.known.is_ready {
            news.push(News::Note(format!("process {pid} is instrumented: {}", report.places())));
        }
        if let Some(failures) = report.failures().filter(|failures| Some(failures) != self.known.failures().as_ref()) {
            news.push(News::Missing(format!("process {pid}: classes that could not be instrumented: {failures}")));
        }
        self.known = report;
        news
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
        jvm.load_java_agent(&jar, &format!("start:{}", lock.display()), identity)?;
        // The library switches the marks on, so it comes only after a start that succeeded.
        if let Err(error) = self.check_ready().and_then(|()| self.load_hook(&jvm, hook)) {
            // The user reads why the agent or the library did not start. One without the other is of no use.
            let _ = jvm.load_java_agent(&jar, "stop", identity);
            return Err(error);
        }
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
