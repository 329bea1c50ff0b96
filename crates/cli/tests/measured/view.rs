//! `whittle view`: the real program, queried over its socket, and live collections of real JVMs.

use crate::support::{Running, SLOW, Workspace, signal, stderr, whittle_command};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};
use std::time::{Duration, Instant};
use whittle_testkit::any_jdk;

/// A collection has its first rows after 5 s, or later on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running `whittle view`.
struct Analyzer {
    child: Child,
    messages: Option<ChildStderr>,
    port: String,
    token: String,
}

impl Analyzer {
    fn start(directory: &Path, arguments: &[&str]) -> Self {
        let arguments: Vec<&str> = ["view"].iter().chain(arguments).copied().collect();
        let mut command = whittle_command(&arguments);
        let mut child = command.current_dir(directory).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let (start, token) = url.trim_end().split_once("/#token=").unwrap_or_else(|| panic!("an address: {url:?}"));
        let port = start.strip_prefix("http://127.0.0.1:").unwrap().to_owned();
        Self { messages: child.stderr.take(), child, port, token: token.to_owned() }
    }

    /// Sends a request. Returns the status and the body of the response.
    fn exchange(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).unwrap();
        let (port, token, length) = (&self.port, &self.token, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Whittle-Token: {token}\r\nConnection: close\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap_or(Value::Null))
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.exchange("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let (status, reply) = self.exchange("POST", path, &body.to_string());
        assert_eq!(status, 200, "{path} {body}: {reply}");
        reply
    }

    fn wait_for(&self, what: &str, is_reached: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let collection = self.get("/api/live/status")["collections"][0].clone();
            if is_reached(&collection) {
                return collection;
            }
            assert!(Instant::now() < deadline, "waited for {what}: {collection}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Interrupts the analyzer, as Ctrl-C does. Returns its exit status and its messages.
    fn interrupt(mut self) -> (Option<i32>, String) {
        signal(&self.child.id().to_string(), "INT");
        let mut text = String::new();
        self.messages.take().unwrap().read_to_string(&mut text).unwrap();
        (self.child.wait().unwrap().code(), text)
    }
}

impl Drop for Analyzer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn has_state(state: &'static str) -> impl Fn(&Value) -> bool {
    move |collection| collection["state"] == state
}

fn collected(workspace: &Workspace, name: &str) {
    let Some(jdk) = any_jdk() else { return };
    workspace.collect_launched(&["-q", "-o", name, "--events", "cpu"], &jdk, &[SLOW, "--seconds", "3"]);
}

#[test]
fn the_analyzers_numbers_are_the_command_lines() {
    if any_jdk().is_none() {
        return;
    }
    let workspace = Workspace::new();
    collected(&workspace, "a.whittle");
    let analyzer = Analyzer::start(&workspace.path(""), &["a.whittle", "a.whittle", "--no-open"]);
    let listed = analyzer.get("/api/experiments");
    assert_eq!((&listed[0]["name"], &listed[1]["state"]), (&json!("a.whittle"), &json!("complete")));
    for view in ["overview", "functions", "threads", "lines", "stacks"] {
        let printed: Value =
            serde_json::from_str(&workspace.text(&[view, "a.whittle", "--json", "--limit", "7"])).unwrap();
        let answer = analyzer.post("/api/answer?experiment=1", &json!({"view": view, "limit": 7}));
        assert_eq!(answer, printed, "{view}");
    }
    let (code, text) = analyzer.interrupt();
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("error"), "{text}");
}

#[test]
fn a_running_jvm_is_picked_watched_and_kept() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "120"]);
    let pid = program.0.id();
    let analyzer = Analyzer::start(&workspace.path(""), &["--no-open"]);
    assert_eq!(analyzer.get("/api/experiments"), json!([]));

    let listed = analyzer.get("/api/live/processes");
    let processes = listed["processes"].as_array().unwrap();
    let found = processes.iter().find(|process| process["process_id"] == pid).unwrap();
    assert_eq!((&found["name"], &found["kind"], &found["obstacle"]), (&json!(SLOW), &json!("jvm"), &Value::Null));
    assert!(found["jdk"].as_str().unwrap().starts_with(&jdk.version.to_string()), "{found}");

    let order = json!({"process_id": pid, "interval_ms": 5, "events": "cpu", "name": "mine", "comment": "-x; rm"});
    assert_eq!(analyzer.post("/api/live/start", &order)["state"], "starting");
    let (status, again) = analyzer.exchange("POST", "/api/live/start", &order.to_string());
    assert_eq!((status, &again["error"]["kind"]), (409, &json!("live")));

    // The experiment grows, and can be queried while it grows.
    let first = analyzer.wait_for("the first rows", has_state("running"));
    let samples = first["sample_count"].as_u64().unwrap();
    assert!(samples > 100, "{first}");
    let experiment = format!("/api/answer?experiment={}", first["experiment"]);
    let functions = analyzer.post(&experiment, &json!({"view": "functions", "limit": 5}));
    assert_eq!(functions["rows"].as_array().unwrap().len(), 5);
    let grown = analyzer.wait_for("more rows", |now| now["sample_count"].as_u64().unwrap() > samples);
    assert!(grown["revision"].as_u64() > first["revision"].as_u64(), "{grown}");
    assert_eq!(analyzer.get("/api/experiments")[0]["state"], "incomplete");

    assert_eq!(analyzer.post("/api/live/stop", &json!({"id": 1}))["state"], "stopping");
    let done = analyzer.wait_for("the end", has_state("complete"));
    assert_eq!(done["error"], Value::Null, "{done}");
    assert!(done["sample_count"].as_u64() >= grown["sample_count"].as_u64(), "{done}");
    assert!(program.is_alive());
    let overview = workspace.json(&["overview", "mine.whittle"]);
    assert_eq!(overview["state"], "complete");
    assert_eq!(workspace.manifest("mine.whittle")["comment"], "-x; rm");
    let answer = analyzer.post(&experiment, &json!({"view": "functions"}));
    assert_eq!(answer["rows"], workspace.json(&["functions", "mine.whittle"])["rows"]);
    assert_eq!(analyzer.interrupt().0, Some(0));
}

