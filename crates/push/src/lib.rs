//! Receives profiles that agents of Pyroscope and OpenTelemetry push. Pyroscope uses `/ingest` and
//! `push.v1.PusherService/Push`. OpenTelemetry uses HTTP and gRPC. Each push becomes a segment in the landing. A push
//! is acknowledged only when its segment is stored.
//!
//! ```text
//! request ─ which client? ─ how often? ─ how long? ─ unpack ─ which service? ─ decode ─ landing ─ 200
//!               401            429        413, 408    413           403          400        503
//! ```
//!
//! Refused pushes get a status. The diagram shows the most frequent status of each step. The status is also 503 if the
//! receiver is busy, for example if too many profiles wait for a decoder. The statuses 429 and 503 include a waiting
//! time. After this time, the client can try again. After other statuses, a retry does not help. A repeated push has
//! the same identity, so whittle counts the push once. After the response, the receiver keeps only a hash of the push.

mod access;
mod body;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod grpc;
mod labels;
mod listen;
mod multipart;
mod otlp;
mod protocol;
mod pyroscope;
mod rates;
mod refusal;
mod reply;
mod segment;
mod segment_cost;
mod services;
mod token_file;
mod visitors;

use access::Caller;
pub use access::{Access, PushToken};
use body::Held;
use hyper::body::{Body, Bytes};
use hyper::header::{CONNECTION, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, Version};
pub use listen::listen;
use protocol::Protocol;
pub use rates::Rate;
use rates::Rates;
use refusal::Refusal;
pub use reply::PushBody;
use segment::{Landed, Pushed, Recent};
pub use segment_cost::{MAX_HOURS, MAX_ROW_BYTES, SegmentCost, TooCostly};
pub use services::{AllowedServices, ServicePattern};
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
pub use token_file::{TokenFileError, read_tokens};
use tokio::sync::Semaphore;
pub use visitors::ConnectionLimits;
use visitors::Visitor;
use whittle_experiment::Store;

/// Who may push, and the limits of a receiver.
#[derive(Debug, Clone)]
pub struct PushOptions {
    /// Who may push.
    pub access: Access,
    /// Maximum length of a body before unpacking, in bytes. A busy JVM sends about 100 KB in ten seconds.
    pub packed_bytes: usize,
    /// Maximum length of a body after unpacking, or of a part of a body, in bytes.
    pub unpacked_bytes: usize,
    /// Maximum total memory of the bodies that are being received or decoded, in bytes before unpacking.
    pub waiting_bytes: usize,
    /// Maximum number of requests that are received, decoded or stored at the same time. Further clients must retry
    /// later.
    pub waiting_requests: usize,
    /// Maximum number of requests that are decoded at the same time. Each request needs up to about thirty times as
    /// much memory as its unpacked length.
    pub decoders: usize,
    /// The maximum rate for each token.
    pub rate_per_token: Rate,
    /// The maximum rate for all tokens together.
    pub rate_in_total: Rate,
    /// The limits of connections.
    pub connections: ConnectionLimits,
    /// A body that arrives slower than this average is refused, in bytes per second.
    pub body_bytes_per_second: u32,
    /// The time at the start of a body in which its rate is not checked.
    pub body_grace: Duration,
    /// Maximum time to wait for a whole body, for a free decoder and for the store. The limit applies to each of these
    /// waits.
    pub patience: Duration,
}

impl Default for PushOptions {
    /// Limits for about a hundred agents that push every ten seconds.
    fn default() -> Self {
        Self {
            access: Access::Tokens(Vec::new()),
            packed_bytes: 8 << 20,
            unpacked_bytes: 32 << 20,
            waiting_bytes: 128 << 20,
            waiting_requests: 256,
            decoders: 2,
            rate_per_token: Rate { requests_per_second: 200.0, bytes_per_second: 32e6 },
            rate_in_total: Rate { requests_per_second: 1_000.0, bytes_per_second: 128e6 },
            connections: ConnectionLimits::default(),
            body_bytes_per_second: 4096,
            body_grace: Duration::from_secs(5),
            patience: Duration::from_secs(30),
        }
    }
}

/// Counts since the start, for the operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PushCounts {
    /// Pushes that were acknowledged.
    pub accepted: u64,
    /// Acknowledged pushes that were repeated. Repeated pushes are not stored again.
    pub repeated: u64,
    /// Segments that were written to the landing.
    pub segments: u64,
    /// Pushes that the client must repeat later.
    pub deferred: u64,
    /// Pushes that were refused.
    pub refused: u64,
}

/// Accepts pushed profiles.
pub struct Receiver {
    store: Arc<Store>,
    options: PushOptions,
    rates: Rates,
    places: Semaphore,
    /// Memory for bodies, in pieces of [`body::PIECE_BYTES`].
    room: Arc<Semaphore>,
    decoders: Arc<Semaphore>,
    recent: Recent,
    counts: [AtomicU64; 5],
}

impl Receiver {
    /// A receiver that writes segments to `store`.
    pub fn new(store: Arc<Store>, options: PushOptions) -> Self {
        let rates = Rates::new(options.access.token_count(), options.rate_per_token, options.rate_in_total);
        let places = Semaphore::new(options.waiting_requests.min(Semaphore::MAX_PERMITS));
        let room = Arc::new(Semaphore::new(body::pieces(options.waiting_bytes)));
        let decoders = Arc::new(Semaphore::new(options.decoders.clamp(1, Semaphore::MAX_PERMITS)));
        Self { store, options, rates, places, room, decoders, recent: Recent::default(), counts: Default::default() }
    }

    /// True if a receiver accepts requests with this path.
    pub fn takes(path: &str) -> bool {
        Protocol::of_path(path).is_some()
    }

