//! Access control for pushes. A client sends its token as `Authorization: Bearer TOKEN`. A client that supports only
//! passwords sends the token as the password of `Authorization: Basic`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{AUTHORIZATION, HeaderMap};
use std::collections::BTreeMap;
use std::fmt;
use std::hint::black_box;

/// Who may push.
#[derive(Debug, Clone)]
pub enum Access {
    /// Every client may push. Use this for tests, or behind a proxy that checks access.
    Anyone,
    /// Clients with one of these tokens may push.
    Tokens(Vec<PushToken>),
}

/// An access token: a secret, and labels of the clients that have this secret.
#[derive(Clone)]
pub struct PushToken {
    /// The secret.
    pub secret: String,
    /// Labels that are added to each push. If the push has a label with the same name, the label of the push is used.
    pub labels: BTreeMap<String, String>,
}

impl fmt::Debug for PushToken {
    /// Writes the token without its secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PushToken").field("labels", &self.labels).finish_non_exhaustive()
    }
}

/// The sender of a request.
#[derive(Debug)]
pub(super) struct Caller {
    /// The position of the sender's token.
    pub(super) position: usize,
    /// The labels of the sender's token.
    pub(super) labels: BTreeMap<String, String>,
}

impl Access {
    /// Number of different senders. Without access control, all clients count as one sender.
    pub(super) fn token_count(&self) -> usize {
        match self {
            Self::Anyone => 1,
            Self::Tokens(tokens) => tokens.len(),
        }
    }

    /// The sender of a request. `None`: the request has no valid token.
    pub(super) fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        match self {
            Self::Anyone => Some(Caller { position: 0, labels: BTreeMap::new() }),
            Self::Tokens(tokens) => {
                let offered = offered(headers)?;
                // All tokens are compared, so the time does not reveal which token matches.
                let matches = tokens.iter().map(|token| is_equal(token.secret.as_bytes(), &offered));
                let position = matches.enumerate().fold(
                    None,
                    |found, (position, is_own)| {
                        if is_own { Some(position) } else { found }
                    },
                )?;
                Some(Caller { position, labels: tokens[position].labels.clone() })
            }
        }
    }
}

fn offered(headers: &HeaderMap) -> Option<Vec<u8>> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().as_bytes().to_vec());
    }
    let is_basic = scheme.eq_ignore_ascii_case("basic");
    let decoded = is_basic.then(|| STANDARD.decode(rest.trim()).ok()).flatten()?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    Some(decoded[colon + 1..].to_vec())
}

/// Compares two secrets. The time depends only on the length, not on the position of a difference.
fn is_equal(own: &[u8], offered: &[u8]) -> bool {
    let difference = own.iter().zip(offered).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
    !own.is_empty() && own.len() == offered.len() && difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(header: &str) -> Option<usize> {
        let token = |secret: &str| PushToken { secret: secret.to_owned(), labels: BTreeMap::new() };
        let access = Access::Tokens(vec![token("one-secret"), token("two-secret"), token("")]);
        let headers = HeaderMap::from_iter([(AUTHORIZATION, header.parse().unwrap())]);
        access.caller(&headers).map(|caller| caller.position)
    }

    #[test]
    fn a_token_is_a_bearer_or_a_password() {
        assert_eq!(position("Bearer two-secret"), Some(1));
        let basic = |text: &str| position(&format!("Basic {}", STANDARD.encode(text)));
        assert_eq!(basic("anybody:one-secret"), Some(0));
        for wrong in ["Bearer two-secre", "Bearer two-secret2", "Bearer ", "Bearer", "two-secret", "Basic %%%"] {
            assert_eq!(position(wrong), None, "{wrong}");
        }
        assert_eq!((basic("one-secret"), basic("one-secret:"), basic(":")), (None, None, None));
    }

    #[test]
    fn without_tokens_nobody_may() {
        assert!(Access::Tokens(Vec::new()).caller(&HeaderMap::new()).is_none());
        assert!(Access::Anyone.caller(&HeaderMap::new()).is_some());
    }

    #[test]
    fn secrets_are_not_printed() {
        let token = PushToken { secret: "hidden".to_owned(), labels: BTreeMap::new() };
        assert!(!format!("{:?}", Access::Tokens(vec![token])).contains("hidden"));
    }
}
