//! Sockets: listening on the loopback interface, one task per connection, limits on all of it.

use crate::experiments::Experiments;
use crate::guard::Guard;
use crate::live::LiveCollector;
use crate::other_routes::OtherRoutes;
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

/// After a failed accept, such as one for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long answers that are on their way may take once the server is to stop.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

/// What a server serves.
#[derive(Clone)]
pub struct Analyzer {
    /// Experiments that can be asked.
    pub experiments: Arc<Experiments>,
    /// Live collection. Missing: not offered.
    pub live: Option<Arc<dyn LiveCollector>>,
    /// What `whittle verify` wrote, one JSON object. Missing: there is none to show.
    pub verification: Option<Arc<str>>,
    /// More addresses. Missing: there are none.
    pub others: Option<Arc<dyn OtherRoutes>>,
}

/// What one client may take of us.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest body of a request. Requests are names, filters and lists of tree nodes.
    pub body_bytes: usize,
    /// How long a request's head, its body and each write of its answer may take.
    pub patience: Duration,
    /// How many connections there may be; more wait. A browser opens six.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { body_bytes: 1 << 20, patience: Duration::from_secs(10), connections: 64 }
    }
}

/// The server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The port is taken, or may not be used.
    #[error("cannot listen on 127.0.0.1:{port}: {source}; choose another with --port, or leave it out")]
    Listen {
        /// The port that was asked for; 0: any.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// The kernel refuses what a server needs.
    #[error("cannot start the server: {0}")]
    System(#[from] io::Error),
}

/// A server that listens and does not answer yet.
pub struct Server {
    listeners: Vec<TcpListener>,
    port: u16,
    token: Token,
    analyzer: Analyzer,
    limits: Limits,
    stop: watch::Sender<bool>,
}

/// Ends a server from another thread.
#[derive(Debug, Clone)]
pub struct StopHandle(watch::Sender<bool>);

impl StopHandle {
    /// Asks the server to end; it lets answers that are on their way come through.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Listens on the loopback interface; `port` 0 takes any that is free.
    ///
    /// # Errors
    /// The port cannot be had, or there are no random numbers.
    pub fn bind(port: u16, analyzer: Analyzer, limits: Limits) -> Result<Self, ServerError> {
        let listen = |address: SocketAddr| {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let first =
            listen((Ipv4Addr::LOCALHOST, port).into()).map_err(|source| ServerError::Listen { port, source })?;
        let port = first.local_addr()?.port();
        // `localhost` can mean either; a machine without IPv6 does without.
        let second: io::Result<TcpListener> = listen((Ipv6Addr::LOCALHOST, port).into());
        let listeners = [Some(first), second.ok()].into_iter().flatten().collect();
        Ok(Self { listeners, port, token: Token::random()?, analyzer, limits, stop: watch::Sender::new(false) })
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address for the browser. Whoever has it may ask: the fragment holds the token, which browsers do not send.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token.text())
    }

    /// Ends [`Server::run`].
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(self.stop.clone())
    }

    /// Answers until it is stopped.
    ///
    /// # Errors
    /// The kernel refuses what a server needs.
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
            // An error would mean that nobody can stop the server any more.
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

/// Serves one connection until either side closes it. What goes wrong with it concerns nobody else.
async fn serve(stream: TcpStream, routes: &Routes, limits: Limits) {
    // Answers are written whole: waiting to join them with more would only delay.
    let _ = stream.set_nodelay(true);
    let service = service_fn(async |request| Ok::<_, Infallible>(routes.respond(request).await));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.patience);
    let _ = http.serve_connection(TokioIo::new(Patient::new(stream, limits.patience)), service).await;
}
