//! Casebook case 4, the message consumer. Whittle attaches while the consumer works. The test finds the masking, the
//! sampling library, and the stack traces that no single path shows.

use crate::hypotheses::orders;
use crate::support::{self, Running, Workspace, number, printed};
use crate::tolerance;
use serde_json::Value;
use std::time::Duration;
use whittle_testkit::{Jdk, jdks};

const SLOW: &str = "whittle.workloads.orders.Slow";
const FIXED: &str = "whittle.workloads.orders.Fixed";

const SAMPLING: &str = "example.sampling.Sampler.run()";
const MASKING: &str = "example.tracing.TraceCollector.received(java.lang.String)";
const CALL_LOG: &str = "example.calllog.CallLog.called(java.lang.String, java.lang.String)";
const CALLER_LOOK_UP: &str = "example.calllog.StackTraceSource.nameOf(java.lang.String)";
const STACK_TRACE: &str = "java.lang.Throwable.getStackTrace()";
const REMOTE_CALL: &str = "whittle.workloads.orders.RemoteServices.ask";
const STAGES: &str = "whittle.workloads.orders.stages.";
/// Number of methods in the stages that make a remote call. Each of them makes one call for each message.
const CALLING_METHODS: usize = 32;

/// The interval between two samples. Shares of about 1 % need many samples.
const INTERVAL: &str = "1ms";
const INTERVAL_NS: f64 = 1e6;

/// Attaches to a consumer that has warmed up.
fn attached(workspace: &Workspace, jdk: &Jdk, program: &str, experiment: &str) {
    let consumer = Running::workload(jdk, &[], &[program, "--seconds", "120"]);
    std::thread::sleep(Duration::from_secs(6));
    workspace.text(&["collect", "-q", "-p", &consumer.pid(), "-d", "6s", "--interval", INTERVAL, "-o", experiment]);
}

/// A function's inclusive share of the CPU time. It is 0 if the function is in no sample.
fn share(functions: &Value, name: &str) -> f64 {
    let rows = functions["rows"].as_array().unwrap();
    rows.iter().find(|row| row["function"] == name).map_or(0.0, |row| number(&row["inclusive_cpu_ratio"]))
}

fn functions(workspace: &Workspace, experiment: &str) -> Value {
    workspace.json(&["functions", experiment, "--metrics", "i.cpu,i.cpu%,e.cpu"])
}

/// Asserts that the sampling library has the share of the CPU time that the scheduler counted for its thread. The thread
/// does nothing else.
fn assert_sampling_has_its_threads_time(what: &str, workspace: &Workspace, experiment: &str, found: f64) {
    let threads = workspace.json(&["threads", experiment, "--pools", "none"]);
    let exact_ns = |row: &Value| row["exact_cpu_ns"].as_f64().unwrap_or(0.0);
    let rows = threads["rows"].as_array().unwrap();
    let thread = rows.iter().find(|row| row["thread"] == "sampling-timer").unwrap();
    let all_ns: f64 = rows.iter().map(exact_ns).sum();
    let expected = exact_ns(thread) / all_ns;
    let tolerance = tolerance::share(expected, all_ns / INTERVAL_NS);
    let what = format!("{what} {experiment}: sampling {found:.4}, its thread {expected:.4} ± {tolerance:.4}");
    eprintln!("{what}");
    assert!((found - expected).abs() <= tolerance, "{what}");
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn an_attached_consumer_shows_what_is_not_business_and_the_fixed_one_has_it_gone() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        attached(&workspace, &jdk, SLOW, "slow.whittle");
        attached(&workspace, &jdk, FIXED, "fixed.whittle");
        let [slow, fixed] = ["slow.whittle", "fixed.whittle"].map(|experiment| functions(&workspace, experiment));
        let what = format!("JDK {}", jdk.version);
        for (name, once, is_changed) in [
            (SAMPLING, orders::SAMPLING_ONCE, false),
            (MASKING, orders::MASKING_HAS_CALLERS, true),
            (CALL_LOG, orders::CALL_LOG_ONCE, true),
        ] {
            let (before, after) = (share(&slow, name), share(&fixed, name));
            let what = format!("{what}: {before:.4} then {after:.4} {name}");
            eprintln!("{what}");
            assert!(once.contains(&before), "{what}");
            assert!(!is_changed || after < orders::CHANGED_OR_NOT * before, "{what}");
        }
        for (experiment, functions) in [("slow.whittle", &slow), ("fixed.whittle", &fixed)] {
            assert_sampling_has_its_threads_time(&what, &workspace, experiment, share(functions, SAMPLING));
        }
        assert_eq!(share(&fixed, STACK_TRACE), 0.0, "JDK {}", jdk.version);
        assert_stack_traces_are_found_from_below_alone(&workspace, &jdk, share(&slow, CALLER_LOOK_UP));
    }
}

