//! Live collection for the analyzer: lists the running programs, starts `whittle collect` for each collection, and
//! shows the growing experiments.

mod collection;
mod naming;

use crate::terminal::output;
use collection::{Collection, Order};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use whittle_collect::{Events, ProcessKind, RunningProcess, running_process, running_processes};
use whittle_model::redact_command;
use whittle_server::{
    Experiments, LiveCollection, LiveCollector, LiveError, LiveProcess, LiveProcessKind, LiveProcesses, StartRequest,
    WantedProcesses,
};
use whittle_terminal::Failure;

/// Largest number of shown characters of a command line.
const MAX_COMMAND_CHARS: usize = 4096;

/// The range of `whittle collect --interval`.
const INTERVALS_MS: std::ops::RangeInclusive<u32> = 1..=10_000;

/// Longest wait for a collection when the analyzer ends. In this time, the recording in the JVM is stopped, and the
/// last samples are read and written.
const LAST_WRITES: Duration = Duration::from_secs(60);

/// The collections of one analyzer.
pub(crate) struct Live {
    directory: PathBuf,
    source_path: Vec<PathBuf>,
    experiments: Arc<Experiments>,
    collections: Mutex<Vec<Arc<Collection>>>,
}

impl Live {
    /// Starts without collections. Collections write their experiments to `directory`.
    ///
    /// # Errors
    /// The directory does not exist.
    pub(crate) fn new(
        directory: PathBuf,
        source_path: Vec<PathBuf>,
        experiments: Arc<Experiments>,
    ) -> Result<Self, Failure> {
        let directory = std::path::absolute(&directory)?;
        if directory.is_dir() {
            return Ok(Self { directory, source_path, experiments, collections: Mutex::default() });
        }
        let message =
            format!("{}: no such directory; create it, or choose another --live-directory", directory.display());
        Err(Failure::new(message))
    }

    /// Ends all collections and waits for their experiments.
    pub(crate) fn end(&self) {
        let running: Vec<_> = self.all().iter().filter(|collection| !collection.is_over()).cloned().collect();
        if running.is_empty() {
            return;
        }
        output::note("ending live collections");
        let deadline = Instant::now() + LAST_WRITES;
        running.iter().for_each(|collection| collection.stop());
        for collection in running {
            collection.wait_until(deadline);
            output::note(&format!("experiment: {}", collection.path().display()));
        }
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<Collection>>> {
        self.collections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveCollector for Live {
    fn processes(&self, wanted: WantedProcesses) -> LiveProcesses {
        let is_wanted = |process: &RunningProcess| wanted == WantedProcesses::All || process.kind == ProcessKind::Jvm;
        let processes = running_processes().into_iter().filter(is_wanted).map(listed).collect();
        LiveProcesses { processes, directory: self.directory.display().to_string() }
    }

    fn start(&self, request: StartRequest) -> Result<LiveCollection, LiveError> {
        check(&request)?;
        let pid = request.process_id;
        let process = running_process(pid)
            .filter(|_| pid != std::process::id())
            .ok_or_else(|| LiveError::BadRequest(format!("no process has the id {pid}; list the processes again")))?;
        let mut collections = self.all();
        if collections.iter().any(|collection| collection.process_id() == pid && !collection.is_over()) {
            return Err(LiveError::Conflict(format!("process {pid} is already being collected")));
        }
        let name = request.name.clone().unwrap_or_else(|| naming::experiment_name(&process.name));
        let path = free_path(&self.directory, &name)?;
        let id = u32::try_from(collections.len()).unwrap_or(u32::MAX).saturating_add(1);
        let order = Order { id, process_name: process.name, path, source_path: self.source_path.clone(), request };
        let collection = Collection::start(order, Arc::clone(&self.experiments))?;
        let status = collection.status();
        collections.push(collection);
        Ok(status)
    }

    fn collections(&self) -> Vec<LiveCollection> {
        self.all().iter().map(|collection| collection.status()).collect()
    }

    fn stop(&self, id: u32) -> Result<LiveCollection, LiveError> {
        let found = self.all().iter().find(|collection| collection.id() == id).cloned();
        let collection = found.ok_or(LiveError::Unknown(id))?;
        collection.stop();
        Ok(collection.status())
    }
}

/// Refuses values that `whittle collect` would refuse, so that the page can show the message next to the field.
fn check(request: &StartRequest) -> Result<(), LiveError> {
    let bad = |text: String| Err(LiveError::BadRequest(text));
    if request.interval_ms.is_some_and(|interval| !INTERVALS_MS.contains(&interval)) {
        return bad("the interval must be 1 to 10000 ms".to_owned());
    }
    if request.duration_s == Some(0) {
        return bad("the duration must be 1 s or longer".to_owned());
    }
    if let Some(Err(error)) = request.events.as_ref().map(|events| events.parse::<Events>()) {
        return bad(format!("events: {error}"));
    }
    match &request.name {
        Some(name) if !naming::is_plain_name(name) => {
            bad("the name can only have letters, digits, -, _ and .".to_owned())
        }
        _ => Ok(()),
    }
}

/// The path of the new experiment, which must not exist.
fn free_path(directory: &Path, name: &str) -> Result<PathBuf, LiveError> {
    let name = name.strip_suffix(".whittle").unwrap_or(name);
    let path = directory.join(format!("{name}.whittle"));
    if path.symlink_metadata().is_ok() {
        return Err(LiveError::Conflict(format!("{} exists already; choose another name", path.display())));
    }
    Ok(path)
}

fn listed(process: RunningProcess) -> LiveProcess {
    LiveProcess {
        process_id: process.process_id,
        kind: match process.kind {
            ProcessKind::Jvm => LiveProcessKind::Jvm,
            ProcessKind::Native => LiveProcessKind::Native,
        },
        name: process.name,
        command: redact_command(&process.command).join(" ").chars().take(MAX_COMMAND_CHARS).collect(),
        user: process.user,
        jdk: process.jdk,
        uptime_ns: process.uptime_ns,
        obstacle: process.obstacle,
    }
}
