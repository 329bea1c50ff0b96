//! Access control for pushes. A client sends its token as `Authorization: Bearer TOKEN`. A client that supports only
//! passwords sends the token as the password of `Authorization: Basic`. A token also limits the services that its
//! clients can push.

use super::services::AllowedServices;
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

/// An access token: a secret, and the rights and labels of the clients that have this secret.
#[derive(Clone)]
pub struct PushToken {
    /// The secret.
    pub secret: String,
    /// Labels that are added to each push. If the push has a label with the same name, the label of the push is used.
    pub labels: BTreeMap<String, String>,
    /// The services that clients with this token can push.
    pub services: AllowedServices,
}

impl fmt::Debug for PushToken {
    /// Writes the token without its secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("PushToken");
        shown.field("labels", &self.labels).field("services", &self.services).finish_non_exhaustive()
    }
}

/// The sender of a request.
#[derive(Debug)]
pub(super) struct Caller {
    /// The position of the sender's token.
    pub(super) position: usize,
    /// The labels of the sender's token.
    pub(super) labels: BTreeMap<String, String>,
    /// The services that the sender can push.
    pub(super) services: AllowedServices,
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
            Self::Anyone => Some(Caller { position: 0, labels: BTreeMap::new(), services: AllowedServices::All }),
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
                let PushToken { labels, services, .. } = tokens[position].clone();
                Some(Caller { position, labels, services })
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

/// Compares two secrets. The time depends only on the length of the offered secret. It depends neither on the length of
/// our secret nor on the position of a difference.
fn is_equal(own: &[u8], offered: &[u8]) -> bool {
    if own.is_empty() {
        return false;
    }
    let pairs = own.iter().cycle().zip(offered);
    let difference = pairs.fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
    black_box(own.len() == offered.len()) & black_box(difference == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(secret: &str) -> PushToken {
        PushToken { secret: secret.to_owned(), labels: BTreeMap::new(), services: AllowedServices::All }
    }

    fn position(header: &str) -> Option<usize> {
        let access = Access::Tokens(vec![token("one-secret"), token("two-secret"), token("")]);
        let headers = HeaderMap::from_iter([(AUTHORIZATION, header.parse().unwrap())]);
        access.caller(&headers).map(|caller| caller.position)
    }

    #[test]
    fn a_token_is_a_bearer_or_a_password() {
        assert_eq!(position("Bearer two-secret"), Some(1));
        let basic = |text: &str| position(&format!("Basic {}", STANDARD.encode(text)));
        assert_eq!(basic("anybody:one-secret"), Some(0));
        for wrong in [
            "Bearer two-secre",
            "Bearer two-secret2",
            "Bearer two-secrettwo-secret",
            "Bearer ",
            "Bearer",
            "two-secret",
            "Basic %%%",
        ] {
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
        assert!(!format!("{:?}", Access::Tokens(vec![token("hidden")])).contains("hidden"));
    }
}
