//! Measures a server, which does not end by itself, under a load.
//!
//! ```text
//! start ── until its address answers ──> load: start … end ──> SIGTERM ──> end
//!                                        └ CPU time and elapsed time ┘
//! ```
//!
//! CPU time is that of the server and of all processes that it started and that still run. The load's own CPU time is not measured.

use crate::measured_run::{MeasuredRun, OutputFiles};
use crate::options::Stop;
use crate::process::Process;
use crate::running::other_processes;
use crate::server_address::ServerAddress;
use crate::thread_times::{USER_TICK_NS, split};
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use whittle_experiment::create_private_file;

/// How often whittle looks whether the server answers, and whether the load has ended.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);
/// A server that needs longer has a problem.
const READY_PATIENCE: Duration = Duration::from_secs(180);
/// A server that gets SIGTERM finishes its requests. After this time it is killed.
const END_PATIENCE: Duration = Duration::from_secs(30);

/// When a server is ready, and what it then does.
#[derive(Debug, Clone)]
pub struct ServerLoad {
    /// The server is ready when this address answers.
    pub ready: ServerAddress,
    /// A command line for the shell. The server works while it runs.
    pub command: OsString,
}

/// Runs a server until its load has ended. The output of the load follows the output of the server. The first request to stop ends
/// both.
///
/// # Errors
/// Another program answers at the address, the server does not become ready, or a program cannot be started.
pub fn run_server_into(
    mut command: Command,
    load: &ServerLoad,
    files: &OutputFiles,
    stop: &Stop,
) -> io::Result<MeasuredRun> {
    if load.ready.answers() {
        let message = format!("{} already answers, so another program uses this address", load.ready);
        return Err(io::Error::other(message));
    }
    command.stdout(create_private_file(&files.stdout)?).stderr(create_private_file(&files.stderr)?);
    let mut server = Group::start(command)?;
    let mut begin = Instant::now();
    if !await_ready(&mut server, load, stop)? {
        return stopped(files, begin.elapsed());
    }
    begin = Instant::now();
    let before = server.cpu();
    let ended = run_load(&mut server, load, files, stop)?;
    let (elapsed, after) = (begin.elapsed(), server.cpu());
    let peak_rss_bytes = Process(server.child.id()).status().ok().and_then(|status| status.peak_resident_bytes);
    server.end(END_PATIENCE)?;
    let Some(ended) = ended else { return stopped(files, elapsed) };
    let (user_cpu_ns, system_cpu_ns) = after.since(before);
    Ok(MeasuredRun {
        exit_code: ended.code(),
        user_cpu_ns,
        system_cpu_ns,
        peak_rss_bytes: peak_rss_bytes.unwrap_or(0),
        ..stopped(files, elapsed)?
    })
}

/// The run if it was stopped: only its output and its elapsed time are known.
fn stopped(files: &OutputFiles, elapsed: Duration) -> io::Result<MeasuredRun> {
    let of_load = load_files(files);
    Ok(MeasuredRun {
        exit_code: None,
        stdout: texts(&[&files.stdout, &of_load.stdout])?,
        stderr: texts(&[&files.stderr, &of_load.stderr])?,
        elapsed_ns: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
        user_cpu_ns: 0,
        system_cpu_ns: 0,
        peak_rss_bytes: 0,
        mean_rss_bytes: None,
    })
}

fn texts(paths: &[&PathBuf]) -> io::Result<String> {
    let mut text = String::new();
    for path in paths.iter().filter(|path| path.exists()) {
        text += &String::from_utf8_lossy(&fs::read(path)?);
    }
    Ok(text)
}

/// The files of the load's output, beside those of the server.
fn load_files(files: &OutputFiles) -> OutputFiles {
    OutputFiles {
        stdout: files.stdout.with_file_name("load-stdout"),
        stderr: files.stderr.with_file_name("load-stderr"),
    }
}

/// Waits until the server answers. False: it was stopped before.
fn await_ready(server: &mut Group, load: &ServerLoad, stop: &Stop) -> io::Result<bool> {
    let begin = Instant::now();
    while !load.ready.answers() {
        if !stop.take().is_empty() {
            return Ok(false);
        }
        if let Some(status) = server.child.try_wait()? {
            return Err(io::Error::other(format!("the server ended ({status}) before {} answered", load.ready)));
        }
        if begin.elapsed() > READY_PATIENCE {
            let seconds = READY_PATIENCE.as_secs();
            return Err(io::Error::other(format!("{} did not answer within {seconds} s", load.ready)));
        }
        thread::sleep(LOOK_INTERVAL);
    }
    Ok(true)
}

