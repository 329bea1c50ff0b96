//! Attacks on the analyzer's server, tried over a real socket.

use crate::support::{Reply, TestServer};
use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::time::{Duration, Instant};
use whittle_server::Limits;

const IMPATIENT: Limits = Limits { body_bytes: 1 << 20, patience: Duration::from_millis(300), connections: 64 };

/// All paths that need the token, with their method.
const API: [(&str, &str); 8] = [
    ("GET", "/api/experiments"),
    ("POST", "/api/answer?experiment=0"),
    ("GET", "/api/others"),
    ("GET", "/api/live/processes"),
    ("GET", "/api/live/status"),
    ("POST", "/api/live/start"),
    ("POST", "/api/live/stop"),
    ("GET", "/api/no-such-thing"),
];

fn assert_refused(reply: &Reply, status: u16, what: &str) {
    assert_eq!(reply.status, status, "{what}: {reply:?}");
    assert!(reply.json()["error"]["message"].is_string(), "{what}: {reply:?}");
    assert!(!reply.text().contains("samples"), "{what}: {reply:?}");
}

#[test]
fn only_the_loopback_interface_is_listened_on() {
    let server = TestServer::start();
    let port = format!(":{:04X}", server.port);
    let mut own = Vec::new();
    for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        let text = std::fs::read_to_string(table).unwrap_or_default();
        // Fields of proc_net_tcp(5): number, local address, remote address, state; 0A: listening.
        let listening = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let listening = listening.filter(|fields| fields.get(3) == Some(&"0A") && fields[1].ends_with(&port));
        own.extend(listening.map(|fields| fields[1].trim_end_matches(&port).to_owned()));
    }
    assert!(!own.is_empty());
    for address in own {
        assert!(["0100007F", "00000000000000000000000001000000"].contains(&address.as_str()), "{address}");
    }
}

#[test]
fn the_machines_other_addresses_do_not_answer() {
    let server = TestServer::start();
    // Connecting a datagram socket sends nothing. It only chooses the local address that would be used.
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let address = socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr());
    let Ok(address) = address else { return whittle_testkit::not_run("needs a network interface besides loopback") };
    assert!(TcpStream::connect_timeout(&(address.ip(), server.port).into(), Duration::from_secs(2)).is_err());
}

#[test]
fn without_the_token_the_api_says_nothing() {
    let server = TestServer::start();
    let wrong = format!("X-Whittle-Token: {}", "0".repeat(32));
    let cut = format!("X-Whittle-Token: {}", &server.token[..31]);
    let long = format!("{}0", server.token());
    let capitals = format!("X-Whittle-Token: {}X", server.token.to_uppercase());
    for (method, path) in API {
        let line = format!("{method} {path}");
        assert_refused(&server.request(&line, &[&server.host()]), 401, &line);
        for token in [&wrong, &cut, &long, &capitals, "X-Whittle-Token:"] {
            assert_refused(&server.request(&line, &[&server.host(), token]), 401, token);
        }
        let twice = server.request(&line, &[&server.host(), &server.token(), &wrong]);
        assert_refused(&twice, 401, "two tokens");
    }
    let in_address = format!("GET /api/experiments?token={}", server.token);
    assert_refused(&server.request(&in_address, &[&server.host()]), 401, "token in the address");
    let cookie = format!("Cookie: X-Whittle-Token={}", server.token);
    assert_refused(&server.request("GET /api/experiments", &[&server.host(), &cookie]), 401, "token in a cookie");
}

#[test]
fn the_page_has_no_secret() {
    let server = TestServer::start();
    let page = server.request("GET /", &[&server.host()]);
    assert_eq!(page.status, 200);
    assert!(!page.text().contains(&server.token));
    assert!(!page.head.contains(&server.token));
}

