//! Casebook case 1, one byte per write, on every JDK: the main job of whittle, end to end.

use crate::goals::{self, GOAL_COVERAGE_ERROR, GOAL_GAP_OF_CLOCKS, GOAL_GAP_OF_DENSE_CLOCKS, GOAL_GAP_OF_THREAD_CLOCK};
use crate::support::{FIXED, Running, SLOW, Workspace, assert_near, number, printed, row};
use crate::{hypotheses, tolerance};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use whittle_testkit::{Jdk, jdks};

const WRITE_INT: &str = "java.io.FileOutputStream.write(int)";
const EXT_WRITE: &str = "whittle.workloads.crc.slow.ExtOutputStream.write(int)";
const OUTC: &str = "org.w3c.tidy.OutImpl.outc(int)";

fn attributed_system_ns(view: &Value, side: &str, function: &str) -> f64 {
    let rows = view[side].as_array().unwrap();
    let found = rows.iter().find(|row| row["function"] == function);
    found.map_or(0.0, |row| number(&row["attributed_system_cpu_ns"]))
}

fn callers_of_write(workspace: &Workspace, experiment: &str) -> Value {
    workspace.json(&["callers-callees", experiment, "--fragment", WRITE_INT, "--metrics", "a.system_cpu"])
}

#[test]
fn system_cpu_is_on_the_write_and_its_callers_have_the_ratio_of_their_calls() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let (interval, interval_ns) = ("1ms", 1e6);
        let options = ["-o", "slow.whittle", "--interval", interval];
        let output = workspace.collect_launched(&options, &jdk, &[SLOW, "--seconds", "8"]);

        let user = workspace.json(&["functions", "slow.whittle", "--sort", "e.system_cpu"]);
        let top = user["rows"][0]["function"].as_str().unwrap();
        assert!(top.starts_with("java.io.FileOutputStream.write"), "JDK {}: {top}", jdk.version);

        let expert = workspace.json(&["functions", "slow.whittle", "--mode", "expert", "--sort", "e.system_cpu"]);
        let top = &expert["rows"][0];
        assert!(top["function"].as_str().unwrap().ends_with("write"), "JDK {}: {top}", jdk.version);
        assert!(top["binary"].as_str().unwrap().contains("libc"), "JDK {}: {top}", jdk.version);

        let callers = callers_of_write(&workspace, "slow.whittle");
        let (ext, outc) =
            (attributed_system_ns(&callers, "callers", EXT_WRITE), attributed_system_ns(&callers, "callers", OUTC));
        let callers_line = "callers FileOutputStream.write(int)";
        let (ext_calls, outc_calls) =
            (printed(&output, callers_line, "ExtOutputStream.write"), printed(&output, callers_line, "OutImpl.outc"));
        // All calls write one byte, so they cost the same.
        let (found, made) = (ext / (ext + outc), ext_calls / (ext_calls + outc_calls));
        let tolerance = tolerance::share(made, (ext + outc) / interval_ns);
        let what = format!("JDK {}: attributed {found:.4}, calls {made:.4} ± {tolerance:.4}", jdk.version);
        assert!((found - made).abs() <= tolerance, "{what}");
    }
}

/// Inclusive system CPU of the write per document: the part below the caller `OUTC`, and the total.
fn system_ns_per_document(workspace: &Workspace, jdk: &Jdk, (program, experiment): (&str, &str)) -> (f64, f64) {
    let options = ["-o", experiment, "--interval", "1ms", "--force"];
    let output = workspace.collect_launched(&options, jdk, &[program, "--seconds", "6"]);
    let documents = printed(&output, "documents", "documents");
    let callers = callers_of_write(workspace, experiment);
    let inclusive = number(&callers["inclusive"]["attributed_system_cpu_ns"]);
    (attributed_system_ns(&callers, "callers", OUTC) / documents, inclusive / documents)
}

/// Smallest and largest number of pairs of runs. More pairs are needed if the speed of the machine changes.
const PAIRS: std::ops::RangeInclusive<usize> = 4..=16;

/// Wanted standard error of the median log ratio.
const WANTED_ERROR: f64 = 0.03;

