//! Compares whittle's values with programs that measure themselves.

use crate::goals::{GOAL_COVERAGE_ERROR, GOAL_GAP_OF_DENSE_CLOCKS, GOAL_GAP_OF_THREAD_CLOCK};
use crate::support::{self, Workspace, assert_near, number, printed, row};
use crate::tolerance;
use whittle_testkit::{any_jdk, jdks};

#[test]
fn a_known_split_between_two_methods_is_found() {
    // Only one thread for `ctimer`, because it samples at the kernel's ticks. If threads compete for a CPU, the
    // scheduler also switches them at ticks.
    for (engine, interval, period_ns, threads) in [("cpu", "1ms", 1e6, 2), ("ctimer", "10ms", 1e7, 1)] {
        for jdk in jdks() {
            let what = format!("JDK {} {engine}", jdk.version);
            let workspace = Workspace::new();
            let options = ["-o", "a.whittle", "--engine", engine, "--interval", interval];
            let threads = threads.to_string();
            let program = ["whittle.workloads.truth.Spin", "--threads", &threads, "--seconds", "8"];
            let output = workspace.collect_launched(&options, &jdk, &program);
            let thread = thread_row(&workspace, "spin-0");
            let own_ns = |key| printed(&output, "thread spin-0", key) * 1e6;
            let (in_phases_ns, own_ns) = (own_ns("heavy_ms") + own_ns("light_ms"), own_ns("cpu_ms"));
            let tolerance = tolerance::time(own_ns, period_ns, GOAL_GAP_OF_THREAD_CLOCK);
            assert_near(&what, number(&thread["cpu_ns"]), own_ns, tolerance);
            let functions = workspace.json(&["functions", "a.whittle"]);
            let inclusive = |name| number(&row(&functions, name)["inclusive_cpu_ns"]);
            let heavy = inclusive("whittle.workloads.truth.Spin.heavy(long)");
            let both = heavy + inclusive("whittle.workloads.truth.Spin.light(long)");
            let (found, expected) = (heavy / both, printed(&output, "thread spin-0", "heavy_ratio"));
            let sample_count = number(&thread["recorded_samples_count"]);
            let tolerance = tolerance::share(expected, sample_count) + tolerance::clock_reads(own_ns, in_phases_ns);
            assert!((found - expected).abs() < tolerance, "{what}: {found:.3}, not {expected:.3} ± {tolerance:.3}");
        }
    }
}

/// The distance between two samples of allocations.
const ALLOCATIONS: &str = "alloc=512k";
const BYTES_PER_SAMPLE: f64 = 524_288.0;

/// The program counts the objects of each class, and each class has a method of its own that allocates.
#[test]
fn allocations_are_split_by_class_as_the_program_counts_them() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let options = ["-o", "a.whittle", "--engine", "ctimer", "--events", ALLOCATIONS];
        let program = ["whittle.workloads.truth.AllocationHeavy", "--cycles", "2000000"];
        let output = workspace.collect_launched(&options, &jdk, &program);
        let view =
            workspace.json(&["classes", "a.whittle", "--by", "class,site", "--filter", "thread = \"allocating\""]);
        let (all_bytes, samples) = (number(&view["total"]["alloc_bytes"]), number(&view["samples_count"]));
        let own_bytes = printed(&output, "total", "bytes");
        for class in ["long[]", "byte[]", "whittle.workloads.truth.AllocationHeavy$Order"] {
            let what = format!("JDK {} {class}", jdk.version);
            let line = format!("class={class}");
            let rows = view["rows"].as_array().unwrap();
            let row = rows.iter().find(|row| row["class"] == class).unwrap_or_else(|| panic!("{what}: {view}"));
            let expected = printed(&output, &line, "bytes") / own_bytes;
            let found = number(&row["alloc_bytes"]) / all_bytes;
            let tolerance = tolerance::share(expected, samples);
            assert!((found - expected).abs() < tolerance, "{what}: {found:.4}, not {expected:.4} ± {tolerance:.4}");
            // One sample of the class can be an object of the JDK with another size.
            let bytes_per_object = number(&row["alloc_bytes"]) / number(&row["alloc_count"]);
            let own = printed(&output, &line, "bytes_per_object");
            let tolerance = tolerance::whole_objects(own, BYTES_PER_SAMPLE) + 1.0 / number(&row["samples_count"]);
            assert_near(&what, bytes_per_object, own, tolerance);
            let site = row["function"].as_str().unwrap();
            assert!(site.contains(".allocate") || site.contains(".cycle("), "{what}: {site}");
        }
        let unknown = workspace.json(&["classes", "a.whittle", "--filter", "class is \"<unknown>\""]);
        assert_eq!(number(&unknown["total"]["alloc_bytes"]), 0.0, "JDK {}: {unknown}", jdk.version);
    }
}

/// The row of a thread by its name.
fn thread_row(workspace: &Workspace, name: &str) -> serde_json::Value {
    let threads = workspace.json(&["threads", "a.whittle", "--pools", "none"]);
    threads["rows"].as_array().unwrap().iter().find(|row| row["thread"] == name).unwrap().clone()
}

