//! Measures one run of a program from start to end, with its resource use from the kernel. This module collects nothing
//! and needs no engine.
//!
//! ```text
//! start ─────────────────────────────────────────> end ──> wait4: CPU time, peak memory
//!   elapsed: from before the start to the end
//!   /proc/PID/statm every few milliseconds ──> mean memory
//! ```

use crate::options::Stop;
use rustix::process::{Pid, Signal};
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use whittle_experiment::create_private_file;

/// The output and the resource use of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRun {
    /// Exit status. Missing: a signal ended the program.
    pub exit_code: Option<i32>,
    /// Standard output. Bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// Standard error. Bytes that are not UTF-8 are replaced.
    pub stderr: String,
    /// Elapsed time from just before the start until the end, in nanoseconds.
    pub elapsed_ns: u64,
    /// CPU time in the program's code, in nanoseconds. Includes child processes that the program waited for.
    pub user_cpu_ns: u64,
    /// CPU time in the kernel for the program, in nanoseconds.
    pub system_cpu_ns: u64,
    /// Largest resident memory.
    pub peak_rss_bytes: u64,
    /// Mean resident memory, read at equal intervals. Missing: the run was shorter than one interval.
    pub mean_rss_bytes: Option<f64>,
}

/// Time between two readings of the memory. The shortest run of a JVM takes ten times as long. A reading takes about 10
/// µs of CPU time.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// Files for the output of a program.
#[derive(Debug, Clone)]
pub struct OutputFiles {
    /// Standard output.
    pub stdout: PathBuf,
    /// Standard error.
    pub stderr: PathBuf,
}

/// Runs a program without standard input until it ends.
///
/// # Errors
/// The program cannot be started, or waiting for its end fails.
pub fn run_measured(mut command: Command) -> io::Result<MeasuredRun> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let stdout = scope.spawn(|| read_all(stdout));
        let stderr = scope.spawn(|| read_all(stderr));
        let run = follow(start, child.id(), &Stop::default());
        let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
        Ok(MeasuredRun { stdout, stderr, ..run? })
    })
}

/// Runs a program with its output in files, so processes that the program leaves running keep no pipe open. The first
/// request to stop is passed on to the program. The second request kills the program.
///
/// # Errors
/// The errors of [`run_measured`], and errors when the files are created or read.
pub fn run_measured_into(mut command: Command, files: &OutputFiles, stop: &Stop) -> io::Result<MeasuredRun> {
    command.stdin(Stdio::null());
    command.stdout(create_private_file(&files.stdout)?).stderr(create_private_file(&files.stderr)?);
    let start = Instant::now();
    let child = command.spawn()?;
    let run = follow(start, child.id(), stop)?;
    let read = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(MeasuredRun { stdout: read(&files.stdout)?, stderr: read(&files.stderr)?, ..run })
}

/// Waits for the program's end and takes its exit status. The output is added later.
fn follow(start: Instant, pid: u32, stop: &Stop) -> io::Result<MeasuredRun> {
    let has_ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let memory = scope.spawn(|| watch(pid, stop, &has_ended));
        let waited = wait_for_end(pid);
        let elapsed_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        // The process keeps its id until the exit status is taken below.
        has_ended.store(true, Ordering::Relaxed);
        let mean_rss_bytes = memory.join().unwrap_or_default();
        waited?;
        let (exit_code, usage) = bury(pid)?;
        Ok(MeasuredRun {
            exit_code,
            stdout: String::new(),
            stderr: String::new(),
            elapsed_ns,
            user_cpu_ns: time_ns(usage.ru_utime),
            system_cpu_ns: time_ns(usage.ru_stime),
            // Linux reports KiB here.
            peak_rss_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
            mean_rss_bytes,
        })
    })
}

