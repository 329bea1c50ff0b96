//! Thrift's compact encoding, in which Parquet files describe themselves. The bytes are not trusted: nothing is
//! allocated for a declared length, and a field with an unexpected type is an error.

use parquet::errors::{ParquetError, Result};

/// Maximum nesting of skipped values. Parquet's descriptions nest five levels deep.
const MAX_DEPTH: u32 = 16;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    True,
    False,
    Byte,
    Number,
    Double,
    Bytes,
    List,
    Map,
    Struct,
}

impl Kind {
    fn of(code: u8) -> Result<Self> {
        Ok(match code {
            1 => Self::True,
            2 => Self::False,
            3 => Self::Byte,
            4..=6 => Self::Number,
            7 => Self::Double,
            8 => Self::Bytes,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            _ => return Err(malformed()),
        })
    }
}

/// A position in encoded bytes.
#[derive(Debug, Clone)]
pub(crate) struct Thrift<'a> {
    rest: &'a [u8],
}

impl<'a> Thrift<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Number of unread bytes.
    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Reads a struct. `read` gets the number and the type of each field, reads the field's value, and returns true. If
    /// `read` returns false, the value is skipped.
    pub(crate) fn read_struct(&mut self, mut read: impl FnMut(&mut Self, i64, Kind) -> Result<bool>) -> Result<()> {
        let mut field = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            let step = i64::from(head >> 4);
            field = if step == 0 { self.any_number()? } else { field.checked_add(step).ok_or_else(malformed)? };
            let kind = Kind::of(head & 0x0f)?;
            if !read(self, field, kind)? {
                self.skip(kind, 0)?;
            }
        }
    }

    /// Reads a list. `read` gets the type of the items and is called once per item.
    pub(crate) fn read_list(&mut self, kind: Kind, mut read: impl FnMut(&mut Self, Kind) -> Result<()>) -> Result<()> {
        expect(kind, Kind::List)?;
        let (count, item) = self.list_head()?;
        (0..count).try_for_each(|_| read(self, item))
    }

    /// Reads a number.
    pub(crate) fn number(&mut self, kind: Kind) -> Result<i64> {
        expect(kind, Kind::Number)?;
        self.any_number()
    }

    /// Reads bytes.
    pub(crate) fn bytes(&mut self, kind: Kind) -> Result<&'a [u8]> {
        expect(kind, Kind::Bytes)?;
        let length = self.varint()?;
        self.take(length)
    }

    fn any_number(&mut self) -> Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The number of items and their type. Every item takes at least one byte.
    fn list_head(&mut self) -> Result<(u64, Kind)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        if count > self.rest.len() as u64 {
            return Err(malformed());
        }
        let item = if count == 0 { Kind::Byte } else { Kind::of(head & 0x0f)? };
        Ok((count, item))
    }

    fn skip(&mut self, kind: Kind, depth: u32) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(malformed());
        }
        match kind {
            Kind::True | Kind::False => {}
            Kind::Byte => drop(self.byte()?),
            Kind::Number => drop(self.varint()?),
            Kind::Double => drop(self.take(8)?),
            Kind::Bytes => {
                let length = self.varint()?;
                self.take(length)?;
            }
            Kind::List => {
                let (count, item) = self.list_head()?;
                // In a list, a truth value takes one byte.
                let item = if matches!(item, Kind::True | Kind::False) { Kind::Byte } else { item };
                (0..count).try_for_each(|_| self.skip(item, depth + 1))?;
            }
            Kind::Struct => self.read_struct(|input, _, kind| input.skip(kind, depth + 1).map(|()| true))?,
            // Parquet's descriptions contain no maps.
            Kind::Map => return Err(malformed()),
        }
        Ok(())
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(malformed())
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let length = usize::try_from(length).map_err(|_| malformed())?;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(malformed)?;
        self.rest = rest;
        Ok(taken)
    }
}

fn expect(found: Kind, expected: Kind) -> Result<()> {
    if found == expected { Ok(()) } else { Err(malformed()) }
}

fn malformed() -> ParquetError {
    damaged("the file's description of itself is damaged")
}

/// The error for bytes that break a rule of the format.
pub(crate) fn damaged(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_and_other_fields_are_skipped() {
        // 1: the number -3; 2: a list of two truth values; 5: a struct with a text; 6: the text "ab".
        let bytes = [0x15, 0x05, 0x19, 0x21, 1, 2, 0x3c, 0x18, 1, b'x', 0, 0x18, 2, b'a', b'b', 0, 7];
        let (mut number, mut text) = (0, Vec::new());
        let mut input = Thrift::new(&bytes);
        let read = input.read_struct(|input, field, kind| {
            match field {
                1 => number = input.number(kind)?,
                6 => text = input.bytes(kind)?.to_vec(),
                _ => return Ok(false),
            }
            Ok(true)
        });
        read.unwrap();
        assert_eq!((number, text.as_slice(), input.remaining()), (-3, b"ab".as_slice(), 1));
        for end in 0..bytes.len() - 1 {
            assert!(Thrift::new(&bytes[..end]).read_struct(|_, _, _| Ok(false)).is_err(), "{end}");
        }
    }

    #[test]
    fn lengths_beyond_the_end_and_deep_nesting_are_errors() {
        let skip = |bytes: &[u8]| Thrift::new(bytes).read_struct(|_, _, _| Ok(false));
        assert!(skip(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07, 0]).is_err());
        assert!(skip(&[0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0]).is_err());
        assert!(skip(&[0x1c; 100_000]).is_err());
        assert!(skip(&[0x19; 100_000]).is_err());
    }
}
