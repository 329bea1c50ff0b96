//! The profiler's library, and the files of whittle's agent, as a hand puts them where the JVM can load it.
//!
//! The library has one permanent path per user and version. With a second path, the JVM would load async-profiler a
//! second time, and both copies would handle the same signal. The folder belongs to the user of the JVM, and no other
//! user can write to it.
//!
//! If the folder's file system allows no executable files (`noexec`), a hand keeps the library in a sealed file in
//! memory (memfd). The JVM opens this file through the hand's descriptor. The name of the file contains the hand's process
//! id, so whittle finds the file in the JVM's mappings. The JVM must load the library only once. If whittle has the right
//! to open the mapped file (CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE), the next hand shares this same file, which every C
//! library recognises. Otherwise the JVM gets the path of the earlier hand. This path exists no longer, but glibc
//! recognises it. musl does not.

use super::files::{errno, fstat, is_regular};
use super::filter;
use super::memory::sealed_memory;
use super::messages::{Failure, Installed, Step, TEMPORARY};
use crate::agent_files;
use crate::async_profiler::{LIBRARY, LIBRARY_NAME};
use rustix::fs::{Mode, OFlags, StatVfsMountFlags};
use rustix::io::Errno;
use rustix::process::DumpableBehavior;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

const READ_BY_ALL: Mode = Mode::from_raw_mode(0o755);
const WRITE_BY_OTHERS: u32 = 0o022;

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);
const CREATE: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC);

impl Installed {
    /// The name and the bytes of the file.
    fn content(self) -> (&'static str, &'static [u8]) {
        match self {
            Self::Profiler => (LIBRARY_NAME, LIBRARY),
            Self::AgentJar => (agent_files::JAR_NAME, agent_files::JAR),
            Self::Hook => (agent_files::HOOK_NAME, agent_files::HOOK),
        }
    }
}

/// Installs the file if it is missing or different. Returns its path.
pub(super) fn install(file: Installed) -> Result<String, Failure> {
    let (name, bytes) = file.content();
    let path = format!("{TEMPORARY}/.whittle-{}", rustix::process::geteuid().as_raw());
    let folder = open_folder(&path)?;
    let file_system = rustix::fs::fstatvfs(&folder).map_err(|errno| (Step::OpenFolder, errno))?;
    if file_system.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return Err((Step::NotExecutable, Errno::ACCESS));
    }
    if !is_present(&folder, name, bytes) {
        write(&folder, name, bytes)?;
    }
    Ok(format!("{path}/{name}"))
}

/// Keeps the library in memory, and lets the JVM open it. Returns the path for the JVM. The path is valid as long as
/// the hand exists. `loaded` is the library that the JVM has loaded before.
///
/// The JVM needs access to the descriptors of the hand. With this access, the JVM's user could also control the hand.
/// So the hand first gives up all system calls that it does not need for the rest of its work.
pub(super) fn share(loaded: Option<OwnedFd>) -> Result<String, Failure> {
    let failed = |errno| (Step::ShareLibrary, errno);
    let pid = std::process::id();
    let memory = loaded.map_or_else(|| sealed_memory(&memory_name(pid), LIBRARY), Ok).map_err(failed)?;
    let shared = rustix::io::fcntl_dupfd_cloexec(&memory, DESCRIPTOR).map_err(failed)?;
    if shared.as_raw_fd() != DESCRIPTOR {
        return Err(failed(Errno::MFILE));
    }
    // The descriptor stays open until the hand ends.
    std::mem::forget(shared);
    filter::allow_only_talking().map_err(failed)?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(failed)?;
    Ok(memory_path(pid))
}

/// The number of the library's descriptor in a hand.
const DESCRIPTOR: RawFd = 100;

fn memory_name(pid: u32) -> String {
    format!("whittle-{pid}-{LIBRARY_NAME}")
}

fn memory_path(pid: u32) -> String {
    format!("/proc/{pid}/fd/{DESCRIPTOR}")
}

/// The path of a library in memory, if `mapped` is the name of its mapping.
pub(crate) fn path_of_mapped(mapped: &str) -> Option<String> {
    let pid = mapped.strip_prefix("/memfd:whittle-")?.split('-').next()?.parse().ok()?;
    (mapped == format!("/memfd:{}", memory_name(pid))).then(|| memory_path(pid))
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

fn is_present(folder: &OwnedFd, name: &str, bytes: &[u8]) -> bool {
    let Ok(file) = rustix::fs::openat(folder, name, READ, Mode::empty()) else { return false };
    if !fstat(&file).is_ok_and(|found| is_regular(&found)) {
        return false;
    }
    let mut present = Vec::new();
    let read = File::from(file).take(bytes.len() as u64 + 1).read_to_end(&mut present);
    read.is_ok() && present == bytes
}

/// Writes the file under another name and then renames it, so a JVM never loads an incomplete file.
fn write(folder: &OwnedFd, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let temporary = format!("{name}.{}.tmp", std::process::id());
    let failed = |errno| (Step::WriteFile, errno);
    let mut file = File::from(rustix::fs::openat(folder, &temporary, CREATE, READ_BY_ALL).map_err(failed)?);
    let written = file.write_all(bytes).map_err(|error| errno(&error)).and_then(|()| {
        rustix::fs::fchmod(&file, READ_BY_ALL)?;
        rustix::fs::renameat(folder, &temporary, folder, name)
    });
    if written.is_err() {
        // The error of the write is reported.
        let _ = rustix::fs::unlinkat(folder, &temporary, rustix::fs::AtFlags::empty());
    }
    written.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_in_memory_is_found_by_its_mapping() {
        assert_eq!(path_of_mapped(&format!("/memfd:{}", memory_name(42))).as_deref(), Some("/proc/42/fd/100"));
        for other in ["/memfd:whittle-42-libasyncProfiler-0.1.so", "/tmp/libasyncProfiler.so", "/memfd:whittle-x-y"] {
            assert_eq!(path_of_mapped(other), None);
        }
    }
}
