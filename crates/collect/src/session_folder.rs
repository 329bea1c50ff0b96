//! The folder of one collection's recording, in the `/tmp` of the JVM. The JVM writes the recording to it.
//!
//! The JVM's `/tmp` can differ from whittle's `/tmp`, and other users can write to it. Only the JVM's user and root can
//! enter the folder. A hand creates, reads and removes it.

use crate::hand::{Installed, TargetFile, World};
use crate::process::Process;
use crate::{Error, host};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const RECORDING_FILE: &str = "recording.jfr";
const LOG_FILE: &str = "profiler.log";
const JVM_LOG_FILE: &str = "jvm.log";
/// The JVM gives the log this name when it starts a second file.
const FULL_JVM_LOG_FILE: &str = "jvm.log.0";

/// The file that whittle locks while it lives. The agent in the JVM writes its report beside this file.
const LOCK_FILE: &str = "agent";
const REPORT_FILE: &str = "agent.report";
/// The agent writes a new report under this name, and then renames it.
const NEW_REPORT_FILE: &str = "agent.report.new";
/// What the agent changes in a trial. Its name is that of the locked file with an ending.
const PLAN_FILE: &str = "agent.plan";
/// Prefix of the names of class files that the plan refers to. A number follows.
const CLASS_PREFIX: &str = "class-";

/// Prefix of the names of session folders. The process id of the whittle process that created the folder follows.
const SESSION_PREFIX: &str = "whittle-";

/// All files of a session folder, except class files.
const FILES: [&str; 8] =
    [RECORDING_FILE, LOG_FILE, JVM_LOG_FILE, FULL_JVM_LOG_FILE, LOCK_FILE, REPORT_FILE, NEW_REPORT_FILE, PLAN_FILE];

/// Maximum length of a log that is read.
const MAX_LOG_BYTES: u64 = 64 * 1024;

/// The folder of one collection's recording. When this is dropped, the folder is removed, unless it is kept.
#[derive(Debug)]
pub(crate) struct SessionFolder {
    world: Arc<World>,
    name: String,
    is_kept: AtomicBool,
}

impl SessionFolder {
    /// Creates the folder.
    pub(crate) fn create(world: Arc<World>) -> Result<Self, Error> {
        let name = format!("{SESSION_PREFIX}{}-{:x}", std::process::id(), host::monotonic_ns());
        world.create_folder(&name)?;
        Ok(Self { world, name, is_kept: AtomicBool::new(false) })
    }

    /// The path of the recording, as the JVM sees it.
    pub(crate) fn recording_path(&self) -> PathBuf {
        PathBuf::from(self.path_of(RECORDING_FILE))
    }

    /// The path of the profiler's log, as the JVM sees it.
    pub(crate) fn log_path(&self) -> PathBuf {
        PathBuf::from(self.path_of(LOG_FILE))
    }

    /// The path of the JVM's own log, as the JVM sees it.
    pub(crate) fn jvm_log_path(&self) -> PathBuf {
        PathBuf::from(self.path_of(JVM_LOG_FILE))
    }

    /// Puts a file where the JVM can load it. Returns the file's path, as the JVM sees it.
    pub(crate) fn install(&self, file: Installed) -> Result<PathBuf, Error> {
        self.world.install(file)
    }

    /// Creates the file that stays locked while whittle lives. Returns its path, as the JVM sees it.
    pub(crate) fn create_lock(&self) -> Result<PathBuf, Error> {
        self.world.create_locked(&self.name, LOCK_FILE)?;
        Ok(PathBuf::from(self.path_of(LOCK_FILE)))
    }

    /// Writes a class file for the plan of a trial. Returns its path, as the JVM sees it.
    pub(crate) fn write_class(&self, number: usize, bytes: &[u8]) -> Result<PathBuf, Error> {
        let name = format!("{CLASS_PREFIX}{number}");
        self.world.write(&self.name, &name, bytes)?;
        Ok(PathBuf::from(self.path_of(&name)))
    }

    /// Writes the plan of a trial.
    pub(crate) fn write_plan(&self, text: &str) -> Result<(), Error> {
        self.world.write(&self.name, PLAN_FILE, text.as_bytes())
    }

    /// The path of the agent's report, as the JVM sees it.
    pub(crate) fn report_path(&self) -> PathBuf {
        PathBuf::from(self.path_of(REPORT_FILE))
    }

