//! Accepts connections to a receiver, with HTTP/1.1 or HTTP/2 and without encryption. A proxy can add encryption.

use crate::push::Receiver;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Maximum number of connections. Further clients wait until a connection ends.
const CONNECTIONS: usize = 1024;

/// Maximum time until the head of a request has arrived.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// Pause after an error of the listening socket, for example too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Answers all connections until the program ends.
pub async fn listen(listener: TcpListener, receiver: Arc<Receiver>) -> Infallible {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        match listener.accept().await {
            Ok((stream, peer)) => {
                let receiver = Arc::clone(&receiver);
                tokio::spawn(async move {
                    let _place = place;
                    answer(stream, peer, receiver).await;
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn answer(stream: TcpStream, peer: SocketAddr, receiver: Arc<Receiver>) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        // If a sender has no host name, its address identifies the sender.
        request.extensions_mut().insert(peer);
        let receiver = Arc::clone(&receiver);
        async move { Ok::<_, Infallible>(receiver.respond(request).await) }
    });
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE);
    server.http2().timer(TokioTimer::new());
    // A client that disconnects is not an error.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}
