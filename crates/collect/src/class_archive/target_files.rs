//! Opens files by the names that they have in the observed process.
//!
//! A file system can answer each request slowly. So a time limit can be set for all requests together.
//!
//! A hand opens the files with the rights of the process's user. The root directory of the process can differ from
//! whittle's (a container). Nothing is written, and only regular files and folders are opened.

use crate::Error;
use crate::hand::{Kind, TargetFile, World};
use crate::process::Process;
use std::io;
use std::sync::Arc;
use std::time::Instant;
use whittle_native::ReadAt;

/// The time limit is checked after this many bytes. A hand reads this many bytes at once.
const PART_BYTES: usize = 64 << 10;

/// The file system as a process sees it.
#[derive(Debug, Clone)]
pub(super) struct TargetFiles {
    world: Arc<World>,
    /// The process's root directory, with its name in our root; `/` unless the process called chroot.
    root_name: String,
    /// The base of relative names, with its name in the process.
    working_directory: String,
    /// After this time, no file can be opened or read.
    end: Option<Instant>,
}

/// A file with the time limit of its [`TargetFiles`].
#[derive(Debug)]
pub(super) struct LimitedFile {
    file: TargetFile,
    end: Option<Instant>,
}

impl TargetFiles {
    /// The file system of `process`. It can also be used after the process's end.
    pub(super) fn of_process(process: Process) -> Result<Self, Error> {
        let link = |name: &str| {
            let path = process.path(name);
            let read = std::fs::read_link(&path).map_err(Error::io("read", &path));
            read.map(|target| target.to_string_lossy().into_owned())
        };
        let world = World::of(process)?;
        let mut files = Self { world, root_name: link("root")?, working_directory: "/".to_owned(), end: None };
        files.working_directory = files.name_in_root(&link("cwd")?).to_owned();
        Ok(files)
    }

    /// The same files, with a time limit: after `end`, or an earlier time limit, no file can be opened or read.
    pub(super) fn until(&self, end: Instant) -> Self {
        Self { end: Some(self.end.map_or(end, |earlier| earlier.min(end))), ..self.clone() }
    }

    /// True if the time limit has passed.
    pub(super) fn is_late(&self) -> bool {
        check(self.end).is_err()
    }

    /// Converts a path from a link below `/proc/PID`, as the kernel returned it, to the path in the process.
    pub(super) fn name_in_root<'p>(&self, path: &'p str) -> &'p str {
        let inside = path.strip_prefix(self.root_name.trim_end_matches('/'));
        inside.filter(|rest| rest.starts_with('/')).unwrap_or(path)
    }

    /// The absolute form of `path`: a relative path starts at the working directory. An empty path is the working
    /// directory.
    pub(super) fn absolute(&self, path: &str) -> String {
        match path {
            "" => self.working_directory.clone(),
            _ if path.starts_with('/') => path.to_owned(),
            _ => format!("{}/{path}", self.working_directory.trim_end_matches('/')),
        }
    }

    /// Opens a regular file.
    pub(super) fn open_file(&self, absolute_path: &str) -> io::Result<LimitedFile> {
        check(self.end)?;
        Ok(LimitedFile { file: self.world.open(absolute_path)?, end: self.end })
    }

    /// True if there is a folder with this name.
    pub(super) fn is_folder(&self, absolute_path: &str) -> bool {
        !self.is_late() && self.world.kind(absolute_path) == Kind::Folder
    }

    /// True if there is anything with this name.
    pub(super) fn exists(&self, absolute_path: &str) -> bool {
        !self.is_late() && self.world.kind(absolute_path) != Kind::Missing
    }

    /// The names in a folder, sorted. Empty: it cannot be read.
    pub(super) fn names_in(&self, absolute_path: &str) -> Vec<String> {
        if self.is_late() { Vec::new() } else { self.world.names_in(absolute_path, "") }
    }
}

impl LimitedFile {
    /// The bytes from the start of the file, at most `limit`.
    pub(super) fn read_start(&self, limit: u64) -> io::Result<Vec<u8>> {
        let size = usize::try_from(self.size()?.min(limit)).map_err(io::Error::other)?;
        let mut bytes = vec![0; size];
        let count = self.read_at(&mut bytes, 0)?;
        bytes.truncate(count);
        Ok(bytes)
    }
}

impl ReadAt for LimitedFile {
    fn size(&self) -> io::Result<u64> {
        check(self.end)?;
        self.file.size()
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let mut filled = 0;
        for part in buffer.chunks_mut(PART_BYTES) {
            check(self.end)?;
            let count = self.file.read_at(part, position.saturating_add(filled as u64))?;
            filled += count;
            if count < part.len() {
                break;
            }
        }
        Ok(filled)
    }
}

/// Fails after `end`.
fn check(end: Option<Instant>) -> io::Result<()> {
    match end {
        Some(end) if Instant::now() >= end => {
            Err(io::Error::new(io::ErrorKind::TimedOut, "the time limit of the search has passed"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;

    fn files() -> TargetFiles {
        TargetFiles::of_process(Process(std::process::id())).unwrap()
    }

    #[test]
    fn names_are_those_of_the_process() {
        let files = TargetFiles { root_name: "/srv/jail".to_owned(), working_directory: "/app".to_owned(), ..files() };
        assert_eq!(files.name_in_root("/srv/jail/app/a.jar"), "/app/a.jar");
        assert_eq!(files.name_in_root("/srv/jailed/a.jar"), "/srv/jailed/a.jar");
        assert_eq!(files.absolute("lib/a.jar"), "/app/lib/a.jar");
        assert_eq!(files.absolute("/lib/a.jar"), "/lib/a.jar");
        assert_eq!(files.absolute(""), "/app");
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let files = files();
        assert!(files.open_file(pipe.to_str().unwrap()).is_err());
        assert!(files.open_file(path).is_err());
        assert!(files.is_folder(path) && !files.is_folder(pipe.to_str().unwrap()));
        assert_eq!(files.names_in(path), ["pipe"]);
    }

    #[test]
    fn no_file_is_read_after_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file").display().to_string();
        let content = vec![7; 3 * PART_BYTES + 5];
        std::fs::write(&path, &content).unwrap();
        let end = Instant::now() + Duration::from_millis(500);
        let late = files().until(Instant::now());
        assert!(late.is_late() && late.until(end).is_late());
        let opened = [&late, &late.until(end)].map(|files| files.open_file(&path).map(|_| ()).unwrap_err());
        assert!(opened.iter().all(|error| error.kind() == io::ErrorKind::TimedOut), "{opened:?}");
        assert!(!late.exists(&path) && !late.is_folder("/") && late.names_in("/").is_empty());
        let files = files().until(end);
        let file = files.open_file(&path).unwrap();
        assert_eq!(file.read_start(u64::MAX).unwrap(), content);
        while !files.is_late() {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(file.size().is_err() && file.read_at(&mut [0; 4], 0).is_err());
    }

    #[test]
    fn the_own_process_has_a_root_and_a_working_directory() {
        let files = files();
        assert_eq!(Path::new(&files.absolute("")), std::env::current_dir().unwrap());
        assert!(files.open_file(std::env::current_exe().unwrap().to_str().unwrap()).is_ok());
    }
}
