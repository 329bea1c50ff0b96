//! Why a push is not taken, and what each protocol calls that.

use hyper::StatusCode;
use std::time::Duration;

/// When to come back to one that is busy.
const BUSY_PAUSE: Duration = Duration::from_secs(10);

/// Why a push is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No token of ours.
    Unauthenticated,
    /// Nothing is at this path.
    NotFound,
    /// Not a POST.
    Method,
    /// The body is longer than this many bytes, as sent or unpacked.
    TooLong(usize),
    /// The body did not come in time.
    TooSlow,
    /// A kind of body that is not read here.
    Unsupported(String),
    /// The body is not what it should be.
    Bad(String),
    /// The sender's share is used up for this long.
    TooOften(Duration),
    /// Not now.
    Busy(&'static str),
}

impl Refusal {
    pub(super) fn message(&self) -> String {
        match self {
            Self::Unauthenticated => {
                "a token is needed: Authorization: Bearer TOKEN, or the password of Basic".to_owned()
            }
            Self::NotFound => "profiles are taken at /ingest and /v1development/profiles".to_owned(),
            Self::Method => "only POST is taken".to_owned(),
            Self::TooLong(max_bytes) => format!("the body is longer than {max_bytes} bytes; push more often"),
            Self::TooSlow => "the body did not come in time".to_owned(),
            Self::Unsupported(what) | Self::Bad(what) => what.clone(),
            Self::TooOften(_) => "too much was sent with this token, or by all together".to_owned(),
            Self::Busy(what) => (*what).to_owned(),
        }
    }

    /// When to try again; nothing if that would not help.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::TooOften(wait) => Some(*wait),
            Self::Busy(_) => Some(BUSY_PAUSE),
            _ => None,
        }
    }

    pub(super) fn http_status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Unsupported(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Bad(_) => StatusCode::BAD_REQUEST,
            Self::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The number of `google.rpc.Code`.
    pub(super) fn grpc_code(&self) -> u8 {
        match self {
            Self::Bad(_) => 3,
            Self::TooSlow => 4,
            Self::TooLong(_) | Self::TooOften(_) => 8,
            Self::NotFound | Self::Method | Self::Unsupported(_) => 12,
            Self::Busy(_) => 14,
            Self::Unauthenticated => 16,
        }
    }
}
