//! Files that the JVM must see: the library that it loads and the recording that it writes.
//!
//! Both are in `/tmp` of the JVM's mount namespace. This folder can differ from whittle's `/tmp`, and other users can
//! write to it. So whittle opens the folder once, as the JVM sees it, and follows no link out of the JVM's root. All
//! later work is relative to the open folder. So other users cannot replace names in the meantime, and the folder
//! remains accessible after the process has ended.
//!
//! - The library has one permanent path per user and version. With a second path, the JVM would load async-profiler
//!   a second time, and both copies would handle the same signal.
//! - The recording has a separate folder, which only the JVM's user and root can enter.

use crate::async_profiler::{LIBRARY, VERSION};
use crate::{Error, host};
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, ResolveFlags, Uid};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const RECORDING_FILE: &str = "recording.jfr";
const LOG_FILE: &str = "profiler.log";

/// Prefix of the names of session folders. The process id of the whittle process that created the folder follows.
const SESSION_PREFIX: &str = "whittle-";

/// Maximum number of bytes of a log that are read.
const MAX_LOG_BYTES: u64 = 64 * 1024;

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);
const CREATE: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC);

const READ_BY_ALL: Mode = Mode::from_raw_mode(0o755);
const READ_BY_OWNER: Mode = Mode::from_raw_mode(0o700);
const WRITE_BY_OTHERS: u32 = 0o022;

/// The opened `/tmp` of a mount namespace.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    folder: OwnedFd,
    /// True if whittle's `/tmp` is the same folder.
    is_ours: bool,
}

impl TemporaryFolder {
    /// The folder that whittle sees as `/tmp`. A launched program also uses it.
    pub(crate) fn own() -> Result<Self, Error> {
        Self::open(Path::new("/"), true)
    }

    /// The folder of the process with the root directory `root` (`/proc/PID/root`).
    pub(crate) fn of_process(root: &Path) -> Result<Self, Error> {
        let namespace = |path: PathBuf| std::fs::read_link(path).ok();
        let theirs = root.parent().and_then(|process| namespace(process.join("ns/mnt")));
        Self::open(root, theirs.is_some() && theirs == namespace(PathBuf::from("/proc/self/ns/mnt")))
    }

    fn open(root: &Path, is_ours: bool) -> Result<Self, Error> {
        let opened = rustix::fs::open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        let opened = opened.and_then(|root| {
            // /tmp itself may be a link. Whittle follows the link as the process would, inside the process's root.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            rustix::fs::openat2(root, "tmp", flags, Mode::empty(), ResolveFlags::IN_ROOT)
        });
        let folder = opened.map_err(io::Error::from).map_err(Error::io("open", &root.join("tmp")))?;
        Ok(Self { folder, is_ours })
    }

    /// The opened folder.
    pub(crate) fn descriptor(&self) -> &OwnedFd {
        &self.folder
    }

    /// The path of a name in this folder, as the JVM sees it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        Path::new("/tmp").join(name)
    }

    /// True if the folder contains an entry with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Puts async-profiler's library here. Returns its path as the JVM sees it.
    pub(crate) fn install_library(&self) -> Result<PathBuf, Error> {
        let own_uid = rustix::process::geteuid().as_raw();
        let folder_name = format!(".whittle-{own_uid}");
        let name = format!("libasyncProfiler-{VERSION}.so");
        let path = self.path(&folder_name).join(&name);
        let installed = self.open_own_folder(&folder_name, own_uid).and_then(|folder| {
            let mut present = Vec::new();
            let read = open_file(&folder, &name).and_then(|mut file| file.read_to_end(&mut present));
            if read.is_ok() && present == LIBRARY { Ok(()) } else { write_library(&folder, &name) }
        });
        installed.map(|()| path.clone()).map_err(Error::io("install", &path))
    }

    /// Creates a folder that all users can read and only this user can write. An existing folder must have the same
    /// access rights, because a JVM must not load a file of another user.
    fn open_own_folder(&self, name: &str, own_uid: u32) -> io::Result<OwnedFd> {
        match rustix::fs::mkdirat(&self.folder, name, READ_BY_ALL) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let folder = rustix::fs::openat(&self.folder, name, FOLDER, Mode::empty())?;
        let found = rustix::fs::fstat(&folder)?;
        if found.st_uid != own_uid || found.st_mode & WRITE_BY_OTHERS != 0 {
            return Err(io::Error::other(
                "its folder belongs to another user, or other users can write to it; remove the folder",
            ));
        }
        // The JVM's user needs access, independently of whittle's umask.
        rustix::fs::fchmod(&folder, READ_BY_ALL)?;
        Ok(folder)
    }

    /// Removes the session folders of whittle processes that have ended, if one of `owners` owns the folder.
    pub(crate) fn remove_stale_sessions(&self, owners: [u32; 2]) {
        let Ok(entries) = rustix::fs::Dir::read_from(&self.folder) else { return };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().to_str() else { continue };
            let is_dead = whittle_of(name).is_some_and(|whittle| !is_running(whittle));
            let Ok(folder) = rustix::fs::openat(&self.folder, name, FOLDER, Mode::empty()) else { continue };
            if is_dead && rustix::fs::fstat(&folder).is_ok_and(|found| owners.contains(&found.st_uid)) {
                remove_session(&self.folder, &folder, name);
            }
        }
    }
}

