//! Files that the JVM must see: the library it loads and the recording it writes.
//!
//! Both lie in `/tmp` of the JVM's mount namespace, which is not always ours.
//!
//! - The library has one lasting path per user and version. A second path would load a second
//!   async-profiler into the same JVM, and the two would fight for the signal.
//! - The recording has a folder of its own, that only the JVM's user (and root) can enter.

use crate::async_profiler::{LIBRARY, VERSION};
use crate::attach::Jvm;
use crate::{Error, host};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const TEMPORARY_FOLDER: &str = "/tmp";
const RECORDING_FILE: &str = "recording.jfr";
const LOG_FILE: &str = "profiler.log";

/// A path by the two names that it has.
#[derive(Debug, Clone)]
pub(crate) struct SharedPath {
    /// As the JVM names it.
    pub(crate) inside: PathBuf,
    /// As we name it. For another mount namespace this way ends with the process.
    pub(crate) outside: PathBuf,
}

impl SharedPath {
    fn new(inside: PathBuf, jvm: Option<&Jvm>) -> Self {
        let outside = jvm.map_or_else(|| inside.clone(), |jvm| jvm.path_from_here(&inside));
        Self { inside, outside }
    }
}

/// Puts async-profiler's library where the JVM (or, without one, a JVM that we launch) can load it.
pub(crate) fn install_library(jvm: Option<&Jvm>) -> Result<SharedPath, Error> {
    let own_uid = rustix::process::geteuid().as_raw();
    let folder = SharedPath::new(Path::new(TEMPORARY_FOLDER).join(format!(".whittle-{own_uid}")), jvm);
    create_own_folder(&folder.outside, own_uid).map_err(Error::io("create", &folder.outside))?;
    let library = SharedPath::new(folder.inside.join(format!("libasyncProfiler-{VERSION}.so")), jvm);
    if fs::read(&library.outside).is_ok_and(|present| present == LIBRARY) {
        return Ok(library);
    }
    write_library(&library.outside).map_err(Error::io("write", &library.outside))?;
    Ok(library)
}

/// Creates a folder that everybody can read and only we can write, or checks that it is one: `/tmp`
/// is everybody's, and a JVM must not load what somebody else put there.
fn create_own_folder(folder: &Path, own_uid: u32) -> io::Result<()> {
    match DirBuilder::new().mode(0o755).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    if found.is_dir() && found.uid() == own_uid && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(io::Error::other("it belongs to somebody else or others may write to it; remove it"))
}

/// Writes under another name and renames, so that a JVM never loads half a library.
fn write_library(path: &Path) -> io::Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o755).open(&temporary)?;
    let written = file.write_all(LIBRARY).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The error to report is that of the write.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The folder of one collection's recording. Dropped, it removes itself, unless it is kept.
#[derive(Debug)]
pub(crate) struct SessionFolder {
    folder: SharedPath,
    pub(crate) recording: SharedPath,
    pub(crate) log: SharedPath,
    /// Open since the start: readable after the process, and with it its mount namespace, is gone.
    opened_log: Option<File>,
    is_kept: bool,
}

impl SessionFolder {
    /// Creates the folder, owned by the JVM's user.
    pub(crate) fn create(jvm: Option<&Jvm>) -> Result<Self, Error> {
        let name = format!("whittle-{}-{:x}", std::process::id(), host::monotonic_ns());
        let folder = SharedPath::new(Path::new(TEMPORARY_FOLDER).join(name), jvm);
        DirBuilder::new().mode(0o700).create(&folder.outside).map_err(Error::io("create", &folder.outside))?;
        let session = Self {
            recording: SharedPath::new(folder.inside.join(RECORDING_FILE), jvm),
            log: SharedPath::new(folder.inside.join(LOG_FILE), jvm),
            folder,
            opened_log: None,
            is_kept: false,
        };
        if let Some((uid, gid)) = jvm.map(Jvm::owner).filter(|(uid, _)| *uid != rustix::process::geteuid().as_raw()) {
            let given = std::os::unix::fs::chown(&session.folder.outside, Some(uid), Some(gid));
            given.map_err(Error::io("give to the JVM's user", &session.folder.outside))?;
        }
        Ok(session)
    }

    /// Opens the recording if the JVM has created it. Links are not followed: the folder is the
    /// other user's.
    pub(crate) fn open_recording(&mut self) -> Option<File> {
        self.opened_log = self.opened_log.take().or_else(|| open_without_links(&self.log.outside).ok());
        open_without_links(&self.recording.outside).ok()
    }

    /// What async-profiler wrote to its log so far.
    pub(crate) fn read_log(&self) -> String {
        let opened = open_without_links(&self.log.outside).ok();
        let Some(mut file) = opened.as_ref().or(self.opened_log.as_ref()) else { return String::new() };
        let mut bytes = Vec::new();
        let read = io::Seek::rewind(&mut file)
            .and_then(|()| io::Read::read_to_end(&mut io::Read::take(&mut file, 64 * 1024), &mut bytes));
        read.map_or_else(|_| String::new(), |_| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Leaves the folder where it is; its path.
    pub(crate) fn keep(&mut self) -> &Path {
        self.is_kept = true;
        &self.folder.outside
    }
}

impl Drop for SessionFolder {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        // Nobody is left to tell if this fails, and the files are in /tmp.
        for path in [&self.recording.outside, &self.log.outside] {
            let _ = fs::remove_file(path);
        }
        let _ = fs::remove_dir(&self.folder.outside);
    }
}

fn open_without_links(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_installed_once_under_one_path() {
        let first = install_library(None).unwrap();
        let inode = fs::metadata(&first.outside).unwrap().ino();
        let second = install_library(None).unwrap();
        assert_eq!(first.inside, second.inside);
        assert_eq!(inode, fs::metadata(&second.outside).unwrap().ino());
    }

    #[test]
    fn a_folder_that_others_may_write_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        DirBuilder::new().create(&open).unwrap();
        fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        assert!(create_own_folder(&open, rustix::process::geteuid().as_raw()).is_err());
        assert!(create_own_folder(&folder.path().join("new"), rustix::process::geteuid().as_raw()).is_ok());
    }

    #[test]
    fn a_session_folder_leaves_nothing_behind() {
        let session = SessionFolder::create(None).unwrap();
        fs::write(&session.log.outside, "[ERROR] no").unwrap();
        assert_eq!(session.read_log(), "[ERROR] no");
        let folder = session.folder.outside.clone();
        drop(session);
        assert!(!folder.exists());
    }
}
