//! Checks that the numbers which workloads print agree with each other and with the kernel's numbers. Tests of whittle
//! compare with these numbers, so they must be right.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use whittle_testkit::{Jdk, jdks, native_workload, workloads_class_path};

/// Runs a program and returns its output. The program must succeed.
fn output(mut command: Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn java_output(jdk: &Jdk, program: &[&str]) -> String {
    let mut command = Command::new(jdk.java());
    command.args(["-cp", &workloads_class_path()]).args(program);
    output(command)
}

/// The value of `key` in the last line that contains this key.
fn value<'a>(output: &'a str, key: &str) -> &'a str {
    let mut values = output.split_whitespace().filter_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    values.next_back().unwrap_or_else(|| panic!("no {key} in:\n{output}"))
}

fn number(output: &str, key: &str) -> u64 {
    value(output, key).parse().unwrap_or_else(|_| panic!("{key} is not a number in:\n{output}"))
}

/// Processes with many mappings. They end when this value is dropped.
struct MappedProcesses {
    child: Child,
    pids: String,
}

impl MappedProcesses {
    fn start() -> Self {
        let mut command = Command::new(native_workload("mapped_processes"));
        command.args(["--processes", "2", "--mappings", "3000"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let pids = value(&line, "pids").to_owned();
        Self { child, pids }
    }
}

impl Drop for MappedProcesses {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The lines with sizes, without resident memory, which can change a little while processes are inspected.
fn sizes(output: &str) -> Vec<&str> {
    output.lines().filter(|line| line.starts_with("pid=")).filter_map(|line| line.split(" resident").next()).collect()
}

#[test]
fn all_process_listers_find_the_same_sizes() {
    let processes = MappedProcesses::start();
    let native = |how: &str| {
        let mut command = Command::new(native_workload("lister"));
        command.args(["--how", how, "--pids", &processes.pids, "--rounds", "1"]);
        output(command)
    };
    let expected = native("fast");
    let expected = sizes(&expected);
    assert_eq!(expected.len(), 2);
    assert_eq!(sizes(&native("slow")), expected);
    for jdk in jdks() {
        for class in ["Slow", "Fixed"] {
            let class = format!("whittle.workloads.lister.{class}");
            let found = java_output(&jdk, &[&class, "--pids", &processes.pids, "--rounds", "1"]);
            assert_eq!(sizes(&found), expected, "JDK {} {class}", jdk.version);
        }
    }
}

#[test]
fn exact_calls_are_what_the_kernel_counts() {
    for jdk in jdks() {
        let program = ["whittle.workloads.truth.ExactCalls", "--writes", "30000", "--reads", "10000"];
        let output = java_output(&jdk, &program);
        // 10,000 writes fail in the time range of the kernel's counts.
        assert_eq!(number(&output, "kernel_write_calls"), 40_000, "{output}");
        assert_eq!(number(&output, "kernel_write_bytes"), 30_000 * 16, "{output}");
        assert_eq!(number(&output, "kernel_read_calls"), 10_000, "{output}");
        assert_eq!(number(&output, "kernel_read_bytes"), 10_000 * 32, "{output}");
    }
}

#[test]
fn alternating_callers_make_the_calls_they_print() {
    for jdk in jdks() {
        let class = "whittle.workloads.truth.AlternatingCallers";
        let output = java_output(&jdk, &[class, "--threads", "1", "--cycles", "5050", "--odd", "3"]);
        assert_eq!(number(&output, "kernel_write_calls"), 4 * 5050, "{output}");
        assert_eq!(number(&output, "kernel_write_bytes"), (3 + 512) * 5050, "{output}");
        assert_eq!(number(&output, "calls"), 4 * 5050, "{output}");
    }
}

#[test]
fn every_message_arrives_whoever_copies_it() {
    for jdk in jdks() {
        for (class, copies) in [("Slow", "jdk"), ("Fixed", "jdk"), ("Slow", "own"), ("Fixed", "own")] {
            let class = format!("whittle.workloads.buffers.{class}");
            let output = java_output(&jdk, &[&class, "--seconds", "0.5", "--copies", copies]);
            assert_eq!(number(&output, "sent"), number(&output, "received"), "{output}");
            assert!(number(&output, "messages_per_second") > 0, "{output}");
        }
    }
}

#[test]
fn a_waiting_thread_does_nothing_else() {
    for jdk in jdks() {
        let program =
            ["whittle.workloads.truth.Blocked", "--seconds", "1", "--kinds", "monitor,lock,socket,pipe,selector,sleep"];
        let output = java_output(&jdk, &program);
        let threads: Vec<&str> = output.lines().filter(|line| line.starts_with("thread=")).collect();
        assert_eq!(threads.len(), 6, "{output}");
        for thread in threads {
            let waited = number(thread, "waited_ns") as f64 / number(thread, "wall_ns") as f64;
            assert!(waited > 0.95, "waited {waited:.3} of its time: {thread}");
        }
    }
}
