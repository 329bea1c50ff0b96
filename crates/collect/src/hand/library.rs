//! The profiler's library, as a hand puts it where the JVM can load it.
//!
//! The library has one permanent path per user and version. With a second path, the JVM would load async-profiler a
//! second time, and both copies would handle the same signal. The folder belongs to the user of the JVM, and no other
//! user can write to it.

use super::files::{errno, fstat, is_regular};
use super::messages::{Failure, Step, TEMPORARY};
use crate::async_profiler::{LIBRARY, VERSION};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

const READ_BY_ALL: Mode = Mode::from_raw_mode(0o755);
const WRITE_BY_OTHERS: u32 = 0o022;

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);
const CREATE: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC);

/// Installs the library if it is missing or different. Returns its path.
pub(super) fn install() -> Result<String, Failure> {
    let path = format!("{TEMPORARY}/.whittle-{}", rustix::process::geteuid().as_raw());
    let name = format!("libasyncProfiler-{VERSION}.so");
    let folder = open_folder(&path)?;
    if !is_present(&folder, &name) {
        write(&folder, &name)?;
    }
    Ok(format!("{path}/{name}"))
}

/// Creates a folder that all users can read and only this user can write. An existing folder must have the same access
/// rights, because a JVM must not load a file of another user.
fn open_folder(path: &str) -> Result<OwnedFd, Failure> {
    match rustix::fs::mkdir(path, READ_BY_ALL) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err((Step::CreateFolder, errno)),
    }
    let failed = |errno| (Step::OpenFolder, errno);
    let folder = rustix::fs::open(path, FOLDER, Mode::empty()).map_err(failed)?;
    let found = fstat(&folder)?;
    if found.st_uid != rustix::process::geteuid().as_raw() || found.st_mode & WRITE_BY_OTHERS != 0 {
        return Err((Step::ForeignFolder, Errno::ACCESS));
    }
    // The mode of a new folder depends on the umask.
    rustix::fs::fchmod(&folder, READ_BY_ALL).map_err(failed)?;
    Ok(folder)
}

fn is_present(folder: &OwnedFd, name: &str) -> bool {
    let Ok(file) = rustix::fs::openat(folder, name, READ, Mode::empty()) else { return false };
    if !fstat(&file).is_ok_and(|found| is_regular(&found)) {
        return false;
    }
    let mut present = Vec::new();
    let read = File::from(file).take(LIBRARY.len() as u64 + 1).read_to_end(&mut present);
    read.is_ok() && present == LIBRARY
}

/// Writes under another name and renames, so that a JVM never loads an incomplete library.
fn write(folder: &OwnedFd, name: &str) -> Result<(), Failure> {
    let temporary = format!("{name}.{}.tmp", std::process::id());
    let failed = |errno| (Step::WriteLibrary, errno);
    let mut file = File::from(rustix::fs::openat(folder, &temporary, CREATE, READ_BY_ALL).map_err(failed)?);
    let written = file.write_all(LIBRARY).map_err(|error| errno(&error)).and_then(|()| {
        rustix::fs::fchmod(&file, READ_BY_ALL)?;
        rustix::fs::renameat(folder, &temporary, folder, name)
    });
    if written.is_err() {
        // The error of the write is reported.
        let _ = rustix::fs::unlinkat(folder, &temporary, rustix::fs::AtFlags::empty());
    }
    written.map_err(failed)
}