    /// The report of the agent so far, at most `limit` bytes. `None`: there is no report.
    pub(crate) fn read_report(&self, limit: u64) -> Option<String> {
        let bytes = self.world.open(&self.path_of(REPORT_FILE)).and_then(|file| file.read_start(limit)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn path_of(&self, file: &str) -> String {
        format!("/tmp/{}/{file}", self.name)
    }

    /// Opens the recording if the JVM has created it.
    pub(crate) fn open_recording(&self) -> Option<TargetFile> {
        self.world.open(&self.path_of(RECORDING_FILE)).ok()
    }

    /// Opens the JVM's own log if the JVM has created it.
    pub(crate) fn open_jvm_log(&self) -> Option<TargetFile> {
        self.world.open(&self.path_of(JVM_LOG_FILE)).ok()
    }

    /// Fails if the hand that reads this folder was lost.
    pub(crate) fn check(&self, pid: u32) -> Result<(), Error> {
        self.world.check(pid)
    }

    /// The log of async-profiler so far.
    pub(crate) fn read_log(&self) -> String {
        let read = self.world.open(&self.path_of(LOG_FILE)).and_then(|file| file.read_start(MAX_LOG_BYTES));
        read.map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Keeps the folder. Returns the recording's path for the user.
    pub(crate) fn keep(&self) -> String {
        self.is_kept.store(true, Ordering::Relaxed);
        let path = self.path_of(RECORDING_FILE);
        if self.world.has_our_files() { path } else { format!("{path} of the container") }
    }
}

impl Drop for SessionFolder {
    fn drop(&mut self) {
        if !self.is_kept.load(Ordering::Relaxed) {
            remove(&self.world, &self.name);
        }
    }
}

/// Removes the session folders of whittle processes that have ended.
pub(crate) fn remove_stale(world: &World) {
    for name in world.names_in("/tmp", SESSION_PREFIX) {
        if whittle_of(&name).is_some_and(|whittle| !Process(whittle).path("").exists()) {
            remove(world, &name);
        }
    }
}

fn remove(world: &World, name: &str) {
    let classes = world.names_in(&format!("/tmp/{name}"), CLASS_PREFIX);
    let files: Vec<&str> = FILES.into_iter().chain(classes.iter().map(String::as_str)).collect();
    // The collection is over. The user can remove a folder that remains.
    let _ = world.remove_folder(name, &files);
}

/// The process id of the whittle process that wrote the recording at `path`. None: whittle did not write the recording.
pub(crate) fn session_owner(path: &Path) -> Option<u32> {
    let folder = path.parent().filter(|_| path.file_name().is_some_and(|name| name == RECORDING_FILE))?;
    whittle_of(folder.file_name()?.to_str()?)
}

/// The process id of the whittle process that requested the JVM's log at `path`. None: no whittle process requested it.
///
/// Only paths of the form `/tmp/whittle-12-ab/jvm.log` are accepted: the path comes from a JVM that can be hostile.
pub(crate) fn owner_of_jvm_log(path: &Path) -> Option<u32> {
    let folder = path.to_str()?.strip_prefix("/tmp/")?.strip_suffix(JVM_LOG_FILE)?.strip_suffix('/')?;
    let (process, start) = folder.strip_prefix(SESSION_PREFIX)?.split_once('-')?;
    let is_start = !start.is_empty() && start.bytes().all(|byte| byte.is_ascii_hexdigit());
    process.parse().ok().filter(|_| is_start)
}

/// The process id of the whittle process that created the session folder with this name.
fn whittle_of(name: &str) -> Option<u32> {
    name.strip_prefix(SESSION_PREFIX)?.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use whittle_native::ReadAt;

    fn world() -> Arc<World> {
        World::of(Process(std::process::id())).unwrap()
    }

    #[test]
    fn a_session_folder_leaves_nothing_behind_unless_it_is_kept() {
        let session = SessionFolder::create(world()).unwrap();
        let folder = session.recording_path().parent().unwrap().to_owned();
        fs::write(session.log_path(), "[ERROR] no").unwrap();
        assert_eq!(session.read_log(), "[ERROR] no");
        assert!(session.open_recording().is_none());
        fs::write(session.recording_path(), "jfr").unwrap();
        assert_eq!(session.open_recording().unwrap().size().unwrap(), 3);
        drop(session);
        assert!(!folder.exists());

        let session = SessionFolder::create(world()).unwrap();
        let folder = session.recording_path().parent().unwrap().to_owned();
        assert_eq!(session.keep(), session.recording_path().to_str().unwrap());
        drop(session);
        assert!(folder.exists());
        fs::remove_dir(folder).unwrap();
    }

    #[test]
    fn sessions_of_dead_whittles_are_removed() {
        let stale = Path::new("/tmp/whittle-4194001-1f");
        let alive = PathBuf::from(format!("/tmp/whittle-{}-1f", std::process::id()));
        for path in [stale, &alive] {
            fs::create_dir_all(path).unwrap();
            fs::write(path.join(RECORDING_FILE), "").unwrap();
        }
        remove_stale(&world());
        assert!(!stale.exists() && alive.exists());
        fs::remove_dir_all(alive).unwrap();
    }

    #[test]
    fn the_owner_of_a_recording_is_in_its_path() {
        assert_eq!(session_owner(Path::new("/tmp/whittle-12-ab/recording.jfr")), Some(12));
        assert_eq!(session_owner(Path::new("/tmp/whittle-12-ab/other")), None);
        assert_eq!(session_owner(Path::new("/tmp/other/recording.jfr")), None);
        assert_eq!(owner_of_jvm_log(Path::new("/tmp/whittle-12-ab/jvm.log")), Some(12));
        for other in [
            "/tmp/whittle-12-ab/recording.jfr",
            "/x/tmp/whittle-12-ab/jvm.log",
            "/tmp/whittle-12-/jvm.log",
            "/tmp/whittle-12-a\"/jvm.log",
            "/tmp/a/whittle-12-ab/jvm.log",
            "/tmp/whittle-12-abjvm.log",
        ] {
            assert_eq!(owner_of_jvm_log(Path::new(other)), None, "{other}");
        }
    }
}
