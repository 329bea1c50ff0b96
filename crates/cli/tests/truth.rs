//! Programs that know what they did, against what whittle says they did.

#![allow(clippy::unwrap_used, reason = "test code")]

mod support;

use support::{Workspace, assert_near, number, printed, row};
use whittle_testkit::{any_jdk, jdks};

#[test]
fn a_known_split_between_two_methods_is_found() {
    for jdk in jdks() {
        for engine in ["cpu", "ctimer"] {
            let workspace = Workspace::new();
            let options = ["-o", "a.whittle", "--engine", engine];
            let program = ["whittle.workloads.truth.Spin", "--threads", "2", "--seconds", "6"];
            let output = workspace.collect_launched(&options, &jdk, &program);
            let what = format!("JDK {} {engine}", jdk.version);
            let threads = workspace.json(&["threads", "a.whittle"]);
            for thread in ["spin-0", "spin-1"] {
                let own_ms = printed(&output, &format!("thread {thread}"), "cpu_ms");
                let rows = threads["rows"].as_array().unwrap();
                let found = rows.iter().find(|row| row["thread"] == thread).unwrap();
                assert_near(&format!("{what} {thread}"), number(&found["cpu_ns"]), own_ms * 1e6, 0.05);
            }
            let expected = printed(&output, "thread spin-0", "heavy_ratio");
            let functions = workspace.json(&["functions", "a.whittle"]);
            let heavy = number(&row(&functions, "whittle.workloads.truth.Spin.heavy(long)")["inclusive_cpu_ns"]);
            let light = number(&row(&functions, "whittle.workloads.truth.Spin.light(long)")["inclusive_cpu_ns"]);
            let found = heavy / (heavy + light);
            assert!((found - expected).abs() < 0.04, "{what}: {found:.3} against {expected:.3}");
        }
    }
}

#[test]
fn ctimer_at_1_ms_is_weighted_by_the_kernels_tick() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let options = ["-o", "a.whittle", "--engine", "ctimer", "--interval", "1ms"];
    let program = ["whittle.workloads.truth.Spin", "--threads", "1", "--seconds", "5"];
    let output = workspace.collect_launched(&options, &jdk, &program);
    let threads = workspace.json(&["threads", "a.whittle"]);
    let found = threads["rows"].as_array().unwrap().iter().find(|row| row["thread"] == "spin-0").unwrap().clone();
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
        // The kernel's own split is made of ticks, a few hundred here: two points are its noise.
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
