//! `--instrument`: whittle's agent enters a JVM, and leaves it however the collection ends.

use crate::goals::GOAL_ROOTED;
use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Running, Workspace, signal, stderr, whittle_command};
use crate::tolerance;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use whittle_model::LossReason;
use whittle_testkit::Jdk;

const PROGRAM: [&str; 5] = ["whittle.workloads.truth.HttpRequests", "--server", "jdk", "--connections", "2"];

/// The agent checks once per second whether whittle lives. A busy machine can delay it.
const AGENT_PATIENCE: Duration = Duration::from_secs(20);

fn program(seconds: &'static str) -> Vec<&'static str> {
    [&PROGRAM[..], &["--seconds", seconds]].concat()
}

fn thread_dump(jdk: &Jdk, pid: &str) -> String {
    let output = Command::new(jdk.java().with_file_name("jcmd")).args([pid, "Thread.print"]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// True if the thread of the agent is in the JVM.
fn has_agent(jdk: &Jdk, pid: &str) -> bool {
    let dump = thread_dump(jdk, pid);
    assert!(dump.contains("\"main\""), "no thread dump: {dump}");
    dump.contains("\"whittle-agent\"")
}

fn wait_for_agent(jdk: &Jdk, pid: &str, is_expected: bool) {
    let began = Instant::now();
    while has_agent(jdk, pid) != is_expected {
        assert!(began.elapsed() < AGENT_PATIENCE, "JDK {}: agent expected: {is_expected}", jdk.version);
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn assert_instrumented(jdk: &Jdk, notes: &str) {
    let line = notes.lines().find(|line| line.contains(" is instrumented: "));
    let line = line.unwrap_or_else(|| panic!("JDK {}: {notes}", jdk.version));
    assert!(line.contains("executor ("), "JDK {}: {notes}", jdk.version);
    assert!(notes.contains("request (1)"), "JDK {}: {notes}", jdk.version);
    assert_eq!(notes.matches("request (").count(), 1, "JDK {}: {notes}", jdk.version);
    assert!(!notes.contains("not instrumented"), "JDK {}: {notes}", jdk.version);
}

#[test]
fn a_running_jvm_is_instrumented_again_and_again_and_keeps_no_agent() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let mut server = Running::workload(&jdk, &[], &program("120"));
        let pid = server.pid();
        for _ in 0..2 {
            let collected =
                workspace.whittle(&["collect", "--instrument", "-f", "-p", &pid, "-d", "2s", "-o", "a.whittle"]);
            assert!(collected.status.success(), "JDK {}: {}", jdk.version, stderr(&collected));
            assert_instrumented(&jdk, &stderr(&collected));
            let agent = workspace.manifest("a.whittle")["collectors"][1].clone();
            assert_eq!(agent["engine"], "instrument", "JDK {}", jdk.version);
            assert!(agent["reason"].as_str().unwrap().contains("request (1)"), "JDK {}: {agent}", jdk.version);
            assert!(!has_agent(&jdk, &pid), "JDK {}", jdk.version);
        }
        assert!(server.is_alive(), "JDK {}", jdk.version);
    }
}

/// The workers of a pool are inside changed methods when the agent comes, and again when it has left.
#[test]
fn threads_inside_changed_methods_keep_their_outer_frames() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let server = Running::workload(&jdk, &[], &program("120"));
        let pid = server.pid();
        for options in [&["--instrument"][..], &[]] {
            let words = [&["collect", "-q", "-f", "-p", &pid, "-d", "4s", "-o", "a.whittle"], options].concat();
            let collected = workspace.whittle(&words);
            assert!(collected.status.success(), "JDK {}: {}", jdk.version, stderr(&collected));
            let (cut, all) = cut_stacks(&Collected::read(&workspace, "a.whittle"));
            eprintln!("JDK {}, {options:?}: {cut} of {all} stacks of workers are cut", jdk.version);
            assert!(
                all > 0.0 && cut <= all * (1.0 - tolerance::least(GOAL_ROOTED, all)),
                "JDK {}, {options:?}: {cut} of {all}",
                jdk.version
            );
        }
    }
}

/// The samples with a request on the stack: those whose outer Java frames are missing, and all. Only the second half of the
/// collection counts, because stacks can be cut while the classes change.
fn cut_stacks(collected: &Collected) -> (f64, f64) {
    let (samples, middle_ns) = (&collected.tables.samples, collected.manifest.duration_ns / 2);
    let samples = samples.stack.iter().zip(&samples.time_ns).filter(|(_, time_ns)| **time_ns > middle_ns);
    let samples = samples.map(|(stack, _)| stack);
    let is_worker = |name: &&str| name.contains("ServerImpl$Exchange.run");
    let workers = samples.filter(|stack| collected.names(**stack).iter().any(is_worker));
    let is_cut: Vec<bool> = workers.map(|stack| collected.missing(*stack) == LossReason::UnwalkableJava).collect();
    (is_cut.iter().filter(|is_cut| **is_cut).count() as f64, is_cut.len() as f64)
}

#[test]
fn an_interrupt_takes_the_agent_out_and_a_killed_whittle_lets_it_stop_itself() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let mut server = Running::workload(&jdk, &[], &program("120"));
        let pid = server.pid();
        for name in ["INT", "KILL"] {
            let mut whittle = whittle_command(&["collect", "-q", "--instrument", "-f", "-p", &pid, "-o", "a.whittle"]);
            let mut whittle = whittle.current_dir(workspace.path("")).stderr(Stdio::null()).spawn().unwrap();
            wait_for_agent(&jdk, &pid, true);
            signal(&whittle.id().to_string(), name);
            let ended = whittle.wait().unwrap();
            if name == "INT" {
                assert_eq!(ended.code(), Some(0), "JDK {}", jdk.version);
                assert!(!has_agent(&jdk, &pid), "JDK {}", jdk.version);
            }
            wait_for_agent(&jdk, &pid, false);
        }
        assert!(server.is_alive(), "JDK {}", jdk.version);
    }
}

