//! Third-party servers that tests start: their files, their processes, and a minimal HTTP client that checks whether
//! servers are ready.
//!
//! `scripts/test-servers.sh` fetches the servers. A server ends with its [`ServerProcess`], also when the test panics.
//! When the test's process is killed, the server ends because its standard input is closed
//! (`java/test-servers/TestServer.java`).

use crate::not_run;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};
use tempfile::TempDir;

/// Time between two checks of a server that is starting.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Time limit of one HTTP response. Machines that run tests are slow while they also build.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// The number of attempts to start a server, if other programs take its port.
const PORT_TRIES: usize = 3;

/// If a server does not start, the message contains this many lines of its log.
const LOG_LINES: usize = 60;

/// The folder of the fetched servers. If the folder is missing, the test is reported as not run.
pub(crate) fn servers_folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/test-servers");
    // Absolute and without links, because servers run in their own folders.
    let folder = folder.canonicalize().ok().filter(|folder| folder.join("fetched").exists());
    if folder.is_none() {
        not_run("needs the servers that scripts/test-servers.sh fetches");
    }
    folder
}

/// A server's temporary folder. If this process cannot remove the folder, the server's launcher removes it.
pub(crate) fn server_folder() -> TempDir {
    tempfile::Builder::new().prefix("whittle-test-server-").tempdir().expect("temporary folders can be made")
}

/// `java OPTIONS… TestServer`, with the jars in the folder `jars` of the fetched servers.
pub(crate) fn java_command(java: &Path, options: &[String], jars: &Path) -> Command {
    let launcher = jars.with_file_name("launcher").join("launcher.jar");
    let mut command = Command::new(java);
    command.args(options).arg("-cp").arg(format!("{}:{}/*", launcher.display(), jars.display()));
    command.arg("TestServer");
    command
}

/// A running server process. It is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    child: Child,
    /// The file with the process's output.
    log: PathBuf,
}

impl ServerProcess {
    /// Starts `command`, which writes to the file `log`.
    ///
    /// # Panics
    /// The process cannot be started.
    pub(crate) fn start(mut command: Command, log: PathBuf) -> Self {
        let out = fs::File::create(&log).expect("the test's folder can be written");
        let err = out.try_clone().expect("a file can be opened twice");
        let child = command.stdin(Stdio::piped()).stdout(out).stderr(err).spawn();
        let child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self { child, log }
    }

    /// True if the process has not ended.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The end of the process's output.
    pub(crate) fn log_end(&self) -> String {
        let text = fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why a server did not start.
pub(crate) enum StartError {
    /// Another program has taken the server's port.
    PortTaken,
    /// Another error, with the log.
    Failed(String),
}

/// Starts a server on a free port.
///
/// # Panics
/// The server does not start. The message contains its log.
pub(crate) fn start_on_free_port<T>(start: impl Fn(u16) -> Result<T, StartError>) -> T {
    for _ in 0..PORT_TRIES {
        match start(free_port()) {
            Ok(started) => return started,
            Err(StartError::PortTaken) => {}
            Err(StartError::Failed(reason)) => panic!("{reason}"),
        }
    }
    panic!("no port stayed free for a server");
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("the loopback interface has free ports");
    listener.local_addr().expect("a listener has an address").port()
}

/// Waits until `is_ready` returns true. All `processes` must continue to run.
///
/// # Errors
/// A process ended, or the time `limit` has passed.
pub(crate) fn wait_until_ready(
    processes: &mut [ServerProcess],
    limit: Duration,
    is_ready: impl Fn() -> bool,
) -> Result<(), StartError> {
    let start = Instant::now();
    while !is_ready() {
        if let Some(ended) = processes.iter_mut().find_map(|process| (!process.is_running()).then_some(process)) {
            return Err(ended_early(&ended.log_end()));
        }
        if start.elapsed() > limit {
            let logs: Vec<String> = processes.iter().map(ServerProcess::log_end).collect();
            let seconds = limit.as_secs();
            return Err(StartError::Failed(format!("not ready after {seconds} s:\n{}", logs.join("\n\n"))));
        }
        thread::sleep(LOOK_INTERVAL);
    }
    Ok(())
}

fn ended_early(log: &str) -> StartError {
    if log.contains("Address already in use") || log.contains("Failed to bind") {
        return StartError::PortTaken;
    }
    StartError::Failed(format!("the server ended while starting:\n{log}"))
}

/// Sends a request, and returns the status and body of the response. With HTTP/1.0, the body ends with the connection.
///
/// # Errors
/// There is no response, or the response is not HTTP.
pub(crate) fn http(port: u16, request: &str, body: &str) -> Result<(u16, String), String> {
    let text = |error: std::io::Error| format!("127.0.0.1:{port}: {error}");
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, ANSWER_TIMEOUT).map_err(text)?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).map_err(text)?;
    let length = body.len();
    let head = format!("{request}\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes()).map_err(text)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(text)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("the response is not HTTP")?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or("no status in the response")?;
    Ok((status, body.to_owned()))
}
