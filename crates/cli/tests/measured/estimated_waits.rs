//! Waits that the engines `cpu` and `ctimer` estimate, compared with programs that measure their own waits.

use crate::kernel_waits::{INTERRUPTIBLE, measured_until};
use crate::support::{Workspace, number, printed, stderr};
use crate::tolerance;
use std::time::Duration;
use whittle_testkit::{Jdk, any_jdk, jdks, native_workload, not_run};

/// The interval of the observations. It is no divisor of the programs' pauses, which are 20 ms.
const INTERVAL_NS: f64 = 13e6;
const OBSERVED: &str = "off_cpu=13ms";

/// True if this machine allows the engine for a JVM of this user.
fn is_allowed(engine: &str) -> bool {
    let workspace = Workspace::new();
    let doctor = workspace.whittle(&["doctor", "--json"]);
    let view: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let checks = view["checks"].as_array().unwrap();
    let has_perf = checks.iter().any(|check| check["subject"] == "perf events" && check["is_fine"] == true);
    if engine == "cpu" && !has_perf {
        not_run("needs perf events");
    }
    engine != "cpu" || has_perf
}

/// The time that a thread waited with a meaning, in nanoseconds.
fn waited_ns(workspace: &Workspace, thread: &str, meaning: &str) -> f64 {
    let filter = format!("thread = \"{thread}\" and wait is {meaning}");
    number(&workspace.json(&["waits", "a.whittle", "--filter", &filter])["total"]["duration_ns"])
}

/// Checks the time of each thread against the thread's own time. A thread begins and ends between two observations, and the
/// share of the observations in which it waits differs by chance.
fn check(workspace: &Workspace, output: &str, (what, stolen): (&str, Duration)) -> Result<(), String> {
    for (kind, meaning) in INTERRUPTIBLE {
        let thread = format!("blocked-{kind}");
        let value = |key| printed(output, &format!("thread={thread} "), key);
        let (wall_ns, expected) = (value("wall_ns"), value("wall_ns") - value("cpu_ns") - value("run_queue_ns"));
        let found = waited_ns(workspace, &thread, meaning);
        let observations = wall_ns / INTERVAL_NS;
        let chance = tolerance::share(expected / wall_ns, observations) + tolerance::time(wall_ns, INTERVAL_NS, 0.0);
        eprintln!(
            "{what}: {thread} {meaning}: {:.4} of {:.3} s, by chance {chance:.3}",
            found / expected,
            expected / 1e9
        );
        let host = tolerance::taken_by_host_ns(expected, stolen);
        if (found - expected).abs() > chance * wall_ns + host {
            return Err(format!(
                "{what}: {thread} waited {expected}, found {found} for {meaning}, the host took {stolen:?}"
            ));
        }
    }
    Ok(())
}

#[test]
fn waits_have_their_time_and_meaning_without_the_engine_kernel() {
    for engine in ["ctimer", "cpu"].into_iter().filter(|engine| is_allowed(engine)) {
        for jdk in jdks() {
            let what = format!("JDK {} {engine}", jdk.version);
            let workspace = Workspace::new();
            let options = ["-q", "-f", "-o", "a.whittle", "--engine", engine, "--events", OBSERVED];
            let program = [
                "whittle.workloads.truth.Blocked",
                "--seconds",
                "6",
                "--kinds",
                "monitor,lock,socket,pipe,selector,sleep",
            ];
            measured_until(
                || workspace.collect_launched(&options, &jdk, &program),
                |output, stolen| check(&workspace, output, (&what, stolen)),
            );
            let view = workspace.json(&["waits", "a.whittle"]);
            assert!(view["notes"].to_string().contains("estimates"), "{what}: {view}");
            let not_counted = workspace.manifest("a.whittle")["not_counted"].to_string();
            assert!(not_counted.contains("every 13 ms") && not_counted.contains("system calls"), "{not_counted}");
        }
    }
}

