//! JVMs that a launched script becomes or starts: the profiler is inside as soon as they run Java code.

use crate::hypotheses::JAVA_FROM_THE_START_OR_NEVER;
use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Running, Workspace, signal, stderr};
use std::collections::BTreeMap;
use std::process::{Command, Output};
use whittle_model::{EventKind, JvmEventKind, JvmProcess};
use whittle_testkit::{Jdk, workloads_class_path};

/// The command line of a workload that uses one CPU for some seconds.
fn spin(jdk: &Jdk, seconds: u32) -> String {
    let (java, class_path) = (jdk.java(), workloads_class_path());
    format!("{} -cp '{class_path}' whittle.workloads.truth.Spin --seconds {seconds}", java.display())
}

/// Collects a shell script. `$JAVA` in its text starts the workload for three seconds.
fn collect_script(workspace: &Workspace, options: &[&str], (jdk, script): (&Jdk, &str)) -> Output {
    let script = script.replace("$JAVA", &spin(jdk, 3));
    workspace.whittle(&[&["collect", "-o", "a.whittle"], options, &["--", "sh", "-c", &script]].concat())
}

/// CPU time of each process with more than a tenth of a second, and the part of this time that has Java frames.
fn java_shares(collected: &Collected) -> BTreeMap<u32, f64> {
    let (samples, threads) = (&collected.tables.samples, &collected.tables.threads);
    let mut sums: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for row in collected.samples(EventKind::Cpu) {
        let sum = sums.entry(threads.process_id[samples.thread[row].row()].unwrap()).or_default();
        sum.0 += samples.duration_ns[row];
        sum.1 += if collected.has_java(samples.stack[row]) { samples.duration_ns[row] } else { 0 };
    }
    sums.retain(|_, (all_ns, _)| *all_ns > 100_000_000);
    sums.into_iter().map(|(process_id, (all_ns, java_ns))| (process_id, java_ns as f64 / all_ns as f64)).collect()
}

fn assert_java(collected: &Collected, process_count: usize, what: &str) {
    let shares = java_shares(collected);
    assert_eq!(shares.len(), process_count, "{what}: {shares:?}");
    assert!(shares.values().all(|share| *share > JAVA_FROM_THE_START_OR_NEVER), "{what}: {shares:?}");
}

#[test]
fn a_script_that_executes_a_jvm_has_java_frames() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let output = collect_script(&workspace, &[], (&jdk, "sleep 0.3; exec $JAVA"));
        let what = format!("JDK {}: {}", jdk.version, stderr(&output));
        assert!(output.status.success(), "{what}");
        let collected = Collected::read(&workspace, "a.whittle");
        assert_java(&collected, 1, &what);
        assert!(collected.manifest.jvm.is_some_and(|jvm| jvm.version.starts_with(&jdk.version.to_string())), "{what}");
        // The thread dump at the end, and the recording, name the threads.
        assert!(collected.tables.threads.name.iter().any(|name| name == "spin-0"), "{what}");
    }
}

#[test]
fn every_jvm_below_a_script_has_java_frames_with_follow() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let script = "$JAVA; (($JAVA; true) & $JAVA; wait); exit 7";
        let output = collect_script(&workspace, &["--follow"], (&jdk, script));
        let what = format!("JDK {}: {}", jdk.version, stderr(&output));
        assert_eq!(output.status.code(), Some(7), "{what}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.lines().filter(|line| line.starts_with("total ")).count() == 3, "{what}: {printed}");
        let collected = Collected::read(&workspace, "a.whittle");
        assert_java(&collected, 3, &what);
        let jvms = &collected.manifest.jvm_processes;
        let is_described = |process: &JvmProcess| {
            process.program == "whittle.workloads.truth.Spin"
                && process.jvm.version.starts_with(&jdk.version.to_string())
        };
        assert!(jvms.len() == 3 && jvms.iter().all(is_described), "{what}: {jvms:?}");
        // The launched shell is no JVM, so the first JVM reports its counters.
        assert!(collected.tables.counters.counter.iter().any(|counter| counter == "heap_used_bytes"), "{what}");
        let classes = &collected.tables.archive;
        let spin = classes.class_name.iter().position(|name| name == "whittle/workloads/truth/Spin");
        assert!(spin.is_some_and(|row| classes.bytes[row].is_some()), "{what}: {:?}", classes.class_name);
    }
}

