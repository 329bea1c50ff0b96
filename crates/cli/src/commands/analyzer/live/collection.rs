//! One live collection: a child process `whittle collect`, and its experiment, which is read repeatedly while it grows.
//!
//! The child is a separate process, so a failure in the analyzer or in the child does not spread to the other process.
//! The child ends when its standard input ends. The analyzer closes this input to stop the child. If the analyzer is
//! killed, the kernel closes the input.

use super::super::served::{served, source};
use crate::tries;
use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use whittle_model::{State, Table};
use whittle_profile::Profile;
use whittle_server::{Experiments, LiveCollection, LiveError, LiveState, StartRequest};
use whittle_views::languages;

/// Time between two checks whether the child has ended or its experiment has grown.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// Shortest time between two readings of a growing experiment.
const READ_INTERVAL: Duration = Duration::from_secs(2);

/// Reading uses at most a tenth of one CPU, because the collected programs run on the same machine.
const READ_SHARE: u32 = 10;

/// How many lines of the child's messages are kept, and how long a line can be.
const MAX_LOG_LINES: usize = 100;
const MAX_LINE_BYTES: u64 = 2000;

/// In the child's output, a failure's reason has this prefix.
const ERROR_PREFIX: &str = "error: ";

/// A requested collection.
pub(crate) struct Order {
    pub(crate) id: u32,
    pub(crate) process_name: String,
    pub(crate) path: PathBuf,
    /// Folders and files with the code of the program's functions.
    pub(crate) source_path: Vec<PathBuf>,
    pub(crate) request: StartRequest,
}

/// One collection, running or ended.
pub(crate) struct Collection {
    order: Order,
    started: Instant,
    progress: Mutex<Progress>,
    over: Condvar,
}

struct Progress {
    state: LiveState,
    /// Standard input of the child. Closing it ends the collection.
    input: Option<ChildStdin>,
    /// Elapsed time at the end. Missing: the collection is running.
    ended: Option<Duration>,
    sample_count: u64,
    closure_ratio: Option<f64>,
    experiment: Option<usize>,
    revision: u32,
    error: Option<String>,
    log: VecDeque<String>,
}

impl Collection {
    /// Starts the child and the threads that watch it.
    ///
    /// # Errors
    /// The child cannot be started.
    pub(crate) fn start(order: Order, experiments: Arc<Experiments>) -> Result<Arc<Self>, LiveError> {
        let failed = |error: std::io::Error| LiveError::Failed(format!("whittle collect cannot be started: {error}"));
        let mut child = command(&order).spawn().map_err(failed)?;
        let (input, messages) = (child.stdin.take(), child.stderr.take());
        let collection = Arc::new(Self {
            order,
            started: Instant::now(),
            progress: Mutex::new(Progress::new(input)),
            over: Condvar::new(),
        });
        let reader = messages.map(|messages| {
            let collection = Arc::clone(&collection);
            std::thread::spawn(move || collection.read_log(messages))
        });
        let watched = Arc::clone(&collection);
        std::thread::spawn(move || {
            let exit = watched.watch(&mut child, &experiments);
            // All messages of the child must be read before they are searched for the reason of a failure.
            let _ = reader.map(std::thread::JoinHandle::join);
            watched.finish(exit, &experiments);
        });
        Ok(collection)
    }

    pub(crate) fn id(&self) -> u32 {
        self.order.id
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.order.request.process_id
    }

    pub(crate) fn path(&self) -> &Path {
        &self.order.path
    }

    pub(crate) fn is_over(&self) -> bool {
        self.progress().is_over()
    }

    /// Requests the end of the child. Before the child ends, it writes its last samples.
    pub(crate) fn stop(&self) {
        let mut progress = self.progress();
        if !progress.is_over() {
            progress.state = LiveState::Stopping;
            progress.input = None;
        }
    }

    /// Waits until the collection has ended, at most until `deadline`.
    pub(crate) fn wait_until(&self, deadline: Instant) {
        let patience = deadline.saturating_duration_since(Instant::now());
        // If the child needs more time, it still ends automatically.
        let _ = self.over.wait_timeout_while(self.progress(), patience, |progress| !progress.is_over());
    }

