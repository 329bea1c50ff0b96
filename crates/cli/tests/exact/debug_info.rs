//! `whittle debug-info` asks exactly the servers that the user names, for exactly the binaries of the experiment.

use crate::support::{Workspace, stderr, whittle_command};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Output;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

const PROFILE: &[u8] = include_bytes!("../../../import/tests/fixtures/foreign/perf-cpu-clock.data");

/// A debuginfod server that has a file for each build id with this start.
struct Server {
    address: String,
    paths: Receiver<String>,
}

impl Server {
    fn start(has: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (asked, paths) = channel();
        let has = format!("/buildid/{has}");
        thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let head = BufReader::new(connection.try_clone().unwrap()).lines();
                let lines: Vec<String> = head.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                let path = lines[0].split(' ').nth(1).unwrap().to_owned();
                let (status, body) = if path.starts_with(&has) { ("200 OK", "debug") } else { ("404 Not Found", "") };
                let length = body.len();
                write!(connection, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
                    .unwrap();
                if asked.send(path).is_err() {
                    return;
                }
            }
        });
        Self { address, paths }
    }

    fn asked(&self) -> Vec<String> {
        self.paths.try_iter().collect()
    }
}

fn experiment() -> Workspace {
    let workspace = Workspace::new();
    fs::write(workspace.path("perf.data"), PROFILE).unwrap();
    workspace.text(&["import", "perf.data", "-o", "perf.whittle"]);
    workspace
}

fn debug_info(workspace: &Workspace, options: &[&str]) -> Output {
    let words = [&["debug-info", "perf.whittle"], options].concat();
    let mut command = whittle_command(&words);
    command.env("DEBUGINFOD_CACHE_PATH", workspace.path("cache")).env_remove("DEBUGINFOD_URLS");
    command.current_dir(workspace.path("")).output().unwrap()
}

#[test]
fn each_binary_is_asked_for_once_and_what_a_server_has_is_kept() {
    let workspace = experiment();
    let server = Server::start("");
    let first = debug_info(&workspace, &["--server", &server.address]);
    assert!(first.status.success(), "{}", stderr(&first));
    let text = String::from_utf8(first.stdout).unwrap();
    let asked = server.asked();
    let downloaded: Vec<&str> = text.lines().filter(|line| line.contains(": downloaded")).collect();
    assert!(!asked.is_empty() && asked.len() == downloaded.len(), "{asked:?} {text}");
    for (path, line) in asked.iter().zip(&downloaded) {
        let build_id = path.strip_prefix("/buildid/").and_then(|rest| rest.strip_suffix("/debuginfo")).unwrap();
        assert!(line.contains(build_id), "{line} {path}");
        let kept = workspace.path("cache").join(build_id).join("debuginfo");
        assert_eq!(fs::read_to_string(kept).unwrap(), "debug");
    }
    let again = debug_info(&workspace, &["--server", &server.address]);
    assert!(again.status.success(), "{}", stderr(&again));
    assert_eq!(server.asked(), [""; 0], "files in the cache are not asked for again");
}

#[test]
fn the_next_server_is_asked_and_what_none_has_is_told() {
    let workspace = experiment();
    let (without, also_without) = (Server::start("none"), Server::start("none"));
    // As in the variable of the distributions.
    let both = format!("ima:enforcing {} {} ", without.address, also_without.address);
    let output = debug_info(&workspace, &["--server", &both]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let told = text.lines().filter(|line| line.ends_with(": not on these servers")).count();
    assert!(told > 0 && told == without.asked().len() && told == also_without.asked().len(), "{text}");
}

#[test]
fn without_a_server_nothing_is_asked() {
    let workspace = experiment();
    let none = debug_info(&workspace, &[]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("--server <URL>"), "{}", stderr(&none));
    // A server that does not answer is an error, not "not on these servers".
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreachable = debug_info(&workspace, &["--server", &format!("http://{closed}")]);
    assert_eq!(unreachable.status.code(), Some(1));
    assert!(stderr(&unreachable).contains("could not be downloaded"), "{}", stderr(&unreachable));
}
