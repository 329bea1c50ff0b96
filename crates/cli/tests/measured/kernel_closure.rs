//! Compares the CPU time that the kernel-driven engine explains with the scheduler's values.

use crate::goals::{GOAL_CLOSURE, GOAL_CLOSURE_OF_SHORT_THREADS, GOAL_COVERAGE_ERROR, GOAL_ROOTED};
use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Running, SLOW, Workspace, assert_near, printed};
use crate::{hypotheses, tolerance};
use whittle_model::{Closure, EventKind, LossReason, ThreadClass};
use whittle_testkit::{Jdk, MachineTime};

const SPIN: &[&str] = &["whittle.workloads.truth.Spin", "--threads", "2", "--seconds", "4"];
/// The program runs long enough to make the JVM's start, which has no stacks, a small part of the run. The run is
/// shorter than one part of a recording.
const SYSTEM_HEAVY: &[&str] = &["whittle.workloads.truth.SystemHeavy", "--writes", "7000000"];
const MANY_RUNNABLE: &[&str] = &["whittle.workloads.truth.ManyRunnable", "--threads", "16", "--seconds", "6"];

/// Number of tries. On a shared machine, a later try can get more CPU time. A real error fails in every try.
const TRIES: usize = 3;

/// Disturbed tries count only after this number of disturbed tries.
const MOST_DISTURBED: usize = 5;

/// While the host runs other machines on the CPUs, no timer ticks, but the clock continues. A try with more than this
/// ratio of stolen time is disturbed. The ratio is of the time of all `cpus` CPUs. If all of it hits a program on one
/// CPU, the program loses `cpus` times this ratio: half of the difference that the goal allows.
fn most_stolen_ratio(cpus: f64) -> f64 {
    0.5 * GOAL_COVERAGE_ERROR / cpus
}

/// Collects `program` until the closure is good enough or the tries are over.
fn collect(jdk: &Jdk, interval: &str, program: &[&str], wanted_ratio: f64) -> (Collected, Closure, String) {
    let workspace = Workspace::new();
    let (mut tries, mut disturbed) = (0, 0);
    loop {
        let begin = MachineTime::now();
        let output = workspace.collect_launched(&["-q", "-f", "-o", "a.whittle", "--interval", interval], jdk, program);
        let collected = Collected::read(&workspace, "a.whittle");
        let closure = collected.manifest.closure.clone().unwrap();
        let is_near = (closure.coverage_ratio().unwrap() - 1.0).abs() <= GOAL_COVERAGE_ERROR;
        let cpus = f64::from(collected.manifest.host.as_ref().unwrap().cpu_count);
        if begin.stolen_ratio_since() > most_stolen_ratio(cpus) && disturbed < MOST_DISTURBED {
            disturbed += 1;
        } else {
            tries += 1;
        }
        if tries == TRIES || (is_near && closure.ratio().unwrap() >= wanted_ratio) {
            return (collected, closure, output);
        }
    }
}

/// Asserts for an ordinary program that the goals for its closure and its coverage are reached.
fn assert_explained(jdk: &Jdk, interval: &str, program: &[&str]) -> (Collected, String) {
    assert_explained_by(|_| GOAL_CLOSURE, jdk, interval, program)
}

