//! The wire format of protocol buffers. A field has a field number, and its value is a number or bytes.

/// The value of a field, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number of variable length.
    Number(u64),
    /// A number of 4 or 8 bytes.
    Fixed(u64),
    /// A text, a message or a list of numbers.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The number; 0 if the value is not a number.
    pub fn number(self) -> u64 {
        if let Self::Number(number) | Self::Fixed(number) = self { number } else { 0 }
    }

    /// The bytes; empty if the value is a number.
    pub fn bytes(self) -> &'a [u8] {
        if let Self::Bytes(bytes) = self { bytes } else { &[] }
    }

    /// The numbers of a list, packed or one by one.
    pub fn numbers(self) -> impl Iterator<Item = u64> + 'a {
        let (one, mut packed) = match self {
            Self::Number(number) | Self::Fixed(number) => (Some(number), &[][..]),
            Self::Bytes(bytes) => (None, bytes),
        };
        one.into_iter().chain(std::iter::from_fn(move || varint(&mut packed)))
    }

    /// The 8-byte numbers of a list, packed or one by one.
    pub fn fixed_numbers(self) -> impl Iterator<Item = u64> + 'a {
        let (one, packed) = match self {
            Self::Number(number) | Self::Fixed(number) => (Some(number), &[][..]),
            Self::Bytes(bytes) => (None, bytes),
        };
        let of_bytes = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_le_bytes);
        one.into_iter().chain(packed.chunks_exact(8).filter_map(of_bytes))
    }
}

/// The fields of a message, up to the first unreadable field.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    /// The unread bytes; after the last field, the unreadable bytes.
    pub(crate) rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of a message.
    pub fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    fn read(&mut self) -> Option<(u64, Value<'a>)> {
        let mut rest = self.rest;
        let key = varint(&mut rest)?;
        let value = match key & 0b111 {
            0 => Value::Number(varint(&mut rest)?),
            1 => Value::Fixed(u64::from_le_bytes(take(&mut rest, 8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                Value::Bytes(take(&mut rest, length)?)
            }
            5 => Value::Fixed(u64::from(u32::from_le_bytes(take(&mut rest, 4)?.try_into().ok()?))),
            _ => return None,
        };
        self.rest = rest;
        Some((key >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.read()
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for (position, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f).checked_shl(7 * position as u32)?;
        if byte & 0x80 == 0 {
            *bytes = &bytes[position + 1..];
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_up_to_the_damage() {
        let mut fields = Fields::new(b"\x08\x96\x01\x12\x07testing\x32\x06\x03\x8e\x02\x9e\xa7\x05\x12\x7f");
        assert_eq!(fields.next(), Some((1, Value::Number(150))));
        assert_eq!(fields.next(), Some((2, Value::Bytes(b"testing"))));
        assert_eq!(fields.next().unwrap().1.numbers().collect::<Vec<_>>(), [3, 270, 86_942]);
        assert_eq!(fields.next(), None);
        assert_eq!(fields.rest, b"\x12\x7f");
    }
}
