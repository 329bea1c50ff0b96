//! Opens the executed files of observed processes for the crate `native`.
//!
//! A process with whittle's own user, namespaces and root directory is trusted, so whittle opens its files directly. The
//! files of all other processes are opened by hands.

use crate::hand::{Place, TargetFile, World};
use crate::process::Process;
use crate::process_memory;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use whittle_native::{FindFiles, LocalFiles, ProcessId, ProgramFiles, ReadAt};

/// Size of a block in bytes. Shorter reads take whole blocks.
const BLOCK_BYTES: u64 = 16 << 10;

/// Maximum number of hands without a user that are kept for the next process.
const MAX_IDLE: usize = 8;

/// Finds the files of each process. Processes with the same user in the same container share a hand, because a program
/// can start many short-lived processes.
#[derive(Debug, Default)]
pub(crate) struct ProcessFiles {
    known: Mutex<Vec<(Place, Arc<WorldFiles>)>>,
}

impl FindFiles for ProcessFiles {
    fn files_of(&self, process: ProcessId) -> io::Result<Arc<dyn ProgramFiles>> {
        let target = Process(process.0);
        let place = Place::of(target).map_err(io::Error::other)?;
        if Place::of(Process(std::process::id())).is_ok_and(|own| own == place) {
            return Ok(Arc::new(LocalFiles::of(process)));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        forget_idle(&mut known);
        if let Some((_, files)) = known.iter().find(|(known, _)| *known == place) {
            return Ok(Arc::clone(files) as Arc<dyn ProgramFiles>);
        }
        drop(known);
        // The mutex is free meanwhile, because a hostile process can delay this.
        let files = Arc::new(WorldFiles(World::of(target).map_err(io::Error::other)?));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).push((place, Arc::clone(&files)));
        Ok(files)
    }
}

/// Forgets lost hands, and the oldest hands without a user if there are many.
fn forget_idle(known: &mut Vec<(Place, Arc<WorldFiles>)>) {
    known.retain(|(_, files)| !files.0.is_lost());
    let is_idle = |files: &Arc<WorldFiles>| Arc::strong_count(files) == 1;
    let mut surplus = known.iter().filter(|(_, files)| is_idle(files)).count().saturating_sub(MAX_IDLE);
    known.retain(|(_, files)| {
        let is_forgotten = surplus > 0 && is_idle(files);
        surplus -= usize::from(is_forgotten);
        !is_forgotten
    });
}

/// The files of a world.
#[derive(Debug)]
struct WorldFiles(Arc<World>);

impl ProgramFiles for WorldFiles {
    fn trust(&self) -> u64 {
        self.0.number()
    }

    fn maps(&self, process: ProcessId) -> io::Result<Vec<u8>> {
        process_memory::maps(Process(process.0)).map(String::into_bytes).map_err(io::Error::other)
    }

    fn open_mapped(&self, process: ProcessId, mapping: &Range<u64>) -> io::Result<Box<dyn ReadAt>> {
        let place = process_memory::mapped_place(Process(process.0), mapping)?;
        Ok(Box::new(InBlocks::new(self.0.open_place(&place)?)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadAt>> {
        Ok(Box::new(InBlocks::new(self.0.open(&path.to_string_lossy())?)))
    }
}

/// A file and its last block. A hand takes some 20 µs for each read, and unwinding reads a few bytes of code at a
/// time.
#[derive(Debug)]
struct InBlocks {
    file: TargetFile,
    /// Number and bytes of the last block.
    last: Mutex<Option<(u64, Vec<u8>)>>,
}

impl InBlocks {
    fn new(file: TargetFile) -> Self {
        Self { file, last: Mutex::new(None) }
    }

    fn read_block(&self, number: u64) -> io::Result<Vec<u8>> {
        let mut block = vec![0; BLOCK_BYTES as usize];
        let count = self.file.read_at(&mut block, number.saturating_mul(BLOCK_BYTES))?;
        block.truncate(count);
        Ok(block)
    }
}

impl ReadAt for InBlocks {
    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        if buffer.len() as u64 >= BLOCK_BYTES {
            return self.file.read_at(buffer, position);
        }
        let (number, start) = (position / BLOCK_BYTES, (position % BLOCK_BYTES) as usize);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let block = match last.take() {
            Some((known, block)) if known == number => block,
            _ => self.read_block(number)?,
        };
        let found = block.get(start..).unwrap_or_default();
        let count = found.len().min(buffer.len());
        buffer[..count].copy_from_slice(&found[..count]);
        *last = Some((number, block));
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_reads_are_the_same_as_long_reads() {
        let world = World::own().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..40_000_u32).map(|number| (number % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = InBlocks::new(world.open(path.to_str().unwrap()).unwrap());
        for (position, length) in [(0, 8), (16_380, 8), (16_384, 1), (39_990, 10), (5, 39_000), (0, 40_000)] {
            let mut read = vec![0; length];
            file.read_exact_at(&mut read, position as u64).unwrap();
            assert_eq!(read, bytes[position..position + length], "{position}");
        }
        assert!(file.read_exact_at(&mut [0; 11], 39_990).is_err());
        assert_eq!(file.read_at(&mut [0; 4], 50_000).unwrap(), 0);
        assert_eq!(file.size().unwrap(), 40_000);
    }

    #[test]
    fn only_whittles_own_kind_of_process_is_read_directly() {
        let files = ProcessFiles::default();
        assert_eq!(files.files_of(ProcessId(std::process::id())).unwrap().trust(), 0);
        assert!(files.files_of(ProcessId(u32::MAX)).is_err());
    }
}
