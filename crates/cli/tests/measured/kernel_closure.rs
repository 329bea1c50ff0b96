//! Compares the CPU time that the kernel-driven engine explains with the scheduler's values.

use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Running, SLOW, Workspace, assert_near, printed};
use crate::tolerance;
use whittle_model::{Closure, EventKind, LossReason, ThreadClass};
use whittle_testkit::{Jdk, MachineTime};

const SPIN: &[&str] = &["whittle.workloads.truth.Spin", "--threads", "2", "--seconds", "4"];
/// The program runs long enough to make the JVM's start, which has no stacks, a small part of the run. The run is
/// shorter than one part of a recording.
const SYSTEM_HEAVY: &[&str] = &["whittle.workloads.truth.SystemHeavy", "--writes", "7000000"];
const MANY_RUNNABLE: &[&str] = &["whittle.workloads.truth.ManyRunnable", "--threads", "16", "--seconds", "6"];

/// Number of tries. On a shared machine, a later try can get more CPU time. A real error fails in every try.
const TRIES: usize = 3;

/// While the host runs other machines on the CPUs, no timer ticks, but the clock continues. A try with more than this
/// ratio of stolen time is disturbed. Disturbed tries count only after the maximum number of disturbed tries.
const MOST_STOLEN_RATIO: f64 = 0.003;
const MOST_DISTURBED: usize = 5;

/// Collects `program` until the closure is good enough or the tries are over.
fn collect(jdk: &Jdk, interval: &str, program: &[&str], wanted_ratio: f64) -> (Collected, Closure, String) {
    let workspace = Workspace::new();
    let (mut tries, mut disturbed) = (0, 0);
    loop {
        let begin = MachineTime::now();
        let output = workspace.collect_launched(&["-q", "-f", "-o", "a.whittle", "--interval", interval], jdk, program);
        let collected = Collected::read(&workspace, "a.whittle");
        let closure = collected.manifest.closure.clone().unwrap();
        let is_near = (closure.coverage_ratio().unwrap() - 1.0).abs() <= tolerance::CLOSURE_GOAL;
        if begin.stolen_ratio_since() > MOST_STOLEN_RATIO && disturbed < MOST_DISTURBED {
            disturbed += 1;
        } else {
            tries += 1;
        }
        if tries == TRIES || (is_near && closure.ratio().unwrap() >= wanted_ratio) {
            return (collected, closure, output);
        }
    }
}

/// Asserts for an ordinary program that 99 % of the CPU time is explained and that the total is within 1 %. Each
/// thread's samples must be near the thread's exact CPU time.
fn assert_explained(jdk: &Jdk, interval: &str, program: &[&str]) -> (Collected, String) {
    assert_explained_by(1.0 - tolerance::CLOSURE_GOAL, jdk, interval, program)
}

fn assert_explained_by(least: f64, jdk: &Jdk, interval: &str, program: &[&str]) -> (Collected, String) {
    let (collected, closure, output) = collect(jdk, interval, program, 1.0 - tolerance::CLOSURE_GOAL);
    let what = format!("JDK {} {} at {interval}", jdk.version, program[0]);
    let losses = &collected.manifest.losses;
    eprintln!("{what}: closure {:.4} coverage {:.4}", closure.ratio().unwrap(), closure.coverage_ratio().unwrap());
    assert!(closure.ratio().unwrap() >= least, "{what}: {closure:?} {losses:?}");
    assert_near(&what, closure.sampled_ns as f64, closure.exact_cpu_ns as f64, tolerance::CLOSURE_GOAL);
    (collected, output)
}

/// The share of system CPU in a thread's samples, and the number of these samples.
fn sampled_system_ratio(collected: &Collected, thread: &str) -> (f64, f64) {
    let samples = &collected.tables.samples;
    let thread = collected.thread(thread);
    let (mut system, mut all, mut count) = (0.0, 0.0, 0.0);
    for row in collected.samples(whittle_model::EventKind::Cpu).filter(|row| samples.thread[*row] == thread) {
        let weight = samples.duration_ns[row] as f64;
        all += weight;
        count += 1.0;
        system += if samples.mode[row] == whittle_model::CpuMode::System { weight } else { 0.0 };
    }
    (system / all, count)
}

#[test]
fn user_code_is_explained() {
    for jdk in kernel_jdks() {
        for interval in ["10ms", "1ms"] {
            let (collected, output) = assert_explained(&jdk, interval, SPIN);
            let row = collected.thread("spin-0").row();
            let exact = collected.tables.threads.cpu_ns[row].unwrap() as f64;
            let own_ns = printed(&output, "thread spin-0", "cpu_ms") * 1e6;
            assert_near("spin-0, exact", exact, own_ns, tolerance::THREAD_OUTSIDE_ITS_CLOCK);
        }
    }
}

#[test]
fn system_calls_are_explained_and_split_as_the_kernel_splits() {
    for jdk in kernel_jdks() {
        for interval in ["10ms", "1ms"] {
            let (collected, output) = assert_explained(&jdk, interval, SYSTEM_HEAVY);
            let (found, count) = sampled_system_ratio(&collected, "system-heavy");
            let expected = printed(&output, "system_cpu_ratio", "system_cpu_ratio");
            // The kernel computes its own share from this number of ticks.
            let ticks = printed(&output, "cpu_ms ", "cpu_ms") / 4.0;
            let tolerance = tolerance::share_against_ticks(expected, count, ticks);
            let what = format!("JDK {} at {interval}", jdk.version);
            eprintln!("{what}: system share {found:.4}, the kernel's {expected:.4} ± {tolerance:.4}");
            assert!((found - expected).abs() <= tolerance, "{what}: {found:.4}, the kernel's {expected:.4}");
        }
    }
}