/// Start scripts often call `java -version` first.
#[test]
fn a_short_jvm_before_the_server_does_not_take_its_place() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let java = jdk.java().display().to_string();
        // The server has a garbage collection at least at each 16 MB of its 20 GB, for some seconds.
        let server = format!("{java} -Xmx16m -cp '{}' whittle.workloads.truth.AllocationHeavy", workloads_class_path());
        let output = collect_script(&workspace, &["--follow"], (&jdk, &format!("{java} -version 2>&1; {server}")));
        let what = format!("JDK {}: {}", jdk.version, stderr(&output));
        let collected = Collected::read(&workspace, "a.whittle");
        let (events, counters) = (&collected.tables.jvm_events, &collected.tables.counters);
        let pause_count = events.kind.iter().filter(|kind| **kind == JvmEventKind::GcPause).count();
        let has_heap = counters.counter.iter().any(|counter| counter == "heap_used_bytes");
        assert!(pause_count > 10 && has_heap, "{what}: {pause_count} {has_heap}");
    }
}

#[test]
fn a_jvm_that_a_script_starts_is_not_collected_without_follow_and_the_user_is_told() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let output = collect_script(&workspace, &[], (&jdk, "$JAVA; true"));
        let text = stderr(&output);
        assert!(text.contains("whittle.workloads.truth.Spin), which is not collected: `--follow`"), "{text}");
        assert_eq!(java_shares(&Collected::read(&workspace, "a.whittle")).len(), 0);
    }
}

/// A program that continues after its script. It ends with the test.
struct Daemon(String);

impl Drop for Daemon {
    fn drop(&mut self) {
        signal(&self.0, "KILL");
    }
}

/// A build tool can leave a JVM that runs for hours. It must not keep the profiler.
#[test]
fn a_jvm_that_outlives_the_script_has_no_profiler_any_more() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let daemon = format!("{} >/dev/null 2>&1 & echo pid=$!; sleep 3", spin(&jdk, 20));
        let output = collect_script(&workspace, &["-q", "--follow"], (&jdk, &daemon));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let pid = text.trim().strip_prefix("pid=").unwrap().to_owned();
        let _daemon = Daemon(pid.clone());
        assert!(output.status.success(), "{}", stderr(&output));
        assert_java(&Collected::read(&workspace, "a.whittle"), 1, &stderr(&output));
        assert_no_profiler(&workspace, &pid);
    }
}

/// Only one profiler can be in a JVM, so a second one shows that the first one is gone.
fn assert_no_profiler(workspace: &Workspace, pid: &str) {
    workspace.text(&["collect", "-q", "-p", pid, "-d", "1s", "-o", "again.whittle"]);
    assert_eq!(java_shares(&Collected::read(workspace, "again.whittle")).len(), 1);
}

#[test]
fn a_jvm_that_outlives_an_attached_script_has_no_profiler_any_more() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let pid_file = workspace.path("pid");
        let script = format!("sleep 1; {} & echo $! > {}; sleep 3", spin(&jdk, 20), pid_file.display());
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        let running = Running::plain(command);
        workspace.text(&["collect", "-q", "--follow", "-p", &running.pid(), "-o", "a.whittle"]);
        let pid = std::fs::read_to_string(pid_file).unwrap().trim().to_owned();
        let _daemon = Daemon(pid.clone());
        assert_java(&Collected::read(&workspace, "a.whittle"), 1, "attached");
        assert_no_profiler(&workspace, &pid);
    }
}
