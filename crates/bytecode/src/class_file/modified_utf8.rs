//! Decodes Java's variant of UTF-8. A zero takes two bytes. A character beyond 16 bits is two surrogates of three bytes
//! each.

use std::borrow::Cow;

/// Decodes bytes in modified UTF-8. Invalid bytes become the replacement character.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    // Plain UTF-8 differs only in the zero and in characters of four bytes. If a file contains these in plain UTF-8,
    // they are also decoded.
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(String::from_utf16_lossy(&utf16(bytes))),
    }
}

fn utf16(bytes: &[u8]) -> Vec<u16> {
    const REPLACEMENT: u16 = 0xfffd;
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let continued = |index: usize| after.get(index).filter(|byte| **byte & 0xc0 == 0x80).map(|byte| byte & 0x3f);
        let (unit, length) = match (first >> 4, continued(0), continued(1)) {
            (0..8, ..) => (u16::from(first), 1),
            (0xc | 0xd, Some(low), _) => (u16::from(first & 0x1f) << 6 | u16::from(low), 2),
            (0xe, Some(middle), Some(low)) => {
                (u16::from(first & 0xf) << 12 | u16::from(middle) << 6 | u16::from(low), 3)
            }
            _ => (REPLACEMENT, 1),
        };
        units.push(unit);
        rest = &rest[length..];
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_that_java_means() {
        assert_eq!(decode(b"write"), "write");
        assert_eq!(decode("größe".as_bytes()), "größe");
        assert_eq!(decode(b"a\xc0\x80b"), "a\0b");
        assert_eq!(decode(b"\xed\xa0\xbd\xed\xb8\x80"), "😀");
        assert_eq!(decode(b"\xff\xc0"), "\u{fffd}\u{fffd}");
        assert_eq!(decode(b"a\xed\xa0\xbd"), "a\u{fffd}");
    }
}