/// The process id of the whittle process that created the session folder with this name.
fn whittle_of(name: &str) -> Option<u32> {
    name.strip_prefix(SESSION_PREFIX)?.split('-').next()?.parse().ok()
}

/// The process id of the whittle process that wrote the recording at `path`. None: whittle did not write the recording.
pub(crate) fn session_owner(path: &Path) -> Option<u32> {
    let folder = path.parent().filter(|_| path.file_name().is_some_and(|name| name == RECORDING_FILE))?;
    whittle_of(folder.file_name()?.to_str()?)
}

fn is_running(process_id: u32) -> bool {
    Path::new(&format!("/proc/{process_id}")).exists()
}

/// Writes the library under another name and then renames it, so a JVM never loads an incomplete library.
fn write_library(folder: &OwnedFd, name: &str) -> io::Result<()> {
    let temporary = format!("{name}.{}.tmp", std::process::id());
    let mut file = File::from(rustix::fs::openat(folder, &temporary, CREATE, READ_BY_ALL)?);
    let written = file.write_all(LIBRARY).and_then(|()| {
        rustix::fs::fchmod(&file, READ_BY_ALL)?;
        Ok(rustix::fs::renameat(folder, &temporary, folder, name)?)
    });
    if written.is_err() {
        // Only the error of the write is reported.
        let _ = rustix::fs::unlinkat(folder, &temporary, AtFlags::empty());
    }
    written
}

/// The folder of one collection's recording. When this is dropped, the folder is removed, unless it is kept.
#[derive(Debug)]
pub(crate) struct SessionFolder {
    parent: TemporaryFolder,
    folder: OwnedFd,
    name: String,
    is_kept: AtomicBool,
}

