//! Blocked time by reason, compared with programs in which each thread waits in one way.

use crate::goals::{GOAL_REASON_ERROR, GOAL_STATES_KNOWN_NS, GOAL_STATES_READ_NS};
use crate::support::tables::{Collected, kernel_jdks, may_use_kernel_engine};
use crate::support::{Running, Workspace, assert_near, printed};
use crate::{hypotheses, tolerance};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use whittle_model::{EventKind, LossReason, Table, WaitReason, WakerKind};
use whittle_testkit::{MachineTime, not_run};

const BLOCKED: &str = "whittle.workloads.truth.Blocked";

/// The lines of threads that a program has printed: name and reason.
fn threads_with_reasons(output: &str) -> Vec<(String, String)> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("thread="));
    let parts = lines.filter_map(|line| line.split_once(" reason="));
    parts.map(|(name, rest)| (name.to_owned(), rest.split(' ').next().unwrap().to_owned())).collect()
}

const TRIES: usize = 4;

/// The profiler flushes at most this often in a collection of four seconds: once while it collects, once at the end.
const FLUSHES: usize = 2;

/// In JDK 17, a thread that waits to enter a monitor wakes up each second and looks again.
const MONITOR_WAIT_NS: u64 = 1_000_000_000;

const OPTIONS: [&str; 4] = ["-q", "-f", "-o", "a.whittle"];

/// Collects the program until its threads' waits equal its own measurements. Also returns the program's output. The
/// difference can exceed the goal on a loaded machine, because only whittle counts waits before the measured phase. The
/// time that the machine's host took from a thread is another difference, because this time cannot be divided into
/// executing and waking. In the last try, this difference is allowed.
fn blocked_as_measured(
    what: &str,
    (workspace, least): (&Workspace, usize),
    collect: impl Fn() -> String,
) -> (Collected, String) {
    let measure = || {
        let output = collect();
        (Collected::read(workspace, "a.whittle"), output)
    };
    measured_until(measure, |(collected, output), stolen| check_blocked(what, collected, output, (least, stolen)))
}

/// Measures until the check succeeds, a few times at most. In the last try, the check gets the time that the machine's host
/// took.
pub(crate) fn measured_until<T>(measure: impl Fn() -> T, check: impl Fn(&T, Duration) -> Result<(), String>) -> T {
    let mut tries = 0;
    loop {
        tries += 1;
        let begin = MachineTime::now();
        let measured = measure();
        let stolen = if tries == TRIES { begin.stolen_since() } else { Duration::ZERO };
        match check(&measured, stolen) {
            Ok(()) => return measured,
            Err(wrong) => assert!(tries < TRIES, "{wrong}"),
        }
    }
}

/// Checks that each thread's blocked time has the reason why the thread waited, and equals its time off the CPU, without
/// the time in the run queue.
fn check_blocked(
    what: &str,
    collected: &Collected,
    output: &str,
    (least, stolen): (usize, Duration),
) -> Result<(), String> {
    let threads = threads_with_reasons(output);
    assert!(threads.len() >= least, "{what}: {output}");
    for (name, reason) in threads {
        let line = format!("thread={name} ");
        let value = |key| printed(output, &line, key);
        let expected = value("wall_ns") - value("cpu_ns") - value("run_queue_ns");
        let blocked = collected.blocked_ns(collected.thread(&name));
        let found = blocked.get(reason.as_str()).copied().unwrap_or(0.0);
        eprintln!("{what}: {name} {reason} {:.4}", found / expected);
        let host = tolerance::taken_by_host_ns(expected, stolen);
        if (found - expected).abs() > GOAL_REASON_ERROR * expected + host {
            return Err(format!("{what}: {name} waited {expected}, found {blocked:?}, the host took {stolen:?}"));
        }
    }
    Ok(())
}

