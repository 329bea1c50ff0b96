//! Writes and reads variable-length integers and texts. The reader checks every length before it uses the length.
//!
//! An integer takes one byte per 7 bits, low bits first. The top bit of a byte means that more bytes follow. Signed
//! numbers are counted in the order 0, -1, 1, -2, 2 …, so small numbers of either sign are short.

use crate::PackError;

/// Appends an integer.
pub(super) fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Number of bytes that an integer takes.
pub(super) fn varint_length(value: u64) -> u64 {
    u64::from((64 - (value | 1).leading_zeros()).div_ceil(7))
}

/// Converts a difference of two numbers, modulo 2^64, to an unsigned number. Small differences become small numbers.
pub(super) fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ (((difference as i64) >> 63) as u64)
}

/// The inverse of [`zigzag`].
pub(super) fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// Appends the length of a text and the text.
pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// The remaining bytes of a packed experiment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Number of bytes left.
    pub(super) fn remaining(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn byte(&mut self) -> Result<u8, PackError> {
        let (first, rest) = self.bytes.split_first().ok_or(PackError::Short)?;
        self.bytes = rest;
        Ok(*first)
    }

    /// The next `length` bytes.
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], PackError> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(PackError::Short)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads an integer. A packed experiment contains millions of integers, and most integers take one or two bytes.
    /// The fast path for these integers is inlined.
    #[inline(always)]
    pub(super) fn varint(&mut self) -> Result<u64, PackError> {
        match self.bytes {
            [first @ 0..0x80, rest @ ..] => {
                self.bytes = rest;
                Ok(u64::from(*first))
            }
            [first, second @ 0..0x80, rest @ ..] => {
                self.bytes = rest;
                Ok(u64::from(*first & 0x7f) | u64::from(*second) << 7)
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64, PackError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                break;
            }
            value |= part << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(PackError::Damaged("an integer"))
    }

    /// Reads a number of items. The number is at most the number of remaining bytes, because each item takes at least
    /// one byte.
    pub(super) fn count(&mut self) -> Result<usize, PackError> {
        let count = usize::try_from(self.varint()?).map_err(|_| PackError::Short)?;
        if count <= self.remaining() { Ok(count) } else { Err(PackError::Short) }
    }

    /// Reads the length of a text, then the text.
    pub(super) fn text(&mut self) -> Result<&'a str, PackError> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| PackError::Damaged("a text"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_come_back() {
        let values = [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
        let mut bytes = Vec::new();
        for value in values {
            let before = bytes.len() as u64;
            put_varint(&mut bytes, value);
            assert_eq!(bytes.len() as u64 - before, varint_length(value), "{value}");
            assert_eq!(unzigzag(zigzag(value)), value);
        }
        let mut reader = Reader::new(&bytes);
        for value in values {
            assert_eq!(reader.varint().expect("an integer"), value);
        }
        assert_eq!(reader.remaining(), 0);
        assert_eq!([0, u64::MAX, 1, u64::MAX - 1].map(zigzag), [0, 1, 2, 3]);
    }

    #[test]
    fn what_is_no_integer_is_an_error() {
        for bytes in [&[0xff; 11][..], &[0x80; 9], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], &[]] {
            assert!(Reader::new(bytes).varint().is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn lengths_beyond_the_end_are_errors() {
        assert!(Reader::new(&[5, b'a']).text().is_err());
        assert!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x0f]).count().is_err());
        assert_eq!(Reader::new(&[1, b'a', b'b']).text().expect("a text"), "a");
    }
}
