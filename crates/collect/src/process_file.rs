//! A text file of an observed process that is read again and again.

use crate::Error;
use crate::hand::{TargetFile, World};
use crate::process::Process;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file, with its path in the file system of a process.
#[derive(Debug)]
pub struct ProcessFile {
    world: Arc<World>,
    path: PathBuf,
    /// The file that was opened last.
    file: Option<TargetFile>,
}

impl ProcessFile {
    /// The file of the process with this id. It does not have to exist yet.
    ///
    /// # Errors
    /// The process has ended, or whittle must not enter its file system.
    pub fn new(process_id: u32, path: &Path) -> Result<Self, Error> {
        Ok(Self { world: World::of(Process(process_id))?, path: path.to_owned(), file: None })
    }

    /// The present bytes of the file, at most `limit`. After the process has ended, its paths may no longer exist; then
    /// the file that was opened last is read.
    ///
    /// # Errors
    /// The file does not exist, is not a regular file, or cannot be read.
    pub fn read(&mut self, limit: u64) -> io::Result<Vec<u8>> {
        let opened = self.world.open(&self.path.to_string_lossy());
        if let Ok(file) = opened {
            self.file = Some(file);
        }
        self.file.as_ref().ok_or(io::ErrorKind::NotFound)?.read_start(limit)
    }
}
