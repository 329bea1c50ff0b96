//! The push protocols: their paths, and the formats of their bodies and responses.

use super::refusal::Refusal;
use super::reply::{Message, PushBody, answer, refuse, status_message};
use super::segment::{Content, Decoded, Landed, Pushed};
use super::{body, grpc, otlp, pyroscope};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

/// A push protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Pyroscope's `/ingest`: JFR and pprof, as the body or in a form.
    Pyroscope,
    /// Pyroscope's newer service, over plain HTTP.
    Pusher,
    /// Pyroscope's newer service over gRPC.
    PusherGrpc,
    /// OpenTelemetry over HTTP.
    Otlp,
    /// OpenTelemetry over gRPC.
    OtlpGrpc,
}

const PROTOBUF: &str = "application/x-protobuf";
const CONNECT: &str = "application/proto";
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

impl Protocol {
    /// Selects a protocol by its path. If two protocols use this path, the result is the protocol over plain HTTP.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        match path {
            "/ingest" => Some(Self::Pyroscope),
            "/push.v1.PusherService/Push" => Some(Self::Pusher),
            "/v1development/profiles" => Some(Self::Otlp),
            "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export" => Some(Self::OtlpGrpc),
            _ => None,
        }
    }

    pub(super) fn of(head: &Parts) -> Option<Self> {
        let is_grpc = header(&head.headers, CONTENT_TYPE).starts_with(grpc::CONTENT_TYPE);
        match Self::of_path(head.uri.path())? {
            Self::Pusher if is_grpc => Some(Self::PusherGrpc),
            known => Some(known),
        }
    }

    /// The content of a body, unpacked.
    pub(super) fn unpack(self, pushed: &Pushed, bytes: &[u8]) -> Result<Content, Refusal> {
        let content_type = header(&pushed.headers, CONTENT_TYPE);
        if content_type.starts_with(JSON) {
            return Err(Refusal::Unsupported("JSON is not supported; send protobuf".to_owned()));
        }
        if !matches!(header(&pushed.headers, CONTENT_ENCODING), "" | "gzip" | "identity") {
            return Err(Refusal::Unsupported("gzip is the only supported compression of bodies".to_owned()));
        }
        let max_bytes = pushed.max_bytes;
        match self {
            Self::Pyroscope => pyroscope::unpack(pushed, content_type, bytes),
            Self::Pusher | Self::Otlp => Ok(Content::of(body::unpacked(bytes, max_bytes)?)),
            Self::PusherGrpc | Self::OtlpGrpc => Ok(Content::of(grpc::message(&pushed.headers, bytes, max_bytes)?)),
        }
    }

    /// The segments of a body.
    pub(super) fn segments(self, pushed: &Pushed, hash: u128, content: &Content) -> Result<Decoded, Refusal> {
        match self {
            Self::Pyroscope => pyroscope::segments(pushed, hash, content),
            Self::Pusher | Self::PusherGrpc => pyroscope::pusher_segments(pushed, hash, content),
            Self::Otlp | Self::OtlpGrpc => otlp::segments(pushed, hash, content),
        }
    }

    /// The response.
    pub(super) fn reply(self, _request: &HeaderMap, outcome: Result<Landed, Refusal>) -> Response<PushBody> {
        match (self, outcome) {
            (Self::Pyroscope, Ok(_)) => answer(StatusCode::OK, TEXT, Vec::new()),
            (Self::Pyroscope, Err(refusal)) => refuse(&refusal, TEXT, refusal.message().into_bytes()),
            (Self::Pusher, Ok(_)) => answer(StatusCode::OK, CONNECT, Vec::new()),
            (Self::Pusher, Err(refusal)) => refuse(&refusal, JSON, connect_error(&refusal)),
            (Self::PusherGrpc, Ok(_)) => grpc::accept(&[]),
            (Self::Otlp, Ok(landed)) => answer(StatusCode::OK, PROTOBUF, export_response(&landed)),
            (Self::Otlp, Err(refusal)) => refuse(&refusal, PROTOBUF, status_message(&refusal)),
            (Self::OtlpGrpc, Ok(landed)) => grpc::accept(&export_response(&landed)),
            (Self::PusherGrpc | Self::OtlpGrpc, Err(refusal)) => grpc::refuse(&refusal),
        }
    }
}

/// An `ExportProfilesServiceResponse`. A warning is sent as a partial success without rejected profiles.
fn export_response(landed: &Landed) -> Vec<u8> {
    if landed.warnings.is_empty() {
        return Vec::new();
    }
    let partial = Message::default().bytes(2, landed.warnings.as_bytes());
    Message::default().bytes(1, &partial.0).0
}

/// An error of the Connect protocol.
fn connect_error(refusal: &Refusal) -> Vec<u8> {
    let code = match refusal.grpc_code() {
        3 => "invalid_argument",
        4 => "deadline_exceeded",
        7 => "permission_denied",
        8 => "resource_exhausted",
        14 => "unavailable",
        16 => "unauthenticated",
        _ => "unimplemented",
    };
    serde_json::json!({ "code": code, "message": refusal.message() }).to_string().into_bytes()
}

fn header(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
