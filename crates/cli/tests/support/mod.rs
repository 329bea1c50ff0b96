//! Runs the real `whittle` on real JVMs.
#![allow(dead_code, clippy::unwrap_used, reason = "test code; each test program uses its part of it")]

pub(crate) mod tables;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use whittle_testkit::{Jdk, native_workload, workloads_class_path};

/// Case 1 of the casebook, one byte per write.
pub(crate) const SLOW: &str = "whittle.workloads.crc.Slow";
/// The same program with one changed line.
pub(crate) const FIXED: &str = "whittle.workloads.crc.Fixed";

/// A folder for one test, removed at its end.
pub(crate) struct Workspace(tempfile::TempDir);

impl Workspace {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn whittle(&self, arguments: &[&str]) -> Output {
        whittle_command(arguments).current_dir(self.0.path()).output().unwrap()
    }

    /// Runs whittle, which must succeed. Returns its standard output.
    pub(crate) fn text(&self, arguments: &[&str]) -> String {
        let output = self.whittle(arguments);
        assert!(output.status.success(), "whittle {arguments:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a view with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json", "--limit", "0"]).collect();
        serde_json::from_str(&self.text(&arguments)).unwrap()
    }

    /// Collects a launched workload, which must succeed. Returns the program's output.
    pub(crate) fn collect_launched(&self, options: &[&str], jdk: &Jdk, program: &[&str]) -> String {
        let java = jdk.java();
        let class_path = workloads_class_path();
        let launch = ["--", java.to_str().unwrap(), "-cp", &class_path];
        let arguments: Vec<&str> = ["collect"].iter().chain(options).chain(&launch).chain(program).copied().collect();
        self.text(&arguments)
    }

    /// Collects a launched workload, which can fail. Returns the output and the exit status.
    pub(crate) fn launch(&self, options: &[&str], jdk: &Jdk, program: &[&str]) -> (String, Option<i32>) {
        let java = jdk.java();
        let class_path = workloads_class_path();
        let launch = ["--", java.to_str().unwrap(), "-cp", &class_path];
        let words: Vec<&str> = ["collect"].iter().chain(options).chain(&launch).chain(program).copied().collect();
        let output = self.whittle(&words);
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output));
        (text, output.status.code())
    }

    /// Collects a launched native workload, which must succeed. Returns the program's output.
    pub(crate) fn collect_native(&self, options: &[&str], program: &str, arguments: &[&str]) -> String {
        let program = native_workload(program);
        let launch = ["--", program.to_str().unwrap()];
        let words: Vec<&str> = ["collect"].iter().chain(options).chain(&launch).chain(arguments).copied().collect();
        self.text(&words)
    }

    pub(crate) fn manifest(&self, experiment: &str) -> Value {
        let text = std::fs::read_to_string(self.path(experiment).join("manifest.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The engine that an experiment names.
    pub(crate) fn engine(&self, experiment: &str) -> String {
        self.manifest(experiment)["collectors"][0]["engine"].as_str().unwrap().to_owned()
    }

    /// The length of the kernel's timer tick in nanoseconds: 4 ms with CONFIG_HZ=250.
    pub(crate) fn tick_ns(&self, experiment: &str) -> f64 {
        1e9 / number(&self.manifest(experiment)["host"]["tick_hz"])
    }

    /// How old an experiment's last exact CPU time of a thread can be, in nanoseconds. With the engine `kernel`, this is
    /// the kernel's tick, because the scheduler updates the time of a thread that executes. Other engines read the times
    /// every 200 ms, and do not see the end of a thread.
    pub(crate) fn cpu_time_resolution_ns(&self, experiment: &str) -> f64 {
        if self.engine(experiment) == "kernel" { self.tick_ns(experiment) } else { 2e8 }
    }
}

/// The tested program. `WHITTLE_TEST_PROGRAM` names another one, to show that a test fails on an older version.
pub(crate) fn whittle_program() -> PathBuf {
    std::env::var_os("WHITTLE_TEST_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_whittle").into(), PathBuf::from)
}

pub(crate) fn whittle_command(arguments: &[&str]) -> Command {
    // If a script runs the tests in the background, SIGINT is ignored, and whittle would continue to ignore this
    // signal.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,HUP").arg(whittle_program());
    command.args(arguments).stdin(Stdio::null());
    command
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running program that ends with the test.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    /// Starts a workload without whittle. Returns when its main class runs.
    pub(crate) fn workload(jdk: &Jdk, jvm_flags: &[&str], program: &[&str]) -> Self {
        let mut command = Command::new(jdk.java());
        command.args(jvm_flags).args(["-cp", &workloads_class_path()]).args(program);
        Self::java(command)
    }

    /// Starts a JVM with `command`. Returns when its main class runs.
    pub(crate) fn java(mut command: Command) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let running = Self(child);
        running.remove_attach_socket();
        running.wait_until("the JVM handles SIGQUIT", |pid| {
            // The name in it can be no text.
            let status = std::fs::read(format!("/proc/{pid}/status")).unwrap_or_default();
            let status = String::from_utf8_lossy(&status);
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim();
            u64::from_str_radix(caught, 16).unwrap_or(0) & 0b100 != 0
        });
        std::thread::sleep(Duration::from_millis(300));
        running
    }

    /// Starts any program.
    pub(crate) fn plain(mut command: Command) -> Self {
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// The process id of the JVM that this program starts as its child.
    pub(crate) fn wait_for_child_jvm(&self) -> String {
        let child = |pid: u32| {
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
            children.split_whitespace().next().map(str::to_owned)
        };
        let is_java =
            |pid: &String| std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "java");
        self.wait_until("a JVM as child", |pid| child(pid).is_some_and(|child| is_java(&child)));
        std::thread::sleep(Duration::from_millis(1500));
        child(self.0.id()).unwrap()
    }

    pub(crate) fn pid(&self) -> String {
        self.0.id().to_string()
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// A killed JVM leaves its socket in `/tmp`. A later JVM of another user can have the same id, and cannot remove it.
    fn remove_attach_socket(&self) {
        let _ = std::fs::remove_file(format!("/tmp/.java_pid{}", self.0.id()));
    }

    fn wait_until(&self, what: &str, is_done: impl Fn(u32) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !is_done(self.0.id()) {
            assert!(Instant::now() < deadline, "waited for: {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
        self.remove_attach_socket();
    }
}

/// The program that a whittle process has started. Its other children are its helper processes.
pub(crate) fn program_of(pid: u32) -> String {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let is_program = |child: &&str| {
        std::fs::read_to_string(format!("/proc/{child}/comm")).is_ok_and(|name| name.trim() != "whittle-hand")
    };
    children.split_whitespace().find(is_program).expect("whittle has started the program").to_owned()
}

pub(crate) fn signal(pid: &str, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), pid]).status().unwrap().success());
}

/// The number after `key` in the output of a workload: `key value key value …` or `key=value …`.
pub(crate) fn printed(output: &str, line_start: &str, key: &str) -> f64 {
    let lines: Vec<&str> = output.lines().filter(|line| line.starts_with(line_start)).collect();
    let line = lines.last().unwrap_or_else(|| panic!("no line \"{line_start}\" in:\n{output}"));
    let words: Vec<&str> = line.split([' ', '=']).collect();
    let position = words.iter().position(|word| *word == key).unwrap_or_else(|| panic!("no {key} in: {line}"));
    words[position + 1].parse().unwrap()
}

/// The row of the function `name` in a view.
pub(crate) fn row<'a>(view: &'a Value, name: &str) -> &'a Value {
    let rows = view["rows"].as_array().unwrap();
    rows.iter().find(|row| row["function"] == name).unwrap_or_else(|| panic!("no row {name}"))
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// Asserts that `found` is within `tolerance` (a ratio) of `expected`.
pub(crate) fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    let ratio = found / expected;
    assert!((ratio - 1.0).abs() <= tolerance, "{what}: {found} against {expected}, ratio {ratio:.4}");
}

pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
