//! Refusals and failures as the browser gets them: `{"error":{"message":"…","kind":"…","position":null}}`.

use hyper::StatusCode;
use serde_json::json;

/// Why a request has no answer. The message is for the user; nothing of our insides is in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: message.into() }
    }

    /// There is no such address.
    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
    }

    /// Something of ours broke.
    pub(crate) fn internal() -> Self {
        let message = "whittle failed on this request; other requests still work";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// The request cannot be understood.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "request", message)
    }

    /// The body of the response.
    pub(crate) fn json(&self) -> String {
        json!({"error": {"message": self.message, "kind": self.kind, "position": null}}).to_string()
    }
}
