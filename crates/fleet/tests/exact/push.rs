//! Pushes real profiles to a receiver. The tests build the requests.

use crate::support::loopback::{self, Loopback, landed, start};
use crate::support::pushed::{EXPORT, OTLP_4_4, OTLP_4_6, cpu_ns, field, messages, of_resource};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use whittle_experiment::Segment;
use whittle_push::{Access, AllowedServices, PushOptions, PushToken, Rate};

const JFR: &[u8] = include_bytes!("../../../import/tests/fixtures/async-profiler-ctimer-jdk17.jfr");
const GO_CPU: &[u8] = include_bytes!("../../../import/tests/fixtures/foreign/go-cpu.pb.gz");

const INGEST: &str = "/ingest?name=shop%7Bversion%3D1.2%2Chostname%3Dweb-1%2Cregion%3Deu%7D&units=samples&from=1795251041&\
    until=1795251051&spyName=javaspy&sampleRate=100&format=jfr";

fn open_to_anyone() -> PushOptions {
    PushOptions { access: Access::Anyone, ..PushOptions::default() }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A form with parts, and its content type.
fn form(boundary: &str, parts: &[(&str, &[u8])]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, bytes) in parts {
        let head =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

fn labels(segment: &Segment) -> String {
    segment.manifest.labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

#[test]
fn a_recording_of_the_java_agent_becomes_a_segment() {
    let (folder, loopback) = start(open_to_anyone());
    let contexts = field(1, b"\x08\x01");
    let (content_type, body) = form("b-1", &[("jfr", &gzip(JFR)), ("labels", &gzip(&contexts))]);
    let answer = loopback.post(INGEST, &[("content-type", &content_type)], &body);
    assert_eq!((answer.status.as_u16(), answer.body.len()), (200, 0));
    let landed = landed(folder.path());
    let (path, segment) = &landed[0];
    assert!(path.starts_with("segments/shop/2026-11-21/1795251041"), "{path}");
    assert_eq!(labels(segment), "host=web-1,region=eu,service=shop,version=1.2");
    assert_eq!(cpu_ns(segment), 94 * 10_000_000, "94 samples at 100 Hz");
    assert_eq!(
        segment.manifest.not_counted,
        ["labels of 1 contexts were dropped, because samples of experiments have no labels"]
    );
    assert_eq!(segment.manifest.duration_ns / 1_000_000, 1_048);
    assert_eq!(landed.len(), 1);
    let plain = loopback.post(&INGEST.replace("shop", "other"), &[], JFR);
    assert_eq!(plain.status, 200);
    assert_eq!(loopback::landed(folder.path()).len(), 2);
}

#[test]
fn a_push_that_is_sent_again_is_one_segment() {
    let (folder, loopback) = start(open_to_anyone());
    for boundary in ["b-1", "b-2"] {
        let (content_type, body) = form(boundary, &[("jfr", &gzip(JFR))]);
        assert_eq!(loopback.post(INGEST, &[("content-type", &content_type)], &body).status, 200);
    }
    let counts = loopback.receiver.counts();
    assert_eq!((counts.accepted, counts.repeated, counts.segments), (2, 1, 1));
    // Another receiver does not remember the push, so it writes the same object again.
    let other = Loopback::start(folder.path(), open_to_anyone());
    assert_eq!(other.post(INGEST, &[], &gzip(JFR)).status, 200);
    assert_eq!(other.receiver.counts().segments, 1);
    let landed = landed(folder.path());
    assert_eq!(landed.len(), 1, "{landed:?}");
}

#[test]
fn profiles_of_pprof() {
    let (folder, loopback) = start(open_to_anyone());
    let path = "/ingest?name=api%7Bhost%3Da%7D&from=1795251041&until=1795251051&format=pprof";
    assert_eq!(loopback.post(path, &[], GO_CPU).status, 200);
    let config = br#"{"cpu": {"units": "samples", "sampled": true}}"#;
    let (content_type, body) = form("x", &[("profile", GO_CPU), ("sample_type_config", config)]);
    assert_eq!(loopback.post(&path.replace("api", "worker"), &[("content-type", &content_type)], &body).status, 200);
    let landed = landed(folder.path());
    let services: Vec<_> = landed.iter().map(|(_, segment)| segment.manifest.label("service")).collect();
    assert_eq!(services, ["api", "worker"]);
    assert!(landed.iter().all(|(_, segment)| cpu_ns(segment) == 150_000_000));
}

#[test]
fn sums_since_the_start_of_a_program_are_refused() {
    let (folder, loopback) = start(open_to_anyone());
    let (content_type, body) = form("x", &[("profile", GO_CPU), ("prev_profile", GO_CPU)]);
    let answer = loopback.post("/ingest?name=api&format=pprof", &[("content-type", &content_type)], &body);
    assert_eq!(answer.status, 415);
    assert!(String::from_utf8(answer.body).unwrap().contains("push differences"));
    assert!(landed(folder.path()).is_empty());
}

#[test]
fn the_newer_service_of_pyroscope() {
    let (folder, loopback) = start(open_to_anyone());
    let label = |name: &str, value: &str| field(1, &[field(1, name.as_bytes()), field(2, value.as_bytes())].concat());
    let sample = field(2, &field(1, GO_CPU));
    let series =
        [label("__name__", "process_cpu"), label("service_name", "api"), label("pod", "api-7"), sample].concat();
    let request = field(1, &series);
    let path = "/push.v1.PusherService/Push";
    let plain = loopback.post(path, &[("content-type", "application/proto")], &request);
    assert_eq!((plain.status.as_u16(), plain.header("content-type")), (200, "application/proto"));
    let called = loopback.call(path, &[], &request);
    assert_eq!((called.status.as_u16(), called.grpc_status(), called.body.as_slice()), (200, "0", &b"\0\0\0\0\0"[..]));
    let landed = landed(folder.path());
    assert_eq!(landed.len(), 1, "the same profile both times");
    assert_eq!(labels(&landed[0].1), "host=api-7,pod=api-7,service=api");
    let refused = loopback.post(path, &[("content-type", "application/json")], b"{}");
    assert_eq!((refused.status.as_u16(), refused.header("content-type")), (415, "application/json"));
}

#[test]
fn both_layouts_of_opentelemetry_over_http_and_grpc() {
    let of =
        |profiles, host| of_resource(profiles, &[("service.name", "shop"), ("host.name", host), ("process.pid", "7")]);
    let (folder, loopback) = start(open_to_anyone());
    let protobuf = ("content-type", "application/x-protobuf");
    let answer = loopback.post("/v1development/profiles", &[protobuf], &of(OTLP_4_4, "a"));
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/x-protobuf"));
    assert!(answer.body.is_empty(), "nothing is left out: {:?}", answer.body);
    let packed = gzip(&of(OTLP_4_6, "b"));
    let answer = loopback.post("/v1development/profiles", &[protobuf, ("content-encoding", "gzip")], &packed);
    assert_eq!(answer.status, 200);
    let answer = loopback.call(EXPORT, &[], &of(OTLP_4_4, "c"));
    assert_eq!((answer.grpc_status(), answer.body.as_slice()), ("0", &b"\0\0\0\0\0"[..]));
    let answer = loopback.call(EXPORT, &[("grpc-encoding", "gzip")], &gzip(&of(OTLP_4_6, "d")));
    assert_eq!(answer.grpc_status(), "0");
    let landed = landed(folder.path());
    let mut of_host: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, segment) in &landed {
        *of_host.entry(segment.manifest.label("host")).or_default() += cpu_ns(segment);
    }
    let expected = [("a", 471_349_516), ("b", 851_637_332), ("c", 471_349_516), ("d", 851_637_332)];
    assert_eq!(of_host, BTreeMap::from(expected));
    assert!(landed.iter().all(|(_, segment)| segment.manifest.label("service") == "shop"));
    assert!(landed.iter().all(|(_, segment)| !segment.manifest.labels.contains_key("process.pid")));
}

#[test]
fn services_of_one_request_become_segments_of_their_own() {
    let (folder, loopback) = start(open_to_anyone());
    // The first message contains the tables that all messages use.
    let mut request = Vec::new();
    for (service, host) in [("shop", "a"), ("shop", "b"), ("api", "a")] {
        let whole = of_resource(OTLP_4_6, &[("service.name", service), ("host.name", host)]);
        request.extend(if request.is_empty() { whole } else { only_resources(&whole) });
    }
    assert_eq!(loopback.post("/v1development/profiles", &[], &request).status, 200);
    let landed = landed(folder.path());
    let mut sets: Vec<String> = landed.iter().map(|(_, segment)| labels(segment)).collect();
    sets.sort();
    assert_eq!(sets, ["host=a,service=api", "host=a,service=shop", "host=b,service=shop"]);
    assert!(landed.iter().all(|(_, segment)| cpu_ns(segment) == 851_637_332));
}

/// The request without the dictionary.
fn only_resources(request: &[u8]) -> Vec<u8> {
    messages(request).filter(|(number, _)| *number == 1).flat_map(|(number, message)| field(number, message)).collect()
}

#[test]
fn what_nobody_says_comes_from_the_token_and_the_address() {
    let token = PushToken {
        secret: "s3cret".to_owned(),
        labels: BTreeMap::from([("service".to_owned(), "legacy".to_owned()), ("region".to_owned(), "eu".to_owned())]),
        services: AllowedServices::All,
    };
    let (folder, loopback) = start(PushOptions { access: Access::Tokens(vec![token]), ..PushOptions::default() });
    let bearer = ("authorization", "Bearer s3cret");
    assert_eq!(loopback.post("/v1development/profiles?version=7", &[bearer], OTLP_4_6).status, 200);
    assert_eq!(labels(&landed(folder.path())[0].1), "host=127.0.0.1,region=eu,service=legacy,version=7");
}

#[test]
fn without_a_token_nothing_is_taken() {
    let token = PushToken { secret: "s3cret".to_owned(), labels: BTreeMap::new(), services: AllowedServices::All };
    let (folder, loopback) = start(PushOptions { access: Access::Tokens(vec![token]), ..PushOptions::default() });
    let refused = loopback.post(INGEST, &[], JFR);
    assert_eq!((refused.status.as_u16(), refused.header("www-authenticate").is_empty()), (401, false));
    assert_eq!(loopback.post(INGEST, &[("authorization", "Bearer wrong")], JFR).status, 401);
    assert_eq!(loopback.call(EXPORT, &[], OTLP_4_6).grpc_status(), "16");
    // The header of the Java agent with PYROSCOPE_BASIC_AUTH_PASSWORD: anybody:s3cret.
    let basic = ("authorization", "Basic YW55Ym9keTpzM2NyZXQ=");
    assert_eq!(loopback.post(INGEST, &[basic], JFR).status, 200);
    assert_eq!(landed(folder.path()).len(), 1);
    assert_eq!(loopback.receiver.counts().refused, 3);
}

#[test]
fn other_paths_and_methods_are_refused() {
    let (_folder, loopback) = start(open_to_anyone());
    assert_eq!(loopback.post("/v1/traces", &[], b"x").status, 404);
    assert_eq!(loopback.send(("GET", "/ingest"), &[], b"").status, 405);
    assert_eq!(loopback.post("/ingest?name=a&format=tree", &[], b"x").status, 415);
    assert_eq!(loopback.post("/v1development/profiles", &[("content-type", "application/json")], b"{}").status, 415);
    assert_eq!(loopback.post("/v1development/profiles", &[("content-encoding", "zstd")], b"x").status, 415);
    assert_eq!(loopback.post("/v1development/profiles", &[], b"nothing").status, 400);
    assert_eq!(loopback.post("/v1development/profiles", &[], b"").status, 200, "a request without profiles");
    assert_eq!(loopback.call(EXPORT, &[], b"nothing").grpc_status(), "3");
    assert_eq!(loopback.call(EXPORT, &[("grpc-encoding", "zstd")], b"x").grpc_status(), "12");
    assert_eq!(loopback.post(INGEST, &[], b"nothing").status, 400);
}

#[test]
fn long_bodies_and_bombs_are_refused() {
    let options = PushOptions { packed_bytes: 200_000, unpacked_bytes: 1_000_000, ..open_to_anyone() };
    let (folder, loopback) = start(options);
    assert_eq!(loopback.post(INGEST, &[], &vec![7; 200_001]).status, 413);
    let bomb = gzip(&vec![0; 100_000_000]);
    assert!(bomb.len() < 200_000);
    let start = Instant::now();
    assert_eq!(loopback.post(INGEST, &[], &bomb).status, 413);
    let (content_type, body) = form("x", &[("jfr", &bomb)]);
    assert_eq!(loopback.post(INGEST, &[("content-type", &content_type)], &body).status, 413);
    assert_eq!(loopback.post("/v1development/profiles", &[], &bomb).status, 413);
    let answer = loopback.call(EXPORT, &[("grpc-encoding", "gzip")], &bomb);
    assert_eq!((answer.grpc_status(), answer.header("grpc-status-details-bin").contains("UmV0cnlJbmZv")), ("8", false));
    assert!(start.elapsed() < Duration::from_secs(10), "a bomb is not unpacked to its end");
    assert!(landed(folder.path()).is_empty());
    // The header of this request has no length.
    let mut stream = TcpStream::connect(loopback.address).unwrap();
    stream
        .write_all(format!("POST {INGEST} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n").as_bytes())
        .unwrap();
    for _ in 0..30 {
        // The server may have closed the connection before this write.
        let _ = stream.write_all(&[&b"2710\r\n"[..], &[7; 10_000], b"\r\n"].concat());
    }
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn a_body_that_does_not_come_ends_the_request() {
    let (_folder, loopback) = start(PushOptions { patience: Duration::from_millis(200), ..open_to_anyone() });
    let mut stream = TcpStream::connect(loopback.address).unwrap();
    stream
        .write_all(format!("POST {INGEST} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nFLR").as_bytes())
        .unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
}

#[test]
fn too_many_requests_are_told_when_to_come_back() {
    let rate_per_token = Rate { requests_per_second: 0.4, bytes_per_second: 1e9 };
    let (_folder, loopback) = start(PushOptions { rate_per_token, ..open_to_anyone() });
    assert_eq!(loopback.post(INGEST, &[], JFR).status, 200);
    assert_eq!(loopback.post(INGEST, &[], JFR).status, 200);
    let answer = loopback.post(INGEST, &[], JFR);
    assert_eq!(answer.status, 429);
    assert!((1..=3).contains(&answer.header("retry-after").parse::<u32>().unwrap()));
    let answer = loopback.call(EXPORT, &[], OTLP_4_6);
    let has_pause = answer.header("grpc-status-details-bin").len() > 40;
    assert_eq!((answer.status.as_u16(), answer.grpc_status(), has_pause), (200, "8", true));
    assert_eq!(loopback.receiver.counts().deferred, 2);
}

#[test]
fn without_room_for_bodies_senders_are_told_to_come_back() {
    let (folder, loopback) = start(PushOptions { waiting_bytes: 10_000, ..open_to_anyone() });
    let answer = loopback.post(INGEST, &[], JFR);
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "11"));
    assert_eq!(loopback.post("/v1development/profiles", &[], OTLP_4_4).status, 200, "a short one fits");
    assert_eq!(loopback.post("/v1development/profiles", &[], OTLP_4_6).status, 503);
    assert_eq!(loopback.post("/v1development/profiles", &[], OTLP_4_4).status, 200, "memory is released");
    assert_eq!(landed(folder.path()).len(), 1);
}

#[test]
fn nothing_is_acknowledged_while_the_store_is_away() {
    let (folder, loopback) = start(open_to_anyone());
    // A file has the name of the landing's folder, so no user can create an object in this folder.
    std::fs::write(folder.path().join("segments"), "").unwrap();
    let answer = loopback.post(INGEST, &[], JFR);
    assert_eq!((answer.status.as_u16(), answer.header("retry-after").is_empty()), (503, false));
    assert_eq!(loopback.call(EXPORT, &[], OTLP_4_6).grpc_status(), "14");
    std::fs::remove_file(folder.path().join("segments")).unwrap();
    assert_eq!(loopback.post(INGEST, &[], JFR).status, 200);
    assert_eq!(loopback.post(INGEST, &[], JFR).status, 200);
    assert_eq!(landed(folder.path()).len(), 1);
    let counts = loopback.receiver.counts();
    assert_eq!((counts.deferred, counts.accepted, counts.repeated), (2, 2, 1));
}

#[test]
fn damaged_profiles_never_break_the_receiver() {
    let rates = Rate { requests_per_second: 1e6, bytes_per_second: 1e12 };
    let options = PushOptions { rate_per_token: rates, rate_in_total: rates, ..open_to_anyone() };
    let (folder, loopback) = start(options);
    let go = "/ingest?name=go&format=pprof";
    let mut numbers = whittle_testkit::Seeded::new(7);
    for (path, whole) in [(INGEST, JFR), (go, GO_CPU), ("/v1development/profiles", OTLP_4_4)] {
        for _ in 0..60 {
            let mut bytes = whole.to_vec();
            for _ in 0..3 {
                let at = numbers.bits() as usize % bytes.len();
                bytes[at] = numbers.bits() as u8;
            }
            let status = loopback.post(path, &[], &bytes).status.as_u16();
            assert!([200, 400, 413].contains(&status), "{status} for {path}");
        }
    }
    // Accepted segments can be read.
    assert!(!landed(folder.path()).is_empty());
}
