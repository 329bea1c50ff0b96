//! Routes of a front end that serves more than experiments. The front end has a separate path prefix. The same guard
//! and limits apply to its routes.

use crate::problem::Problem;
use hyper::StatusCode;

/// Answers requests below [`prefix`](Self::prefix).
pub trait OtherRoutes: Send + Sync {
    /// Prefix of the paths, for example `/api/fleet/`. The prefix begins with `/api/` and ends with a slash.
    fn prefix(&self) -> &'static str;

    /// Answers one request with JSON, on a separate thread.
    ///
    /// # Errors
    /// Why the request has no answer.
    fn answer(&self, request: OtherRequest<'_>) -> Result<String, OtherError>;
}

/// A request that has passed the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherRequest<'a> {
    /// True for POST, false for GET.
    pub is_post: bool,
    /// The path after the prefix, not decoded.
    pub path: &'a str,
    /// The text after the question mark, not decoded. Empty: there is no question mark.
    pub query: &'a str,
    /// The body. Empty for GET.
    pub body: &'a [u8],
}

/// Why a request has no answer. The text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OtherError {
    /// The request is not valid.
    #[error("{0}")]
    BadRequest(String),
    /// The requested object does not exist.
    #[error("{0}")]
    NotFound(String),
    /// An internal error.
    #[error("{0}")]
    Failed(String),
}

impl From<OtherError> for Problem {
    fn from(error: OtherError) -> Self {
        let (status, kind) = match error {
            OtherError::BadRequest(_) => (StatusCode::BAD_REQUEST, "request"),
            OtherError::NotFound(_) => (StatusCode::NOT_FOUND, "not_found"),
            OtherError::Failed(_) => (StatusCode::INTERNAL_SERVER_ERROR, "failed"),
        };
        Self::new(status, kind, error.to_string())
    }
}
