//! Bytes at positions: of a local file, or of a file that another process reads for whittle.

use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Reads bytes at positions.
pub trait ReadAt: Debug + Send + Sync {
    /// The present size in bytes.
    ///
    /// # Errors
    /// The file is no longer accessible.
    fn size(&self) -> io::Result<u64>;

    /// Fills the start of `buffer` from `position` on. Returns the number of bytes, 0 only at the end of the file or for
    /// an empty buffer.
    ///
    /// # Errors
    /// The file is no longer accessible.
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize>;

    /// Fills `buffer` from `position` on.
    ///
    /// # Errors
    /// The file ends before, or is no longer accessible.
    fn read_exact_at(&self, buffer: &mut [u8], position: u64) -> io::Result<()> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_at(&mut buffer[filled..], position.saturating_add(filled as u64)) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl ReadAt for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, position)
    }
}
