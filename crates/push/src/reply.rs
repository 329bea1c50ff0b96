//! Builds responses. The body of a response can end in trailers, and can contain protobuf messages.

use super::refusal::Refusal;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The body of a response.
#[derive(Debug, Default)]
pub struct PushBody {
    data: Option<Bytes>,
    trailers: Option<HeaderMap>,
}

impl Body for PushBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = self.data.take().map(Frame::data);
        Poll::Ready(data.or_else(|| self.trailers.take().map(Frame::trailers)).map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_none() && self.trailers.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.data.as_ref().map_or(0, |data| data.len() as u64))
    }
}

/// A response with a body.
pub(super) fn answer(status: StatusCode, content_type: &'static str, data: Vec<u8>) -> Response<PushBody> {
    let data = (!data.is_empty()).then(|| Bytes::from(data));
    let mut response = Response::new(PushBody { data, trailers: None });
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Adds trailers to a response.
pub(super) fn with_trailers(mut response: Response<PushBody>, trailers: HeaderMap) -> Response<PushBody> {
    response.body_mut().trailers = Some(trailers);
    response
}

/// A refusal over plain HTTP.
pub(super) fn refuse(refusal: &Refusal, content_type: &'static str, data: Vec<u8>) -> Response<PushBody> {
    let mut response = answer(refusal.http_status(), content_type, data);
    let headers = response.headers_mut();
    if let Some(wait) = refusal.retry_after() {
        // Whole seconds, rounded up.
        headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
    }
    if *refusal == Refusal::Unauthenticated {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer, Basic realm=\"whittle\""));
    }
    response
}

/// A protobuf message under construction.
#[derive(Debug, Default)]
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    /// Adds a number. 0 is the default and is not written.
    pub(super) fn number(mut self, field: u8, number: u64) -> Self {
        if number > 0 {
            self.0.push(field << 3);
            self.varint(number);
        }
        self
    }

    /// Adds bytes, a text or a message.
    pub(super) fn bytes(mut self, field: u8, bytes: &[u8]) -> Self {
        self.0.push(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn varint(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// The message `google.rpc.Status`, with `RetryInfo` if a retry helps.
pub(super) fn status_message(refusal: &Refusal) -> Vec<u8> {
    let status = Message::default().number(1, refusal.grpc_code().into()).bytes(2, refusal.message().as_bytes());
    let Some(wait) = refusal.retry_after() else { return status.0 };
    let delay = Message::default().number(1, wait.as_secs()).number(2, wait.subsec_nanos().into());
    let retry = Message::default().bytes(1, &delay.0);
    let any = Message::default().bytes(1, b"type.googleapis.com/google.rpc.RetryInfo").bytes(2, &retry.0);
    status.bytes(3, &any.0).0
}
