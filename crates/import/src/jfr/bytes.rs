//! A position in a chunk's bytes, and the encodings that JFR uses for single values.
//!
//! Every read checks the end of the bytes. The size of an allocation never depends on a length in the input. Integers
//! inside events are compressed: each byte has seven bits, lowest bits first. A set high bit means that another byte
//! follows. The ninth byte has eight bits.

use std::borrow::Cow;

/// Invalid bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Position in the chunk.
    pub(crate) position: usize,
    /// The expected content.
    pub(crate) wanted: &'static str,
}

/// The first byte of a string, which shows where its characters are.
pub(crate) mod string_encoding {
    /// No string.
    pub(crate) const NULL: u8 = 0;
    /// The empty string.
    pub(crate) const EMPTY: u8 = 1;
    /// A key of the pool of `java.lang.String` follows.
    pub(crate) const POOL: u8 = 2;
    /// A byte count and UTF-8 follow.
    pub(crate) const UTF8: u8 = 3;
    /// A count and that many compressed UTF-16 units follow.
    pub(crate) const UTF16: u8 = 4;
    /// A byte count and Latin-1 follow.
    pub(crate) const LATIN1: u8 = 5;
}

/// A string value before its characters are looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RawString<'a> {
    /// No string.
    Null,
    /// An entry of the pool of strings.
    PoolKey(u64),
    /// The characters.
    Text(Cow<'a, str>),
}

/// Longest compressed integer.
const MAX_VARINT_BYTES: usize = 9;
/// A mask with the high bits of eight bytes.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Shows where compressed integers end within eight bytes. The first byte is the lowest. The high bit of a byte is set
/// if the byte is the last byte of an integer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VarintEnds(u64);

impl VarintEnds {
    #[inline]
    pub(crate) fn of(word: u64) -> Self {
        Self(!word & HIGH_BITS)
    }

    /// Number of integers that end in these eight bytes.
    #[inline]
    pub(crate) fn count(self) -> u64 {
        // Adds up the bytes; baseline x86-64 has no instruction that counts bits.
        (self.0 >> 7).wrapping_mul(0x0101_0101_0101_0101) >> 56
    }

    /// Not 0 if there are four adjacent bytes without the end of an integer. Such bytes are a sign of an integer of
    /// nine bytes, with a last byte that can have any value. No integer ends in the eight bytes before this last byte,
    /// and at least four of these bytes are in one word.
    #[inline]
    fn runs_of_four(self) -> u64 {
        let inside = !self.0 & HIGH_BITS;
        let pairs = inside & (inside >> 8);
        pairs & (pairs >> 16)
    }

    /// Number of bytes up to the end of an integer. The first integer has the number 1. The result is 0 for the number
    /// 0, and 8 if there are fewer integers.
    #[inline]
    pub(crate) fn length_of_first(self, number: usize) -> usize {
        if number == 0 {
            return 0;
        }
        let mut ends = self.0;
        for _ in 1..number.min(9) {
            ends &= ends.wrapping_sub(1);
        }
        (ends.trailing_zeros() as usize + 1) / 8
    }

    /// Number of bytes after the end of an integer. Integers are counted backwards: the last integer has the number 1.
    #[inline]
    pub(crate) fn length_behind_last(self, number: u64) -> usize {
        let mut ends = self.0;
        for _ in 1..number {
            ends &= !(1 << 63 >> ends.leading_zeros());
        }
        ends.leading_zeros() as usize / 8
    }
}