    /// The collection's current state.
    pub(crate) fn status(&self) -> LiveCollection {
        let progress = self.progress();
        let elapsed = progress.ended.unwrap_or_else(|| self.started.elapsed());
        LiveCollection {
            id: self.order.id,
            process_id: self.order.request.process_id,
            name: self.order.process_name.clone(),
            path: self.order.path.display().to_string(),
            state: progress.state,
            elapsed_ns: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
            sample_count: progress.sample_count,
            closure_ratio: progress.closure_ratio,
            experiment: progress.experiment,
            revision: progress.revision,
            error: progress.error.clone(),
            log: progress.log.iter().cloned().collect(),
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_log(&self, messages: ChildStderr) {
        let mut messages = BufReader::new(messages);
        loop {
            let mut line = Vec::new();
            match messages.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(1..) => self.progress().add_line(String::from_utf8_lossy(&line).trim_end()),
                _ => return,
            }
        }
    }

    /// Reads the experiment as it grows, until the child has ended.
    fn watch(&self, child: &mut Child, experiments: &Experiments) -> Option<ExitStatus> {
        let mut seen = None;
        let mut next_read = Instant::now() + READ_INTERVAL;
        loop {
            match child.try_wait() {
                Ok(None) => {}
                Ok(exit) => return exit,
                Err(_) => return None,
            }
            let changed = changed_at(&self.order.path);
            if changed != seen && Instant::now() >= next_read {
                let begun = Instant::now();
                // Before the first rows are written, reading fails.
                if let Ok(reading) = read(&self.order.path) {
                    self.publish(reading, experiments);
                    seen = changed;
                }
                next_read = Instant::now() + READ_INTERVAL.max(begun.elapsed() * READ_SHARE);
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    fn publish(&self, Reading { profile, sample_count }: Reading, experiments: &Experiments) {
        let closure_ratio = profile.manifest().closure.as_ref().and_then(whittle_model::Closure::ratio);
        let served = served(profile, &self.order.source_path);
        let known = self.progress().experiment;
        let (experiment, revision) = match known {
            Some(number) => (number, experiments.replace(number, served).unwrap_or(0)),
            None => (experiments.add(source(&self.order.path, Some(self.order.id)), served), 0),
        };
        let mut progress = self.progress();
        (progress.sample_count, progress.closure_ratio) = (sample_count, closure_ratio);
        (progress.experiment, progress.revision) = (Some(experiment), revision);
        if progress.state == LiveState::Starting {
            progress.state = LiveState::Running;
        }
    }

    /// Frees the memory of the experiment. The experiment is on disk and no longer grows.
    fn let_go(&self, experiments: &Experiments) {
        let Some(number) = self.progress().experiment else { return };
        let Order { path, source_path, .. } = &self.order;
        let (path, source_path) = (path.clone(), source_path.clone());
        experiments.set_reload(number, Box::new(move || Ok(served(read(&path)?.profile, &source_path))));
    }

    /// Reads the experiment for the last time and sets the final state.
    fn finish(&self, exit: Option<ExitStatus>, experiments: &Experiments) {
        let outcome = match read(&self.order.path) {
            Ok(reading) => {
                let is_complete = reading.profile.manifest().state == State::Complete;
                self.publish(reading, experiments);
                self.let_go(experiments);
                if is_complete { Ok(()) } else { Err("the end of the experiment is missing".to_owned()) }
            }
            Err(reason) => Err(reason),
        };
        let mut progress = self.progress();
        progress.ended = Some(self.started.elapsed());
        progress.input = None;
        let reported =
            progress.log.iter().rev().find_map(|line| line.split_once(ERROR_PREFIX)).map(|(_, why)| why.to_owned());
        let has_failed = exit.is_none_or(|exit| !exit.success());
        (progress.state, progress.error) = match outcome {
            Err(reason) => (LiveState::Failed, Some(reported.unwrap_or(reason))),
            Ok(()) if has_failed => (LiveState::Complete, reported),
            Ok(()) => (LiveState::Complete, None),
        };
        self.over.notify_all();
    }
}

impl Progress {
    fn new(input: Option<ChildStdin>) -> Self {
        Self {
            state: LiveState::Starting,
            input,
            ended: None,
            sample_count: 0,
            closure_ratio: None,
            experiment: None,
            revision: 0,
            error: None,
            log: VecDeque::new(),
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.state, LiveState::Complete | LiveState::Failed)
    }

    fn add_line(&mut self, line: &str) {
        if self.log.len() == MAX_LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(line.trim_start_matches("whittle: ").to_owned());
    }
}

/// The command `whittle collect`. The child runs the same program as this process, even if the program's file was
/// replaced after this process started. The child has a separate process group, so Ctrl-C reaches only this process,
/// which then ends the child.
fn command(order: &Order) -> Command {
    let request = &order.request;
    let mut command = Command::new("/proc/self/exe");
    command.arg0("whittle").args(["collect", "--stop-with-input", "-p"]).arg(request.process_id.to_string());
    command.arg("-o").arg(&order.path);
    // Each option is one word with its value, so that no value can be mistaken for an option.
    let options = [
        request.interval_ms.map(|interval| format!("--interval={interval}ms")),
        request.events.as_ref().map(|events| format!("--events={events}")),
        request.duration_s.map(|duration| format!("--duration={duration}s")),
        request.comment.as_ref().map(|comment| format!("--comment={comment}")),
    ];
    command.args(options.into_iter().flatten());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command
}

/// Time of the last change of the experiment. The manifest is written after the rows.
fn changed_at(experiment: &Path) -> Option<SystemTime> {
    fs::metadata(experiment.join("manifest.json")).and_then(|manifest| manifest.modified()).ok()
}

/// The state of an experiment at one moment.
struct Reading {
    profile: Profile,
    sample_count: u64,
}

fn read(path: &Path) -> Result<Reading, String> {
    let mut experiment = whittle_experiment::read(path).map_err(|error| error.to_string())?;
    languages::restore(&mut experiment.tables);
    let sample_count = experiment.tables.samples.len() as u64;
    let profile = Profile::load(experiment.manifest, experiment.tables).map_err(|error| error.to_string())?;
    let profile = profile.with_trials(tries::text(path));
    Ok(Reading { profile, sample_count })
}
