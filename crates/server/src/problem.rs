//! Errors in the format that the browser expects: `{"error":{"message":"…","kind":"…","position":null}}`.

use hyper::StatusCode;
use serde_json::json;
use whittle_engine::EngineError;

/// Why a request has no answer. The message is for the user and contains no internal details.
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

    /// An error of the engine.
    pub(crate) fn engine(error: &EngineError) -> Self {
        match serde_json::to_string(error) {
            Ok(json) => Self { status: StatusCode::BAD_REQUEST, json },
            Err(_) => Self::internal(),
        }
    }

    /// The path does not exist.
    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
    }

    /// An internal error.
    pub(crate) fn internal() -> Self {
        let message = "this request failed because of a bug in whittle; other requests still work";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// The request is not valid.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "request", message)
    }
}
