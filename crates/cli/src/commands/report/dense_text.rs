//! Encodes bytes as text in a page. Two characters have 13 bits; in base64 they have 12 bits.
//!
//! The 91 characters are printable ASCII from `#` on, without `<`. They cannot begin or end a script element. Editors,
//! mail programs and character sets do not change them. 91 times 91 is slightly more than 2^13.
//!
//! ```text
//! bytes, low bits first     13 bits: a number n     the characters of n / 91 and of n % 91
//! at the end                6 bits or fewer         one character
//! ```

/// Number of different characters.
const CHARACTERS: u32 = 91;
/// Bits in two characters.
const BITS: u32 = 13;
/// Bits in a single last character.
const BITS_OF_ONE: u32 = 6;

/// Encodes the bytes as text.
pub(super) fn dense_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 16 / 13 + 2);
    let (mut waiting, mut count) = (0_u32, 0);
    for byte in bytes {
        waiting |= u32::from(*byte) << count;
        count += u8::BITS;
        if count >= BITS {
            put_two(&mut text, waiting & ((1 << BITS) - 1));
            waiting >>= BITS;
            count -= BITS;
        }
    }
    match count {
        0 => {}
        1..=BITS_OF_ONE => text.push(character(waiting)),
        _ => put_two(&mut text, waiting),
    }
    text
}

fn put_two(text: &mut String, number: u32) {
    text.extend([character(number / CHARACTERS), character(number % CHARACTERS)]);
}

fn character(number: u32) -> char {
    let code = number as u8 + b'#';
    char::from(if code < b'<' { code } else { code + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes the text as the page does.
    fn bytes_of(text: &str) -> Vec<u8> {
        let number = |code: u8| u32::from(if code > b'<' { code - b'#' - 1 } else { code - b'#' });
        let (mut bytes, mut waiting, mut count) = (Vec::new(), 0_u32, 0);
        for characters in text.as_bytes().chunks(2) {
            let (bits, length) = match characters {
                [first, second] => (number(*first) * CHARACTERS + number(*second), BITS),
                _ => (number(characters[0]), BITS_OF_ONE),
            };
            waiting |= bits << count;
            count += length;
            while count >= u8::BITS {
                bytes.push(waiting as u8);
                waiting >>= u8::BITS;
                count -= u8::BITS;
            }
        }
        bytes
    }

    #[test]
    fn bytes_come_back_and_no_character_means_anything_in_a_page() {
        let bytes: Vec<u8> = (0..3000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for length in (0..40).chain([2999, 3000]) {
            let text = dense_text(&bytes[..length]);
            assert_eq!(bytes_of(&text), bytes[..length], "{length}");
            assert!(text.bytes().all(|code| (b'#'..=b'~').contains(&code) && code != b'<'), "{text}");
        }
        assert_eq!(dense_text(&[0xff; 13]).len(), 16);
    }

    /// The page's test expects the same text.
    #[test]
    fn the_text_is_this() {
        assert_eq!(dense_text(b"\0asm\x01\0\0\0"), "%nD_$#####");
    }
}
