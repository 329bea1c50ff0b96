//! Exports for other viewers and imports from other profilers, end to end.

use crate::support::{Workspace, number, stderr};
use serde_json::Value;
use std::collections::BTreeMap;

const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/async-profiler-cpu-jdk25.jfr");
const ALLOCATIONS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/async-profiler-alloc-lock-wall-jdk25.jfr");
const PERF_DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/foreign/perf-two-events.data");

const FORMATS: [&str; 4] = ["pprof", "collapsed", "firefox", "speedscope"];

/// All stacks and their weights in one metric, as `whittle stacks` shows them.
fn stacks(workspace: &Workspace, experiment: &str, (mode, metric): (&str, &str)) -> BTreeMap<Vec<String>, u64> {
    let view = workspace.json(&["stacks", experiment, "--mode", mode, "--metrics", metric]);
    let mut sums: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for row in view["rows"].as_array().unwrap() {
        let row = row.as_object().unwrap();
        let frames = row["frames_leaf_first"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
        let weight = row.iter().find(|(field, _)| *field != "frames_leaf_first").unwrap().1;
        *sums.entry(frames.collect()).or_default() += number(weight) as u64;
    }
    sums
}

/// Exports with `arguments`, and imports the exported file.
fn round_trip(workspace: &Workspace, format: &str, arguments: &[&str]) {
    workspace.text(&[&["export", "a.whittle", "-o", "exported", "--format", format], arguments].concat());
    workspace.text(&["import", "exported", "-o", "b.whittle", "--force"]);
}

#[test]
fn what_is_exported_is_imported_with_the_same_weight_for_every_stack() {
    let workspace = Workspace::new();
    workspace.text(&["import", RECORDING, "-o", "a.whittle"]);
    for mode in ["user", "expert", "machine"] {
        let expected = stacks(&workspace, "a.whittle", (mode, "cpu"));
        for format in FORMATS {
            round_trip(&workspace, format, &["--mode", mode]);
            // Collapsed stacks do not contain the unit of their numbers.
            let metric = if format == "collapsed" { "cpu_samples" } else { "cpu" };
            assert_eq!(stacks(&workspace, "b.whittle", ("machine", metric)), expected, "{format} in {mode} mode");
        }
    }
}

#[test]
fn every_metric_comes_back_under_its_own_name() {
    let workspace = Workspace::new();
    workspace.text(&["import", ALLOCATIONS, "-o", "a.whittle"]);
    let manifest = workspace.manifest("a.whittle");
    let metrics: Vec<&str> =
        manifest["metrics"].as_array().unwrap().iter().map(|metric| metric["name"].as_str().unwrap()).collect();
    assert!(metrics.contains(&"alloc_bytes") && metrics.contains(&"lock_wait"), "{metrics:?}");
    for metric in metrics {
        let expected = stacks(&workspace, "a.whittle", ("expert", metric));
        for format in ["pprof", "firefox", "speedscope"] {
            round_trip(&workspace, format, &["--mode", "expert", "--metric", metric]);
            assert_eq!(stacks(&workspace, "b.whittle", ("machine", metric)), expected, "{metric} by {format}");
        }
        round_trip(&workspace, "pprof", &["--mode", "expert"]);
        assert_eq!(
            stacks(&workspace, "b.whittle", ("machine", metric)),
            expected,
            "{metric} by pprof with all metrics"
        );
    }
}

#[test]
fn threads_lines_and_kinds_of_frames_survive_where_the_format_has_them() {
    let workspace = Workspace::new();
    workspace.text(&["import", RECORDING, "-o", "a.whittle"]);
    let threads = |experiment: &str| {
        let view = workspace.json(&["threads", experiment, "--pools", "none"]);
        let rows = view["rows"].as_array().unwrap().iter();
        rows.map(|row| row["thread"].as_str().or(row["name"].as_str()).unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let lines = |experiment: &str| workspace.json(&["lines", experiment, "--mode", "machine"])["rows"].clone();
    for format in ["pprof", "firefox", "speedscope"] {
        round_trip(&workspace, format, &["--mode", "machine"]);
        assert_eq!(threads("b.whittle").len(), threads("a.whittle").len(), "{format}");
    }
    round_trip(&workspace, "pprof", &["--mode", "machine"]);
    let known_lines = |rows: &Value| rows.as_array().unwrap().iter().filter(|row| row["line"].is_u64()).count();
    assert_eq!(known_lines(&lines("b.whittle")), known_lines(&lines("a.whittle")));
    round_trip(&workspace, "firefox", &["--mode", "machine"]);
    let user = stacks(&workspace, "a.whittle", ("user", "cpu"));
    assert_eq!(stacks(&workspace, "b.whittle", ("user", "cpu")), user, "kinds of frames decide what user mode shows");
}

#[test]
fn the_filter_decides_what_is_exported() {
    let workspace = Workspace::new();
    workspace.text(&["import", RECORDING, "-o", "a.whittle"]);
    let filter = "thread ~ \"rival\"";
    let all = workspace.json(&["functions", "a.whittle", "--filter", filter, "--metrics", "i.cpu"]);
    let expected = number(&all["total"]["inclusive_cpu_ns"]) as u64;
    for format in FORMATS {
        round_trip(&workspace, format, &["--filter", filter]);
        let metric = if format == "collapsed" { "cpu_samples" } else { "cpu" };
        let sum: u64 = stacks(&workspace, "b.whittle", ("user", metric)).values().sum();
        assert_eq!(sum, expected, "{format}");
    }
}

#[test]
fn the_format_follows_from_the_name_or_an_option() {
    let workspace = Workspace::new();
    workspace.text(&["import", RECORDING, "-o", "a.whittle"]);
    workspace.text(&["export", "a.whittle", "-o", "a.pb.gz"]);
    assert!(std::fs::read(workspace.path("a.pb.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
    workspace.text(&["export", "a.whittle", "-o", "a.folded"]);
    let folded = std::fs::read_to_string(workspace.path("a.folded")).unwrap();
    let printed = workspace.text(&["export", "a.whittle", "-o", "-", "--format", "collapsed"]);
    assert_eq!(printed, folded);
    let failed = workspace.whittle(&["export", "a.whittle", "-o", "a.json"]);
    assert!(!failed.status.success() && stderr(&failed).contains("--format"), "{}", stderr(&failed));
    let failed = workspace.whittle(&["export", "a.whittle", "-o", "a.pb.gz", "--metric", "alloc_bytes"]);
    assert!(stderr(&failed).contains("no metric \"alloc_bytes\""), "{}", stderr(&failed));
}

#[test]
fn a_file_of_perf_becomes_an_experiment() {
    let workspace = Workspace::new();
    let notes = stderr(&workspace.whittle(&["import", PERF_DATA, "-o", "a.whittle"]));
    assert!(notes.contains("unsymbolised"), "{notes}");
    let functions = workspace.json(&["functions", "a.whittle", "--metrics", "i.cpu,i.page_faults"]);
    // The expected values are the values that `perf report` shows.
    assert_eq!(number(&functions["total"]["inclusive_cpu_ns"]), 240_000_000.0);
    assert_eq!(number(&functions["total"]["inclusive_page_faults_count"]), 308.0);
}

/// The file has a hole of 1 GiB, and declares that it is one chunk.
#[test]
fn a_recording_with_a_hole_is_refused_by_name() {
    let workspace = Workspace::new();
    let mut header = b"FLR\0\0\x02\0\x01".to_vec();
    for value in [1_u64 << 30, 100, 68, 1_000, 0, 500, 1_000_000_000] {
        header.extend(value.to_be_bytes());
    }
    header.extend([0, 0, 0, 1]);
    std::fs::write(workspace.path("hole.jfr"), header).unwrap();
    std::fs::File::options().write(true).open(workspace.path("hole.jfr")).unwrap().set_len(1 << 30).unwrap();
    let failed = workspace.whittle(&["import", "hole.jfr", "-o", "a.whittle"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(stderr(&failed).contains("expected chunks with at most 268435456 bytes"), "{}", stderr(&failed));
    assert!(stderr(&failed).contains("--max-memory"), "{}", stderr(&failed));
    assert!(!workspace.path("a.whittle").exists());
}

#[test]
fn a_file_takes_no_more_memory_than_it_may() {
    let workspace = Workspace::new();
    let failed = workspace.whittle(&["import", PERF_DATA, "-o", "a.whittle", "--max-memory", "1k"]);
    assert!(!failed.status.success() && stderr(&failed).contains("--max-memory"), "{}", stderr(&failed));
    std::fs::write(workspace.path("a.json"), format!("{{\"threads\":[{}0]}}", "{\"\":0},".repeat(10_000))).unwrap();
    let failed = workspace.whittle(&["import", "a.json", "-o", "a.whittle", "--max-memory", "1m"]);
    assert!(!failed.status.success() && stderr(&failed).contains("when it is parsed"), "{}", stderr(&failed));
    assert!(!workspace.path("a.whittle").exists());
}
