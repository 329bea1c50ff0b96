//! Access to the files of observed processes.
//!
//! The caller of this crate decides how these files are opened. A process of another user is not trusted: it might have
//! mounted a file system that never responds, or put another file in place of its own. The collector therefore opens such
//! files in a process with the rights of that user.

use crate::process_id::ProcessId;
use crate::read_at::ReadAt;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of the list of a process's mappings. 65,530 mappings of data files in a database take some 10 MB.
pub const MAX_MAPS_BYTES: u64 = 16 << 20;

/// Opens files with the rights of a process, and under the names that they have for this process.
pub trait ProgramFiles: Debug + Send + Sync {
    /// Processes with the same number trust each other. A file that was read for one of them may be used for all.
    fn trust(&self) -> u64;

    /// The text of `/proc/PID/maps` of `process`, at most [`MAX_MAPS_BYTES`].
    ///
    /// # Errors
    /// The process has ended, or access is not allowed.
    fn maps(&self, process: ProcessId) -> io::Result<Vec<u8>>;

    /// Opens exactly the file of a mapping of `process`, even if the file was deleted.
    ///
    /// # Errors
    /// Opening is not allowed, or the mapping is not of a regular file.
    fn open_mapped(&self, process: ProcessId, mapping: &Range<u64>) -> io::Result<Box<dyn ReadAt>>;

    /// Opens a regular file by its absolute path.
    ///
    /// # Errors
    /// The file does not exist, is not a regular file, or cannot be opened.
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadAt>>;
}

/// Finds the files of a process.
pub trait FindFiles: Send {
    /// The files of `process`.
    ///
    /// # Errors
    /// The process has ended, or access is not allowed.
    fn files_of(&self, process: ProcessId) -> io::Result<Arc<dyn ProgramFiles>>;
}

/// Files that are opened directly, with whittle's own rights. Use this only for processes that whittle trusts.
#[derive(Debug)]
pub struct LocalFiles {
    root: PathBuf,
}

impl LocalFiles {
    /// The files below the root directory of `process`.
    pub fn of(process: ProcessId) -> Self {
        Self { root: process.path("root") }
    }

    /// Whittle's own files.
    pub fn own() -> Self {
        Self { root: PathBuf::from("/") }
    }
}

impl ProgramFiles for LocalFiles {
    fn trust(&self) -> u64 {
        0
    }

    fn maps(&self, process: ProcessId) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        File::open(process.path("maps"))?.take(MAX_MAPS_BYTES).read_to_end(&mut text)?;
        Ok(text)
    }

    fn open_mapped(&self, process: ProcessId, mapping: &Range<u64>) -> io::Result<Box<dyn ReadAt>> {
        Ok(Box::new(open_place(&mapped_place(process, mapping)?)?))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadAt>> {
        Ok(Box::new(open_under_root(&self.root, path)?))
    }
}

/// Finds [`LocalFiles`] for each process.
#[derive(Debug, Default)]
pub struct TrustAll;

impl FindFiles for TrustAll {
    fn files_of(&self, process: ProcessId) -> io::Result<Arc<dyn ProgramFiles>> {
        Ok(Arc::new(LocalFiles::of(process)))
    }
}

/// A path descriptor of the file of a mapping. The file itself is not opened.
fn mapped_place(process: ProcessId, mapping: &Range<u64>) -> io::Result<OwnedFd> {
    let path = process.path(&format!("map_files/{:x}-{:x}", mapping.start, mapping.end));
    Ok(rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
}

/// Opens the regular file at a path in our file system. Links are followed.
///
/// # Errors
/// The file does not exist, is not a regular file, or cannot be opened.
pub fn open_regular_file(path: &Path) -> io::Result<File> {
    open_place(&rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
}

/// Opens the regular file with the path `path` for a process with the root directory `root`. Links cannot leave this
/// root.
fn open_under_root(root: &Path, path: &Path) -> io::Result<File> {
    let root = rustix::fs::open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    open_place(&rustix::fs::openat2(root, path, flags, Mode::empty(), resolve)?)
}

/// Opens the file of a path descriptor. Only regular files are opened, because opening a device or a pipe can have side
/// effects.
fn open_place(place: &OwnedFd) -> io::Result<File> {
    let kind = FileType::from_raw_mode(rustix::fs::fstat(place)?.st_mode);
    if kind != FileType::RegularFile {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(format!("/proc/self/fd/{}", place.as_fd().as_raw_fd()))
}