impl SessionFolder {
    /// Creates the folder in `parent`, owned by user and group `owner`.
    pub(crate) fn create(parent: TemporaryFolder, (uid, gid): (u32, u32)) -> Result<Self, Error> {
        let name = format!("{SESSION_PREFIX}{}-{:x}", std::process::id(), host::monotonic_ns());
        let created = rustix::fs::mkdirat(&parent.folder, &name, READ_BY_OWNER).and_then(|()| {
            let folder = rustix::fs::openat(&parent.folder, &name, FOLDER, Mode::empty())?;
            if uid != rustix::process::geteuid().as_raw() {
                rustix::fs::fchown(&folder, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?;
            }
            Ok(folder)
        });
        let folder = created.map_err(io::Error::from).map_err(Error::io("create", &parent.path(&name)))?;
        Ok(Self { parent, folder, name, is_kept: AtomicBool::new(false) })
    }

    /// The path of the recording, as the JVM sees it.
    pub(crate) fn recording_path(&self) -> PathBuf {
        self.parent.path(&self.name).join(RECORDING_FILE)
    }

    /// The path of the profiler's log, as the JVM sees it.
    pub(crate) fn log_path(&self) -> PathBuf {
        self.parent.path(&self.name).join(LOG_FILE)
    }

    /// Opens the recording if the JVM has created it.
    pub(crate) fn open_recording(&self) -> Option<File> {
        open_file(&self.folder, RECORDING_FILE).ok()
    }

    /// The log of async-profiler so far.
    pub(crate) fn read_log(&self) -> String {
        let mut bytes = Vec::new();
        let read = open_file(&self.folder, LOG_FILE).and_then(|file| file.take(MAX_LOG_BYTES).read_to_end(&mut bytes));
        read.map_or_else(|_| String::new(), |_| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Keeps the folder. Returns the recording's path for the user.
    pub(crate) fn keep(&self) -> String {
        self.is_kept.store(true, Ordering::Relaxed);
        let path = self.recording_path();
        if self.parent.is_ours { path.display().to_string() } else { format!("{} of the container", path.display()) }
    }
}

impl Drop for SessionFolder {
    fn drop(&mut self) {
        if !self.is_kept.load(Ordering::Relaxed) {
            remove_session(&self.parent.folder, &self.folder, &self.name);
        }
    }
}

/// Removes the known files, then the folder. Errors are ignored, because the collection is over.
fn remove_session(parent: &OwnedFd, folder: &OwnedFd, name: &str) {
    for file in [RECORDING_FILE, LOG_FILE] {
        let _ = rustix::fs::unlinkat(folder, file, AtFlags::empty());
    }
    let _ = rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR);
}

/// Opens a plain file for reading. Links are not followed, because another user may own the folder.
fn open_file(folder: impl AsFd, name: &str) -> io::Result<File> {
    let file = rustix::fs::openat(folder, name, READ, Mode::empty())?;
    if FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("not a plain file"));
    }
    Ok(File::from(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    /// A root directory with a `tmp` in it.
    fn root() -> (tempfile::TempDir, TemporaryFolder) {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("tmp")).unwrap();
        let folder = TemporaryFolder::open(root.path(), false).unwrap();
        (root, folder)
    }

    fn own() -> (u32, u32) {
        (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
    }

    #[test]
    fn the_library_is_installed_once_under_one_path() {
        let (root, folder) = root();
        let inode = |path: PathBuf| fs::metadata(root.path().join(path.strip_prefix("/").unwrap())).unwrap().ino();
        let first = folder.install_library().unwrap();
        let first_inode = inode(first.clone());
        assert_eq!(folder.install_library().unwrap(), first);
        assert_eq!(inode(first), first_inode);
    }

    #[test]
    fn a_folder_that_others_may_write_is_refused() {
        let (root, folder) = root();
        let path = root.path().join(format!("tmp/.whittle-{}", own().0));
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let error = folder.install_library().unwrap_err().to_string();
        assert!(error.contains("other users can write"), "{error}");
        fs::remove_dir(&path).unwrap();
        std::os::unix::fs::symlink("/etc", &path).unwrap();
        assert!(folder.install_library().is_err(), "a link is not followed");
    }

    #[test]
    fn a_link_does_not_lead_out_of_the_root() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("etc")).unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("tmp")).unwrap();
        let folder = TemporaryFolder::open(root.path(), false).unwrap();
        let session = SessionFolder::create(folder, own()).unwrap();
        assert!(root.path().join("etc").join(&session.name).is_dir());
    }

    #[test]
    fn a_session_folder_leaves_nothing_behind_unless_it_is_kept() {
        let (root, folder) = root();
        let session = SessionFolder::create(folder, own()).unwrap();
        let path = root.path().join("tmp").join(&session.name);
        fs::write(path.join(LOG_FILE), "[ERROR] no").unwrap();
        assert_eq!(session.read_log(), "[ERROR] no");
        std::os::unix::fs::symlink("/etc/passwd", path.join(RECORDING_FILE)).unwrap();
        assert!(session.open_recording().is_none(), "a link is not followed");
        drop(session);
        assert!(!path.exists());
        let folder = TemporaryFolder::open(root.path(), false).unwrap();
        let session = SessionFolder::create(folder, own()).unwrap();
        let path = root.path().join("tmp").join(&session.name);
        assert!(session.keep().ends_with("recording.jfr of the container"));
        drop(session);
        assert!(path.exists());
    }

    #[test]
    fn sessions_of_dead_whittles_are_removed() {
        let (root, folder) = root();
        let stale = root.path().join("tmp/whittle-4194001-1f");
        let alive = root.path().join(format!("tmp/whittle-{}-1f", std::process::id()));
        for path in [&stale, &alive] {
            fs::create_dir(path).unwrap();
            fs::write(path.join(RECORDING_FILE), "").unwrap();
        }
        folder.remove_stale_sessions([own().0, own().0]);
        assert!(!stale.exists() && alive.exists());
    }
}