#[test]
fn sixteen_runnable_threads_are_explained() {
    for jdk in kernel_jdks() {
        for interval in ["10ms", "1ms"] {
            // Every 5 s, the profiler begins a new part of its recording. During this time, about 0.1 s if it must wait
            // for a CPU, the profiler provides no stacks. The goal is 0.99. On a loaded machine, the ratio can be
            // lower.
            let (collected, output) = assert_explained_by(0.95, &jdk, interval, MANY_RUNNABLE);
            let expected = printed(&output, "method=threeTenths", "cpu_ratio");
            let is_in =
                |stack| collected.names(stack).iter().any(|name| name.ends_with(".ManyRunnable.threeTenths(long)"));
            let is_any = |stack| collected.names(stack).iter().any(|name| name.contains(".ManyRunnable."));
            let cpu = whittle_model::EventKind::Cpu;
            let found = collected.weight(cpu, is_in) / collected.weight(cpu, is_any);
            let samples = collected.samples(cpu).count() as f64;
            let tolerance = tolerance::share(expected, samples) + tolerance::PHASE_CLOCK_READ;
            assert!((found - expected).abs() < tolerance, "JDK {}: {found:.4}, not {expected:.4}", jdk.version);
        }
    }
}

#[test]
fn threads_of_less_than_a_millisecond_are_all_there() {
    for jdk in kernel_jdks() {
        let program = ["whittle.workloads.truth.ShortThreads", "--seconds", "4"];
        let (collected, closure, output) = collect(&jdk, "10ms", &program, 0.9);
        let (ratio, coverage) = (closure.ratio().unwrap(), closure.coverage_ratio().unwrap());
        eprintln!("JDK {}: closure {ratio:.4} coverage {coverage:.4}", jdk.version);
        assert!(ratio >= 0.90 && coverage >= 0.95, "JDK {}: {closure:?} {:?}", jdk.version, collected.manifest.losses);
        let threads = &collected.tables.threads;
        let is_task = |row: &usize| threads.name[*row].starts_with("task-");
        let tasks: Vec<usize> = (0..threads.name.len()).filter(is_task).collect();
        let lost = collected.manifest.losses.iter().any(|loss| loss.reason == LossReason::EventsOverflow);
        let made = printed(&output, "tasks ", "tasks");
        let found: u64 = tasks.iter().map(|row| collected.threads_in(*row)).sum();
        assert!(lost || found as f64 == made, "{found} threads in {} rows of {made} tasks", tasks.len());
        assert!(tasks.len() < 5000, "{} rows of {made} tasks", tasks.len());
        for row in &tasks {
            let is_whole = threads.cpu_ns[*row].is_some_and(|cpu_ns| cpu_ns > 0) && threads.end_ns[*row].is_some();
            assert!(is_whole && threads.class[*row] == ThreadClass::Work, "{}", threads.name[*row]);
        }
        // Compares the exact times of all threads with the times that the threads measured until the end of run().
        let exact: f64 = tasks.iter().map(|row| threads.cpu_ns[*row].unwrap() as f64).sum();
        let own = printed(&output, "cpu_ms", "cpu_ms") * 1e6;
        assert!(exact >= 0.98 * own && exact <= 2.5 * own, "{exact} against {own}");
    }
}

/// Asserts that 97 % of all samples that the kernel side requested have their root, and that losses explain the other
/// samples.
fn assert_rooted(what: &str, collected: &Collected) {
    let (missing, all) = collected.missing_by_reason();
    let count: u64 = missing.values().sum();
    let share = 1.0 - count as f64 / all as f64;
    eprintln!("{what}: {share:.4} of {all} samples have their root; {missing:?}");
    for event in [EventKind::Cpu, EventKind::OffCpu, EventKind::Syscall] {
        assert!(collected.samples(event).count() > 20, "{what}: {event}");
    }
    assert!(share >= 0.97, "{what}: {share:.4} of {all}, {missing:?}");
    for (reason, count) in missing {
        let listed = collected.manifest.losses.iter().find(|loss| loss.reason == reason);
        assert!(
            listed.is_some_and(|loss| loss.count >= count),
            "{what}: {reason} {count} {:?}",
            collected.manifest.losses
        );
    }
}

#[test]
fn nearly_all_events_of_a_jvm_have_their_stack() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
        workspace.text(&["collect", "-q", "-p", &program.pid(), "-d", "6s", "-o", "a.whittle"]);
        assert_rooted(&format!("JDK {} attached", jdk.version), &Collected::read(&workspace, "a.whittle"));
        drop(program);
        workspace.collect_launched(&["-q", "-o", "b.whittle"], &jdk, &[SLOW, "--seconds", "6"]);
        let launched = Collected::read(&workspace, "b.whittle");
        assert_rooted(&format!("JDK {} launched", jdk.version), &launched);
        assert!(launched.samples(EventKind::PageFault).count() > 5, "JDK {}", jdk.version);
    }
}
