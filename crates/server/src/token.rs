//! The secret of a server. Clients that know the secret have access.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read};

/// Length of a token: 128 bits, too many to guess.
const TOKEN_BYTES: usize = 16;

/// The secret as 32 hexadecimal digits.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// A token from the kernel's random numbers.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token as text.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether `offered` is the token. The comparison always takes the same time, so the time reveals nothing about the
    /// token.
    pub(crate) fn is(&self, offered: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let difference = own.iter().zip(offered).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
        own.len() == offered.len() && difference == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token("0123456789abcdef0123456789abcdef".to_owned());
        assert!(token.is(b"0123456789abcdef0123456789abcdef"));
        for wrong in ["", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdeff"] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
        for position in 0..32 {
            let mut wrong = token.text().as_bytes().to_vec();
            wrong[position] ^= 1;
            assert!(!token.is(&wrong), "byte {position}");
        }
    }

    #[test]
    fn tokens_have_128_bits_and_differ() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.text().len(), 2 * TOKEN_BYTES);
        assert_ne!(one.text(), other.text());
    }
}
