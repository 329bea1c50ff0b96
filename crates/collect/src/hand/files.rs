//! The files of the observed process, as a hand opens them.
//!
//! A hand has the rights of the process's user. So a path can only lead to a file that this user can open anyway, and
//! links are followed as usual.

use super::messages::{Failure, Kind, MAX_DATA_BYTES, Response, Step, TEMPORARY};
use rustix::fs::{AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

/// Maximum number of open files.
const MAX_FILES: usize = 200;

/// Maximum number of locked files. A session has one.
const MAX_LOCKED: usize = 64;

/// Maximum number of entries that are read from a folder.
const MAX_ENTRIES: usize = 1_000_000;
/// Maximum number of names that are kept.
const MAX_NAMES: usize = 20_000;

const READ_BY_OWNER: Mode = Mode::from_raw_mode(0o700);
/// Opening a pipe or a terminal by mistake must not block.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
const APPEND: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::APPEND)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK);
const CREATE: OFlags = OFlags::RDWR.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC);

/// Open files by their numbers, which whittle uses in its requests.
#[derive(Debug, Default)]
pub(super) struct Files {
    open: BTreeMap<u32, File>,
    last_number: u32,
    /// Files that stay locked until the hand ends. Closing any descriptor of such a file would release its lock.
    locked: Vec<OwnedFd>,
    /// The names of the folder that was listed last.
    listing: Vec<String>,
}

impl Files {
    pub(super) fn open(&mut self, path: &str) -> Result<Response, Failure> {
        let file = rustix::fs::open(path, READ, Mode::empty()).map_err(|errno| (Step::OpenFile, errno))?;
        self.add(file)
    }

    /// A path descriptor of what a path refers to.
    pub(super) fn open_place(path: &str) -> Result<OwnedFd, Failure> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| (Step::OpenFile, errno))
    }

    /// Opens the file behind a path descriptor. The link in `/proc` is the only way to do this.
    pub(super) fn open_descriptor(&mut self, place: &OwnedFd) -> Result<Response, Failure> {
        if !is_regular(&fstat(place)?) {
            return Err((Step::NotRegular, Errno::INVAL));
        }
        self.open(&format!("/proc/self/fd/{}", place.as_raw_fd()))
    }

    fn add(&mut self, file: OwnedFd) -> Result<Response, Failure> {
        let found = fstat(&file)?;
        if !is_regular(&found) {
            return Err((Step::NotRegular, Errno::INVAL));
        }
        if self.open.len() >= MAX_FILES {
            return Err((Step::OpenFile, Errno::MFILE));
        }
        self.last_number += 1;
        self.open.insert(self.last_number, File::from(file));
        let is_own = found.st_uid == rustix::process::geteuid().as_raw();
        Ok(Response::File { file: self.last_number, is_own })
    }

    pub(super) fn close(&mut self, file: u32) -> Response {
        self.open.remove(&file);
        Response::Done
    }

    pub(super) fn size(&self, file: u32) -> Result<Response, Failure> {
        Ok(Response::Size(u64::try_from(fstat(self.get(file)?)?.st_size).unwrap_or(0)))
    }

    pub(super) fn read(&self, file: u32, offset: u64, length: u32) -> Result<Response, Failure> {
        let file = self.get(file)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(MAX_DATA_BYTES).min(MAX_DATA_BYTES)];
        let mut filled = 0;
        while filled < bytes.len() {
            match file.read_at(&mut bytes[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err((Step::ReadFile, errno(&error))),
            }
        }
        bytes.truncate(filled);
        Ok(Response::Bytes(bytes))
    }

    fn get(&self, file: u32) -> Result<&File, Failure> {
        self.open.get(&file).ok_or((Step::ReadFile, Errno::BADF))
    }

    /// The names in a folder from the position `skip` on, as many as one packet can hold.
    pub(super) fn names(&mut self, path: &str, prefix: &str, skip: u32) -> Result<Response, Failure> {
        if skip == 0 {
            self.listing = list(path, prefix).map_err(|errno| (Step::OpenFolder, errno))?;
        }
        let mut size_bytes = 0;
        let fits = |name: &&String| {
            size_bytes += name.len() + 4;
            size_bytes <= MAX_DATA_BYTES
        };
        let names = self.listing.iter().skip(skip as usize);
        Ok(Response::Names(names.take_while(fits).cloned().collect()))
    }

    pub(super) fn kind(&self, path: &str) -> Kind {
        let Ok(found) = rustix::fs::statat(CWD, path, AtFlags::empty()) else { return Kind::Missing };
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            _ => Kind::Other,
        }
    }

    /// Creates a folder in `/tmp`. Only the user can enter it.
    pub(super) fn create_folder(&self, name: &str) -> Result<Response, Failure> {
        let path = temporary_path(name)?;
        let created = rustix::fs::mkdir(path, READ_BY_OWNER).map_err(|errno| (Step::CreateFolder, errno));
        created.map(|()| Response::Done)
    }

    /// Creates an empty file in a folder in `/tmp`, and locks it until the hand ends.
    pub(super) fn create_locked(&mut self, folder: &str, file: &str) -> Result<Response, Failure> {
        let failed = |errno| (Step::LockFile, errno);
        if self.locked.len() >= MAX_LOCKED {
            return Err(failed(Errno::MFILE));
        }
        let file = open_in((folder, file), CREATE, Step::LockFile)?;
        rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).map_err(failed)?;
        self.locked.push(file);
        Ok(Response::Done)
    }

    /// Adds bytes to the end of a file in a folder in `/tmp`. The file can be new.
    pub(super) fn append(&self, folder: &str, file: &str, bytes: &[u8]) -> Result<Response, Failure> {
        let opened = open_in((folder, file), APPEND, Step::WriteFile)?;
        if !is_regular(&fstat(&opened)?) {
            return Err((Step::NotRegular, Errno::INVAL));
        }
        File::from(opened).write_all(bytes).map_err(|error| (Step::WriteFile, errno(&error)))?;
        Ok(Response::Done)
    }

    /// Removes these files from a folder in `/tmp`, and then the folder.
    pub(super) fn remove_folder(&self, name: &str, files: &[String]) -> Result<Response, Failure> {
        let path = temporary_path(name)?;
        // Other users can create links in `/tmp`.
        let folder = READ | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let folder = rustix::fs::open(&path, folder, Mode::empty()).map_err(|errno| (Step::RemoveFolder, errno))?;
        for file in files {
            // The file might be missing. After any other error, the folder is not empty, and its removal fails.
            let _ = rustix::fs::unlinkat(&folder, file, AtFlags::empty());
        }
        rustix::fs::rmdir(path).map_err(|errno| (Step::RemoveFolder, errno)).map(|()| Response::Done)
    }
}

