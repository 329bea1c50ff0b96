//! The sources of an ELF file's bytes, and bounded reads of these bytes.

use crate::addresses::FileOffset;
use crate::read_at::ReadAt;
use object::read::{ReadCache, ReadCacheOps, ReadRef};
use std::ops::Range;

/// Maximum size of a header table. A table for 65 000 sections takes 4 MiB.
const MAX_HEADER_BYTES: u64 = 16 << 20;

/// The bytes of an ELF file.
#[derive(Debug)]
pub enum ElfBytes {
    /// A file.
    File(Box<dyn ReadAt>),
    /// An image in memory, such as the vDSO's.
    Memory(Vec<u8>),
}

impl ElfBytes {
    /// Fills `buffer` from `position` on. False if there are too few bytes.
    pub fn read_exact_at(&self, position: FileOffset, buffer: &mut [u8]) -> bool {
        match self {
            Self::File(file) => file.read_exact_at(buffer, position.0).is_ok(),
            Self::Memory(bytes) => {
                let start = usize::try_from(position.0).unwrap_or(usize::MAX);
                let found = bytes.get(start..).and_then(|rest| rest.get(..buffer.len()));
                found.map(|found| buffer.copy_from_slice(found)).is_some()
            }
        }
    }

    /// Length of the file in bytes; 0 if unknown.
    pub fn byte_count(&self) -> u64 {
        match self {
            Self::File(file) => file.size().unwrap_or(0),
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// The `size` bytes at `offset`. `None` if `size` is larger than `limit`, or if some of the bytes do not exist.
    pub(super) fn read(&self, offset: u64, size: u64, limit: u64) -> Option<Vec<u8>> {
        if size > limit || offset.checked_add(size)? > self.byte_count() {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        self.read_exact_at(FileOffset(offset), &mut bytes).then_some(bytes)
    }

    /// CRC-32 of all bytes, as in debug links.
    pub(super) fn checksum(&self) -> Option<u32> {
        let mut sum = flate2::Crc::new();
        let mut buffer = vec![0; 1 << 16];
        let (mut position, end) = (0, self.byte_count());
        while position < end {
            let count = usize::try_from(end - position).unwrap_or(usize::MAX).min(buffer.len());
            if !self.read_exact_at(FileOffset(position), &mut buffer[..count]) {
                return None;
            }
            sum.update(&buffer[..count]);
            position += count as u64;
        }
        Some(sum.sum())
    }
}

/// Bounded reads for the crate `object`. A read never uses more memory than a header table needs.
#[derive(Clone, Copy)]
pub(super) struct BoundedReads<'a>(pub(super) &'a ReadCache<Reader<'a>>);

impl<'a> ReadRef<'a> for BoundedReads<'a> {
    fn len(self) -> Result<u64, ()> {
        ReadRef::len(self.0)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        if size > MAX_HEADER_BYTES { Err(()) } else { self.0.read_bytes_at(offset, size) }
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        self.0.read_bytes_at_until(range, delimiter)
    }
}

/// A position in the bytes, in the form that `object` requires.
pub(super) struct Reader<'a> {
    source: &'a ElfBytes,
    position: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a ElfBytes) -> Self {
        Self { source, position: 0 }
    }
}

impl ReadCacheOps for Reader<'_> {
    fn len(&mut self) -> Result<u64, ()> {
        Ok(self.source.byte_count())
    }

    fn seek(&mut self, position: u64) -> Result<u64, ()> {
        self.position = position;
        Ok(position)
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ()> {
        let rest = usize::try_from(self.source.byte_count().saturating_sub(self.position)).unwrap_or(usize::MAX);
        let count = buffer.len().min(rest);
        self.read_exact(&mut buffer[..count])?;
        Ok(count)
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> Result<(), ()> {
        let is_read = self.source.read_exact_at(FileOffset(self.position), buffer);
        self.position = self.position.saturating_add(buffer.len() as u64);
        if is_read { Ok(()) } else { Err(()) }
    }
}
