//! The routes of the server. Paths are compared as a whole and never decoded, and no file is opened, so path traversal
//! is impossible.

use crate::analyzer::{Analyzer, Limits};
use crate::guard::Guard;
use crate::live::{LiveError, StartRequest, WantedProcesses};
use crate::other_routes::{OtherRequest, OtherRoutes};
use crate::page::{ANALYZER_HTML, content_security_policy};
use crate::problem::Problem;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::header::{REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use whittle_engine::{Answer, answer};

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BINARY: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// Headers of every response. The browser trusts the content type and does not pass on the address. Other sites cannot
/// load the response, and no cache stores the response.
const PROTECTION: [(HeaderName, &str); 6] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (CACHE_CONTROL, "no-store"),
];

/// The content security policy of all responses except the page.
const NO_CONTENT_POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Answers requests.
pub(crate) struct Routes {
    guard: Guard,
    analyzer: Analyzer,
    limits: Limits,
    page_policy: HeaderValue,
    /// Limits the number of concurrent engine calls to the number of CPUs. If a browser disconnects, hyper drops the
    /// connection, and the waiting request leaves the queue.
    engine_calls: Arc<Semaphore>,
}

/// The body of a response.
struct Reply(HeaderValue, Bytes);

impl Routes {
    pub(crate) fn new(guard: Guard, analyzer: Analyzer, limits: Limits) -> Self {
        let policy = content_security_policy(ANALYZER_HTML);
        let cpus = available_parallelism().map_or(1, usize::from);
        Self {
            guard,
            analyzer,
            limits,
            page_policy: HeaderValue::from_str(&policy).expect("hashes and keywords are visible ASCII"),
            engine_calls: Arc::new(Semaphore::new(cpus)),
        }
    }

