//! Reads and writes gRPC without a library. Each direction has one message, after a header of five bytes. The status is
//! in the trailers.

use super::body::unpacked;
use super::refusal::Refusal;
use super::reply::{PushBody, answer, status_message, with_trailers};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use std::borrow::Cow;

/// The content type of responses. Content types of requests begin with the same text.
pub(super) const CONTENT_TYPE: &str = "application/grpc";

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");
const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");
const ACCEPT_ENCODING: HeaderName = HeaderName::from_static("grpc-accept-encoding");

/// The message in a body.
pub(super) fn message<'b>(headers: &HeaderMap, body: &'b [u8], max_bytes: usize) -> Result<Cow<'b, [u8]>, Refusal> {
    let bad = || Refusal::Bad("the body is not one gRPC message".to_owned());
    let (is_packed, rest) = body.split_first().ok_or_else(bad)?;
    let (length, message) = rest.split_first_chunk().ok_or_else(bad)?;
    if u32::from_be_bytes(*length) as usize != message.len() {
        return Err(bad());
    }
    let encoding = headers.get(ENCODING).map_or(&b"identity"[..], HeaderValue::as_bytes);
    match (is_packed, encoding) {
        (0, _) if message.len() > max_bytes => Err(Refusal::TooLong(max_bytes)),
        (0, _) => Ok(Cow::Borrowed(message)),
        (1, b"gzip") if message.starts_with(&[0x1f, 0x8b]) => unpacked(message, max_bytes),
        (1, b"gzip") => Err(Refusal::Bad("the message is marked as gzip but is not compressed with gzip".to_owned())),
        (1, _) => Err(Refusal::Unsupported("gzip is the only supported compression of messages".to_owned())),
        _ => Err(bad()),
    }
}

/// The response with a message.
pub(super) fn accept(message: &[u8]) -> Response<PushBody> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    let data = [&[0][..], &length.to_be_bytes(), message].concat();
    let trailers = HeaderMap::from_iter([(STATUS, HeaderValue::from_static("0"))]);
    with_trailers(answer(StatusCode::OK, CONTENT_TYPE, data), trailers)
}

/// A response with only a status. Such a status can be in the header instead of the trailers.
pub(super) fn refuse(refusal: &Refusal) -> Response<PushBody> {
    let mut response = answer(StatusCode::OK, CONTENT_TYPE, Vec::new());
    let headers = response.headers_mut();
    headers.insert(STATUS, HeaderValue::from(u16::from(refusal.grpc_code())));
    let text = HeaderValue::try_from(percent_encoded(&refusal.message()));
    headers.insert(MESSAGE, text.unwrap_or(HeaderValue::from_static("")));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity,gzip"));
    if let Ok(details) = HeaderValue::try_from(STANDARD_NO_PAD.encode(status_message(refusal))) {
        headers.insert(DETAILS, details);
    }
    response
}

fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'%';
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_one_whole_message() {
        let read = |body: &[u8]| message(&HeaderMap::new(), body, 100).map(Cow::into_owned);
        assert_eq!(read(b"\0\0\0\0\x02ab"), Ok(b"ab".to_vec()));
        assert_eq!(read(b"\0\0\0\0\0"), Ok(Vec::new()));
        for cut in [&b""[..], b"\0\0\0", b"\0\0\0\0\x03ab", b"\0\0\0\0\x01ab", b"\x02\0\0\0\x02ab"] {
            assert!(matches!(read(cut), Err(Refusal::Bad(_))), "{cut:?}");
        }
        assert!(matches!(read(b"\x01\0\0\0\x02ab"), Err(Refusal::Unsupported(_))));
        assert_eq!(read(&[&b"\0\0\0\0\x65"[..], &[7; 101]].concat()), Err(Refusal::TooLong(100)));
    }

    #[test]
    fn a_message_has_no_odd_characters() {
        assert_eq!(percent_encoded("50 % größer\n"), "50 %25 gr%C3%B6%C3%9Fer%0A");
    }
}
