//! Encodes bytes as text in a page. Eleven characters have 72 bits; in base64 they have 66 bits.
//!
//! The 94 characters are printable ASCII without `<`. They cannot begin or end a script element. Editors, mail programs
//! and character sets do not change them. 94^11 is slightly more than 2^72.
//!
//! ```text
//! 9 bytes, low byte first    a number    11 digits to the base 94, low digit first
//! fewer bytes at the end     a number    fewer digits: 11/9 of the bytes, rounded up
//! ```

/// Number of different characters.
const CHARACTERS: u128 = 94;
/// Bytes and characters in one group.
const GROUP_BYTES: usize = 9;
const GROUP_CHARACTERS: usize = 11;

/// Encodes the bytes as text.
pub(super) fn dense_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(characters_of(bytes.len()));
    bytes.chunks(GROUP_BYTES).for_each(|group| put_group(&mut text, group));
    text
}

/// Number of characters for this number of bytes.
fn characters_of(bytes: usize) -> usize {
    (bytes * GROUP_CHARACTERS).div_ceil(GROUP_BYTES)
}

fn put_group(text: &mut String, group: &[u8]) {
    let mut number = group.iter().rev().fold(0, |number, byte| number << u8::BITS | u128::from(*byte));
    for _ in 0..characters_of(group.len()) {
        text.push(character(number % CHARACTERS));
        number /= CHARACTERS;
    }
}

fn character(digit: u128) -> char {
    let code = digit as u8 + b' ';
    char::from(if code < b'<' { code } else { code + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes the text as the page does.
    fn bytes_of(text: &str) -> Vec<u8> {
        let digit = |code: u8| u128::from(if code > b'<' { code - b' ' - 1 } else { code - b' ' });
        let mut bytes = Vec::new();
        for group in text.as_bytes().chunks(GROUP_CHARACTERS) {
            let number = group.iter().rev().fold(0, |number, code| number * CHARACTERS + digit(*code));
            bytes.extend(&number.to_le_bytes()[..group.len() * GROUP_BYTES / GROUP_CHARACTERS]);
        }
        bytes
    }

    #[test]
    fn bytes_come_back_and_no_character_means_anything_in_a_page() {
        let bytes: Vec<u8> = (0..3000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for length in (0..40).chain([2999, 3000]) {
            let text = dense_text(&bytes[..length]);
            assert_eq!(bytes_of(&text), bytes[..length], "{length}");
            assert!(text.bytes().all(|code| (b' '..=b'~').contains(&code) && code != b'<'), "{text}");
        }
    }

    #[test]
    fn the_largest_group_has_eleven_characters() {
        assert_eq!(dense_text(&[0xff; 18]).len(), 22);
        assert_eq!(bytes_of(&dense_text(&[0xff; 18])), [0xff; 18]);
    }

    /// The page's test expects the same text.
    #[test]
    fn the_text_is_this() {
        assert_eq!(dense_text(b"\0asm\x01\0\0\0\0asm"), "{hpRo      )k\\(");
    }
}