/// A thread that executes is observed as often as a thread that sleeps. CPU samples already have its time.
#[test]
fn executing_threads_have_no_waits() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let options = ["-o", "a.whittle", "--engine", "ctimer", "--events", OBSERVED];
    let program = ["whittle.workloads.truth.Spin", "--threads", "1", "--seconds", "4"];
    let output = workspace.collect_launched(&options, &jdk, &program);
    let view = workspace.json(&["threads", "a.whittle", "--pools", "none", "--metrics", "cpu,off_cpu"]);
    let row = view["rows"].as_array().unwrap().iter().find(|row| row["thread"] == "spin-0").unwrap();
    let (waited_ns, cpu_ns) = (number(&row["off_cpu_ns"]), number(&row["cpu_ns"]));
    let own_ns = printed(&output, "thread spin-0", "cpu_ms") * 1e6;
    // The thread waits only before it begins and after it has ended its work.
    let tolerance = tolerance::share(0.0, own_ns / INTERVAL_NS) * own_ns;
    assert!(waited_ns <= tolerance && cpu_ns > waited_ns, "{waited_ns} of {own_ns}, at most {tolerance}: {row}");
}

#[test]
fn events_without_waits_observe_no_threads() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let program = ["whittle.workloads.truth.Spin", "--threads", "1", "--seconds", "1"];
    let options = ["-o", "a.whittle", "--engine", "ctimer"];
    let (said, _) = workspace.launch(&options, &jdk, &program);
    assert!(said.contains("engine ctimer: requested; waits are estimates"), "{said}");
    let (said, _) = workspace.launch(&[&options[..], &["-f", "--events", "cpu"]].concat(), &jdk, &program);
    assert!(!said.contains("waits are estimates"), "{said}");
    let manifest = workspace.manifest("a.whittle");
    let names: Vec<&str> =
        manifest["metrics"].as_array().unwrap().iter().filter_map(|metric| metric["name"].as_str()).collect();
    assert_eq!(names, ["cpu"]);
    assert!(manifest["not_counted"].as_array().unwrap().is_empty(), "{manifest}");
    let waits = workspace.whittle(&["waits", "a.whittle"]);
    let text = String::from_utf8_lossy(&waits.stdout).into_owned() + &stderr(&waits);
    assert!(text.contains("the event off_cpu was not sampled"), "{text}");
}

/// The observations interrupt system calls a thousand times per second, also those of a native thread, which counts them. Java
/// programs must not notice.
#[test]
fn interrupted_calls_change_no_bytes_and_no_results() {
    for jdk in jdks() {
        for program in [
            &["whittle.workloads.truth.Transfers", "--seconds", "4"][..],
            &["whittle.workloads.truth.SocketTimeouts", "--seconds", "4", "--tolerance-ms", "3000"],
            &["whittle.workloads.truth.ExecAndChildren", "--seconds", "3"],
        ] {
            let what = format!("JDK {} {}", jdk.version, program[0]);
            let (output, status) = interrupted(&jdk, program);
            assert_eq!(status, Some(0), "{what}: {output}");
            eprintln!(
                "{what}: {}",
                output.lines().filter(|line| line.contains("failures") || line.contains("nonzero")).collect::<String>()
            );
        }
    }
}

fn interrupted(jdk: &Jdk, program: &[&str]) -> (String, Option<i32>) {
    let workspace = Workspace::new();
    let options = ["-q", "-o", "a.whittle", "--engine", "ctimer", "--events", "off_cpu=1ms"];
    let counts = workspace.path("interrupted");
    let counter = format!("-agentpath:{}={}", native_workload("libcount_interrupted.so").display(), counts.display());
    let ended = workspace.launch(&options, jdk, &[&[counter.as_str()], program].concat());
    let counts = std::fs::read_to_string(&counts).unwrap();
    let interrupted = printed(&counts, "call=nanosleep ", "interrupted");
    assert!(interrupted > crate::hypotheses::INTERRUPTED_OR_NOT, "{counts}");
    let view = workspace.json(&["waits", "a.whittle"]);
    let samples = number(&view["total"]["samples_count"]);
    assert!(samples > crate::hypotheses::OBSERVED_OR_NOT, "{samples} waits: {view}");
    ended
}