/// The sorted names in a folder with this prefix. Any user can create names in `/tmp`, so the number is limited.
fn list(path: &str, prefix: &str) -> Result<Vec<String>, Errno> {
    let folder = rustix::fs::open(path, READ | OFlags::DIRECTORY, Mode::empty())?;
    let entries = Dir::read_from(folder)?.flatten().take(MAX_ENTRIES);
    let names = entries.filter(|entry| entry.file_name().to_bytes().starts_with(prefix.as_bytes()));
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != "." && name != "..").take(MAX_NAMES).collect();
    names.sort();
    Ok(names)
}

/// Opens a file in a folder in `/tmp`. Other users can create links in `/tmp`, so none is followed.
fn open_in((folder, file): (&str, &str), flags: OFlags, step: Step) -> Result<OwnedFd, Failure> {
    let (path, file) = (temporary_path(folder)?, checked_name(file)?);
    let folder = rustix::fs::open(path, READ | OFlags::DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
    let opened = folder.and_then(|folder| rustix::fs::openat(&folder, file, flags, READ_BY_OWNER));
    opened.map_err(|errno| (step, errno))
}

/// The path of an entry of `/tmp`.
fn temporary_path(name: &str) -> Result<String, Failure> {
    Ok(format!("{TEMPORARY}/{}", checked_name(name)?))
}

/// A name without a path, which is not hidden.
fn checked_name(name: &str) -> Result<&str, Failure> {
    if name.is_empty() || name.starts_with('.') || name.contains('/') {
        return Err((Step::UnknownRequest, Errno::INVAL));
    }
    Ok(name)
}

pub(super) fn fstat(file: impl AsFd) -> Result<Stat, Failure> {
    rustix::fs::fstat(file).map_err(|errno| (Step::ReadFile, errno))
}

pub(super) fn is_regular(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
}

/// The number of an error of the standard library.
pub(super) fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