#[test]
fn blocked_time_has_its_reason_and_every_wait_its_java_stack() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let what = format!("JDK {}", jdk.version);
        let collect = || workspace.collect_launched(&OPTIONS, &jdk, &[BLOCKED, "--seconds", "4"]);
        let (collected, output) = blocked_as_measured(&what, (&workspace, 6), collect);
        assert_meanings(&what, &workspace, &output);

        let samples = &collected.tables.samples;
        let (mut with_java, mut without, mut unanswered) = (0, Vec::new(), BTreeMap::new());
        for row in collected.samples(EventKind::OffCpu) {
            let name = collected.thread_name(samples.thread[row]);
            let is_of_java = ["blocked-", "answer-", "holder-"].iter().any(|start| name.starts_with(start));
            // A wait for a page is not in a system call.
            if !is_of_java || samples.reason[row] == WaitReason::PageFault {
                continue;
            }
            let stack = samples.stack[row];
            // If a thread was still waiting when the program ended, its call has not returned.
            let has_ended = matches!(collected.missing(stack), LossReason::ThreadEnded | LossReason::StillWaiting);
            // A thread waits for its creator before it has any Java code.
            let begins = collected.names(stack).iter().any(|name| name.starts_with("thread_native_entry"))
                && !collected.has_java(stack);
            if collected.has_java(stack) {
                with_java += 1;
            } else if collected.missing(stack) == LossReason::Unanswered {
                *unanswered.entry(name.to_owned()).or_insert(0) += 1;
            } else if !has_ended && !begins {
                without.push((name.to_owned(), collected.missing(stack), collected.names(stack).join(" < ")));
            }
        }
        eprintln!("{what}: {with_java} waits with a Java stack, {} without, {unanswered:?}", without.len());
        let is_sampled = with_java > hypotheses::JAVA_WAITS_SAMPLED_OR_NOT;
        assert!(is_sampled && without.is_empty(), "{what}: {with_java} with, without: {without:#?}");
        // The profiler drops samples while it flushes its recording, every five seconds. One flush can drop at most one
        // sample of each waiting thread.
        assert!(unanswered.values().all(|count| *count <= FLUSHES), "{what}: {unanswered:?}");
    }
}

/// The reader is a client, which waits for an answer in `recvfrom` or, with a time limit, in `poll`.
#[test]
fn waits_for_a_socket_name_its_peer() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let program = [BLOCKED, "--kinds", "socket,socket-timeout", "--seconds", "2"];
        workspace.collect_launched(&["-q", "-f", "-o", "a.whittle"], &jdk, &program);
        for (thread, calls) in [("socket", "recvfrom read"), ("socket-timeout", "poll")] {
            let filter = format!("thread = \"blocked-{thread}\" and wait is socket_read");
            let view = workspace.json(&["waits", "a.whittle", "--filter", &filter]);
            let rows = view["rows"].as_array().unwrap();
            let file = rows[0]["file"].as_str().unwrap_or_default();
            assert!(file.starts_with("tcp 127.0.0.1:"), "JDK {}, {calls}: {view}", jdk.version);
            let of_peer = format!("{filter} and file is \"{file}\"");
            let same = workspace.json(&["waits", "a.whittle", "--filter", &of_peer]);
            for key in ["duration_ns", "samples_count", "threads_count"] {
                assert_eq!(same["total"][key], rows[0][key], "JDK {}: {view}", jdk.version);
            }
            // Inside the method that reads, the thread can also wait for a lock of the JVM.
            assert!(rows[1..].iter().all(|row| row["file"] == ""), "JDK {}, {calls}: {view}", jdk.version);
        }
        let calls =
            workspace.json(&["syscalls", "a.whittle", "--by", "call,file", "--filter", "thread = \"answer-socket\""]);
        let rows = calls["rows"].as_array().unwrap();
        let writes = rows.iter().find(|row| row["call"] == "write" || row["call"] == "sendto").unwrap();
        let file = writes["file"].as_str().unwrap_or_default();
        assert!(file.starts_with("tcp clients of port "), "JDK {}: {calls}", jdk.version);
    }
}

/// Waits of the program `Blocked` that a signal can interrupt: the kind, and its meaning.
pub(crate) const INTERRUPTIBLE: [(&str, &str); 6] = [
    ("monitor", "monitor"),
    ("lock", "lock"),
    ("socket", "socket_read"),
    ("pipe", "pipe"),
    ("selector", "selector"),
    ("sleep", "sleep"),
];

/// Each thread waits in one way, so nearly all of its time has one meaning.
fn assert_meanings(what: &str, workspace: &Workspace, output: &str) {
    let for_the_disk = [("fsync", "file_sync"), ("direct-read", "file")];
    for (kind, meaning) in INTERRUPTIBLE.into_iter().chain(for_the_disk) {
        let thread = format!("blocked-{kind}");
        // The file system may not support one kind.
        if output.contains(&format!("thread={thread} ")) {
            let view = workspace.json(&["waits", "a.whittle", "--filter", &format!("thread = \"{thread}\"")]);
            assert_eq!(view["rows"][0]["meaning"], meaning, "{what}: {thread}: {view}");
        }
    }
}

