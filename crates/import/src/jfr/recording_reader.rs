//! Reads a recording from a file chunk by chunk, so only one chunk is in memory.
//!
//! ```text
//! file:   chunk 1 │ chunk 2 │ damage │ chunk 3 │ unfinished chunk
//! read:   ────────┴─────────┴────────┴─────────┴────────────────> each part is at most `max_chunk_bytes` long
//! ```
//!
//! The sizes in the file and the size of the file are not trusted: a file can have holes, and be larger than the disk.

use super::chunk_header::{CHUNK_HEADER_BYTES, ChunkExtent, MAGIC, chunk_extent, find_chunk};
use super::importer::{JfrImport, JfrImporter};
use crate::ImportError;
use std::io::{self, Read, Seek, SeekFrom};
use thiserror::Error;
use whittle_model::TableBuilder;

/// The usual limit for a chunk: 256 MiB. async-profiler starts a new chunk after 100 MB, and the JDK after 12 MB.
pub const MAX_CHUNK_BYTES: u64 = 256 << 20;

/// Number of bytes that are searched for a chunk at once.
const SEARCHED_BYTES: usize = 1 << 20;

/// Why a recording could not be read.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The content is not a recording, or a chunk is too large.
    #[error(transparent)]
    Import(#[from] ImportError),
}

impl JfrImporter {
    /// Reads a whole recording of `length` bytes. An unreadable part is counted as a loss.
    ///
    /// # Errors
    /// The input cannot be read, contains no recording, or contains a chunk with more than `max_chunk_bytes` bytes.
    pub fn read(
        mut self,
        input: &mut (impl Read + Seek),
        max_chunk_bytes: u64,
        builder: &mut TableBuilder,
    ) -> Result<JfrImport, RecordingError> {
        let length = input.seek(SeekFrom::End(0))?;
        let mut position = 0;
        let mut bytes = Vec::new();
        while position < length {
            read_at(input, position, CHUNK_HEADER_BYTES as u64, &mut bytes)?;
            let extent = chunk_extent(&bytes);
            let size = match extent {
                ChunkExtent::Finished(size) if size <= length - position => size,
                ChunkExtent::Finished(_)
                | ChunkExtent::Unfinished
                | ChunkExtent::NeedsHeader
                | ChunkExtent::NotAChunk => find_next(input, position + 1..length)? - position,
            };
            if extent == ChunkExtent::NotAChunk {
                self.skip(size);
            } else if size > max_chunk_bytes {
                return Err(
                    ImportError::ChunkTooLarge { position, byte_count: size, max_bytes: max_chunk_bytes }.into()
                );
            } else {
                read_at(input, position, size, &mut bytes)?;
                self.push_rest(&bytes, builder);
            }
            position += size;
        }
        Ok(self.into_import()?)
    }
}

/// Reads up to `count` bytes.
fn read_at(input: &mut (impl Read + Seek), position: u64, count: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    input.seek(SeekFrom::Start(position))?;
    input.by_ref().take(count).read_to_end(bytes).map(drop)
}

/// The position of the next chunk, or the end of the range.
fn find_next(input: &mut (impl Read + Seek), range: std::ops::Range<u64>) -> io::Result<u64> {
    let mut position = range.start;
    let mut bytes = Vec::new();
    while position < range.end {
        read_at(input, position, SEARCHED_BYTES as u64, &mut bytes)?;
        let is_last = bytes.len() < SEARCHED_BYTES;
        match find_chunk(&bytes, 0) {
            Some(found) if is_last || found + CHUNK_HEADER_BYTES <= bytes.len() => return Ok(position + found as u64),
            // The header continues behind these bytes.
            Some(found) => position += found as u64,
            None if is_last => break,
            None => position += (bytes.len() - (MAGIC.len() - 1)) as u64,
        }
    }
    Ok(range.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JfrOptions;
    use std::io::Cursor;

    fn header(size_bytes: u64, checkpoint_position: u64) -> Vec<u8> {
        let mut bytes = b"FLR\0\0\x02\0\x01".to_vec();
        for value in [size_bytes, checkpoint_position, 68, 1_000, 0, 500, 1_000_000_000] {
            bytes.extend(value.to_be_bytes());
        }
        bytes.extend([0, 0, 0, 1]);
        bytes
    }

    #[test]
    fn the_next_chunk_is_found_across_pieces() {
        for place in [0, 1, SEARCHED_BYTES - 2, SEARCHED_BYTES - 60, SEARCHED_BYTES, 2 * SEARCHED_BYTES + 7] {
            let mut bytes = vec![b'F'; place];
            bytes.extend(header(200, 100));
            let length = bytes.len() as u64;
            assert_eq!(find_next(&mut Cursor::new(bytes), 0..length).unwrap(), place as u64);
        }
        let none = vec![0; 3 * SEARCHED_BYTES];
        assert_eq!(find_next(&mut Cursor::new(&none), 5..none.len() as u64).unwrap(), none.len() as u64);
    }

    #[test]
    fn large_chunks_are_refused_by_name() {
        for first in [header(10_000, 100), header(1 << 30, 0)] {
            let mut bytes = first;
            bytes.resize(10_000, 0);
            let read = |max_bytes| {
                JfrImporter::new(JfrOptions::default()).read(
                    &mut Cursor::new(&bytes),
                    max_bytes,
                    &mut TableBuilder::new(),
                )
            };
            let expected = ImportError::ChunkTooLarge { position: 0, byte_count: 10_000, max_bytes: 9_999 };
            assert!(matches!(read(9_999), Err(RecordingError::Import(error)) if error == expected));
            assert!(matches!(read(10_000), Err(RecordingError::Import(ImportError::NotJfr { .. }))));
        }
    }
}
