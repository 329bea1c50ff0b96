//! Compares who ended sampled waits with a program that hands over in known ways.

use crate::goals::GOAL_WAKERS;
use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Workspace, number};
use crate::tolerance;
use serde_json::Value;
use std::collections::BTreeMap;
use whittle_model::{EventKind, StackIndex, Table, ThreadIndex, WakerKind};

const PROGRAM: &str = "whittle.workloads.truth.HandOffs";
const HOLDERS: &str = "whittle.workloads.truth.LockHolders";
const CHAIN: &str = "whittle.workloads.truth.WaitChain";
/// Hand-offs of each kind. Each takes a little more than 1 ms.
const COUNT: &str = "3000";
const MANY: &str = "10000";
/// The mean distance between two samples of waits.
const OPTIONS: [&str; 5] = ["-q", "-o", "a.whittle", "--events", "off_cpu=10ms"];

/// The kinds of hand-offs, and the method that ends the wait.
const KINDS: [(&str, &str); 7] = [
    ("contended-monitor", "holdMonitor"),
    ("contended-lock", "holdLock"),
    ("monitor", "notifyMonitor"),
    ("lock", "signalCondition"),
    ("queue", "putTask"),
    ("pipe", "writePipe"),
    ("socket", "writeSocket"),
];
const SLEEPERS: [&str; 2] = ["timer-sleeper", "timer-parker"];

fn wakes_of(collected: &Collected, thread: ThreadIndex) -> Vec<usize> {
    let wakes = &collected.tables.wakes;
    (0..wakes.len()).filter(|row| wakes.thread[*row] == thread).collect()
}

fn assert_most(what: &str, count: usize, of: usize) {
    eprintln!("{what}: {count} of {of}");
    assert!(count as f64 / of as f64 >= tolerance::least(GOAL_WAKERS, of as f64), "{what}: {count} of {of}");
}

#[test]
fn a_hand_off_names_the_thread_and_the_method_that_ended_the_wait() {
    hand_offs_are_right(COUNT);
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn many_hand_offs_name_the_thread_and_the_method_that_ended_the_wait() {
    hand_offs_are_right(MANY);
}

fn hand_offs_are_right(count: &str) {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        workspace.collect_launched(&OPTIONS, &jdk, &[PROGRAM, "--count", count]);
        let collected = Collected::read(&workspace, "a.whittle");
        let wakes = &collected.tables.wakes;
        for (kind, method) in KINDS {
            let what = format!("JDK {}, {kind}", jdk.version);
            let waker = collected.thread(&format!("{kind}-waker"));
            let mut rows = wakes_of(&collected, collected.thread(&format!("{kind}-waiter")));
            if kind == "contended-monitor" {
                // The JVM interrupts such waits by a timer to look at the monitor.
                rows.retain(|row| wakes.kind[*row] != WakerKind::Timer);
            }
            assert!(!rows.is_empty(), "{what}: no wakes");
            let named = rows.iter().filter(|row| wakes.waker[**row] == Some(waker)).count();
            assert_most(&format!("{what}: right waker"), named, rows.len());
            let has_method = |stack: StackIndex| collected.names(stack).iter().any(|name| name.contains(method));
            let with_method = rows.iter().filter(|row| has_method(wakes.stack[**row])).count();
            assert_most(&format!("{what}: right method"), with_method, rows.len());
        }
        for sleeper in SLEEPERS {
            let rows = wakes_of(&collected, collected.thread(sleeper));
            let timers = rows.iter().filter(|row| wakes.kind[**row] == WakerKind::Timer).count();
            assert_most(&format!("JDK {}, {sleeper}: timer", jdk.version), timers, rows.len());
        }
    }
}

/// Waiting times by waiter and holder, such as `lock audit refresh`.
type TimesByHolder = BTreeMap<String, f64>;

/// The part of the waiting time in which the method that gave a monitor back must be known. If the compiler has put this method into
/// its caller, the exit from the monitor can show only the caller.
const METHOD_OF_MONITORS: f64 = 0.4;

/// The part of the logged waiting time that must be found. The program also counts the time in which a woken thread waits for a CPU.
const FOUND_OF_LOCKS: f64 = 0.9;

/// What the program wrote down.
fn logged(output: &str) -> TimesByHolder {
    let lines = output.lines().filter(|line| line.starts_with("waits "));
    let times = lines.map(|line| {
        let value = |key: &str| {
            let found = line.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
            found.unwrap_or_else(|| panic!("no {key} in {line}"))
        };
        let key = format!("{} {} {}", value("kind"), value("waiter"), value("holder"));
        (key, value("nanos").parse().expect("a number"))
    });
    times.collect()
}

/// The method `refresh`, and the kind `lock`, of a function such as `refreshLocked()`.
fn method_and_kind(function: &Value) -> Option<(String, &'static str)> {
    let name = function.as_str()?.split('(').next()?.rsplit('.').next()?;
    let of = |suffix: &str, kind| name.strip_suffix(suffix).map(|method| (method.to_owned(), kind));
    of("Locked", "lock").or_else(|| of("Synchronized", "monitor"))
}