#[test]
fn open_waits_are_there_with_the_stack_of_a_thread_dump() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let program = [BLOCKED, "--seconds", "1", "--open-seconds", "60"];
        let mut program = Running::workload(&jdk, &[], &program);
        std::thread::sleep(Duration::from_secs(4));
        workspace.text(&["collect", "-q", "-p", &program.pid(), "-d", "2s", "-o", "a.whittle"]);
        assert!(program.is_alive());
        let collected = Collected::read(&workspace, "a.whittle");
        let whole_ns = collected.manifest.duration_ns as f64;
        for (kind, reason, method) in [
            ("monitor", WaitReason::Futex, "MonitorWait$Monitor.pass("),
            ("lock", WaitReason::Futex, "java.util.concurrent.locks.ReentrantLock.lock("),
            ("socket", WaitReason::Socket, "java.net.Socket"),
            ("pipe", WaitReason::Pipe, "SourceChannelImpl.read("),
            ("selector", WaitReason::Poll, "sun.nio.ch.SelectorImpl.select("),
            ("sleep", WaitReason::Futex, "java.lang.Thread.sleep"),
        ] {
            let what = format!("JDK {}: {kind}", jdk.version);
            // The kernel knows only the first 15 characters of a name. The dump has the whole name.
            let thread = collected.thread(&format!("blocked-{kind}"));
            let samples = &collected.tables.samples;
            let rows = collected.samples(EventKind::OffCpu).filter(|row| samples.thread[*row] == thread);
            let rows: Vec<usize> = rows.collect();
            // To enter a monitor, some versions of the JVM wait repeatedly for one second. Other versions wait only
            // once.
            assert!(rows.len() == 1 || kind == "monitor" && rows.len() > 1, "{what}: {} waits", rows.len());
            let last = rows.iter().max_by_key(|row| samples.time_ns[**row]).unwrap();
            for row in &rows {
                let names = collected.names(samples.stack[*row]);
                let missing = collected.missing(samples.stack[*row]);
                assert_eq!(samples.reason[*row], reason, "{what}");
                // The last of the repeated waits can begin after the thread dump was requested. Then nothing shows its stack.
                let is_after_dump = missing == LossReason::StillWaiting && samples.duration_ns[*row] < MONITOR_WAIT_NS;
                if is_after_dump && rows.len() > 1 && row == last {
                    eprintln!("{what}: the last of {} waits began after the dump", rows.len());
                    continue;
                }
                assert!(collected.has_java(samples.stack[*row]), "{what}: {names:?} {missing}");
                assert!(names.iter().any(|name| name.contains(method)), "{what}: no {method} in {names:?}");
            }
            let blocked = collected.blocked_ns(thread);
            // Each thread waits during the whole collection.
            assert_near(&what, blocked[reason.name()], whole_ns, GOAL_STATES_KNOWN_NS / whole_ns);
            if rows.len() == 1 {
                assert_near(&what, samples.duration_ns[rows[0]] as f64, whole_ns, GOAL_STATES_READ_NS / whole_ns);
            }
        }
        the_holder_of_the_monitor_is_known(&collected, jdk.version);
    }
}

/// The thread dump tells who holds the monitor that `blocked-monitor` waits for, and in which method.
fn the_holder_of_the_monitor_is_known(collected: &Collected, jdk: u32) {
    let wakes = &collected.tables.wakes;
    let thread = collected.thread("blocked-monitor");
    let held: Vec<usize> =
        (0..wakes.len()).filter(|row| wakes.thread[*row] == thread && wakes.kind[*row] == WakerKind::Holder).collect();
    assert_eq!(held.len(), 1, "JDK {jdk}: the monitor has one holder");
    let holder = wakes.waker[held[0]].expect("a holder is a thread");
    assert!(collected.tables.threads.name[holder.row()].starts_with("holder-monitor-"), "JDK {jdk}");
    let method = collected.names(wakes.stack[held[0]]).first().cloned().unwrap_or_default();
    assert!(method.contains("MonitorWait$Monitor.hold("), "JDK {jdk}: {method}");
}

#[test]
fn a_native_programs_waits_have_their_reasons() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let collect = || workspace.collect_native(&OPTIONS, "waits", &["--seconds", "4"]);
    let (collected, output) = blocked_as_measured("native", (&workspace, 5), collect);
    assert!(output.contains("thread=wait-sleep reason=sleep"), "{output}");
    let samples = &collected.tables.samples;
    for row in collected.samples(EventKind::OffCpu).filter(|row| samples.reason[*row] == WaitReason::Sleep) {
        let names = collected.names(samples.stack[row]);
        assert!(collected.is_rooted(samples.stack[row]), "{names:?}");
        assert!(names.iter().any(|name| name.contains("nanosleep")), "{names:?}");
    }
}

/// An empty control group, removed at the end.
struct ControlGroup(PathBuf);

