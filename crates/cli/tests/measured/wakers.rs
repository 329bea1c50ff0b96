//! Compares who ended sampled waits with a program that hands over in known ways.

use crate::goals::GOAL_WAKERS;
use crate::support::Workspace;
use crate::support::tables::{Collected, kernel_jdks};
use crate::tolerance;
use whittle_model::{EventKind, StackIndex, Table, ThreadIndex, WakerKind};

const PROGRAM: &str = "whittle.workloads.truth.HandOffs";
/// Hand-offs of each kind. Each takes a little more than 1 ms.
const COUNT: &str = "3000";
/// The mean distance between two samples of waits.
const OPTIONS: [&str; 5] = ["-q", "-o", "a.whittle", "--events", "off_cpu=10ms"];

/// The kinds of hand-offs, and the method that ends the wait.
const KINDS: [(&str, &str); 5] = [
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
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        workspace.collect_launched(&OPTIONS, &jdk, &[PROGRAM, "--count", COUNT]);
        let collected = Collected::read(&workspace, "a.whittle");
        let wakes = &collected.tables.wakes;
        for (kind, method) in KINDS {
            let what = format!("JDK {}, {kind}", jdk.version);
            let waker = collected.thread(&format!("{kind}-waker"));
            let rows = wakes_of(&collected, collected.thread(&format!("{kind}-waiter")));
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
