//! Addresses that are not the analyzer's own: a front end that knows more than experiments answers below one prefix, behind
//! the same guard and the same limits.

use crate::problem::Problem;
use hyper::StatusCode;

/// Answers what is asked below [`prefix`](Self::prefix).
pub trait OtherRoutes: Send + Sync {
    /// Start of the addresses, below `/api/` and with a slash at its end: `/api/fleet/`.
    fn prefix(&self) -> &'static str;

    /// Answers one request, on a thread of its own. Gives JSON.
    ///
    /// # Errors
    /// Why there is no answer.
    fn answer(&self, request: OtherRequest<'_>) -> Result<String, OtherError>;
}

/// A request that has passed the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherRequest<'a> {
    /// True for POST; else it is GET.
    pub is_post: bool,
    /// The address behind the prefix, as it came.
    pub path: &'a str,
    /// What stands behind the question mark, as it came; empty without one.
    pub query: &'a str,
    /// The body; empty with GET.
    pub body: &'a [u8],
}

/// Why a request has no answer; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OtherError {
    /// The request makes no sense.
    #[error("{0}")]
    BadRequest(String),
    /// What is asked for does not exist.
    #[error("{0}")]
    NotFound(String),
    /// It should have worked.
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