/// Asserts that the stack traces are a large part of the total, but that each node of the call tree has less than half
/// of their cost. In the tree of callers, the stack traces are one function with dozens of callers. The first call for
/// each message finds cold caches and costs more.
fn assert_stack_traces_are_found_from_below_alone(workspace: &Workspace, jdk: &Jdk, all_look_ups: f64) {
    assert!(all_look_ups >= *orders::CALL_LOG_ONCE.start(), "JDK {}: {all_look_ups:.4}", jdk.version);
    let metrics = ["--metrics", "i.cpu,i.cpu%", "--min-percent", "0.1"];
    let tree = workspace.json(&[&["call-tree", "slow.whittle"], &metrics[..]].concat());
    let nodes = tree["rows"].as_array().unwrap().iter().filter(|row| row["function"] == CALLER_LOOK_UP);
    let largest_node = nodes.map(|row| number(&row["inclusive_cpu_ratio"])).fold(0.0, f64::max);
    eprintln!("JDK {}: look ups {all_look_ups:.4}, the largest node {largest_node:.4}", jdk.version);
    let is_scattered = 0.0 < largest_node && largest_node < orders::MANY_PLACES_OR_ONE * all_look_ups;
    assert!(is_scattered, "JDK {}: a node of {largest_node:.4} in {all_look_ups:.4}", jdk.version);

    let below = workspace.json(&["callers-callees", "slow.whittle", "--fragment", REMOTE_CALL, "--metrics", "a.cpu"]);
    let callers = below["callers"].as_array().unwrap();
    let stages = callers.iter().filter(|row| row["function"].as_str().unwrap().starts_with(STAGES));
    let (count, total) = (stages.clone().count(), number(&below["inclusive"]["attributed_cpu_ns"]));
    let largest = stages.map(|row| number(&row["attributed_cpu_ns"])).fold(0.0, f64::max) / total;
    // The cost of a stack trace grows with its depth. The stack of the first stage has more than half of the mean depth.
    let unseen = tolerance::unseen(CALLING_METHODS, total * (1.0 - largest) / INTERVAL_NS);
    let what = format!("JDK {}: {count} callers, {unseen} can be unseen, largest {largest:.3}", jdk.version);
    eprintln!("{what}");
    assert!(count + unseen >= CALLING_METHODS && largest < orders::MANY_CALLERS_OR_ONE, "{what}");

    // The focus adds up all stacks that contain the function, with any callers.
    let focus = format!("focus \"{STACK_TRACE}\"");
    let found = workspace.json(&["functions", "slow.whittle", "--metrics", "i.cpu", "--transform", &focus]);
    let all = workspace.json(&["functions", "slow.whittle", "--metrics", "i.cpu"]);
    let inclusive = |view: &Value| number(&support::row(view, STACK_TRACE)["inclusive_cpu_ns"]);
    assert_eq!(inclusive(&found), inclusive(&all), "JDK {}", jdk.version);
}

/// Runs a program without whittle. Returns its output.
fn run(jdk: &Jdk, program: &str, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new(jdk.java());
    let output = command.args(["-cp", &whittle_testkit::workloads_class_path(), program]).args(arguments).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{program}: {}", support::stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_fixed_consumer_does_keep_and_log_the_same() {
    for jdk in jdks() {
        let arguments = ["--messages", "300", "--rate", "2000"];
        let lines = [SLOW, FIXED].map(|program| {
            let output = run(&jdk, program, &arguments);
            let is_result = |line: &&str| line.starts_with("consumed=") || line.starts_with("call_log_hash=");
            output.lines().filter(is_result).map(str::to_owned).collect::<Vec<_>>()
        });
        assert_eq!(lines[0].len(), 2, "JDK {}: {lines:?}", jdk.version);
        assert_eq!(lines[0], lines[1], "JDK {}", jdk.version);
    }
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn the_sampling_library_costs_the_same_whatever_the_traffic() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        let [few, many] = ["30", "120"].map(|rate| {
            let options = ["-q", "-o", "a.whittle", "--force", "--metric", r"consumed=(?<messages_count>\d+)"];
            let output = workspace.collect_launched(&options, &jdk, &[SLOW, "--seconds", "8", "--rate", rate]);
            let unit = workspace.manifest("a.whittle")["units_of_work"][0].clone();
            assert_eq!(unit["name"], "messages", "JDK {}", jdk.version);
            assert_eq!(number(&unit["amount"]), printed(&output, "consumed=", "consumed"), "JDK {}", jdk.version);
            output
        });
        let fixed = |output: &str| printed(output, "sampler_cpu", "sampler_cpu_ms_per_second");
        let consumers = |output: &str| {
            let per_message = printed(output, "consumers_cpu", "consumers_cpu_ms_per_message");
            per_message * printed(output, "total ", "messages_per_second")
        };
        let [fixed, varying] = [fixed(&many) / fixed(&few), consumers(&many) / consumers(&few)];
        eprintln!("JDK {}: four times the traffic: sampling × {fixed:.2}, consumers × {varying:.2}", jdk.version);
        let is_constant = fixed < orders::SAMPLING_IS_CONSTANT_OR_GROWS * varying;
        assert!(is_constant && orders::SAMPLING_STAYS.contains(&fixed), "JDK {}: {fixed} {varying}", jdk.version);
    }
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn the_findings_name_the_masking_and_the_stack_traces() {
    for jdk in jdks() {
        let workspace = Workspace::new();
        attached(&workspace, &jdk, SLOW, "slow.whittle");
        attached(&workspace, &jdk, FIXED, "fixed.whittle");
        let [slow, fixed] =
            ["slow.whittle", "fixed.whittle"].map(|experiment| workspace.text(&["findings", experiment]));
        for calling in ["PersonalData.masked", "StackTraceSource.nameOf"] {
            assert!(slow.contains(calling), "JDK {}: {calling}\n{slow}", jdk.version);
            assert!(!fixed.contains(calling), "JDK {}: {calling}\n{fixed}", jdk.version);
        }
    }
}
