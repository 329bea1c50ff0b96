//! Refusals and failures as the browser gets them: `{"error":{"message":"…","kind":"…","position":null}}`.

use hyper::StatusCode;
use serde_json::json;
use whittle_analysis::engine::EngineError;

/// Why a request has no answer. The message is for the user; nothing of our insides is in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) json: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        let message: String = message.into();
        let json = json!({"error": {"message": message, "kind": kind, "position": null}}).to_string();
        Self { status, json }
    }

    /// The engine has no answer, and says why.
    pub(crate) fn engine(error: &EngineError) -> Self {
        match serde_json::to_string(error) {
            Ok(json) => Self { status: StatusCode::BAD_REQUEST, json },
            Err(_) => Self::internal(),
        }
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
}