#[test]
fn ctimer_at_1_ms_is_weighted_by_the_kernels_tick() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let options = ["-o", "a.whittle", "--engine", "ctimer", "--interval", "1ms"];
    let program = ["whittle.workloads.truth.Spin", "--threads", "1", "--seconds", "5"];
    let output = workspace.collect_launched(&options, &jdk, &program);
    let found = thread_row(&workspace, "spin-0");
    let own_ns = printed(&output, "thread spin-0", "cpu_ms") * 1e6;
    let tolerance = tolerance::time(own_ns, workspace.tick_ns("a.whittle"), GOAL_GAP_OF_THREAD_CLOCK);
    assert_near("spin-0", number(&found["cpu_ns"]), own_ns, tolerance);
    let error = workspace.whittle(&["functions", "a.whittle", "--metrics", "system_cpu"]);
    let error = support::stderr(&error);
    assert!(error.contains("system_cpu") && error.contains("ctimer"), "{error}");
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn user_and_system_split_follows_the_kernels_accounting() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let program = ["whittle.workloads.truth.SystemHeavy", "--writes", "8000000"];
        let output = workspace.collect_launched(&["-o", "a.whittle"], &jdk, &program);
        let expected = printed(&output, "system_cpu_ratio", "system_cpu_ratio");
        let threads = workspace.json(&["threads", "a.whittle", "--pools", "none", "--metrics", "cpu,system_cpu"]);
        let rows = threads["rows"].as_array().unwrap();
        let busiest = rows.iter().max_by(|a, b| number(&a["cpu_ns"]).total_cmp(&number(&b["cpu_ns"]))).unwrap();
        let found = number(&busiest["system_cpu_ns"]) / number(&busiest["cpu_ns"]);
        // The kernel splits user and system time by its ticks.
        let ticks = printed(&output, "cpu_ms ", "cpu_ms") * 1e6 / workspace.tick_ns("a.whittle");
        let samples = number(&busiest["recorded_samples_count"]);
        let tolerance = tolerance::share_against_ticks(expected, samples, ticks);
        let what = format!("JDK {}, {samples} samples, {ticks:.0} ticks", jdk.version);
        eprintln!("{what}: {found:.3} against {expected:.3} ± {tolerance:.3}");
        assert!((found - expected).abs() < tolerance, "{what}: {found:.3} against {expected:.3} ± {tolerance:.3}");
    }
}

/// The default interval between two samples.
const INTERVAL_NS: f64 = 1e7;
/// The program burns at least this CPU time each time it is at the bottom of its recursion.
const BURN_NS: f64 = 2e7;

#[test]
fn recursion_of_5000_frames_is_rooted_and_counted_once() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let program = ["whittle.workloads.truth.Recursion", "--depth", "5000", "--seconds", "6"];
        let output = workspace.collect_launched(&["-o", "a.whittle"], &jdk, &program);
        let functions = workspace.json(&["functions", "a.whittle"]);
        let rows = functions["rows"].as_array().unwrap();
        let descend = rows.iter().find(|row| row["function"].as_str().unwrap().contains("Recursion.descend(")).unwrap();
        let expected_ns = printed(&output, "descend_inclusive_cpu_ms", "descend_inclusive_cpu_ms") * 1e6;
        // The engine `kernel` measures the weights of its samples. With other engines, the long stacks cause most of the
        // difference.
        let tolerance = if workspace.engine("a.whittle") == "kernel" {
            tolerance::time_of_phases(expected_ns, INTERVAL_NS, expected_ns / BURN_NS) + GOAL_COVERAGE_ERROR
        } else {
            tolerance::time(expected_ns, INTERVAL_NS, GOAL_GAP_OF_DENSE_CLOCKS)
        };
        let found = number(&descend["inclusive_cpu_ns"]);
        assert_near(&format!("JDK {}: descend", jdk.version), found, expected_ns, tolerance);
        let total = number(&functions["total"]["inclusive_cpu_ns"]);
        assert!(number(&descend["inclusive_cpu_ns"]) <= total, "counted more than once");
        assert!(!workspace.text(&["overview", "a.whittle"]).contains("depth_limit"));
    }
}

#[test]
fn a_thread_that_wakes_often_has_its_exact_time_and_a_note_if_samples_are_wrong() {
    let Some(jdk) = any_jdk() else { return };
    for wakes in ["1000", "2000", "5000"] {
        let workspace = Workspace::new();
        let program = ["whittle.workloads.truth.ShortWakes", "--seconds", "4", "--wakes", wakes];
        let output = workspace.collect_launched(&["-q", "-o", "a.whittle"], &jdk, &program);
        let threads = workspace.json(&["threads", "a.whittle", "--pools", "none"]);
        let notes = threads["notes"].to_string();
        let mut shares = Vec::new();
        for name in ["busy", "often-woken"] {
            let found = thread_row(&workspace, name);
            let own_ns = printed(&output, &format!("thread={name} "), "cpu_ns");
            let (exact, sampled) = (number(&found["exact_cpu_ns"]), number(&found["cpu_ns"]));
            // The thread reads its clock a last time before it ends.
            let tolerance = tolerance::last_reading(own_ns, workspace.cpu_time_resolution_ns("a.whittle"));
            assert_near(&format!("{wakes} {name}"), exact, own_ns, tolerance);
            eprintln!("{wakes} {name}: sampled {:.3} s, exact {:.3} s, {notes}", sampled / 1e9, exact / 1e9);
            shares.push((sampled, exact));
        }
        // Both threads together have the samples' sum, so a wrong share is the only difference.
        let (sampled, exact) = shares.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        let (found, expected) = (shares[1].0 / sampled, shares[1].1 / exact);
        let tolerance = tolerance::share(expected, sampled / INTERVAL_NS);
        let is_noted = notes.contains("often-woken (samples");
        // The note begins at 3.3 standard deviations, and the tolerance is wider. So the note has all larger differences.
        let is_wrong = (found - expected).abs() > tolerance;
        assert!(is_noted || !is_wrong, "{wakes}: {found:.3}, not {expected:.3} ± {tolerance:.3}: {notes}");
    }
}
