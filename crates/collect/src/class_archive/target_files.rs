//! Opens files by the names that they have in the observed process.
//!
//! The root directory of the process can differ from whittle's root directory (a container). Links are followed inside
//! the root of the process, as the process itself would follow them. Nothing is written, and only plain files and
//! folders are opened.

use crate::process::Process;
use rustix::fs::{Mode, OFlags, ResolveFlags};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Flags for reading. If a name is a pipe or a terminal, opening it does not block.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// The file system as a process sees it.
#[derive(Debug)]
pub(super) struct TargetFiles {
    root: OwnedFd,
    /// Path of the process's root directory, as whittle sees it. The path is `/` unless the process called chroot.
    root_name: String,
    /// Path of the working directory, as the process sees it. Relative names start there.
    working_directory: String,
}

impl TargetFiles {
    /// The file system of `process`. It can also be used after the process's end.
    pub(super) fn of_process(process: Process) -> io::Result<Self> {
        let link = |name: &str| std::fs::read_link(process.path(name)).map(|path| path.to_string_lossy().into_owned());
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(process.path("root"), flags, Mode::empty())?;
        let mut files = Self { root, root_name: link("root")?, working_directory: "/".to_owned() };
        files.working_directory = files.name_in_root(&link("cwd")?).to_owned();
        Ok(files)
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

    /// Opens a plain file.
    pub(super) fn open_file(&self, absolute_path: &str) -> io::Result<File> {
        let file = File::from(self.open(absolute_path, READ)?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a plain file")) }
    }

    /// True if there is a folder with this name.
    pub(super) fn is_folder(&self, absolute_path: &str) -> bool {
        self.open(absolute_path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC).is_ok()
    }

    /// True if there is anything with this name.
    pub(super) fn exists(&self, absolute_path: &str) -> bool {
        self.open(absolute_path, OFlags::PATH | OFlags::CLOEXEC).is_ok()
    }

    /// The names in a folder, sorted. Empty: the folder cannot be read.
    pub(super) fn names_in(&self, absolute_path: &str) -> Vec<String> {
        let folder = self.open(absolute_path, READ | OFlags::DIRECTORY).and_then(|folder| {
            let entries = rustix::fs::Dir::read_from(folder)?;
            Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
        });
        let mut names: Vec<String> = folder.unwrap_or_default();
        names.retain(|name| name != "." && name != "..");
        names.sort();
        names
    }

    fn open(&self, absolute_path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let path = Path::new(absolute_path);
        Ok(rustix::fs::openat2(&self.root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(root: &Path, working_directory: &str) -> TargetFiles {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(root, flags, Mode::empty()).unwrap();
        TargetFiles { root, root_name: "/srv/jail".to_owned(), working_directory: working_directory.to_owned() }
    }

    #[test]
    fn names_are_those_of_the_process() {
        let root = tempfile::tempdir().unwrap();
        let files = files(root.path(), "/app");
        assert_eq!(files.name_in_root("/srv/jail/app/a.jar"), "/app/a.jar");
        assert_eq!(files.name_in_root("/srv/jailed/a.jar"), "/srv/jailed/a.jar");
        assert_eq!(files.absolute("lib/a.jar"), "/app/lib/a.jar");
        assert_eq!(files.absolute("/lib/a.jar"), "/lib/a.jar");
        assert_eq!(files.absolute(""), "/app");
    }

    #[test]
    fn links_lead_nowhere_outside_the_root() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("etc")).unwrap();
        std::fs::write(root.path().join("etc/passwd"), "inside").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.path().join("link")).unwrap();
        let files = files(root.path(), "/");
        for path in ["/link", "/../../etc/passwd", "/etc/../../../etc/passwd"] {
            let mut text = String::new();
            io::Read::read_to_string(&mut files.open_file(path).unwrap(), &mut text).unwrap();
            assert_eq!(text, "inside", "{path}");
        }
    }

    #[test]
    fn only_plain_files_are_opened() {
        let root = tempfile::tempdir().unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.path().join("pipe"),
            rustix::fs::FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let files = files(root.path(), "/");
        assert!(files.open_file("/pipe").is_err());
        assert!(files.open_file("/").is_err());
        assert!(files.is_folder("/") && !files.is_folder("/pipe"));
        assert_eq!(files.names_in("/"), ["pipe"]);
    }

    #[test]
    fn the_own_process_has_a_root_and_a_working_directory() {
        let files = TargetFiles::of_process(Process(std::process::id())).unwrap();
        assert_eq!(Path::new(&files.absolute("")), std::env::current_dir().unwrap());
        assert!(files.open_file(std::env::current_exe().unwrap().to_str().unwrap()).is_ok());
    }
}