impl ControlGroup {
    /// A group with one of these files: where control groups 2 are mounted, or control groups 1 with this controller. None: there
    /// is none to be made here.
    fn with(files: &[&str], controller: Option<&str>) -> Option<Self> {
        let mounts = std::fs::read_to_string("/proc/mounts").unwrap();
        let mut folders = mounts.lines().filter_map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let has_controller = controller.is_some_and(|name| fields[3].split(',').any(|option| option == name));
            let is_wanted = fields[2] == "cgroup2" || (fields[2] == "cgroup" && has_controller);
            is_wanted.then(|| PathBuf::from(fields[1]))
        });
        folders.find_map(|mount| {
            let group = Self(mount.join(format!("whittle-test-{}-{}", files[0], std::process::id())));
            std::fs::create_dir(&group.0).ok()?;
            files.iter().any(|file| group.0.join(file).exists()).then_some(group)
        })
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// A stop by a signal or by a tracer is not a wait for a page.
#[test]
fn a_stopped_program_has_the_reason_stopped() {
    if may_use_kernel_engine() {
        // A tracer would see a signal, so its stop has no stack.
        stops_are_explained(&[], 1);
    }
}

/// A freezer is not a wait for a page, either.
#[test]
fn a_frozen_program_has_the_reason_stopped() {
    if !may_use_kernel_engine() {
        return;
    }
    match ControlGroup::with(&["cgroup.freeze"], None) {
        Some(freezer) => stops_are_explained(&["--freezer", freezer.path()], 2),
        None => not_run("needs control groups 2 with a freezer"),
    }
}

/// The program reads the kernel's sum before its threads begin and after they end, so both ends can differ by one period.
const QUOTA_PERIOD_NS: f64 = 50e6;

/// All threads are on one CPU, so each stop of the group stops each of them.
#[test]
fn the_stops_by_a_cpu_quota_are_the_kernels_own() {
    if !may_use_kernel_engine() {
        return;
    }
    let Some(group) = ControlGroup::with(&["cpu.max", "cpu.cfs_quota_us"], Some("cpu")) else {
        not_run("needs a control group with the controller cpu");
        return;
    };
    let workspace = Workspace::new();
    let output = workspace.collect_native(&OPTIONS, "quota", &["--group", group.path()]);
    let collected = Collected::read(&workspace, "a.whittle");
    let states = &collected.tables.thread_states;
    for number in 0..3 {
        let thread = collected.thread(&format!("quota-{number}"));
        let is_stop = |row: &usize| states.thread[*row] == thread && states.reason[*row] == WaitReason::Quota;
        let found: u64 = (0..states.thread.len()).filter(is_stop).map(|row| states.duration_ns[row]).sum();
        let expected = printed(&output, &format!("thread=quota-{number} "), "stopped_ns");
        assert!(expected > 10.0 * QUOTA_PERIOD_NS, "{output}");
        assert!((found as f64 - expected).abs() <= 2.0 * QUOTA_PERIOD_NS, "{number}: {found} of {expected}");
    }
    let findings = workspace.text(&["findings", "a.whittle"]);
    assert!(findings.replace('\n', " ").contains("stopped the work threads for"), "{findings}");
}

/// The length of each stop of the program `stopped`.
const STOP_MS: &str = "700";
const STOP_NS: f64 = 7e8;
/// The mean distance between two samples of waits.
const WAIT_DISTANCE: &str = "off_cpu=1ms";
const WAIT_DISTANCE_NS: f64 = 1e6;

fn stops_are_explained(arguments: &[&str], with_stack_count: usize) {
    let workspace = Workspace::new();
    let options = [&OPTIONS[..], &["--events", WAIT_DISTANCE]].concat();
    let arguments = [&["--stop-ms", STOP_MS], arguments].concat();
    let collect = || workspace.collect_native(&options, "stopped", &arguments);
    let (collected, _) = blocked_as_measured("stopped", (&workspace, 1), collect);
    let thread = collected.thread("stopped");
    let samples = &collected.tables.samples;
    let rows: Vec<usize> = collected
        .samples(EventKind::OffCpu)
        .filter(|row| samples.thread[*row] == thread && samples.reason[*row] == WaitReason::Stopped)
        .collect();
    let sampled: f64 = rows.iter().map(|row| samples.duration_ns[*row] as f64).sum();
    let tolerance = tolerance::time_of_waits(STOP_NS, WAIT_DISTANCE_NS);
    assert_near("samples of stops", sampled, collected.blocked_ns(thread)["stopped"], tolerance);
    let with_stack = rows.iter().filter(|row| collected.names(samples.stack[**row]).contains(&"main"));
    assert_eq!(with_stack.count(), with_stack_count);
}