/// A position in bytes. Every read moves the position forward.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at `position` in `bytes`. If the position is after the end, the cursor is at the end.
    pub(crate) fn at(bytes: &'a [u8], position: usize) -> Self {
        Self { bytes, position: position.min(bytes.len()) }
    }

    /// Position of the next read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Number of bytes from the cursor to the end.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    fn malformed(&self, wanted: &'static str) -> Malformed {
        Malformed { position: self.position, wanted }
    }

    /// Moves `count` bytes forward.
    pub(crate) fn skip(&mut self, count: u64) -> Result<(), Malformed> {
        if count > self.remaining() as u64 {
            return Err(self.malformed("more bytes"));
        }
        self.position += count as usize;
        Ok(())
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], Malformed> {
        let start = self.position;
        self.skip(count)?;
        Ok(&self.bytes[start..self.position])
    }

    /// Reads one byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let byte = *self.bytes.get(self.position).ok_or(self.malformed("a byte"))?;
        self.position += 1;
        Ok(byte)
    }

    /// Reads a compressed integer of up to 64 bits.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        match self.bytes.get(self.position) {
            Some(byte) if *byte < 0x80 => {
                self.position += 1;
                Ok(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for index in 0..MAX_VARINT_BYTES {
            let byte = *self.bytes.get(self.position + index).ok_or(self.malformed("the end of an integer"))?;
            let is_last = byte < 0x80 || index + 1 == MAX_VARINT_BYTES;
            let bits = if index + 1 == MAX_VARINT_BYTES { byte } else { byte & 0x7f };
            value |= u64::from(bits) << (7 * index);
            if is_last {
                self.position += index + 1;
                return Ok(value);
            }
        }
        Err(self.malformed("the end of an integer"))
    }

    /// The next eight bytes as a number, the first byte lowest. Does not move the cursor. `None` if fewer bytes remain.
    #[inline]
    pub(crate) fn peek_word(&self) -> Option<u64> {
        let bytes = self.bytes.get(self.position..self.position + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Skips `count` compressed integers.
    pub(crate) fn skip_varints(&mut self, count: u64) -> Result<(), Malformed> {
        match self.after_short_varints(count) {
            Some(after) => *self = after,
            None => self.skip_varints_singly(count)?,
        }
        Ok(())
    }

    /// A cursor after `count` compressed integers, which are skipped in steps of eight bytes. `None` if one of the
    /// integers might not end with its first clear high bit.
    ///
    /// Only an integer of nine bytes can end in another way.
    pub(crate) fn after_short_varints(&self, count: u64) -> Option<Self> {
        if count > self.remaining() as u64 {
            return None;
        }
        let (words, last_bytes) = self.bytes[self.position..].as_chunks::<8>();
        // The last word is padded with bytes in which no integer ends.
        let last_word = last_bytes.iter().rev().fold(HIGH_BITS, |word, byte| word << 8 | u64::from(*byte));
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain([last_word]);
        let mut left = count;
        let mut long_runs = 0;
        for (index, word) in words.enumerate() {
            let ends = VarintEnds::of(word);
            long_runs |= ends.runs_of_four();
            let ends_here = ends.count();
            if ends_here >= left {
                let length = 8 * index + ends.length_of_first(left as usize);
                return (long_runs == 0).then_some(Self { position: self.position + length, ..*self });
            }
            left -= ends_here;
        }
        None
    }

    fn skip_varints_singly(&mut self, count: u64) -> Result<(), Malformed> {
        for _ in 0..count {
            self.varint()?;
        }
        Ok(())
    }

    /// Reads a string: its characters, or a reference to its characters.
    pub(crate) fn string(&mut self) -> Result<RawString<'a>, Malformed> {
        let text = match self.byte()? {
            string_encoding::NULL => return Ok(RawString::Null),
            string_encoding::EMPTY => Cow::Borrowed(""),
            string_encoding::POOL => return Ok(RawString::PoolKey(self.varint()?)),
            string_encoding::UTF8 => {
                let byte_count = self.varint()?;
                String::from_utf8_lossy(self.take(byte_count)?)
            }
            string_encoding::UTF16 => Cow::Owned(self.utf16()?),
            string_encoding::LATIN1 => {
                let byte_count = self.varint()?;
                let bytes = self.take(byte_count)?;
                Cow::Owned(bytes.iter().copied().map(char::from).collect())
            }
            _ => return Err(self.malformed("a string encoding from 0 to 5")),
        };
        Ok(RawString::Text(text))
    }

    fn utf16(&mut self) -> Result<String, Malformed> {
        let unit_count = self.varint()?;
        if unit_count > self.remaining() as u64 {
            return Err(self.malformed("more characters"));
        }
        let mut text = String::new();
        let mut units = Vec::with_capacity(unit_count as usize);
        for _ in 0..unit_count {
            units.push(self.varint()? as u16);
        }
        text.extend(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
        Ok(text)
    }

    /// Skips a string.
    pub(crate) fn skip_string(&mut self) -> Result<(), Malformed> {
        match self.byte()? {
            string_encoding::NULL | string_encoding::EMPTY => Ok(()),
            string_encoding::POOL => self.varint().map(drop),
            string_encoding::UTF8 | string_encoding::LATIN1 => {
                let byte_count = self.varint()?;
                self.skip(byte_count)
            }
            string_encoding::UTF16 => {
                let unit_count = self.varint()?;
                self.skip_varints(unit_count)
            }
            _ => Err(self.malformed("a string encoding from 0 to 5")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_carry_seven_bits_a_byte_and_eight_in_the_ninth() {
        let cases: [(&[u8], u64); 5] = [
            (&[0], 0),
            (&[0x7f], 127),
            (&[0x80, 0x01], 128),
            (&[0xff, 0xff, 0xff, 0xff, 0x0f], 0xffff_ffff),
            (&[0xff; 9], u64::MAX),
        ];
        for (bytes, value) in cases {
            let mut cursor = Cursor::at(bytes, 0);
            assert_eq!(cursor.varint(), Ok(value));
            assert_eq!(cursor.remaining(), 0);
        }
        assert!(Cursor::at(&[0x80, 0x80], 0).varint().is_err());
    }

    #[test]
    fn skipping_integers_ends_where_reading_them_ends() {
        let nine_bytes = [0xff; 9];
        let mixed: Vec<u8> = (0..400u32)
            .flat_map(|i| match i % 7 {
                0 => vec![(i % 128) as u8],
                1..=4 => vec![0x81, (i % 100) as u8],
                5 => vec![0x80, 0xff, 0x03],
                _ if i > 200 => nine_bytes.to_vec(),
                _ => vec![0xff, 0xff, 0xff, 0xff, 0x0f],
            })
            .collect();
        for count in 0..=400 {
            for start in [0, 1] {
                let (mut fast, mut slow) = (Cursor::at(&mixed, start), Cursor::at(&mixed, start));
                let result = fast.skip_varints(count);
                assert_eq!(result.is_ok(), slow.skip_varints_singly(count).is_ok());
                if result.is_ok() {
                    assert_eq!(fast.position(), slow.position(), "{count} integers from {start}");
                }
            }
        }
    }

    #[test]
    fn strings_of_every_encoding() {
        let text = |text: &'static str| Ok(RawString::Text(Cow::Borrowed(text)));
        assert_eq!(Cursor::at(&[0], 0).string(), Ok(RawString::Null));
        assert_eq!(Cursor::at(&[1], 0).string(), text(""));
        assert_eq!(Cursor::at(&[2, 7], 0).string(), Ok(RawString::PoolKey(7)));
        assert_eq!(Cursor::at(&[3, 2, 0xc3, 0xa9], 0).string(), text("é"));
        assert_eq!(Cursor::at(&[4, 2, 0x41, 0xe9, 0x01], 0).string(), text("Aé"));
        assert_eq!(Cursor::at(&[5, 1, 0xe9], 0).string(), text("é"));
        assert!(Cursor::at(&[6], 0).string().is_err());
    }

    #[test]
    fn a_stated_length_beyond_the_end_allocates_nothing() {
        for encoding in [3, 4, 5] {
            let bytes = [encoding, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
            assert!(Cursor::at(&bytes, 0).string().is_err());
            assert!(Cursor::at(&bytes, 0).skip_string().is_err());
        }
    }
}
