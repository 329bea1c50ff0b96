//! Listens on the loopback interface. Each connection has its own task, and all resources are limited.

use crate::analyzer::{Analyzer, Limits};
use crate::guard::Guard;
use crate::patient::Patient;
use crate::routes::Routes;
use crate::token::Token;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};

/// Pause after a failed accept, for example because of too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time limit for running answers when the server stops.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

/// The server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The port is in use, or not allowed.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The requested port. 0: any free port.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// The kernel refuses a resource of the server.
    #[error("cannot start the server: {0}")]
    System(#[from] io::Error),
}

/// A server that listens but does not answer yet.
pub struct Server {
    listeners: Vec<TcpListener>,
    port: u16,
    token: Token,
    analyzer: Analyzer,
    limits: Limits,
    stop: watch::Sender<bool>,
}

/// Stops a server from another thread.
#[derive(Debug, Clone)]
pub struct StopHandle(watch::Sender<bool>);

impl StopHandle {
    /// Requests the end of the server. Running answers are completed.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Listens on the loopback interface. `port` 0: any free port.
    ///
    /// # Errors
    /// The port is not available, or there are no random numbers.
    pub fn bind(port: u16, analyzer: Analyzer, limits: Limits) -> Result<Self, ServerError> {
        let listen = |address: SocketAddr| {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let first =
            listen((Ipv4Addr::LOCALHOST, port).into()).map_err(|source| ServerError::Listen { port, source })?;
        let port = first.local_addr()?.port();
        // `localhost` can mean IPv4 or IPv6. Without IPv6 the server listens only on IPv4.
        let second: io::Result<TcpListener> = listen((Ipv6Addr::LOCALHOST, port).into());
        let listeners = [Some(first), second.ok()].into_iter().flatten().collect();
        Ok(Self { listeners, port, token: Token::random()?, analyzer, limits, stop: watch::Sender::new(false) })
    }

    /// The port on which the server listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address for the browser. The address gives access, because its fragment contains the token. Browsers do not
    /// send fragments to servers.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token.text())
    }

    /// Ends [`Server::run`].
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(self.stop.clone())
    }

    /// Answers requests until a [`StopHandle`] stops the server.
    ///
    /// # Errors
    /// The kernel refuses a resource of the server.
    pub fn run(self) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let mut stopped = self.stop.subscribe();
        let routes = Arc::new(Routes::new(Guard::new(self.port, self.token), self.analyzer, self.limits));
        let places = Arc::new(Semaphore::new(self.limits.connections));
        let served = runtime.block_on(async {
            for listener in self.listeners {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                tokio::spawn(accept(listener, Arc::clone(&routes), Arc::clone(&places), self.limits));
            }
            // An error means that all stop handles are gone.
            let _ = stopped.wait_for(|is_stopped| *is_stopped).await;
            Ok(())
        });
        runtime.shutdown_timeout(LAST_ANSWERS);
        served
    }
}

async fn accept(listener: tokio::net::TcpListener, routes: Arc<Routes>, places: Arc<Semaphore>, limits: Limits) {
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let routes = Arc::clone(&routes);
        tokio::spawn(async move {
            let _place = place;
            serve(stream, &routes, limits).await;
        });
    }
}

/// Serves one connection until the client or the server closes it. Errors do not affect other connections.
async fn serve(stream: TcpStream, routes: &Routes, limits: Limits) {
    // Each answer is written as a whole. Waiting to join small packets would only delay answers.
    let _ = stream.set_nodelay(true);
    let service = service_fn(async |request| Ok::<_, Infallible>(routes.respond(request).await));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.patience);
    let _ = http.serve_connection(TokioIo::new(Patient::new(stream, limits.patience)), service).await;
}
