//! Tests that slow and silent clients neither keep other clients out nor keep connections open.

use crate::support::loopback::{Loopback, start};
use crate::support::pushed::{EXPORT, OTLP_4_4};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use whittle_push::{Access, AllowedServices, ConnectionLimits, PushOptions, PushToken};

const PROFILES: &str = "/v1development/profiles";
const BEARER: (&str, &str) = ("authorization", "Bearer s3cret");

/// How long a test waits for an event that must happen much earlier.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client of HTTP/2 that sends only the start of its connection: the preface, and empty settings.
const HTTP2_START: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

fn with_token() -> PushOptions {
    let token = PushToken { secret: "s3cret".to_owned(), labels: BTreeMap::new(), services: AllowedServices::All };
    PushOptions { access: Access::Tokens(vec![token]), ..PushOptions::default() }
}

fn few_strangers(stranger_patience: Duration) -> PushOptions {
    let connections = ConnectionLimits { strangers: 16, strangers_per_address: 16, stranger_patience, known: 4 };
    PushOptions { connections, ..with_token() }
}

/// Connects and sends these bytes.
fn connect(loopback: &Loopback, start: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(loopback.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(start).unwrap();
    stream
}

/// Whether the server closes the connection soon.
fn is_closed(stream: &mut TcpStream) -> bool {
    let mut bytes = [0; 1024];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}

/// What slow clients send before they fall silent.
const STARTS: [&[u8]; 4] = [b"", b"P", b"POST /ingest HTTP/1.1\r\nhost: x\r\nauthoriz", HTTP2_START];

#[test]
fn silent_connections_do_not_keep_an_honest_client_out() {
    let (_folder, loopback) = start(few_strangers(Duration::from_secs(60)));
    let mut silent: Vec<TcpStream> = (0..80).map(|number| connect(&loopback, STARTS[number % 4])).collect();
    for _ in 0..5 {
        assert_eq!(loopback.post(PROFILES, &[BEARER], OTLP_4_4).status, 200);
        assert_eq!(loopback.call(EXPORT, &[BEARER], OTLP_4_4).grpc_status(), "0");
    }
    // The oldest strangers lost their places. The newest strangers still have theirs.
    assert!(silent[..60].iter_mut().all(is_closed));
    silent[79].set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(!is_closed(&mut silent[79]));
}

#[test]
fn a_client_without_a_token_is_disconnected_in_time() {
    let (_folder, loopback) = start(few_strangers(Duration::from_millis(300)));
    for start in STARTS {
        assert!(is_closed(&mut connect(&loopback, start)), "{start:?}");
    }
    // Requests with a wrong token do not extend the time.
    let began = Instant::now();
    let mut stream = connect(&loopback, b"");
    while began.elapsed() < PATIENCE {
        let request = format!("POST {PROFILES} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer wrong\r\n\r\n");
        if stream.write_all(request.as_bytes()).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the connection is still open");
}

/// The time limit applies to the whole header. Each single byte arrives in time.
#[test]
fn a_header_that_drips_is_cut_off() {
    let (_folder, loopback) = start(few_strangers(Duration::from_millis(300)));
    let began = Instant::now();
    let mut stream = connect(&loopback, b"POST /ingest HTTP/1.1\r\nx: ");
    while began.elapsed() < PATIENCE {
        if stream.write_all(b"x").is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the connection is still open");
}

#[test]
fn a_known_client_keeps_its_connection() {
    let (_folder, loopback) = start(few_strangers(Duration::from_millis(200)));
    let mut stream = connect(&loopback, b"");
    for _ in 0..3 {
        let head = format!("POST {PROFILES} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nauthorization: Bearer s3cret");
        stream.write_all(format!("{head}\r\n\r\n").as_bytes()).unwrap();
        let mut answer = [0; 1024];
        let length = stream.read(&mut answer).unwrap();
        assert!(answer[..length].starts_with(b"HTTP/1.1 200"), "{:?}", String::from_utf8_lossy(&answer[..length]));
        std::thread::sleep(Duration::from_millis(400));
    }
    // More known connections than places: the connection that was unused for the longest time is closed.
    let kept: Vec<TcpStream> = (0..4).map(|_| known(&loopback)).collect();
    assert!(is_closed(&mut stream));
    drop(kept);
}

/// An open connection with a valid access token.
fn known(loopback: &Loopback) -> TcpStream {
    let head =
        format!("POST {PROFILES} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nauthorization: Bearer s3cret\r\n\r\n");
    let mut stream = connect(loopback, head.as_bytes());
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    stream
}

#[test]
fn a_refused_token_ends_the_connection() {
    let (_folder, loopback) = start(with_token());
    let refused = loopback.post(PROFILES, &[("authorization", "Bearer wrong")], OTLP_4_4);
    assert_eq!((refused.status.as_u16(), refused.header("connection")), (401, "close"));
}

/// The rate of a body is checked, not only the time of single pieces.
#[test]
fn a_body_that_drips_is_refused() {
    let options =
        PushOptions { body_bytes_per_second: 100_000, body_grace: Duration::from_millis(200), ..with_token() };
    let (_folder, loopback) = start(options);
    let head =
        format!("POST {PROFILES} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n{}: {}\r\n\r\n", BEARER.0, BEARER.1);
    let mut stream = connect(&loopback, head.as_bytes());
    let mut writer = stream.try_clone().unwrap();
    let dripping = std::thread::spawn(move || {
        while writer.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
    drop(stream.shutdown(std::net::Shutdown::Both));
    dripping.join().unwrap();
}

/// A body that has one piece and never ends.
struct Stalled(Option<Bytes>);

impl Body for Stalled {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.take().map_or(Poll::Pending, |piece| Poll::Ready(Some(Ok(Frame::data(piece)))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[test]
fn a_grpc_message_that_does_not_end_is_refused() {
    let (_folder, loopback) = start(PushOptions { body_grace: Duration::from_millis(200), ..with_token() });
    let began = Instant::now();
    let answer = loopback.call_with(EXPORT, &[BEARER], Stalled(Some(Bytes::from_static(b"\0\0\0\x10\0"))));
    assert_eq!((answer.grpc_status(), began.elapsed() < Duration::from_secs(20)), ("4", true));
}