/// What the table of locks tells, and the part of the time of each kind in which it also names the method.
fn told(view: &Value) -> (TimesByHolder, TimesByHolder) {
    let (mut times, mut with_method, mut waiter) = (TimesByHolder::new(), TimesByHolder::new(), None);
    for row in view["rows"].as_array().expect("rows") {
        match row["role"].as_str() {
            Some("lock") => waiter = method_and_kind(&row["function"]),
            Some("holder") => {
                let Some((waiter, kind)) = &waiter else { continue };
                let thread = row["thread"].as_str().expect("a thread");
                let holder = thread.strip_suffix(&format!("-{kind}")).unwrap_or("unknown");
                *times.entry(format!("{kind} {waiter} {holder}")).or_default() += number(&row["duration_ns"]);
                if method_and_kind(&row["function"]).is_some_and(|(method, _)| method == holder) {
                    *with_method.entry((*kind).to_owned()).or_default() += number(&row["duration_ns"]);
                }
            }
            _ => {}
        }
    }
    (times, with_method)
}

/// The time of all waits of a kind.
fn time_of(times: &TimesByHolder, kind: &str) -> f64 {
    times.iter().filter(|(key, _)| key.starts_with(kind)).map(|(_, nanos)| nanos).sum()
}

/// Two of three threads of the program wait at the same time, so several threads can have the lock during one wait. All waits are
/// sampled.
#[test]
fn the_table_of_locks_has_the_holders_that_the_program_wrote_down() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let options = ["-q", "-o", "a.whittle", "--events", "off_cpu=100us"];
        let output = workspace.collect_launched(&options, &jdk, &[HOLDERS]);
        let view = workspace.json(&["locks", "a.whittle"]);
        let (logged, (told, with_method)) = (logged(&output), told(&view));
        for (kind, least_with_method) in [("lock", GOAL_WAKERS), ("monitor", METHOD_OF_MONITORS)] {
            let of_kind = logged.iter().filter(|(key, _)| key.starts_with(kind));
            assert!(of_kind.clone().count() >= 4, "most of the three threads wait for both others: {logged:?}");
            let right = of_kind.map(|(key, nanos)| nanos.min(told.get(key).copied().unwrap_or_default()));
            let unknown = told.iter().filter(|(key, _)| key.starts_with(kind) && key.ends_with("unknown"));
            let unknown_ns: f64 = unknown.map(|(_, nanos)| nanos).sum();
            let (right_ns, told_ns) = (right.sum::<f64>(), time_of(&told, kind) - unknown_ns);
            let (found, right) = (right_ns / time_of(&logged, kind), right_ns / told_ns);
            let with_method = with_method.get(kind).copied().unwrap_or_default() / told_ns;
            let what = format!("JDK {}, {kind}", jdk.version);
            eprintln!("{what}: {found:.3} found, {right:.3} right, {with_method:.3} with the method");
            assert!(
                found >= FOUND_OF_LOCKS,
                "{what}: {found:.3} of the logged time is found; {logged:.0?}, {told:.0?}"
            );
            assert!(
                right >= GOAL_WAKERS,
                "{what}: {right:.3} of the time has the right holder; {logged:.0?}, {told:.0?}"
            );
            assert!(with_method >= least_with_method, "{what}: {with_method:.3} of the time has the method");
        }
    }
}

/// `order` waits for a lock; `loader` has it and waits for a queue; `source` gives an element after it has slept.
#[test]
fn a_chain_of_three_waits_is_found() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        workspace.collect_launched(&OPTIONS, &jdk, &[CHAIN]);
        let filter = "thread = \"order\" and wait is lock";
        let view = workspace.json(&["wakers", "a.whittle", "--filter", filter]);
        let rows = view["rows"].as_array().expect("rows");
        let steps = [
            (0, "waiter", "order", Some("lock")),
            (1, "waker", "loader", None),
            (2, "waits", "loader", Some("queue")),
            (3, "waker", "source", None),
            (4, "waits", "source", Some("sleep")),
        ];
        for (depth, role, thread, meaning) in steps {
            let is_it = |row: &&Value| {
                (row["depth"].as_u64(), row["role"].as_str()) == (Some(depth), Some(role))
                    && (row["thread"].as_str(), row["meaning"].as_str()) == (Some(thread), meaning)
            };
            let time_ns: f64 = rows.iter().filter(is_it).map(|row| number(&row["duration_ns"])).sum();
            let ratio = time_ns / number(&view["total"]["duration_ns"]);
            eprintln!("JDK {}: {role} {thread}: {ratio:.3}", jdk.version);
            assert!(ratio >= GOAL_WAKERS, "JDK {}: {role} {thread} has {ratio:.3} of the time", jdk.version);
        }
    }
}

/// The next sample of the thread that waited has the stack of the wait.
#[test]
fn a_wake_belongs_to_the_next_sample_of_its_thread() {
    for jdk in kernel_jdks().into_iter().take(1) {
        let workspace = Workspace::new();
        workspace.collect_launched(&OPTIONS, &jdk, &[PROGRAM, "--count", "1000"]);
        let collected = Collected::read(&workspace, "a.whittle");
        let (wakes, samples) = (&collected.tables.wakes, &collected.tables.samples);
        assert!(!wakes.is_empty());
        let is_of_next_sample = |wake: &usize| {
            let of_thread = collected.samples(EventKind::OffCpu).filter(|row| {
                samples.thread[*row] == wakes.thread[*wake] && samples.time_ns[*row] >= wakes.time_ns[*wake]
            });
            let next = of_thread.min_by_key(|row| samples.time_ns[*row]);
            next.is_some_and(|row| {
                let (sample, wake) = (samples.row(row), wakes.row(*wake));
                (sample.reason, sample.duration_ns) == (wake.reason, wake.weight_ns)
            })
        };
        let matching = (0..wakes.len()).filter(is_of_next_sample).count();
        assert_most("wakes of the next sample", matching, wakes.len());
    }
}
