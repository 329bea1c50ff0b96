//! Measures how much memory a piece of code needs at most. The code runs in a process of its own, because tests of one
//! process run at the same time.

use std::path::Path;
use std::process::{Command, Stdio};

/// Set in the child process: the folder that the parent prepared.
const FOLDER_VARIABLE: &str = "WHITTLE_TEST_FOLDER";

/// Address space of the child in KiB. If the tested code has no limit, the child fails before the machine does.
const MAX_ADDRESS_KIB: u64 = 12 << 20;

/// Runs `work` in a child process and returns the child's peak memory in bytes. `test` is the calling test's path in its
/// binary, such as `bombs::rows`. First, `prepare` writes files to a new folder in this process. `work` reads them.
///
/// # Panics
/// `work` panics, or the child cannot be started.
pub fn peak_memory_of(test: &str, prepare: impl FnOnce(&Path), work: impl FnOnce(&Path)) -> u64 {
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE) {
        work(Path::new(&folder));
        report_peak();
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    prepare(folder.path());
    let limited = format!("ulimit -v {MAX_ADDRESS_KIB}; exec \"$@\"");
    let child = Command::new("sh")
        .args(["-c", &limited, "sh"])
        .arg(std::env::current_exe().expect("the test's binary"))
        .args([test, "--exact", "--nocapture"])
        .env(FOLDER_VARIABLE, folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("sh can be started");
    let output = String::from_utf8_lossy(&child.stdout);
    let peak = output.lines().find_map(|line| line.split_once("peak memory: ")?.1.parse().ok());
    let errors = String::from_utf8_lossy(&child.stderr);
    peak.unwrap_or_else(|| panic!("{test} failed in its own process ({}):\n{output}{errors}", child.status))
}

/// Prints the peak memory of this process, and ends it.
#[allow(clippy::print_stdout, reason = "the parent process reads the output")]
fn report_peak() -> ! {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc is mounted");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    let peak_kib: u64 = peak.expect("the kernel reports the peak memory");
    println!("\npeak memory: {}", peak_kib * 1024);
    std::process::exit(0);
}
