//! Access control. The guard checks only the header of a request, before the request is processed.
//!
//! Attacker | protection
//! --- | ---
//! another machine | the socket is bound to the loopback interface
//! another user of this machine | the token, which only the printed address contains
//! a page of another site in the same browser | `Origin` and `Sec-Fetch-Site`, no CORS headers, the token
//! a name of another site that resolves to 127.0.0.1 (DNS rebinding) | `Host` must be one of the server's names

use crate::problem::Problem;
use crate::token::Token;
use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, Uri};

/// The header with the token.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-whittle-token");
/// The header that describes the origin of a request. Browsers set this header to `same-origin`, `same-site`,
/// `cross-site`, or `none` if the user typed the address.
const SITE_HEADER: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The header that describes the purpose of a request. Browsers set this header.
const MODE_HEADER: HeaderName = HeaderName::from_static("sec-fetch-mode");
const DESTINATION_HEADER: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Prefix of the paths that need the token.
const API: &str = "/api/";

/// Names of the loopback interface.
const OUR_HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Refuses requests without access.
pub(crate) struct Guard {
    authorities: [String; 3],
    token: Token,
}

impl Guard {
    /// A guard for the server at `port`.
    pub(crate) fn new(port: u16, token: Token) -> Self {
        Self { authorities: OUR_HOSTS.map(|host| format!("{host}:{port}")), token }
    }

    /// Checks the header of a request.
    ///
    /// # Errors
    /// The request is refused. The error is the response to send.
    pub(crate) fn check(&self, request: &Parts) -> Result<(), Problem> {
        self.check_host(&request.uri, &request.headers)?;
        self.check_origin(&request.headers)?;
        check_site(request)?;
        if !matches!(request.method, Method::GET | Method::POST) {
            return Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", "use GET or POST"));
        }
        if request.uri.path().starts_with(API) { self.check_token(&request.headers) } else { Ok(()) }
    }

    /// Checks that the request names this server as its host. Through a proxy, the first line also contains the host.
    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let is_ours = |name: &[u8]| self.authorities.iter().any(|own| own.as_bytes().eq_ignore_ascii_case(name));
        let named = only(headers, HOST).is_some_and(is_ours);
        if named && uri.authority().is_none_or(|authority| is_ours(authority.as_str().as_bytes())) {
            return Ok(());
        }
        Err(forbidden("this host name is not a name of the analyzer; use the address that whittle printed"))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let is_ours = |origin: &[u8]| {
            let authority = origin.strip_prefix(b"http://").unwrap_or_default();
            self.authorities.iter().any(|own| own.as_bytes() == authority)
        };
        if !headers.contains_key(ORIGIN) || only(headers, ORIGIN).is_some_and(is_ours) {
            return Ok(());
        }
        Err(forbidden("requests from other sites are refused"))
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        if only(headers, TOKEN_HEADER).is_some_and(|offered| self.token.is(offered)) {
            return Ok(());
        }
        let message = "the access token is missing or wrong: open the full address that whittle printed";
        Err(Problem::new(StatusCode::UNAUTHORIZED, "token", message))
    }
}

/// Refuses requests from other sites, except links. Another page may link to the analyzer, because the analyzer shows
/// nothing without the token. Another page must not embed the analyzer, and must not send requests to it.
fn check_site(request: &Parts) -> Result<(), Problem> {
    let value = |name| request.headers.get(name).map(hyper::header::HeaderValue::as_bytes);
    let is_navigation = request.method == Method::GET
        && request.uri.path() == "/"
        && value(MODE_HEADER) == Some(b"navigate")
        && value(DESTINATION_HEADER) == Some(b"document");
    match value(SITE_HEADER) {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) if is_navigation => Ok(()),
        Some(_) => Err(forbidden("requests from other sites are refused")),
    }
}

/// The value of a header. None: the header is missing or occurs more than once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&[u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.as_bytes())
}

fn forbidden(message: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "forbidden", message)
}
