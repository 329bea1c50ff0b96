//! However a collection ends, the experiment is complete, and the program continues or ends as expected.

use crate::support::{Running, SLOW, Workspace, program_of, signal, stderr, whittle_command};
use std::process::Stdio;
use std::time::Duration;
use whittle_testkit::{Jdk, any_jdk, workloads_class_path};

const SPIN: &str = "whittle.workloads.truth.Spin";

fn sample_count(workspace: &Workspace, experiment: &str) -> u64 {
    let overview = workspace.json(&["overview", experiment]);
    assert_eq!(overview["state"], "complete");
    overview["samples_count"].as_u64().unwrap()
}

fn launch_arguments(jdk: &Jdk, options: &[&str], program: &[&str]) -> Vec<String> {
    let java = jdk.java().to_str().unwrap().to_owned();
    let class_path = workloads_class_path();
    let words = [&["collect", "-o", "a.whittle"], options, &["--", &java, "-cp", &class_path], program];
    words.concat().iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn the_programs_exit_status_is_passed_on() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let arguments = launch_arguments(&jdk, &[], &[SPIN, "--no-such-argument", "1"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert_eq!(workspace.whittle(&arguments).status.code(), Some(2));
    assert_eq!(workspace.manifest("a.whittle")["exit"]["code"], 2);
}

#[test]
fn a_killed_program_leaves_what_was_recorded_until_its_last_seconds() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let arguments = launch_arguments(&jdk, &["--events", "cpu"], &[SPIN, "--seconds", "60"]);
    let mut whittle = whittle_command(&[]);
    let mut whittle = whittle.args(&arguments).current_dir(workspace.path("")).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(8));
    signal(&program_of(whittle.id()), "KILL");
    assert_eq!(whittle.wait().unwrap().code(), Some(128 + 9));
    // The first part of the recording is finished after 5 s. The JVM needs some of this time to start.
    let seconds = sample_count(&workspace, "a.whittle") as f64 / 100.0;
    assert!((2.0..=8.5).contains(&seconds), "{seconds} s of samples");
    let text = workspace.text(&["overview", "a.whittle"]);
    assert!(text.contains("unfinished_chunk"), "{text}");
}

#[test]
fn an_interrupt_ends_a_launched_program_and_its_collection() {
    let Some(jdk) = any_jdk() else { return };
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let workspace = Workspace::new();
        let arguments = launch_arguments(&jdk, &[], &[SPIN, "--seconds", "60"]);
        let mut whittle = whittle_command(&[]);
        let mut whittle =
            whittle.args(&arguments).current_dir(workspace.path("")).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(3));
        signal(&whittle.id().to_string(), name);
        assert_eq!(whittle.wait().unwrap().code(), Some(code), "SIG{name}");
        assert!(sample_count(&workspace, "a.whittle") > 100, "SIG{name}");
    }
}

#[test]
fn an_interrupt_leaves_an_attached_program_running() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
    let mut whittle = whittle_command(&["collect", "-p", &program.pid(), "-o", "a.whittle"]);
    let mut whittle = whittle.current_dir(workspace.path("")).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    signal(&whittle.id().to_string(), "INT");
    assert_eq!(whittle.wait().unwrap().code(), Some(0));
    assert!(sample_count(&workspace, "a.whittle") > 50);
    assert!(program.is_alive());
    // Nothing of whittle remains in the program, so the next collection starts normally.
    workspace.text(&["collect", "-p", &program.pid(), "-d", "1s", "-o", "b.whittle"]);
    assert!(sample_count(&workspace, "b.whittle") > 20);
    assert!(program.is_alive());
}

#[test]
fn a_duration_ends_the_collection_and_not_the_launched_program() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let output = workspace.collect_launched(
        &["-o", "a.whittle", "-d", "2s", "--events", "cpu"],
        &jdk,
        &[SPIN, "--seconds", "5"],
    );
    assert!(output.contains("total cpu_ms"), "the program came to its end: {output}");
    let samples = sample_count(&workspace, "a.whittle");
    // One sample per 10 ms of CPU time. On a busy machine, the program gets less than one CPU.
    assert!((40..=300).contains(&samples), "{samples}");
}

#[test]
fn a_killed_whittle_leaves_the_program_and_an_experiment_that_opens() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "90"]);
    let mut whittle = whittle_command(&["collect", "-p", &program.pid(), "-o", "a.whittle"]);
    let mut whittle = whittle.current_dir(workspace.path("")).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(8));
    whittle.kill().unwrap();
    whittle.wait().unwrap();
    let overview = workspace.json(&["overview", "a.whittle"]);
    assert_eq!(overview["state"], "incomplete");
    assert!(overview["samples_count"].as_u64().unwrap() > 300, "{}", overview["samples_count"]);
    let noted = stderr(&workspace.whittle(&["overview", "a.whittle"]));
    assert!(noted.contains("incomplete"), "{noted}");
    assert!(program.is_alive());
    // The JVM continues to record without a reader. A new collection reports this recording, and can take over.
    let refused = workspace.whittle(&["collect", "-p", &program.pid(), "-d", "1s", "-o", "b.whittle"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("--take-over"), "{}", stderr(&refused));
    workspace.text(&["collect", "-p", &program.pid(), "-d", "1s", "-o", "b.whittle", "--take-over"]);
    assert!(sample_count(&workspace, "b.whittle") > 20);
    assert!(program.is_alive());
}