/// Runs the load until it or the server ends. `None`: it was stopped.
fn run_load(server: &mut Group, load: &ServerLoad, files: &OutputFiles, stop: &Stop) -> io::Result<Option<ExitStatus>> {
    let files = load_files(files);
    let mut command = Command::new("sh");
    command.arg("-c").arg(&load.command);
    command.stdout(create_private_file(&files.stdout)?).stderr(create_private_file(&files.stderr)?);
    let mut running = Group::start(command)?;
    loop {
        if let Some(status) = running.child.try_wait()? {
            return Ok(Some(status));
        }
        if let Some(status) = server.child.try_wait()? {
            return Err(io::Error::other(format!("the server ended ({status}) before its load")));
        }
        if !stop.take().is_empty() {
            return Ok(None);
        }
        thread::sleep(LOOK_INTERVAL);
    }
}

/// A program with its own process group, which a signal from the terminal does not reach. It ends when the value is dropped.
struct Group {
    child: Child,
    is_ended: bool,
}

impl Group {
    fn start(mut command: Command) -> io::Result<Self> {
        Ok(Self { child: command.stdin(Stdio::null()).process_group(0).spawn()?, is_ended: false })
    }

    /// The program, and the processes that it started.
    fn members(&self) -> Vec<Process> {
        let first = Process(self.child.id());
        let started = other_processes().filter(|process| process.is_descendant_of(first));
        std::iter::once(first).chain(started).collect()
    }

    fn signal(&self, signal: Signal) {
        // The group may have ended.
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }

    /// Asks the program to end, and kills it if it does not. A shell can end before the program that it started.
    fn end(&mut self, patience: Duration) -> io::Result<()> {
        if std::mem::replace(&mut self.is_ended, true) {
            return Ok(());
        }
        let (begin, members) = (Instant::now(), self.members());
        self.signal(Signal::TERM);
        while self.child.try_wait()?.is_none() || members.iter().any(|process| process.is_alive()) {
            if begin.elapsed() > patience {
                self.signal(Signal::KILL);
            }
            thread::sleep(LOOK_INTERVAL);
        }
        Ok(())
    }

    fn cpu(&self) -> Cpu {
        self.members().into_iter().fold(Cpu::default(), Cpu::add)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // If the program has ended, there is nothing to end.
        let _ = self.end(Duration::ZERO);
    }
}

/// CPU time of several processes so far.
#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    exact_ns: u64,
    user_ticks: u64,
    system_ticks: u64,
}

impl Cpu {
    fn add(self, process: Process) -> Self {
        let stat = process.stat().unwrap_or_default();
        Self {
            exact_ns: self.exact_ns + process.cpu_ns().unwrap_or(0),
            user_ticks: self.user_ticks + stat.user_ticks,
            system_ticks: self.system_ticks + stat.system_ticks,
        }
    }

    /// The time in user mode and in the kernel since an earlier moment, in nanoseconds.
    fn since(self, earlier: Self) -> (u64, u64) {
        let cpu_ns = self.exact_ns.saturating_sub(earlier.exact_ns);
        let ticks = |now: u64, then: u64| now.saturating_sub(then) * USER_TICK_NS;
        let (user, system) =
            (ticks(self.user_ticks, earlier.user_ticks), ticks(self.system_ticks, earlier.system_ticks));
        split(cpu_ns, user, system).unwrap_or((cpu_ns, 0))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    /// Runs a server that python starts below a shell.
    fn run(server: &str, load: &str, ready: &ServerAddress) -> io::Result<MeasuredRun> {
        let folder = tempfile::tempdir().unwrap();
        let files = OutputFiles { stdout: folder.path().join("stdout"), stderr: folder.path().join("stderr") };
        let mut command = Command::new("sh");
        command.args(["-c", server]);
        let load = ServerLoad { ready: ready.clone(), command: load.into() };
        run_server_into(command, &load, &files, &Stop::default())
    }

    fn free_address() -> ServerAddress {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("tcp://{}", listener.local_addr().unwrap()).parse().unwrap()
    }

    fn python(address: &ServerAddress) -> String {
        let port = address.to_string().rsplit(':').next().unwrap().to_owned();
        format!("echo starts; python3 -u -m http.server --bind 127.0.0.1 {port}; echo never")
    }

    #[test]
    fn a_server_is_measured_while_its_load_runs() {
        let address = free_address();
        let run = run(&python(&address), "sleep 0.2; echo 7 requests", &address).unwrap();
        assert_eq!(run.exit_code, Some(0));
        assert!(run.stdout.starts_with("starts\n") && run.stdout.ends_with("7 requests\n"), "{}", run.stdout);
        assert!(run.elapsed_ns >= 200_000_000 && run.elapsed_ns < 20_000_000_000);
        assert!(!address.answers(), "the server has ended");
    }

    #[test]
    fn failures_say_what_happened() {
        let address = free_address();
        assert_eq!(run(&python(&address), "echo no >&2; exit 3", &address).unwrap().exit_code, Some(3));
        let error = run("exit 4", "true", &address).unwrap_err().to_string();
        assert!(error.starts_with("the server ended (exit status: 4) before tcp://127.0.0.1:"), "{error}");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let taken = format!("tcp://{}", listener.local_addr().unwrap()).parse().unwrap();
        let error = run("true", "true", &taken).unwrap_err().to_string();
        assert!(error.ends_with("already answers, so another program uses this address"), "{error}");
    }
}
