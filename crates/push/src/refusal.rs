//! Why a push is refused, with the status for each protocol.

use hyper::StatusCode;
use std::time::Duration;

/// Time after which a client should retry if the server is busy.
const BUSY_PAUSE: Duration = Duration::from_secs(10);

/// Why a push is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The request has no valid token.
    Unauthenticated,
    /// The token does not allow the service with this name.
    NotAllowed(String),
    /// The path is unknown.
    NotFound,
    /// The method is not POST.
    Method,
    /// The body is longer than this number of bytes, before or after unpacking.
    TooLong(usize),
    /// The profile needs too much memory in the fleet's tables. The text is the reason.
    TooCostly(String),
    /// The body did not arrive in time.
    TooSlow,
    /// The body has an unsupported format.
    Unsupported(String),
    /// The body is damaged.
    Bad(String),
    /// The rate limit is exceeded. The duration is the waiting time until the next request.
    TooOften(Duration),
    /// The server is busy.
    Busy(&'static str),
}

impl Refusal {
    pub(super) fn message(&self) -> String {
        match self {
            Self::Unauthenticated => {
                "an access token is required; send the token as \"Authorization: Bearer TOKEN\" or as the password of \"Authorization: Basic\"".to_owned()
            }
            Self::NotAllowed(service) => format!(
                "this access token does not allow the service \"{service}\"; to allow this service, add push:{service} \
                 to the token's line in the file of --tokens, and start whittle-fleet receive again"
            ),
            Self::NotFound => "unknown path; push profiles to /ingest or /v1development/profiles".to_owned(),
            Self::Method => "use POST".to_owned(),
            Self::TooLong(max_bytes) => format!("the body is longer than {max_bytes} bytes; push more often"),
            Self::TooSlow => "the body did not arrive in time".to_owned(),
            Self::TooCostly(what) | Self::Unsupported(what) | Self::Bad(what) => what.clone(),
            Self::TooOften(_) => "the rate limit of this access token, or of all clients, is exceeded".to_owned(),
            Self::Busy(what) => (*what).to_owned(),
        }
    }

    /// Waiting time before the next attempt. `None`: a retry does not help.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::TooOften(wait) => Some(*wait),
            Self::Busy(_) => Some(BUSY_PAUSE),
            Self::Unauthenticated
            | Self::NotAllowed(_)
            | Self::NotFound
            | Self::Method
            | Self::TooLong(_)
            | Self::TooCostly(_)
            | Self::TooSlow
            | Self::Unsupported(_)
            | Self::Bad(_) => None,
        }
    }

    pub(super) fn http_status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::NotAllowed(_) => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooLong(_) | Self::TooCostly(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Unsupported(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Bad(_) => StatusCode::BAD_REQUEST,
            Self::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The status code, as defined by `google.rpc.Code`.
    pub(super) fn grpc_code(&self) -> u8 {
        match self {
            Self::Bad(_) => 3,
            Self::TooSlow => 4,
            Self::NotAllowed(_) => 7,
            Self::TooLong(_) | Self::TooCostly(_) | Self::TooOften(_) => 8,
            Self::NotFound | Self::Method | Self::Unsupported(_) => 12,
            Self::Busy(_) => 14,
            Self::Unauthenticated => 16,
        }
    }
}
