//! Reads big-endian numbers from untrusted bytes, and never reads beyond their end.

use thiserror::Error;

/// The error for bytes that are not a valid class file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("cannot read the class file: expected {wanted} at byte {position}")]
pub struct ClassFileError {
    /// Offset in the class file, or in a method's code if the code is damaged.
    pub position: usize,
    /// The part of the class file that was expected there.
    pub wanted: &'static str,
}

/// A cursor over bytes.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Offset of `bytes` in the class file.
    start: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0, start: 0 }
    }

    pub(super) fn at(bytes: &'a [u8], start: usize) -> Self {
        Self { bytes, position: 0, start }
    }

    /// Offset from the first byte of this reader.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.position
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.left() == 0
    }

    pub(super) fn wanted(&self, wanted: &'static str) -> ClassFileError {
        ClassFileError { position: self.start + self.position, wanted }
    }

    pub(super) fn take(&mut self, count: usize, wanted: &'static str) -> Result<&'a [u8], ClassFileError> {
        let taken = self.bytes[self.position..].get(..count).ok_or_else(|| self.wanted(wanted))?;
        self.position += count;
        Ok(taken)
    }

    /// The next `count` bytes as a separate reader.
    pub(super) fn part(&mut self, count: usize, wanted: &'static str) -> Result<Self, ClassFileError> {
        let start = self.start + self.position;
        Ok(Self::at(self.take(count, wanted)?, start))
    }

    fn array<const N: usize>(&mut self, wanted: &'static str) -> Result<[u8; N], ClassFileError> {
        let taken = self.bytes[self.position..].first_chunk().ok_or_else(|| self.wanted(wanted))?;
        self.position += N;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self, wanted: &'static str) -> Result<u8, ClassFileError> {
        self.array::<1>(wanted).map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self, wanted: &'static str) -> Result<u16, ClassFileError> {
        self.array(wanted).map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self, wanted: &'static str) -> Result<u32, ClassFileError> {
        self.array(wanted).map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self, wanted: &'static str) -> Result<u64, ClassFileError> {
        self.array(wanted).map(u64::from_be_bytes)
    }

    /// Reads a length of 32 bits.
    pub(super) fn length(&mut self, wanted: &'static str) -> Result<usize, ClassFileError> {
        self.u32(wanted).map(|length| length as usize)
    }
}
