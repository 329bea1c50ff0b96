//! Files of debug information beside a program's own file, and opening files as a process sees them.
//!
//! ```text
//! build id ab12cd…   /usr/lib/debug/.build-id/ab/12cd….debug
//! debug link x.debug in the file's folder, in .debug below it, below /usr/lib/debug
//! ```
//!
//! Each place is looked up in the process's file system first, then in ours. Files are recognised by build
//! id or checksum, never by name alone. Nothing is fetched from anywhere.

use super::{DebugLink, ElfBytes, ElfFile};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

const DEBUG_FOLDER: &str = "/usr/lib/debug";

/// Where a file's debug information is looked for.
#[derive(Debug)]
pub(crate) struct DebugFiles {
    /// Root folders, the process's own first.
    roots: Vec<PathBuf>,
    /// The file's folder as the process sees it.
    folder: PathBuf,
}

impl DebugFiles {
    /// For a file at `path` in the file system below `root` (`/proc/PID/root`).
    pub(crate) fn new(root: PathBuf, path: &str) -> Self {
        let folder = Path::new(path).parent().unwrap_or(Path::new("/")).to_owned();
        Self { roots: vec![root, PathBuf::from("/")], folder }
    }

    /// The file with `elf`'s debug information, if there is one.
    pub(crate) fn find(&self, elf: &ElfFile) -> Option<ElfFile> {
        let by_id = elf.build_id().and_then(|id| self.open_by_build_id(id));
        by_id.or_else(|| self.open_by_link(elf, &elf.debug_link()?))
    }

    /// The file with what `debug` shares with other files, if it names one.
    pub(crate) fn find_supplementary(&self, debug: &ElfFile) -> Option<ElfFile> {
        let link = debug.supplementary_link()?;
        let by_id = link.build_id.as_deref().and_then(|id| self.open_by_build_id(id));
        // The path is relative to a debug file; the usual places of these are two folders below this one.
        let name = link.name.trim_start_matches("../");
        let path = Path::new(DEBUG_FOLDER).join(name);
        by_id.or_else(|| self.open(&path, |file| file.is_named_by(&link)))
    }

    fn open_by_build_id(&self, id: &str) -> Option<ElfFile> {
        let (start, rest) = id.split_at_checked(2)?;
        let path = format!("{DEBUG_FOLDER}/.build-id/{start}/{rest}.debug");
        self.open(Path::new(&path), |file| file.build_id() == Some(id))
    }

    fn open_by_link(&self, elf: &ElfFile, link: &DebugLink) -> Option<ElfFile> {
        let name = Path::new(&link.name).file_name()?;
        let below = Path::new(DEBUG_FOLDER).join(self.folder.strip_prefix("/").unwrap_or(&self.folder));
        let is_right = |file: &ElfFile| match elf.build_id() {
            // A build id of both is as good as a checksum, and need not read the whole file.
            Some(id) if file.build_id().is_some() => file.build_id() == Some(id),
            _ => file.is_named_by(link),
        };
        let folders = [self.folder.clone(), self.folder.join(".debug"), below];
        folders.iter().find_map(|folder| self.open(&folder.join(name), is_right))
    }

    fn open(&self, path: &Path, is_right: impl Fn(&ElfFile) -> bool) -> Option<ElfFile> {
        self.roots.iter().find_map(|root| {
            let file = open_under_root(root, path).ok()?;
            ElfFile::open(ElfBytes::File(file)).filter(&is_right)
        })
    }
}

/// Opens the regular file that a process with the root directory `root` finds under `path`; links lead
/// nowhere but below that root.
pub(crate) fn open_under_root(root: &Path, path: &Path) -> io::Result<File> {
    let root = rustix::fs::open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let place = rustix::fs::openat2(root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT)?;
    open_place(place)
}

/// Opens the regular file at a path of our own; links are followed.
pub(crate) fn open_regular_file(path: &Path) -> io::Result<File> {
    open_place(rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
}

/// Opens what a descriptor of a path stands for. What is no regular file is never opened: opening a
/// device or a pipe can do something.
fn open_place(place: impl AsFd) -> io::Result<File> {
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&place)?.st_mode);
    if kind != FileType::RegularFile {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(format!("/proc/self/fd/{}", place.as_fd().as_raw_fd()))
}