/// Tests DNS rebinding. A page of evil.example changes the address of this name to 127.0.0.1. Then the page's own
/// requests reach the analyzer.
#[test]
fn other_host_names_are_refused_even_with_the_token() {
    let server = TestServer::start();
    let port = server.port;
    let hosts = [
        format!("evil.example:{port}"),
        "evil.example".to_owned(),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost:{port}.evil.example"),
        format!("evil.example@127.0.0.1:{port}"),
        format!("0.0.0.0:{port}"),
        format!("127.1:{port}"),
        format!("localhost.:{port}"),
        String::new(),
    ];
    for host in hosts {
        for path in ["/", "/api/experiments"] {
            let reply = server.request(&format!("GET {path}"), &[&format!("Host: {host}"), &server.token()]);
            assert_refused(&reply, 403, &host);
        }
    }
    let evil = format!("Host: evil.example:{port}");
    assert_refused(&server.request("GET /", &[&server.host(), &evil]), 403, "two hosts");
    assert_refused(&server.request("GET /", &[&evil, &server.host()]), 403, "two hosts");
    assert_refused(&server.request("GET /", &[]), 403, "no host");
    let proxied = format!("GET http://evil.example:{port}/");
    assert_refused(&server.request(&proxied, &[&server.host()]), 403, "a proxy's request");
    assert_refused(&server.send("GET /api/experiments HTTP/1.0\r\n\r\n"), 403, "HTTP/1.0");
}

#[test]
fn our_own_names_are_answered() {
    let server = TestServer::start();
    for host in ["127.0.0.1", "localhost", "LocalHost", "[::1]"] {
        let host = format!("Host: {host}:{}", server.port);
        assert_eq!(server.request("GET /", &[&host]).status, 200, "{host}");
        assert_eq!(server.request("GET /api/experiments", &[&host, &server.token()]).status, 200, "{host}");
    }
}

/// Requests from another page in the same browser are refused, even if the page knows the token.
#[test]
fn requests_of_other_sites_are_refused() {
    let server = TestServer::start();
    let other_port = format!("Origin: http://127.0.0.1:{}", server.port ^ 1);
    let with_tls = format!("Origin: https://127.0.0.1:{}", server.port);
    let joined = format!("Origin: http://127.0.0.1:{0}, http://127.0.0.1:{0}", server.port);
    let headers = [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin:",
        &other_port,
        &with_tls,
        &joined,
        "Sec-Fetch-Site: cross-site",
        // The page comes from another server on this machine.
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: no-such-word",
    ];
    for header in headers {
        for (method, path) in API {
            let line = format!("{method} {path}");
            let reply = server.request(&line, &[&server.host(), &server.token(), header]);
            assert_refused(&reply, 403, header);
        }
        assert_refused(&server.request("GET /", &[&server.host(), header]), 403, header);
    }
}

/// Another page can link to the analyzer. Another page cannot load the analyzer in a frame, a script element or a form.
#[test]
fn another_site_may_link_to_the_page_and_no_more() {
    let server = TestServer::start();
    let host = server.host();
    let fetched = |line: &str, mode: &str, destination: &str| {
        let (mode, destination) = (format!("Sec-Fetch-Mode: {mode}"), format!("Sec-Fetch-Dest: {destination}"));
        server.request(line, &[&host, &server.token(), "Sec-Fetch-Site: cross-site", &mode, &destination]).status
    };
    assert_eq!(fetched("GET /", "navigate", "document"), 200);
    assert_eq!(fetched("GET /", "navigate", "iframe"), 403);
    assert_eq!(fetched("GET /", "no-cors", "script"), 403);
    assert_eq!(fetched("POST /", "navigate", "document"), 403);
    assert_eq!(fetched("GET /api/experiments", "navigate", "document"), 403);
}

#[test]
fn no_other_origin_is_ever_allowed_to_read() {
    let server = TestServer::start();
    let preflight = ["Origin: http://evil.example", "Access-Control-Request-Method: POST"];
    let refused = server.request("OPTIONS /api/answer", &[&server.host(), preflight[0], preflight[1]]);
    assert_eq!(refused.status, 403);
    let own = server.request("OPTIONS /api/answer", &[&server.host()]);
    assert_refused(&own, 405, "OPTIONS");
    assert_eq!(own.header("allow"), Some("get, post"));
    for reply in [refused, own, server.get("/"), server.get("/api/experiments")] {
        assert!(!reply.head.contains("access-control"), "{}", reply.head);
    }
}

#[test]
fn every_response_protects_itself() {
    let server = TestServer::start();
    let replies = [
        server.get("/"),
        server.get("/api/experiments"),
        server.post("/api/answer", r#"{"view":"functions"}"#),
        server.get("/nothing"),
        server.request("GET /", &["Host: evil.example"]),
    ];
    for reply in &replies {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{}", reply.head);
        }
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe-"), "{policy}");
        assert!(!policy.contains('*'), "{policy}");
        assert_eq!(reply.header("server"), None, "the server does not name itself");
    }
    let policy = replies[0].header("content-security-policy").unwrap();
    assert!(policy.contains("connect-src 'self'"), "{policy}");
}

