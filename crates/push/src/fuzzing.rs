//! For the fuzzer: the private readers of this crate as functions of bytes. Each function panics if the result breaks a
//! promise.

use crate::access::{Access, PushToken};
use crate::labels;
use crate::multipart;
use crate::protocol::Protocol;
use crate::refusal::Refusal;
use crate::segment::{Decoded, Landed, Pushed};
use crate::services::AllowedServices;
use crate::token_file;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::collections::BTreeMap;
use whittle_experiment::{read_segment, segment_path};
use whittle_model::Manifest;

/// Maximum length of the unpacked content.
const MAX_BYTES: usize = 1 << 20;
/// Maximum number of labels: 32, and the four that whittle knows.
const MAX_LABELS: usize = 36;
/// Maximum length of a label in characters.
const MAX_LABEL_LENGTH: usize = 256;
/// The token of the sender, and the only service that it allows.
const SECRET: &str = "s3cr3t-of-the-shop";
const SERVICES: &str = "shop,shop-*";

const PROTOCOLS: [Protocol; 5] =
    [Protocol::Pyroscope, Protocol::Pusher, Protocol::PusherGrpc, Protocol::Otlp, Protocol::OtlpGrpc];

/// Reads a push. The first four lines contain the number of the protocol, the query, the content type and the encoding.
/// The rest is the body.
pub fn read_push(bytes: &[u8]) {
    let mut lines = bytes.splitn(5, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (number, query, content_type, encoding, body) = (line(), line(), line(), line(), line());
    let protocol = PROTOCOLS[usize::from(number.first().copied().unwrap_or(0)) % PROTOCOLS.len()];
    let headers = [(CONTENT_TYPE, content_type), (CONTENT_ENCODING, encoding), (GRPC_ENCODING, encoding)];
    let headers = headers.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_bytes(value).ok()?)));
    let pushed = Pushed {
        query: String::from_utf8_lossy(query).into_owned(),
        headers: headers.collect(),
        peer: None,
        token_labels: BTreeMap::from([("region".to_owned(), "eu".to_owned())]),
        services: AllowedServices::parse(SERVICES).expect("patterns"),
        token: 0,
        max_bytes: MAX_BYTES,
    };
    let outcome = decode(protocol, &pushed, body).map(|decoded| check(&decoded));
    let response = protocol.reply(&HeaderMap::new(), outcome);
    assert!(response.status().as_u16() >= 200);
    read_form(content_type, body);
}

const GRPC_ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");

fn decode(protocol: Protocol, pushed: &Pushed, body: &[u8]) -> Result<Decoded, Refusal> {
    let content = protocol.unpack(pushed, body)?;
    assert!(content.profile.len() <= MAX_BYTES && content.contexts.len() <= MAX_BYTES);
    protocol.segments(pushed, pushed.hash(&content), &content)
}

/// Checks that each segment can be read, has its own path, and has an allowed service.
fn check(decoded: &Decoded) -> Landed {
    let mut paths = Vec::new();
    for segment in &decoded.segments {
        let read = read_segment(&Bytes::copy_from_slice(&segment.bytes)).expect("a written segment can be read");
        read.tables.validate().expect("tables keep their promises");
        assert_eq!(segment_path(&read.manifest, &segment.bytes).expect("a complete manifest"), segment.path);
        check_labels(&read.manifest);
        paths.push(&segment.path);
    }
    paths.sort();
    assert!(paths.is_sorted_by(|a, b| a < b), "two segments have the same path");
    let segment_count = decoded.segments.len() as u64;
    Landed { segment_count, warnings: decoded.warnings.clone(), is_repeated: false }
}

fn check_labels(manifest: &Manifest) {
    let labels = &manifest.labels;
    assert!(labels.len() <= MAX_LABELS, "{} labels", labels.len());
    let is_short = |text: &String| !text.is_empty() && text.chars().count() <= MAX_LABEL_LENGTH;
    let is_plain = |text: &String| !text.contains(|c: char| c.is_control() || matches!(c, ',' | '='));
    assert!(labels.iter().all(|(key, value)| [key, value].iter().all(|text| is_short(text) && is_plain(text))));
    assert!(labels["service"] == "shop" || labels["service"].starts_with("shop-"), "{}", labels["service"]);
    assert!(labels.contains_key("host"));
}

/// Reads the body as a form, and checks that the parts do not overlap.
fn read_form(content_type: &[u8], body: &[u8]) {
    let boundary = std::str::from_utf8(content_type).ok().and_then(multipart::boundary).unwrap_or("b");
    let Ok(parts) = multipart::parts(body, boundary) else { return };
    let total: usize = parts.iter().map(|part| part.bytes.len() + part.name.len()).sum();
    assert!(total <= body.len(), "{total} bytes in parts of {} bytes", body.len());
}

/// Reads the file of access tokens, and the header of a request with a token: the first line of `bytes` is the header,
/// the rest is the file.
pub fn read_tokens(bytes: &[u8]) {
    let (header, file) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    let file = String::from_utf8_lossy(file);
    let tokens = match token_file::parse(&file) {
        Ok(tokens) => tokens,
        Err((line, _)) => return assert!((1..=file.lines().count()).contains(&line), "line {line}"),
    };
    let mut secrets: Vec<&str> = tokens.iter().map(|token| token.secret.as_str()).collect();
    secrets.sort_unstable();
    assert!(secrets.is_sorted_by(|a, b| a < b) && secrets.iter().all(|secret| !secret.is_empty()), "{secrets:?}");
    let own = PushToken { secret: SECRET.to_owned(), labels: BTreeMap::new(), services: AllowedServices::All };
    check_access(Access::Tokens(tokens), header);
    check_access(Access::Tokens(vec![own]), header);
    let (name, said) = (String::from_utf8_lossy(header), String::from_utf8_lossy(header));
    let (name, said) = (labels::parse_series(&name).0.to_owned(), labels::parse_query(&said));
    let labels = labels::known_labels(said, &BTreeMap::new(), (&name, "host"));
    assert!(labels.len() <= MAX_LABELS && labels.contains_key("service"));
}

/// Checks that a sender has the token at its position.
fn check_access(access: Access, header: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(header) else { return };
    let headers = HeaderMap::from_iter([(AUTHORIZATION, value)]);
    let Some(caller) = access.caller(&headers) else { return };
    assert!(caller.position < access.token_count());
    let Access::Tokens(tokens) = access else { return };
    let token = &tokens[caller.position];
    assert_eq!((&token.labels, &token.services), (&caller.labels, &caller.services));
    let header = String::from_utf8_lossy(header).to_lowercase();
    let is_bearer = header.starts_with("bearer ");
    assert!(!is_bearer || header.trim_end().ends_with(&token.secret.to_lowercase()), "{header}");
}