#[test]
fn what_cannot_be_collected_is_refused_or_fails_with_its_reason() {
    let workspace = Workspace::new();
    let analyzer = Analyzer::start(&workspace.path(""), &["--no-open"]);
    let own = std::process::id();
    std::fs::create_dir(workspace.path("taken.whittle")).unwrap();
    for (order, expected) in [
        (json!({"process_id": u32::MAX}), 400),
        (json!({"process_id": analyzer.child.id()}), 400),
        (json!({"process_id": own, "interval_ms": 0}), 400),
        (json!({"process_id": own, "events": "no-such-event"}), 400),
        (json!({"process_id": own, "events": "cpu --force"}), 400),
        (json!({"process_id": own, "duration_s": 0}), 400),
        (json!({"process_id": own, "name": "../out"}), 400),
        (json!({"process_id": own, "name": "-f"}), 400),
        (json!({"process_id": own, "name": "taken"}), 409),
    ] {
        let (status, reply) = analyzer.exchange("POST", "/api/live/start", &order.to_string());
        assert_eq!(status, expected, "{order}: {reply}");
        assert!(reply["error"]["message"].is_string(), "{order}");
    }
    assert_eq!(analyzer.get("/api/live/status"), json!({"collections": []}));

    // `whittle collect` can refuse this request. The collected program continues.
    let mut sleeper = Running::plain({
        let mut command = std::process::Command::new("sleep");
        command.arg("60");
        command
    });
    let order = json!({"process_id": sleeper.0.id(), "events": "alloc", "name": "fails"});
    analyzer.post("/api/live/start", &order);
    let over = analyzer.wait_for("the end", |now| now["state"] == "failed" || now["state"] == "running");
    if over["state"] == "failed" {
        assert!(over["error"].as_str().is_some_and(|why| !why.is_empty()), "{over}");
    }
    assert!(sleeper.is_alive());
}

#[test]
fn the_end_of_the_analyzer_ends_its_collections() {
    let Some(jdk) = any_jdk() else { return };
    for name in ["INT", "KILL"] {
        let workspace = Workspace::new();
        let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "120"]);
        let mut analyzer = Analyzer::start(&workspace.path(""), &["--no-open"]);
        let order = json!({"process_id": program.0.id(), "name": "mine", "events": "cpu"});
        analyzer.post("/api/live/start", &order);
        analyzer.wait_for("the first rows", has_state("running"));
        signal(&analyzer.child.id().to_string(), name);
        let exit = analyzer.child.wait().unwrap();
        assert_eq!(exit.code(), (name == "INT").then_some(0), "SIG{name}");
        // After SIGKILL, the kernel closes the collector's input. Then the collector ends automatically.
        let deadline = Instant::now() + PATIENCE;
        while workspace.manifest("mine.whittle")["state"] != "complete" {
            assert!(name == "KILL" && Instant::now() < deadline, "SIG{name}");
            std::thread::sleep(Duration::from_millis(100));
        }
        assert!(program.is_alive());
        // Nothing of whittle remains in the program, so the next collection starts normally.
        workspace.text(&["collect", "-q", "-p", &program.pid(), "-d", "1s", "-o", "b.whittle"]);
    }
}

#[test]
fn what_is_no_experiment_is_refused_with_the_way_to_one() {
    let workspace = Workspace::new();
    std::fs::write(workspace.path("a.jfr"), "x").unwrap();
    let output = workspace.whittle(&["view", "a.jfr", "--no-open"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("whittle import a.jfr -o a.whittle && whittle view a.whittle"), "{text}");
    let output = workspace.whittle(&["view", "--live-directory", "nowhere", "--no-open"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no such directory"), "{}", stderr(&output));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = workspace.whittle(&["view", "--port", &port, "--no-open"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("choose another port with --port"), "{}", stderr(&output));
}
