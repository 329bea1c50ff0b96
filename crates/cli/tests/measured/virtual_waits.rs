//! Waits of virtual threads: the program measures each of its own waits.

use crate::goals::{GOAL_NAMED_MONITOR_WAITS, GOAL_VIRTUAL_WAIT_ERROR};
use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Workspace, printed};
use crate::tolerance;
use whittle_model::EventKind;

/// The first JDK with virtual threads.
const FIRST_RELEASE: u32 = 21;

const PROGRAM: [&str; 5] = ["whittle.workloads.truth.VirtualWaits", "--threads", "100000", "--delay", "3"];

/// A way to wait, as the program prints it, and the function of the program that waits in this way.
const KINDS: [(&str, &str); 2] = [("sleep", "VirtualWaits$Sleep.await"), ("result", "VirtualWaits$Result.await")];

#[test]
fn virtual_threads_have_their_waits_with_their_own_stacks() {
    for jdk in kernel_jdks().into_iter().filter(|jdk| jdk.version >= FIRST_RELEASE) {
        let workspace = Workspace::new();
        let output = workspace.collect_launched(&["-q", "--instrument", "-o", "a.whittle"], &jdk, &PROGRAM);
        let collected = Collected::read(&workspace, "a.whittle");
        let samples = &collected.tables.samples;
        let waits: Vec<usize> = collected.samples(EventKind::OffCpu).collect();
        for (kind, function) in KINDS {
            let is_of = |row: &&usize| collected.names(samples.stack[**row]).iter().any(|name| name.contains(function));
            let weights: Vec<f64> = waits.iter().filter(is_of).map(|row| samples.duration_ns[*row] as f64).collect();
            let (found_ns, waited_ns) =
                (weights.iter().sum::<f64>(), printed(&output, &format!("wait={kind} "), "waited_ns"));
            let bound = GOAL_VIRTUAL_WAIT_ERROR + tolerance::weights(&weights);
            eprintln!("JDK {}, {kind}: {found_ns} ns in {} samples, {waited_ns} ns", jdk.version, weights.len());
            assert!((found_ns / waited_ns - 1.0).abs() < bound, "JDK {}, {kind}: {found_ns} {waited_ns}", jdk.version);
        }
        let threads = &collected.tables.threads.name;
        assert!(threads.iter().any(|name| name == "virtual threads"), "JDK {}: {threads:?}", jdk.version);
    }
}

/// The monitors of the program, and the functions that wait for them. The threads of one wait about 10 ms, those of the other about 150 ms,
/// and they use the same carriers.
const MONITORS: [(&str, &str); 2] =
    [("short", "MonitorWaits$ShortWait.enter"), ("long", "MonitorWaits$LongWait.enter")];

/// From JDK 24 on, these threads leave their carriers inside the JVM. Nearly all waits are found, with their lengths. But the profiler
/// cannot walk all stacks of threads that the JVM is about to continue, so only the mean length is compared for each monitor.
#[test]
fn virtual_threads_have_their_waits_for_monitors() {
    for jdk in kernel_jdks().into_iter().filter(|jdk| jdk.version >= NO_LOCK_PINS) {
        let workspace = Workspace::new();
        let program = ["whittle.workloads.truth.MonitorWaits", "--delay", "3"];
        let output = workspace.collect_launched(&["-q", "--instrument", "-o", "a.whittle"], &jdk, &program);
        let collected = Collected::read(&workspace, "a.whittle");
        let (samples, threads) = (&collected.tables.samples, &collected.tables.threads.name);
        let is_of = |row: &usize| {
            let is_monitor = collected.names(samples.stack[*row]).contains(&"ObjectMonitor::enter");
            is_monitor && threads[samples.thread[*row].row()] == "virtual threads"
        };
        let waits: Vec<usize> = collected.samples(EventKind::OffCpu).filter(is_of).collect();
        let sums = |rows: &[usize]| {
            let nanos: u64 = rows.iter().map(|row| samples.duration_ns[*row]).sum();
            (rows.len() as f64, nanos as f64)
        };
        let assert_near = |what: &str, found: f64, expected: f64| {
            eprintln!("JDK {}, {what}: {found}, expected {expected}", jdk.version);
            assert!((found / expected - 1.0).abs() < GOAL_VIRTUAL_WAIT_ERROR, "{what}: {found}, expected {expected}");
        };
        let (mut count, mut waited_ns, mut named_count) = (0.0, 0.0, 0.0);
        for (kind, function) in MONITORS {
            let logged = |key| printed(&output, &format!("wait={kind} "), key);
            let is_named =
                |row: &usize| collected.names(samples.stack[*row]).iter().any(|name| name.contains(function));
            let named: Vec<usize> = waits.iter().copied().filter(is_named).collect();
            let (of_kind, of_kind_ns) = sums(&named);
            assert_near(kind, of_kind_ns / of_kind, logged("waited_ns") / logged("count"));
            (count, waited_ns) = (count + logged("count"), waited_ns + logged("waited_ns"));
            named_count += of_kind;
        }
        let (found, found_ns) = sums(&waits);
        assert_near("waits", found, count);
        assert_near("their time", found_ns, waited_ns);
        eprintln!("{named_count} of {found} waits have their function");
        assert!(named_count / found > GOAL_NAMED_MONITOR_WAITS, "{named_count} of {found}");
    }
}

/// The first JDK in which locks do not pin.
const NO_LOCK_PINS: u32 = 24;

/// A way to wait that pins, the function of the program that waits, and whether only a lock pins.
const PINNED_KINDS: [(&str, &str, bool); 3] = [
    ("block", "PinnedWaits$InBlock.await", true),
    ("method", "PinnedWaits$InMethod$Turn.pass", true),
    ("initialiser", "PinnedWaits$Slow.<clinit>", false),
];

#[test]
fn pinned_virtual_threads_have_their_waits() {
    for jdk in kernel_jdks().into_iter().filter(|jdk| jdk.version >= FIRST_RELEASE) {
        let workspace = Workspace::new();
        let program = ["whittle.workloads.truth.PinnedWaits", "--delay", "3"];
        let output = workspace.collect_launched(&["-q", "--instrument", "-o", "a.whittle"], &jdk, &program);
        let collected = Collected::read(&workspace, "a.whittle");
        let (samples, threads) = (&collected.tables.samples, &collected.tables.threads);
        let is_pinned = |row: &usize| threads.name[samples.thread[*row].row()] == "booking-# (pinned)";
        let waits: Vec<usize> = collected.samples(EventKind::OffCpu).filter(is_pinned).collect();
        for (kind, function, is_lock) in PINNED_KINDS {
            let is_of = |row: &&usize| collected.names(samples.stack[**row]).iter().any(|name| name.contains(function));
            let weights: Vec<f64> = waits.iter().filter(is_of).map(|row| samples.duration_ns[*row] as f64).collect();
            if is_lock && jdk.version >= NO_LOCK_PINS {
                assert!(weights.is_empty(), "JDK {}, {kind}: {weights:?}", jdk.version);
                continue;
            }
            let asked_ns = printed(&output, &format!("wait={kind} "), "asked_ns");
            let found_ns = weights.iter().sum::<f64>();
            eprintln!("JDK {}, {kind}: {found_ns} ns in {} samples, {asked_ns} ns", jdk.version, weights.len());
            let bound = GOAL_VIRTUAL_WAIT_ERROR + tolerance::weights(&weights);
            assert!((found_ns / asked_ns - 1.0).abs() < bound, "JDK {}, {kind}: {found_ns} {asked_ns}", jdk.version);
        }
    }
}
