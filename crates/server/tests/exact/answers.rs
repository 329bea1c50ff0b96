//! The answers of the server over HTTP are equal to the answers of the engine.

use crate::support::{DRAWING, NO_FILES, Reply, TestServer, drawn, profile, source};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use whittle_engine::{Answer, answer};
use whittle_server::{
    Limits, LiveCollection, LiveCollector, LiveError, LiveProcesses, LiveState, OtherError, OtherRequest, OtherRoutes,
    Served, StartRequest, WantedProcesses,
};
use whittle_views::source::{CodeSource, Disassembly, JavaClass, NativeCode, SourceText};

fn engines_json(request: &str) -> Value {
    match answer(&profile(DRAWING), request, &NO_FILES).unwrap() {
        Answer::Json(json) => serde_json::from_str(&json).unwrap(),
        Answer::Binary(_) => panic!("{request} is answered in bytes"),
    }
}

#[test]
fn answers_are_the_engines() {
    let server = TestServer::start();
    for request in [
        r#"{"view":"overview"}"#,
        r#"{"view":"functions","mode":"machine","limit":2,"skip":1}"#,
        r#"{"view":"callers-callees","fragment":["write"]}"#,
        r#"{"view":"experiment"}"#,
    ] {
        let reply = server.post("/api/answer?experiment=0", request);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")), "{request}");
        assert_eq!(reply.json(), engines_json(request), "{request}");
    }
    let first = server.post("/api/answer", r#"{"view":"functions"}"#);
    assert_eq!(first.json()["rows"][0]["function"], "write");
}

#[test]
fn the_engines_errors_come_through_with_kind_and_position() {
    let server = TestServer::start();
    let reply = server.post("/api/answer", r#"{"view":"functions","filter":"thread ="}"#);
    assert_eq!(reply.status, 400);
    let error = &reply.json()["error"];
    assert_eq!((&error["kind"], &error["position"]), (&json!("filter"), &json!(8)), "{error}");
    for wrong in ["", "{", "[]", r#"{"view":"no-such-view"}"#, r#"{"view":"functions","no-such-key":1}"#] {
        let reply = server.post("/api/answer", wrong);
        assert_eq!(reply.status, 400, "{wrong}");
        assert_eq!(reply.json()["error"]["kind"], "request", "{wrong}: {}", reply.text());
    }
}

#[test]
fn experiments_have_numbers() {
    let server = TestServer::start();
    let number = server.experiments.add(source("other.whittle"), drawn("\n    alone\n"));
    assert_eq!(number, 1);
    let rows = |query: &str| server.post(&format!("/api/answer{query}"), r#"{"view":"functions"}"#).json();
    assert_eq!(rows("?experiment=1")["rows"][0]["function"], "alone");
    assert_eq!(rows("?experiment=0")["rows"][0]["function"], "write");
    let listed = server.get("/api/experiments").json();
    assert_eq!(
        listed[1],
        json!({"experiment": 1, "name": "other.whittle", "path": "/x/other.whittle", "state": "complete", "revision": 0,
               "live": null, "keeps_program": false, "sides": null})
    );
    for (query, status) in [("?experiment=2", 404), ("?experiment=-1", 400), ("?experiment=", 400), ("?x=1", 400)] {
        let reply = server.post(&format!("/api/answer{query}"), r#"{"view":"functions"}"#);
        assert_eq!(reply.status, status, "{query}");
    }
}

#[test]
fn a_growing_experiment_is_replaced_under_its_number() {
    let server = TestServer::start();
    assert_eq!(server.experiments.replace(0, drawn("\n    later\n")), Some(1));
    let reply = server.post("/api/answer", r#"{"view":"functions"}"#);
    assert_eq!(reply.json()["rows"][0]["function"], "later");
    assert_eq!(server.get("/api/experiments").json()[0]["revision"], 1);
    assert_eq!(server.experiments.replace(7, drawn("\n    x\n")), None);
}

#[test]
fn names_from_profiles_are_data() {
    let server = TestServer::start();
    server.experiments.replace(0, drawn("\n    <img/src=x/onerror=alert(1)>\n"));
    let reply = server.post("/api/answer", r#"{"view":"functions"}"#);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.json()["rows"][0]["function"], "<img/src=x/onerror=alert(1)>");
}

/// Many clients send requests at once, and each gets its own answer.
#[test]
fn many_clients_ask_at_once() {
    let server = TestServer::start();
    server.experiments.add(source("other.whittle"), drawn("\n    alone\n"));
    std::thread::scope(|scope| {
        for client in 0..16 {
            let server = &server;
            scope.spawn(move || {
                for _ in 0..10 {
                    let reply =
                        server.post(&format!("/api/answer?experiment={}", client % 2), r#"{"view":"functions"}"#);
                    let expected = ["write", "alone"][client % 2];
                    assert_eq!(reply.json()["rows"][0]["function"], expected);
                }
            });
        }
    });
}

#[test]
fn without_a_collector_live_collection_is_said_to_be_missing() {
    let server = TestServer::start();
    let reply = server.get("/api/live/status");
    assert_eq!((reply.status, &reply.json()["error"]["kind"]), (503, &json!("live")));
}

/// A live collector that remembers its requests.
#[derive(Default)]
struct FakeCollector {
    started: AtomicU32,
}

impl FakeCollector {
    fn collection(&self, state: LiveState) -> LiveCollection {
        LiveCollection {
            id: 1,
            process_id: self.started.load(Ordering::SeqCst),
            name: "app.Main".to_owned(),
            path: "/x/live.whittle".to_owned(),
            state,
            elapsed_ns: 1,
            sample_count: 0,
            closure_ratio: None,
            experiment: None,
            revision: 0,
            error: None,
            log: Vec::new(),
        }
    }
}

impl LiveCollector for FakeCollector {
    fn processes(&self, wanted: WantedProcesses) -> LiveProcesses {
        LiveProcesses { processes: Vec::new(), directory: format!("{wanted:?}") }
    }

    fn start(&self, request: StartRequest) -> Result<LiveCollection, LiveError> {
        match self.started.swap(request.process_id, Ordering::SeqCst) {
            0 => Ok(self.collection(LiveState::Starting)),
            _ => Err(LiveError::Conflict("process 7 is being collected already".to_owned())),
        }
    }

    fn collections(&self) -> Vec<LiveCollection> {
        vec![self.collection(LiveState::Running)]
    }

    fn stop(&self, id: u32) -> Result<LiveCollection, LiveError> {
        if id == 1 { Ok(self.collection(LiveState::Stopping)) } else { Err(LiveError::Unknown(id)) }
    }
}

#[test]
fn live_requests_reach_the_collector() {
    let server = TestServer::with(Limits::default(), Some(Arc::new(FakeCollector::default())));
    assert_eq!(server.get("/api/live/processes").json(), json!({"processes": [], "directory": "Jvms"}));
    assert_eq!(server.get("/api/live/processes?all=1").json()["directory"], "All");
    let started = server.post("/api/live/start", r#"{"process_id":7,"interval_ms":5}"#);
    assert_eq!((started.status, &started.json()["state"]), (200, &json!("starting")));
    let again = server.post("/api/live/start", r#"{"process_id":7}"#);
    assert_eq!((again.status, &again.json()["error"]["kind"]), (409, &json!("live")));
    assert_eq!(server.get("/api/live/status").json()["collections"][0]["state"], "running");
    assert_eq!(server.post("/api/live/stop", r#"{"id":1}"#).json()["state"], "stopping");
    assert_eq!(server.post("/api/live/stop", r#"{"id":2}"#).status, 404);
    for wrong in ["", "{}", r#"{"process_id":-1}"#, r#"{"process_id":7,"command":["sh"]}"#] {
        assert_eq!(server.post("/api/live/start", wrong).status, 400, "{wrong}");
    }
    assert_eq!(server.get("/api/live/start").status, 404);
}

/// Further routes that answer with the request.
struct Echo;

impl OtherRoutes for Echo {
    fn prefix(&self) -> &'static str {
        "/api/echo/"
    }

    fn answer(&self, request: OtherRequest<'_>) -> Result<String, OtherError> {
        Ok(json!([request.path, request.query]).to_string())
    }
}

#[test]
fn the_page_is_told_what_else_it_may_ask() {
    assert_eq!(TestServer::start().get("/api/others").json(), json!([]));
    let server = TestServer::with_others(Arc::new(Echo));
    assert_eq!(server.get("/api/others").json(), json!(["/api/echo/"]));
    assert_eq!(server.get("/api/echo/a?b=c").json(), json!(["a", "b=c"]));
}

/// Within this time, the server queues a request or notices a closed connection, even on a busy machine.
const PAUSE: Duration = Duration::from_secs(1);

/// A code source that searches until the test releases it.
#[derive(Default)]
struct SlowCode {
    asked: AtomicU32,
    is_free: Mutex<bool>,
    freed: Condvar,
}

impl CodeSource for SlowCode {
    fn java_source(&self, _: &JavaClass<'_>) -> Result<SourceText, String> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        drop(self.freed.wait_while(self.is_free.lock().unwrap(), |is_free| !*is_free).unwrap());
        Err("not found".to_owned())
    }

    fn class_file(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn native_source(&self, _: &str) -> Result<SourceText, String> {
        Err("not found".to_owned())
    }

    fn machine_code(&self, _: &NativeCode<'_>) -> Result<Disassembly, String> {
        Err("not found".to_owned())
    }
}

impl SlowCode {
    fn wait_until_asked(&self, count: usize) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.asked.load(Ordering::SeqCst) as usize != count {
            assert!(Instant::now() < deadline, "asked {} times, not {count}", self.asked.load(Ordering::SeqCst));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// If a page cancels requests, the server does not start requests that still wait for a CPU.
#[test]
fn a_request_whose_client_has_gone_is_not_answered() {
    let server = TestServer::start();
    let code = Arc::new(SlowCode::default());
    let served = Served { profile: Arc::new(profile("\n    app.Main.run()\n")), code: Arc::clone(&code) as _ };
    server.experiments.replace(0, served);
    let body = r#"{"view":"source","name":"app.Main.run()"}"#;
    let (host, token, length) = (server.host(), server.token(), body.len());
    let ask = || {
        let mut stream = server.connect();
        write!(stream, "POST /api/answer HTTP/1.1\r\n{host}\r\n{token}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
            .unwrap();
        stream
    };
    let cpus = std::thread::available_parallelism().unwrap().get();
    let busy: Vec<TcpStream> = (0..cpus).map(|_| ask()).collect();
    code.wait_until_asked(cpus);
    let gone: Vec<TcpStream> = (0..5).map(|_| ask()).collect();
    // The server still answers requests that need no engine. After the pause, the five requests are in the queue.
    assert_eq!(server.get("/api/experiments").status, 200);
    std::thread::sleep(PAUSE);
    drop(gone);
    std::thread::sleep(PAUSE);
    *code.is_free.lock().unwrap() = true;
    code.freed.notify_all();
    assert!(busy.into_iter().map(Reply::read).all(|reply| reply.status == 200));
    assert_eq!(Reply::read(ask()).status, 200);
    assert_eq!(code.asked.load(Ordering::SeqCst) as usize, cpus + 1);
}
