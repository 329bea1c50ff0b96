//! Compares whittle's values with programs that measure themselves.

use crate::support::{self, Workspace, assert_near, number, printed, row};
use whittle_testkit::{any_jdk, jdks};

#[test]
fn a_known_split_between_two_methods_is_found() {
    // Only one thread for `ctimer`, because it samples at the kernel's ticks. If threads compete for a CPU, the
    // scheduler also switches them at ticks.
    for (engine, interval, threads) in [("cpu", "1ms", 2), ("ctimer", "10ms", 1)] {
        for jdk in jdks() {
            let what = format!("JDK {} {engine}", jdk.version);
            let workspace = Workspace::new();
            let options = ["-o", "a.whittle", "--engine", engine, "--interval", interval];
            let threads = threads.to_string();
            let program = ["whittle.workloads.truth.Spin", "--threads", &threads, "--seconds", "8"];
            let output = workspace.collect_launched(&options, &jdk, &program);
            let thread = thread_row(&workspace, "spin-0");
            let own_ns = printed(&output, "thread spin-0", "cpu_ms") * 1e6;
            assert_near(&what, number(&thread["cpu_ns"]), own_ns, 0.10);
            let functions = workspace.json(&["functions", "a.whittle"]);
            let inclusive = |name| number(&row(&functions, name)["inclusive_cpu_ns"]);
            let heavy = inclusive("whittle.workloads.truth.Spin.heavy(long)");
            let both = heavy + inclusive("whittle.workloads.truth.Spin.light(long)");
            let (found, expected) = (heavy / both, printed(&output, "thread spin-0", "heavy_ratio"));
            // The tolerance is four standard deviations of a share for this number of samples, plus one percentage
            // point for reading the clock.
            let sample_count = number(&thread["recorded_samples_count"]);
            let tolerance = 4.0 * (expected * (1.0 - expected) / sample_count).sqrt() + 0.01;
            assert!((found - expected).abs() < tolerance, "{what}: {found:.3}, not {expected:.3} ± {tolerance:.3}");
        }
    }
}

/// The row of a thread by its name.
fn thread_row(workspace: &Workspace, name: &str) -> serde_json::Value {
    let threads = workspace.json(&["threads", "a.whittle"]);
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
    assert_near("spin-0", number(&found["cpu_ns"]), printed(&output, "thread spin-0", "cpu_ms") * 1e6, 0.06);
    let error = workspace.whittle(&["functions", "a.whittle", "--metrics", "system_cpu"]);
    let error = support::stderr(&error);
    assert!(error.contains("system_cpu") && error.contains("ctimer"), "{error}");
}

#[test]
fn user_and_system_split_follows_the_kernels_accounting() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let program = ["whittle.workloads.truth.SystemHeavy", "--writes", "8000000"];
        let output = workspace.collect_launched(&["-o", "a.whittle"], &jdk, &program);
        let expected = printed(&output, "system_cpu_ratio", "system_cpu_ratio");
        let threads = workspace.json(&["threads", "a.whittle", "--metrics", "cpu,system_cpu"]);
        let rows = threads["rows"].as_array().unwrap();
        let busiest = rows.iter().max_by(|a, b| number(&a["cpu_ns"]).total_cmp(&number(&b["cpu_ns"]))).unwrap();
        let found = number(&busiest["system_cpu_ns"]) / number(&busiest["cpu_ns"]);
        // The kernel splits user and system time by ticks, here a few hundred. So the kernel's value has noise of two
        // percentage points.
        assert!((found - expected).abs() < 0.06, "JDK {}: {found:.3} against {expected:.3}", jdk.version);
    }
}

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
        assert_near(&format!("JDK {}: descend", jdk.version), number(&descend["inclusive_cpu_ns"]), expected_ns, 0.10);
        let total = number(&functions["total"]["inclusive_cpu_ns"]);
        assert!(number(&descend["inclusive_cpu_ns"]) <= total, "counted more than once");
        assert!(!workspace.text(&["overview", "a.whittle"]).contains("depth_limit"));
    }
}
