//! Reads the bodies of requests. Time, rate, total memory, and the length before and after unpacking are limited.

use super::PushOptions;
use super::refusal::Refusal;
use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use hyper::header::{CONTENT_LENGTH, HeaderMap};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Memory for bodies is allocated in pieces of this length.
pub(super) const PIECE_BYTES: usize = 4096;

/// Time to receive the rest of a refused body.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Number of pieces that `bytes` bytes need.
pub(super) fn pieces(bytes: usize) -> usize {
    bytes.div_ceil(PIECE_BYTES).min(Semaphore::MAX_PERMITS)
}

/// A body. A part of the total memory is reserved for the body until the body is dropped.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) bytes: Vec<u8>,
    _room: Option<OwnedSemaphorePermit>,
}

/// Receives a body.
pub(super) async fn read<B>(
    body: &mut B,
    headers: &HeaderMap,
    options: &PushOptions,
    room: &Arc<Semaphore>,
) -> Result<Held, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Display,
{
    let said = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if said.is_some_and(|said| said > options.packed_bytes) {
        return Err(Refusal::TooLong(options.packed_bytes));
    }
    receive(body, options, room).await
}

/// The time limit of a body: the whole body must arrive in time, and after a short time its average rate must suffice.
struct Deadline<'o> {
    start: Instant,
    options: &'o PushOptions,
}

impl Deadline<'_> {
    /// The latest time for the next piece to arrive.
    fn after(&self, received_bytes: usize) -> Instant {
        let rate = f64::from(self.options.body_bytes_per_second.max(1));
        let paid = Duration::from_secs_f64(received_bytes as f64 / rate);
        self.start + self.options.patience.min(self.options.body_grace.saturating_add(paid))
    }
}

async fn receive<B>(body: &mut B, options: &PushOptions, room: &Arc<Semaphore>) -> Result<Held, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Display,
{
    let max_bytes = options.packed_bytes;
    let deadline = Deadline { start: Instant::now(), options };
    let mut held = Held { bytes: Vec::new(), _room: None };
    let mut taken = 0;
    loop {
        let waiting = tokio::time::timeout_at(deadline.after(held.bytes.len()), body.frame());
        let Some(frame) = waiting.await.map_err(|_| Refusal::TooSlow)? else { return Ok(held) };
        let frame = frame.map_err(|error| Refusal::Bad(format!("the body ended early: {error}")))?;
        let Ok(piece) = frame.into_data() else { continue };
        let length = held.bytes.len() + piece.len();
        if length > max_bytes {
            return Err(Refusal::TooLong(max_bytes));
        }
        // Vectors double their capacity, so the limit applies to the capacity, not to the length.
        let needed = pieces(length.next_power_of_two().min(max_bytes));
        if needed > taken {
            let more = u32::try_from(needed - taken).unwrap_or(u32::MAX);
            let more = Arc::clone(room).try_acquire_many_owned(more);
            let more = more.map_err(|_| Refusal::Busy("too many bodies are being received; try again later"))?;
            match &mut held._room {
                Some(own) => own.merge(more),
                None => held._room = Some(more),
            }
            taken = needed;
        }
        held.bytes.extend_from_slice(&piece);
    }
}

/// Receives the rest of a body and drops it.
pub(super) async fn discard<B>(body: &mut B, max_bytes: usize)
where
    B: Body<Data = Bytes> + Unpin,
{
    let rest = async {
        let mut left = max_bytes;
        while let Some(Ok(frame)) = body.frame().await {
            left = match left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) {
                Some(left) => left,
                None => return,
            };
        }
    };
    // A client that needs more time cannot read the response.
    let _is_done = tokio::time::timeout(LAST_WORDS, rest).await;
}

/// The body, unpacked if the client compressed it with gzip.
pub(super) fn unpacked(bytes: &[u8], max_bytes: usize) -> Result<Cow<'_, [u8]>, Refusal> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut content = Vec::new();
    let decoder = MultiGzDecoder::new(bytes);
    let read = Read::take(decoder, (max_bytes as u64).saturating_add(1)).read_to_end(&mut content);
    read.map_err(|error| Refusal::Bad(format!("the body cannot be unpacked with gzip: {error}")))?;
    if content.len() > max_bytes {
        return Err(Refusal::TooLong(max_bytes));
    }
    Ok(Cow::Owned(content))
}