    /// Answers one request.
    pub(crate) async fn respond(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, body) = request.into_parts();
        let is_page = head.uri.path() == "/";
        let (status, Reply(content_type, body)) = match self.reply(&head, body).await {
            Ok(reply) => (StatusCode::OK, reply),
            Err(problem) => (problem.status, Reply(JSON, problem.json.into())),
        };
        let policy = if is_page && status == StatusCode::OK { self.page_policy.clone() } else { NO_CONTENT_POLICY };
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, content_type);
        headers.insert(CONTENT_SECURITY_POLICY, policy);
        headers.extend(PROTECTION.map(|(name, value)| (name, HeaderValue::from_static(value))));
        if status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("GET, POST"));
        }
        response
    }

    async fn reply(&self, head: &Parts, body: Incoming) -> Result<Reply, Problem> {
        self.guard.check(head)?;
        match (&head.method, head.uri.path()) {
            (&Method::GET, "/") => Ok(Reply(HTML, Bytes::from_static(ANALYZER_HTML.as_bytes()))),
            (&Method::POST, "/api/answer") => self.answer(head, body).await,
            (&Method::GET, "/api/experiments") => to_reply(&self.analyzer.experiments.list()),
            (&Method::GET, "/api/verification") => {
                let json = self.analyzer.verification.as_deref().unwrap_or("null");
                Ok(Reply(JSON, Bytes::copy_from_slice(json.as_bytes())))
            }
            (&Method::GET, "/api/others") => {
                let prefixes: Vec<&str> = self.analyzer.others.iter().map(|others| others.prefix()).collect();
                to_reply(&prefixes)
            }
            (_, path) if path.starts_with("/api/live/") => self.reply_live(head, body).await,
            (_, path) => match self.analyzer.others.iter().find(|others| path.starts_with(others.prefix())) {
                Some(others) => self.reply_other(Arc::clone(others), head, body).await,
                None => Err(Problem::not_found()),
            },
        }
    }

    async fn reply_other(&self, others: Arc<dyn OtherRoutes>, head: &Parts, body: Incoming) -> Result<Reply, Problem> {
        let is_post = head.method == Method::POST;
        let body = if is_post { self.read(body).await? } else { Bytes::new() };
        let place = Arc::clone(&self.engine_calls).acquire_owned().await.map_err(|_| Problem::internal())?;
        let uri = head.uri.clone();
        let json = on_own_thread(move || {
            let _place = place;
            let path = uri.path().strip_prefix(others.prefix()).unwrap_or_default();
            others.answer(OtherRequest { is_post, path, query: uri.query().unwrap_or_default(), body: &body })
        })
        .await??;
        Ok(Reply(JSON, json.into()))
    }

    async fn answer(&self, head: &Parts, body: Incoming) -> Result<Reply, Problem> {
        let number = experiment_number(head)?;
        let request = self.read(body).await?;
        let request = str::from_utf8(&request).map_err(|_| Problem::request("the request is not UTF-8"))?.to_owned();
        let place = Arc::clone(&self.engine_calls).acquire_owned().await.map_err(|_| Problem::internal())?;
        let experiments = Arc::clone(&self.analyzer.experiments);
        on_own_thread(move || {
            let _place = place;
            let not_found = |text: String| Problem::new(StatusCode::NOT_FOUND, "experiment", text);
            let found =
                experiments.get(number).ok_or_else(|| not_found(format!("experiment {number} does not exist")))?;
            let served = found.map_err(|why| not_found(format!("experiment {number} cannot be read again: {why}")))?;
            match answer(&served.profile, &request, &*served.code) {
                Ok(Answer::Json(json)) => Ok(Reply(JSON, json.into())),
                Ok(Answer::Binary(bytes)) => Ok(Reply(BINARY, bytes.into())),
                Err(error) => Err(Problem::engine(&error)),
            }
        })
        .await?
    }

    async fn reply_live(&self, head: &Parts, body: Incoming) -> Result<Reply, Problem> {
        let live = self.analyzer.live.clone().ok_or_else(|| {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "live", "live collection is not available here")
        })?;
        match (&head.method, head.uri.path()) {
            (&Method::GET, "/api/live/processes") => {
                let wanted =
                    if head.uri.query() == Some("all=1") { WantedProcesses::All } else { WantedProcesses::Jvms };
                on_own_thread(move || to_reply(&live.processes(wanted))).await?
            }
            (&Method::GET, "/api/live/status") => to_reply(&Collections { collections: live.collections() }),
            (&Method::POST, "/api/live/start") => {
                let request: StartRequest = self.read_json(body).await?;
                on_own_thread(move || to_reply(&live.start(request)?)).await?
            }
            (&Method::POST, "/api/live/stop") => {
                let Stopping { id } = self.read_json(body).await?;
                on_own_thread(move || to_reply(&live.stop(id)?)).await?
            }
            _ => Err(Problem::not_found()),
        }
    }

    async fn read_json<T: DeserializeOwned>(&self, body: Incoming) -> Result<T, Problem> {
        serde_json::from_slice(&self.read(body).await?).map_err(|error| Problem::request(error.to_string()))
    }

    async fn read(&self, body: Incoming) -> Result<Bytes, Problem> {
        let too_long = || Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "request", "the request is too long");
        // If the request states a body length that is too large, the request is refused before the body arrives.
        if body.size_hint().lower() > self.limits.body_bytes as u64 {
            return Err(too_long());
        }
        let limited = Limited::new(body, self.limits.body_bytes);
        match timeout(self.limits.patience, limited.collect()).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
            Ok(Err(_)) => Err(Problem::request("the request ended before it was complete")),
            Err(_) => Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "request", "the request took too long to arrive")),
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stopping {
    id: u32,
}

#[derive(Serialize)]
struct Collections<T> {
    collections: Vec<T>,
}

/// The number N in the query string `experiment=N`. The default is the first experiment.
fn experiment_number(head: &Parts) -> Result<usize, Problem> {
    match head.uri.query() {
        None => Ok(0),
        Some(query) => query
            .strip_prefix("experiment=")
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| Problem::request("expected /api/answer?experiment=NUMBER")),
    }
}

/// Runs CPU-intensive work on a separate thread. A panic ends only the answer to this request.
async fn on_own_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    spawn_blocking(work).await.map_err(|_| Problem::internal())
}

fn to_reply(value: &impl Serialize) -> Result<Reply, Problem> {
    let json = serde_json::to_vec(value).map_err(|_| Problem::internal())?;
    Ok(Reply(JSON, json.into()))
}

impl From<LiveError> for Problem {
    fn from(error: LiveError) -> Self {
        let (status, kind) = match error {
            LiveError::BadRequest(_) => (StatusCode::BAD_REQUEST, "request"),
            LiveError::Unknown(_) => (StatusCode::NOT_FOUND, "live"),
            LiveError::Conflict(_) => (StatusCode::CONFLICT, "live"),
            LiveError::Failed(_) => (StatusCode::INTERNAL_SERVER_ERROR, "live"),
        };
        Self::new(status, kind, error.to_string())
    }
}