#[test]
fn no_path_leads_out() {
    let server = TestServer::start();
    let secret = "/../../../../../../../../../../etc/passwd";
    let encoded = "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd";
    let paths = [
        secret,
        encoded,
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/%252e%252e/etc/passwd",
        "/etc/passwd",
        "//etc/passwd",
        "/./",
        "/index.html",
        "/analyzer.html",
        "/api/../api/experiments",
        "/API/experiments",
        "/api/experiments/",
        "/api%2fexperiments",
        "/..\\..\\etc\\passwd",
        "/%00",
    ];
    for path in paths {
        let reply = server.get(path);
        assert!([400, 404].contains(&reply.status), "{path}: {reply:?}");
        assert!(!String::from_utf8_lossy(&reply.body).contains("root:"), "{path}");
    }
}

#[test]
fn only_get_and_post_are_answered() {
    let server = TestServer::start();
    for method in ["HEAD", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "CONNECT", "PROPFIND"] {
        let reply = server.request(&format!("{method} /"), &[&server.host()]);
        // CONNECT has no path, so this request fails earlier.
        assert!([405, 403, 400].contains(&reply.status), "{method}: {reply:?}");
    }
    assert_eq!(server.get("/api/answer").status, 404);
    assert_eq!(server.post("/api/experiments", "").status, 404);
    assert_eq!(server.post("/", "").status, 404);
}

#[test]
fn a_long_body_is_refused_however_its_length_is_told() {
    let server = TestServer::start();
    let long = format!("{{\"view\":\"{}\"}}", "x".repeat(2 << 20));
    assert_refused(&server.post("/api/answer", &long), 413, "a stated length");
    let (host, token) = (server.host(), server.token());
    let head = format!("POST /api/answer HTTP/1.1\r\n{host}\r\n{token}\r\nTransfer-Encoding: chunked\r\n\r\n");
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, "x".repeat(1 << 16));
    for _ in 0..64 {
        if stream.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    let claims = format!("POST /api/answer HTTP/1.1\r\n{host}\r\n{token}\r\nContent-Length: 99999999999\r\n\r\n");
    let mut stream = server.connect();
    stream.write_all(claims.as_bytes()).unwrap();
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
}

#[test]
fn a_client_that_sends_slowly_is_dropped() {
    let server = TestServer::with(IMPATIENT, None);
    let started = Instant::now();
    let mut stream = server.connect();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
    let body = format!(
        "POST /api/answer HTTP/1.1\r\n{}\r\n{}\r\nContent-Length: 100\r\n\r\n{{",
        server.host(),
        server.token()
    );
    assert_refused(&server.send(&body), 408, "half a body");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

/// A client requests the page again and again and never reads. If data does not fit into the kernel's buffers, the
/// server must not keep this data in memory for ever.
#[test]
fn a_client_that_does_not_read_is_dropped() {
    let server = TestServer::with(IMPATIENT, None);
    let mut stream = server.connect();
    stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
    let request = format!("GET / HTTP/1.1\r\n{}\r\n\r\n", server.host());
    let asked = (0..20_000).take_while(|_| stream.write_all(request.as_bytes()).is_ok()).count();
    std::thread::sleep(Duration::from_millis(1500));
    let mut answered = Vec::new();
    let _ = stream.read_to_end(&mut answered);
    let answers = answered.windows(12).filter(|window| window == b"HTTP/1.1 200").count();
    assert!(answers < asked, "all of {asked} were answered");
    assert_eq!(server.get("/").status, 200, "others are served");
}

#[test]
fn silent_connections_do_not_keep_others_out_for_long() {
    let server = TestServer::with(Limits { connections: 4, ..IMPATIENT }, None);
    let silent: Vec<TcpStream> = (0..12).map(|_| server.connect()).collect();
    assert_eq!(server.get("/").status, 200);
    drop(silent);
}

#[test]
fn nonsense_gets_an_error_or_nothing_and_hurts_nobody() {
    let server = TestServer::start();
    for bytes in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "\x16\x03\x01\x02\0\x01",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(bytes.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        assert!(!reply.starts_with(b"HTTP/1.1 200"), "{bytes:?}");
    }
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn tokens_differ_from_server_to_server() {
    let (one, other) = (TestServer::start(), TestServer::start());
    assert_ne!(one.token, other.token);
    assert_eq!(one.token.len(), 32);
    let foreign = other.request("GET /api/experiments", &[&other.host(), &one.token()]);
    assert_refused(&foreign, 401, "another server's token");
}