fn read_all(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // If reading fails, `bytes` keeps the output from before the failure.
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads the program's memory until the program ends, and passes on requests to stop. Returns the mean resident memory.
fn watch(pid: u32, stop: &Stop, has_ended: &AtomicBool) -> Option<f64> {
    let (mut sum, mut looks) = (0.0, 0_u32);
    let mut requests_count = 0;
    loop {
        thread::sleep(LOOK_INTERVAL);
        if has_ended.load(Ordering::Relaxed) {
            return (looks > 0).then(|| sum / f64::from(looks));
        }
        for request in stop.take() {
            requests_count += 1;
            let is_impatient = requests_count > 1;
            if is_impatient || !request.is_from_terminal {
                signal(pid, if is_impatient { Signal::KILL.as_raw() } else { request.signal });
            }
        }
        if let Some(bytes) = rss_bytes(pid) {
            sum += bytes;
            looks += 1;
        }
    }
}

fn signal(pid: u32, number: i32) {
    let target = i32::try_from(pid).ok().and_then(Pid::from_raw).zip(Signal::from_named_raw(number));
    if let Some((pid, signal)) = target {
        // The program may have ended since the check.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// The resident memory of the program. Missing: the program has ended.
fn rss_bytes(pid: u32) -> Option<f64> {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: f64 = statm.split(' ').nth(1)?.parse().ok()?;
    (pages > 0.0).then(|| pages * rustix::param::page_size() as f64)
}

/// Waits without taking the exit status, so that the process keeps its id.
fn wait_for_end(pid: u32) -> io::Result<()> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Err(rustix::io::Errno::INTR) => {}
            other => return Ok(other.map(drop)?),
        }
    }
}

/// Takes the exit status and the resource use of a program that has ended.
fn bury(pid: u32) -> io::Result<(Option<i32>, libc::rusage)> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is a valid value of that plain C struct.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live values of the types that wait4 writes.
    let waited = unsafe { libc::wait4(pid as i32, &raw mut status, 0, &raw mut usage) };
    if waited < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)), usage))
}

fn time_ns(time: libc::timeval) -> u64 {
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_usec).unwrap_or(0) * 1000
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    fn shell(script: &str) -> MeasuredRun {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run_measured(command).unwrap()
    }

    #[test]
    fn what_a_program_printed_and_how_it_ended() {
        let run = shell("echo out; echo err >&2; exit 3");
        assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.exit_code), ("out\n", "err\n", Some(3)));
        assert_eq!(shell("kill -9 $$").exit_code, None);
        assert!(run_measured(Command::new("/not/there")).is_err());
    }

    #[test]
    fn more_than_a_pipe_holds_is_read() {
        assert_eq!(shell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2").stderr.len(), 1_000_000);
    }

    fn shell_into(folder: &std::path::Path, script: &str, stop: &Stop) -> MeasuredRun {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let files = OutputFiles { stdout: folder.join("stdout"), stderr: folder.join("stderr") };
        run_measured_into(command, &files, stop).unwrap()
    }

    #[test]
    fn output_in_files_does_not_wait_for_what_was_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let run = shell_into(folder.path(), "echo out; echo err >&2; sleep 5 & exit 3", &Stop::default());
        assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.exit_code), ("out\n", "err\n", Some(3)));
        assert!(run.elapsed_ns < 4_000_000_000);
    }

    #[test]
    fn a_request_to_stop_reaches_the_program_and_the_second_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let stop = Stop::default();
        let request = crate::StopRequest { signal: libc::SIGTERM, is_from_terminal: false };
        stop.request(request);
        assert_eq!(shell_into(folder.path(), "exec sleep 10", &stop).exit_code, None);
        stop.request(request);
        stop.request(request);
        let run = shell_into(folder.path(), "trap '' TERM; while :; do :; done", &stop);
        assert_eq!(run.exit_code, None, "{run:?}");
    }

    #[test]
    fn time_and_memory_are_the_kernels() {
        let run = shell("sleep 0.1; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done");
        let cpu_ns = run.user_cpu_ns + run.system_cpu_ns;
        assert!(run.elapsed_ns >= 100_000_000 && cpu_ns > 0 && cpu_ns < run.elapsed_ns, "{run:?}");
        let mean = run.mean_rss_bytes.unwrap();
        assert!(mean > 100_000.0 && mean <= run.peak_rss_bytes as f64, "{run:?}");
    }
}
