//! A running server, and requests as text. Libraries cannot send the requests of a hostile client.
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use whittle_profile::Profile;
use whittle_server::{Analyzer, Experiments, Limits, LiveCollector, OtherRoutes, Served, Server, Source, StopHandle};
use whittle_testkit::experiment_from_text;
use whittle_views::source::NoFiles;

/// Stacks with two functions below `main`.
pub(crate) const DRAWING: &str = "
    main    main    main
    write   write   parse
";

/// A code source without files, because no test here needs code.
pub(crate) const NO_FILES: NoFiles = NoFiles { reason: "a test" };

/// A server with one small experiment. The server ends with the test.
pub(crate) struct TestServer {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) experiments: Arc<Experiments>,
    stop: StopHandle,
    thread: Option<JoinHandle<()>>,
}

impl TestServer {
    pub(crate) fn start() -> Self {
        Self::with(Limits::default(), None)
    }

    pub(crate) fn with(limits: Limits, live: Option<Arc<dyn LiveCollector>>) -> Self {
        Self::serving(limits, live, Vec::new())
    }

    pub(crate) fn with_others(others: Arc<dyn OtherRoutes>) -> Self {
        Self::serving(Limits::default(), None, vec![others])
    }

    fn serving(limits: Limits, live: Option<Arc<dyn LiveCollector>>, others: Vec<Arc<dyn OtherRoutes>>) -> Self {
        let experiments = Arc::new(Experiments::default());
        experiments.add(source("drawn.whittle"), drawn(DRAWING));
        let analyzer = Analyzer { experiments: Arc::clone(&experiments), live, verification: None, others };
        let server = Server::bind(0, analyzer, limits).unwrap();
        let url = server.url();
        let token = url.split_once("/#token=").unwrap().1.to_owned();
        let (port, stop) = (server.port(), server.stop_handle());
        assert_eq!(url, format!("http://127.0.0.1:{port}/#token={token}"));
        let thread = Some(std::thread::spawn(move || server.run().unwrap()));
        Self { port, token, experiments, stop, thread }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends bytes unchanged, and reads until the server closes the connection.
    pub(crate) fn send(&self, request: &str) -> Reply {
        let mut stream = self.connect();
        // The server may refuse the request and close before it has read everything. So a write error is ignored.
        let _ = stream.write_all(request.as_bytes());
        Reply::read(stream)
    }

    /// A request with these headers and the header that closes the connection.
    pub(crate) fn request(&self, first_line: &str, headers: &[&str]) -> Reply {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        self.send(&format!("{first_line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"))
    }

    pub(crate) fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    pub(crate) fn token(&self) -> String {
        format!("X-Whittle-Token: {}", self.token)
    }

    /// Sends a request like the page's requests.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request(&format!("GET {path}"), &[&self.host(), &self.token(), "Sec-Fetch-Site: same-origin"])
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Reply {
        let (host, token, length) = (self.host(), self.token(), body.len());
        let origin = format!("Origin: http://127.0.0.1:{}", self.port);
        self.send(&format!(
            "POST {path} HTTP/1.1\r\n{host}\r\n{token}\r\n{origin}\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ))
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

pub(crate) fn source(name: &str) -> Source {
    Source { name: name.to_owned(), path: format!("/x/{name}"), live: None, keeps_program: false, sides: None }
}

pub(crate) fn profile(drawing: &str) -> Profile {
    let (manifest, tables) = experiment_from_text(drawing);
    Profile::load(manifest, tables).unwrap()
}

pub(crate) fn drawn(drawing: &str) -> Served {
    Served { profile: Arc::new(profile(drawing)), code: Arc::new(NO_FILES) }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The status line and headers in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Reads until the other side closes.
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // If the server refuses a request, it closes while the client still sends. This resets the connection after the
        // answer, so a read error is ignored.
        let _ = stream.read_to_end(&mut bytes);
        let split = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a response");
        let head = String::from_utf8(bytes[..split].to_vec()).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: bytes[split + 4..].to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}
