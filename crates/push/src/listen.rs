//! Accepts connections to a receiver, with HTTP/1.1 or HTTP/2 and without encryption. A proxy can add encryption. The
//! limits of [`visitors`](super::visitors) apply to all connections, also before the version of HTTP is known.

use super::visitors::{Visitor, Visitors};
use crate::Receiver;
use futures::future::select;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

/// Maximum time until the whole header of a later request has arrived, with HTTP/1.1. For the first request, see
/// [`ConnectionLimits`](super::ConnectionLimits).
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// Maximum length of a request header, and memory of a connection with HTTP/1.1.
const HEAD_BYTES: usize = 64 << 10;

/// Memory of a connection with HTTP/2 for bodies that are not read yet.
const WINDOW_BYTES: u32 = 256 << 10;

/// Maximum number of running requests of a connection with HTTP/2.
const STREAMS: u32 = 32;

/// Time between two pings with HTTP/2. If the client does not respond to a ping, for example because its machine
/// failed, the connection is closed.
const PING_EVERY: Duration = Duration::from_secs(60);

/// Pause after an error of the listening socket, for example too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves all connections until the program ends.
pub async fn listen(listener: TcpListener, receiver: Arc<Receiver>) -> Infallible {
    let visitors = Visitors::new(receiver.options.connections);
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let visitor = visitors.enter(peer.ip(), Instant::now());
                tokio::spawn(answer(stream, (peer, visitor), Arc::clone(&receiver)));
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn answer(stream: TcpStream, (peer, visitor): (SocketAddr, Arc<Visitor>), receiver: Arc<Receiver>) {
    let of_connection = Arc::clone(&visitor);
    let service = service_fn(move |mut request: Request<Incoming>| {
        // If a sender has no host name, its address identifies the sender.
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(Arc::clone(&of_connection));
        let (receiver, running) = (Arc::clone(&receiver), of_connection.request());
        async move {
            let _running = running;
            Ok::<_, Infallible>(receiver.respond(request).await)
        }
    });
    let server = server();
    // A client that disconnects is not an error.
    let _ = select(pin!(server.serve_connection(TokioIo::new(stream), service)), pin!(visitor.leave())).await;
}

fn server() -> auto::Builder<TokioExecutor> {
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE).max_buf_size(HEAD_BYTES);
    let mut http2 = server.http2();
    http2.timer(TokioTimer::new()).keep_alive_interval(PING_EVERY).max_concurrent_streams(STREAMS);
    http2.initial_stream_window_size(WINDOW_BYTES).initial_connection_window_size(WINDOW_BYTES);
    server
}