#[test]
fn a_launched_program_keeps_its_output_and_its_exit_status() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let java = jdk.java().to_str().unwrap().to_owned();
        let class_path = whittle_testkit::workloads_class_path();
        let words = ["collect", "--instrument", "-o", "a.whittle", "--", &java, "-cp", &class_path];
        let collected = workspace.whittle(&[&words[..], &program("4")].concat());
        assert_eq!(collected.status.code(), Some(0), "JDK {}: {}", jdk.version, stderr(&collected));
        assert_instrumented(&jdk, &stderr(&collected));
        assert!(!stderr(&collected).contains("has been loaded dynamically"), "JDK {}", jdk.version);
        let output = String::from_utf8(collected.stdout).unwrap();
        assert!(output.lines().all(|line| line.starts_with("request=")), "JDK {}: {output}", jdk.version);
        assert_eq!(output.lines().count(), 4, "JDK {}: {output}", jdk.version);
        let failing = ["whittle.workloads.truth.Spin", "--no-such-argument", "1"];
        let failed = workspace.whittle(&[&words[..2], &["-f"], &words[2..], &failing].concat());
        assert_eq!(failed.status.code(), Some(2), "JDK {}: {}", jdk.version, stderr(&failed));
    }
}

#[test]
fn a_jvm_that_allows_no_agent_is_collected_without_it() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let output = workspace.launch(
            &["--instrument", "-o", "a.whittle"],
            &jdk,
            &["-XX:+DisableAttachMechanism", "whittle.workloads.truth.Spin", "--seconds", "4"],
        );
        assert_eq!(output.1, Some(0), "JDK {}", jdk.version);
        let reason = workspace.manifest("a.whittle")["collectors"][0]["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("is not instrumented"), "JDK {}: {reason}", jdk.version);
        assert!(reason.contains("DisableAttachMechanism"), "JDK {}: {reason}", jdk.version);
    }
}

#[test]
fn another_engine_is_refused() {
    let Some(jdk) = whittle_testkit::any_jdk() else { return };
    let workspace = Workspace::new();
    let java = jdk.java().to_str().unwrap().to_owned();
    let refused = workspace.whittle(&[
        "collect",
        "--instrument",
        "--engine",
        "ctimer",
        "-o",
        "a.whittle",
        "--",
        &java,
        "-version",
    ]);
    assert!(!refused.status.success());
    let notes = stderr(&refused);
    assert!(notes.contains("--instrument needs the engine `kernel`"), "{notes}");
    assert!(notes.contains("leave out --instrument"), "{notes}");
    assert!(!workspace.path("a.whittle").exists());
}