    /// The counts so far.
    pub fn counts(&self) -> PushCounts {
        let [accepted, repeated, segments, deferred, refused] =
            [0, 1, 2, 3, 4].map(|position: usize| self.counts[position].load(Ordering::Relaxed));
        PushCounts { accepted, repeated, segments, deferred, refused }
    }

    fn count(&self, position: usize, amount: u64) {
        self.counts[position].fetch_add(amount, Ordering::Relaxed);
    }

    /// Responds to one request. If the profile and its labels name no host, the sender's address is used as the host.
    /// The address is a [`SocketAddr`] among the request's extensions.
    pub async fn respond<B>(&self, request: Request<B>) -> Response<PushBody>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Display,
    {
        let (head, mut body) = request.into_parts();
        let Some(protocol) = Protocol::of(&head) else {
            return Protocol::Pyroscope.reply(&head.headers, Err(Refusal::NotFound));
        };
        let outcome = self.take(protocol, &head, &mut body).await;
        match &outcome {
            Ok(landed) => {
                self.count(0, 1);
                self.count(1, u64::from(landed.is_repeated));
                self.count(2, landed.segment_count);
            }
            Err(refusal) => {
                self.count(if refusal.retry_after().is_some() { 3 } else { 4 }, 1);
                // A client does not read the response while it still sends the body. So the body is received and
                // dropped.
                body::discard(&mut body, self.discarded_bytes(refusal)).await;
            }
        }
        let is_stranger = matches!(outcome, Err(Refusal::Unauthenticated));
        let mut response = protocol.reply(&head.headers, outcome);
        if is_stranger && head.version < Version::HTTP_2 {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// Maximum length of a refused body that is received before the response.
    fn discarded_bytes(&self, refusal: &Refusal) -> usize {
        let is_checked = !matches!(refusal, Refusal::Unauthenticated | Refusal::Method);
        if is_checked { self.options.packed_bytes } else { self.options.packed_bytes.min(STRANGERS_BYTES) }
    }

    async fn take<B>(&self, protocol: Protocol, head: &Parts, body: &mut B) -> Result<Landed, Refusal>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Display,
    {
        if head.method != Method::POST {
            return Err(Refusal::Method);
        }
        let caller = self.options.access.caller(&head.headers).ok_or(Refusal::Unauthenticated)?;
        if head.extensions.get::<Arc<Visitor>>().is_some_and(|visitor| !visitor.recognise()) {
            return Err(Refusal::Busy("too many connections with running requests"));
        }
        self.rates.admit(caller.position, Instant::now()).map_err(Refusal::TooOften)?;
        let _place = self.places.try_acquire().map_err(|_| Refusal::Busy("too many requests at the same time"))?;
        let held = body::read(body, &head.headers, &self.options, &self.room).await?;
        self.rates.charge(caller.position, held.bytes.len(), Instant::now());
        let landed = self.decode_and_land(protocol, head, (caller, held)).await?;
        Ok(landed)
    }

    async fn decode_and_land(
        &self,
        protocol: Protocol,
        head: &Parts,
        (caller, held): (Caller, Held),
    ) -> Result<Landed, Refusal> {
        let patience = self.options.patience;
        let decoder = tokio::time::timeout(patience, Arc::clone(&self.decoders).acquire_owned()).await;
        let decoder = decoder.map_err(|_| Refusal::Busy("too many profiles wait to be decoded"))?;
        let pushed = Pushed {
            query: head.uri.query().unwrap_or_default().to_owned(),
            headers: payload_headers(&head.headers),
            peer: head.extensions.get::<SocketAddr>().map(SocketAddr::ip),
            token_labels: caller.labels,
            services: caller.services,
            token: caller.position,
            max_bytes: self.options.unpacked_bytes,
        };
        let recent = self.recent.clone();
        // The body and the decoder's permit are kept until the end, even if the client disconnects.
        let decode = move || {
            let _decoder = decoder;
            let content = protocol.unpack(&pushed, &held.bytes)?;
            let hash = pushed.hash(&content);
            let recent_hash = pushed.recent_hash(hash);
            if recent.has(recent_hash) {
                return Ok(None);
            }
            protocol.segments(&pushed, hash, &content).map(|decoded| Some((recent_hash, decoded)))
        };
        let decoded = tokio::task::spawn_blocking(decode).await;
        let decoded = decoded.map_err(|_| Refusal::Bad("the profile could not be decoded".to_owned()))??;
        let Some((recent_hash, decoded)) = decoded else {
            return Ok(Landed { is_repeated: true, ..Landed::default() });
        };
        for segment in &decoded.segments {
            let landing = self.store.land_bytes(&segment.path, segment.bytes.clone());
            let landed = tokio::time::timeout(patience, landing).await;
            landed.map_err(|_| Refusal::Busy("the store takes too long"))?.map_err(|_| Refusal::Busy(STORE_AWAY))?;
        }
        self.recent.remember(recent_hash);
        let segment_count = decoded.segments.len() as u64;
        Ok(Landed { segment_count, warnings: decoded.warnings, is_repeated: false })
    }
}

/// Maximum length of a body that is received before the response if the request has no valid token. With a lower limit,
/// a client with a push of usual size would see a closed connection instead of the reason.
const STRANGERS_BYTES: usize = 1 << 20;

const STORE_AWAY: &str = "the store cannot be written";

/// The headers that describe how to read a body.
fn payload_headers(headers: &HeaderMap) -> HeaderMap {
    let wanted = ["content-type", "content-encoding", "grpc-encoding"];
    headers
        .iter()
        .filter(|(name, _)| wanted.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The host name that is used if no label names a host: the sender's address.
fn host_of(peer: Option<IpAddr>) -> String {
    peer.map_or_else(|| "unknown".to_owned(), |peer| peer.to_canonical().to_string())
}