/// By chance, one of 1000 medians with this error differs by more. 3.291 is the quantile of the normal distribution.
const LARGEST_DIFFERENCE: f64 = 3.291 * WANTED_ERROR;

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

/// The median, and its standard error from the median absolute deviation. For a normal distribution, the standard
/// deviation is 1.4826 times the median absolute deviation, and the error of the median is 1.2533 times the error of
/// the mean.
fn median_with_error(values: &[f64]) -> (f64, f64) {
    let middle = median(values);
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    (middle, 1.2533 * 1.4826 * median(&deviations) / (values.len() as f64).sqrt())
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn after_the_fix_only_the_third_party_caller_is_left() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let mut log_ratios: Vec<f64> = Vec::new();
        // The number of pairs depends only on the precision, never on the result.
        while log_ratios.len() < *PAIRS.start()
            || log_ratios.len() < *PAIRS.end() && median_with_error(&log_ratios).1 > WANTED_ERROR
        {
            // Both programs run at the same time, because a shared machine changes its speed within seconds. A change
            // of speed affects both programs.
            let ((third_party, slow), (_, fixed)) = std::thread::scope(|scope| {
                let slow = scope.spawn(|| system_ns_per_document(&workspace, &jdk, (SLOW, "slow.whittle")));
                let fixed = system_ns_per_document(&workspace, &jdk, (FIXED, "fixed.whittle"));
                (slow.join().unwrap(), fixed)
            });
            let found = || workspace.text(&["functions", "slow.whittle", "--sort", "e.system_cpu", "--limit", "8"]);
            let is_less = fixed < hypotheses::one_byte::WRITES_GONE_OR_NOT * slow;
            assert!(is_less, "JDK {}: {fixed} against {slow}\n{}", jdk.version, found());
            log_ratios.push((fixed / third_party).ln());
        }
        let (log_ratio, error) = median_with_error(&log_ratios);
        let ratio = log_ratio.exp();
        assert!(
            log_ratio.abs() <= LARGEST_DIFFERENCE,
            "JDK {}: {ratio:.3} ± {error:.3} of {log_ratios:.3?}",
            jdk.version
        );
    }
}

/// The unit of times in `/proc`: USER_HZ is 100 on all current architectures.
const PROC_UNIT_NS: f64 = 1e7;
/// The distance between two readings of `/proc`.
const PROC_PAUSE: Duration = Duration::from_millis(20);

/// CPU time of a process in nanoseconds, from the kernel's `/proc/PID/stat`.
fn kernel_cpu_ns(pid: &str) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?) * PROC_UNIT_NS)
}

/// Reads the kernel's CPU time repeatedly while `work` runs. Returns pairs of time since boot and CPU time.
fn watch_kernel(pid: &str, work: impl FnOnce()) -> Vec<(f64, f64)> {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut points = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
                let now_ns = uptime.split_whitespace().next().unwrap().parse::<f64>().unwrap() * 1e9;
                points.extend(kernel_cpu_ns(pid).map(|cpu_ns| (now_ns, cpu_ns)));
                std::thread::sleep(PROC_PAUSE);
            }
            points
        });
        work();
        is_over.store(true, Ordering::Relaxed);
        watching.join().unwrap()
    })
}