/// The same with another least closure, which can depend on the number of samples.
fn assert_explained_by(
    least: impl Fn(&Collected) -> f64,
    jdk: &Jdk,
    interval: &str,
    program: &[&str],
) -> (Collected, String) {
    let (collected, closure, output) = collect(jdk, interval, program, GOAL_CLOSURE);
    let what = format!("JDK {} {} at {interval}", jdk.version, program[0]);
    let losses = &collected.manifest.losses;
    eprintln!("{what}: closure {:.4} coverage {:.4}", closure.ratio().unwrap(), closure.coverage_ratio().unwrap());
    let least = least(&collected);
    assert!(closure.ratio().unwrap() >= least, "{what}: at least {least:.4}: {closure:?} {losses:?}");
    assert_near(&what, closure.sampled_ns as f64, closure.exact_cpu_ns as f64, GOAL_COVERAGE_ERROR);
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
            // The thread reads its clock a last time before it ends.
            assert_near("spin-0, exact", exact, own_ns, tolerance::last_reading(own_ns, collected.tick_ns()));
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
            let ticks = printed(&output, "cpu_ms ", "cpu_ms") * 1e6 / collected.tick_ns();
            let tolerance = tolerance::share_against_ticks(expected, count, ticks);
            let what = format!("JDK {} at {interval}", jdk.version);
            eprintln!("{what}: system share {found:.4}, the kernel's {expected:.4} ± {tolerance:.4}");
            assert!((found - expected).abs() <= tolerance, "{what}: {found:.4}, the kernel's {expected:.4}");
        }
    }
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn sixteen_runnable_threads_are_explained() {
    for jdk in kernel_jdks() {
        for interval in ["10ms", "1ms"] {
            // The profiler must wait for a CPU when it begins a new part of its recording.
            let least = |collected: &Collected| {
                let duration_ns = collected.manifest.duration_ns as f64;
                tolerance::least_closure(GOAL_CLOSURE, collected.cpu_samples_count(), duration_ns)
            };
            let (collected, output) = assert_explained_by(least, &jdk, interval, MANY_RUNNABLE);
            let expected = printed(&output, "method=threeTenths", "cpu_ratio");
            let of_method = |method: &str| printed(&output, &format!("method={method} "), "cpu_ns");
            let in_methods: f64 = ["oneTenth", "twoTenths", "threeTenths", "fourTenths"].map(of_method).iter().sum();
            let is_in =
                |stack| collected.names(stack).iter().any(|name| name.ends_with(".ManyRunnable.threeTenths(long)"));
            let is_any = |stack| collected.names(stack).iter().any(|name| name.contains(".ManyRunnable."));
            let cpu = whittle_model::EventKind::Cpu;
            let found = collected.weight(cpu, is_in) / collected.weight(cpu, is_any);
            let clock_reads = tolerance::clock_reads(printed(&output, "total ", "cpu_ns"), in_methods);
            let tolerance = tolerance::share(expected, collected.cpu_samples_count()) + clock_reads;
            assert!((found - expected).abs() < tolerance, "JDK {}: {found:.4}, not {expected:.4}", jdk.version);
        }
    }
}

#[test]
fn threads_of_less_than_a_millisecond_are_all_there() {
    for jdk in kernel_jdks() {
        let program = ["whittle.workloads.truth.ShortThreads", "--seconds", "4"];
        let (collected, closure, output) = collect(&jdk, "10ms", &program, GOAL_CLOSURE_OF_SHORT_THREADS);
        let (ratio, coverage) = (closure.ratio().unwrap(), closure.coverage_ratio().unwrap());
        let least = tolerance::least(GOAL_CLOSURE_OF_SHORT_THREADS, collected.cpu_samples_count());
        let what = format!("JDK {}: {closure:?} {:?}", jdk.version, collected.manifest.losses);
        eprintln!("JDK {}: closure {ratio:.4}, at least {least:.4}, coverage {coverage:.4}", jdk.version);
        assert!(ratio >= least, "at least {least:.4}: {what}");
        // It is chance which samples lack their stack. But the weights of all samples add up to the CPU time.
        assert!(coverage >= GOAL_CLOSURE_OF_SHORT_THREADS, "{what}");
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
        // The printed number is rounded to 0.1 ms. Each thread also needs CPU time to end.
        let own = printed(&output, "cpu_ms", "cpu_ms") * 1e6;
        let most = hypotheses::COUNTED_ONCE_OR_TWICE * own;
        assert!(exact >= own - 0.05e6 && exact < most, "{exact} against {own}");
    }
}

/// Asserts that the goal for samples with a root is reached, and that losses explain the other samples.
fn assert_rooted(what: &str, collected: &Collected) {
    let (missing, all) = collected.missing_by_reason();
    let count: u64 = missing.values().sum();
    let share = 1.0 - count as f64 / all as f64;
    eprintln!("{what}: {share:.4} of {all} samples have their root; {missing:?}");
    for event in [EventKind::Cpu, EventKind::OffCpu, EventKind::Syscall] {
        assert!(collected.samples(event).count() > hypotheses::SAMPLED_OR_NOT, "{what}: {event}");
    }
    assert!(share >= GOAL_ROOTED, "{what}: {share:.4} of {all}, {missing:?}");
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
        let faults = launched.samples(EventKind::PageFault).count();
        assert!(faults > hypotheses::FAULTS_SAMPLED_OR_NOT, "JDK {}: {faults} samples of faults", jdk.version);
    }
}
