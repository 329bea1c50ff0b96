//! Opens files by the names that they have in the observed process.
//!
//! A hand opens the files with the rights of the process's user. The root directory of the process can differ from
//! whittle's (a container). Nothing is written, and only regular files and folders are opened.

use crate::Error;
use crate::hand::{Kind, TargetFile, World};
use crate::process::Process;
use std::io;
use std::sync::Arc;

/// The file system as a process sees it.
#[derive(Debug)]
pub(super) struct TargetFiles {
    world: Arc<World>,
    /// The process's root directory, with its name in our root; `/` unless the process called chroot.
    root_name: String,
    /// The base of relative names, with its name in the process.
    working_directory: String,
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
        let mut files = Self { world, root_name: link("root")?, working_directory: "/".to_owned() };
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

    /// Opens a regular file.
    pub(super) fn open_file(&self, absolute_path: &str) -> io::Result<TargetFile> {
        self.world.open(absolute_path)
    }

    /// True if there is a folder with this name.
    pub(super) fn is_folder(&self, absolute_path: &str) -> bool {
        self.world.kind(absolute_path) == Kind::Folder
    }

    /// True if there is anything with this name.
    pub(super) fn exists(&self, absolute_path: &str) -> bool {
        self.world.kind(absolute_path) != Kind::Missing
    }

    /// The names in a folder, sorted. Empty: it cannot be read.
    pub(super) fn names_in(&self, absolute_path: &str) -> Vec<String> {
        self.world.names_in(absolute_path, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

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
    fn the_own_process_has_a_root_and_a_working_directory() {
        let files = files();
        assert_eq!(Path::new(&files.absolute("")), std::env::current_dir().unwrap());
        assert!(files.open_file(std::env::current_exe().unwrap().to_str().unwrap()).is_ok());
    }
}