/// How much the kernel's CPU time grew between two times.
fn grown_between(points: &[(f64, f64)], from_ns: f64, to_ns: f64) -> f64 {
    let at = |time_ns: f64| points.iter().rev().find(|point| point.0 <= time_ns).unwrap().1;
    at(to_ns) - at(from_ns)
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn sampled_cpu_is_what_the_kernel_accounted() {
    for jdk in jdks() {
        for (interval, interval_ns, of_clocks) in
            [("10ms", 1e7, GOAL_GAP_OF_CLOCKS), ("1ms", 1e6, GOAL_GAP_OF_DENSE_CLOCKS)]
        {
            let workspace = Workspace::new();
            let program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
            let options = ["-d", "10s", "--interval", interval, "-o", "a.whittle"];
            let pid = program.pid();
            let arguments = [&["collect", "-p", &pid], &options[..]].concat();
            let points = watch_kernel(&pid, || drop(workspace.text(&arguments)));
            let manifest = workspace.manifest("a.whittle");
            let start_ns = number(&manifest["start_monotonic_ns"]);
            let kernel = grown_between(&points, start_ns, start_ns + number(&manifest["duration_ns"]));
            let overview = workspace.json(&["overview", "a.whittle"]);
            let what = format!("JDK {} at {interval}", jdk.version);
            let (sampled, exact) =
                (number(&overview["closure"]["sampled_ns"]), number(&overview["closure"]["exact_cpu_ns"]));
            let gap = goals::gap(&workspace.engine("a.whittle"), of_clocks);
            let chance = tolerance::time(exact, interval_ns, gap);
            let accounts = tolerance::readings(exact, workspace.tick_ns("a.whittle"));
            assert_near(&format!("{what}: sampled against exact"), sampled, exact, chance + accounts);
            // Both the uptime and the CPU time are whole units.
            let proc = tolerance::readings(kernel, PROC_PAUSE.as_nanos() as f64 + 2.0 * PROC_UNIT_NS);
            assert_near(&format!("{what}: sampled against /proc/PID/stat"), sampled, kernel, chance + proc);
            let text = workspace.text(&["overview", "a.whittle"]);
            let percent = format!("{:.2} %", number(&overview["closure_ratio"]) * 100.0);
            assert!(text.lines().any(|line| line.starts_with("Closure:") && line.contains(&percent)), "{text}");
        }
    }
}

/// The default interval between two samples.
const INTERVAL_NS: f64 = 1e7;

#[test]
fn a_launched_program_is_covered_but_for_named_losses() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let output = workspace.collect_launched(&["-o", "a.whittle"], &jdk, &[SLOW, "--seconds", "10"]);
        let overview = workspace.json(&["overview", "a.whittle"]);
        let losses = overview["losses"].as_array().unwrap().iter();
        let outside_ns: f64 = losses
            .filter(|loss| loss["reason"] == "before_agent" || loss["reason"] == "after_agent")
            .map(|loss| number(&loss["cpu_ns"]))
            .sum();
        let closure = &overview["closure"];
        let explained = number(&closure["sampled_ns"]) + outside_ns;
        let (exact, what) = (number(&closure["exact_cpu_ns"]), format!("JDK {}", jdk.version));
        let engine = workspace.engine("a.whittle");
        let gap = goals::gap(&engine, GOAL_GAP_OF_CLOCKS);
        assert_near(&what, explained, exact, tolerance::time(exact, INTERVAL_NS, gap));
        // The program measured its own thread with the JVM's CPU clock.
        let threads = workspace.json(&["threads", "a.whittle", "--pools", "none"]);
        let rows = threads["rows"].as_array().unwrap();
        let writer = rows.iter().find(|row| row["thread"] == "crc-writer").unwrap();
        let own_ns = printed(&output, "thread_cpu_ms ", "thread_cpu_ms") * 1e6;
        // The thread reads its clock a last time before it ends.
        let last = tolerance::last_reading(own_ns, workspace.cpu_time_resolution_ns("a.whittle"));
        assert_near(&format!("{what}: thread, exact"), number(&writer["exact_cpu_ns"]), own_ns, last);
        // The engine `kernel` has a clock for each CPU, so it is chance which thread a tick hits.
        let tolerance = if engine == "kernel" {
            tolerance::time_of_share(own_ns, exact, exact / INTERVAL_NS) + GOAL_COVERAGE_ERROR
        } else {
            tolerance::time(own_ns, INTERVAL_NS, GOAL_GAP_OF_THREAD_CLOCK)
        };
        assert_near(&format!("{what}: thread, sampled"), number(&writer["cpu_ns"]), own_ns, tolerance);
        let root = row(&workspace.json(&["functions", "a.whittle"]), WRITE_INT).clone();
        let least = hypotheses::one_byte::WRITES_FOUND_OR_LOST * own_ns;
        assert!(number(&root["inclusive_cpu_ns"]) > least, "{root}");
    }
}
