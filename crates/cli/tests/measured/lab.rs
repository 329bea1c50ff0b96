//! `whittle lab readers` on the JVMs of this machine. The tests check properties that do not depend on the machine's
//! speed.

use crate::support::{self, Workspace, number, stderr};
use serde_json::Value;
use std::fs;
use whittle_testkit::{Jdk, jdks};

const READERS: [&str; 6] =
    ["raw-bytes", "raw-chars", "buffered-bytes", "buffered-chars", "own-byte-buffer", "own-char-buffer"];

const FILES: f64 = 6.0;

/// Arguments of a small experiment. With `--quiet`, it does not print notes about other JVMs.
fn readers<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["lab", "readers", "--quiet", "--rounds", "2", "--files", "6", "--file-bytes", "3000"][..], more].concat()
}

fn reader<'a>(jvm: &'a Value, name: &str) -> &'a Value {
    jvm["readers"].as_array().unwrap().iter().find(|reader| reader["reader"] == name).unwrap()
}

fn median(jvm: &Value, name: &str, measure: &str) -> f64 {
    number(&reader(jvm, name)[measure]["median"])
}

fn homes(jdks: &[Jdk]) -> Vec<String> {
    jdks.iter().map(|jdk| fs::canonicalize(&jdk.home).unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_jvm_found_is_measured_once_with_every_reader() {
    let jdks = jdks();
    let workspace = Workspace::new();
    let result: Value = serde_json::from_str(&workspace.text(&readers(&["--json"]))).unwrap();
    assert_eq!((number(&result["files_count"]), number(&result["rounds"])), (FILES, 2.0));
    let jvms = result["jvms"].as_array().unwrap();
    let mut found: Vec<&str> = jvms.iter().map(|jvm| jvm["home"].as_str().unwrap()).collect();
    for home in homes(&jdks) {
        assert!(found.contains(&home.as_str()), "{home} is not in {found:?}");
    }
    let count = found.len();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), count, "each JVM once");
    for jvm in jvms {
        let names: Vec<&str> =
            jvm["readers"].as_array().unwrap().iter().map(|reader| reader["reader"].as_str().unwrap()).collect();
        assert_eq!(names, READERS);
        assert_eq!(jvm["start_round_ns"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn the_readers_differ_as_their_calls_and_objects_say() {
    let workspace = Workspace::new();
    for home in homes(&jdks()) {
        let result: Value = serde_json::from_str(&workspace.text(&readers(&["--json", "--jdk", &home]))).unwrap();
        let bytes = number(&result["files_bytes"]);
        let [jvm] = result["jvms"].as_array().unwrap().as_slice() else { panic!("{result}") };
        assert_eq!(jvm["home"], home);
        // Read calls, counted by the kernel. `raw-bytes` makes one call per byte and one per end of file. Other readers
        // make one call per buffer. The JVM also makes some calls.
        assert!(median(jvm, "raw-bytes", "read_calls") >= bytes + FILES, "{home}");
        for name in &READERS[1..] {
            assert!(median(jvm, name, "read_calls") < bytes / 10.0, "{home} {name}");
        }
        // Two characters are decoded at a time, and each decoding creates objects.
        let objects = |name: &str| number(&reader(jvm, name)["created_objects"]);
        assert!(objects("raw-chars") > 10.0 * objects("buffered-chars"), "{home}");
        assert!(objects("own-byte-buffer") >= FILES, "{home}: at least the stream of each file");
        for name in READERS {
            for measure in ["read_ns", "file_p50_ns", "mean_rss_bytes", "peak_rss_bytes", "allocated_bytes"] {
                assert!(median(jvm, name, measure) > 0.0, "{home} {name} {measure}");
            }
            assert!(median(jvm, name, "file_p99_ns") >= median(jvm, name, "file_p50_ns"), "{home} {name}");
            let interval = &reader(jvm, name)["run_ns"]["interval"];
            assert!(number(&interval["low"]) <= median(jvm, name, "run_ns"), "{home} {name}");
            assert!((number(&interval["coverage_ratio"]) - 0.5).abs() < 1e-9, "two rounds: {interval}");
        }
    }
}

#[test]
fn text_and_csv_have_the_same_table() {
    let Some(home) = homes(&jdks()).into_iter().next() else { return };
    let workspace = Workspace::new();
    let text = workspace.text(&readers(&["--details", "--jdk", &home, "--jdk", &format!("{home}/bin/java")]));
    for title in ["raw bytes", "raw chars", "buffered stream", "buffered reader", "own byte buffer", "own char buffer"]
    {
        assert_eq!(
            text.lines().filter(|line| line.starts_with(title)).count(),
            2,
            "{title}, run time and details:\n{text}"
        );
    }
    assert!(text.contains("95 % needs 6 rounds"), "{text}");
    let csv = workspace.text(&readers(&["--csv", "--jdk", &home]));
    let fields: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(fields.len(), 1 + READERS.len(), "{csv}");
}

#[test]
fn a_jvm_that_is_none_is_refused_and_nothing_stays_behind() {
    let workspace = Workspace::new();
    let broken = workspace.path("broken");
    fs::create_dir_all(broken.join("bin")).unwrap();
    fs::write(broken.join("bin/java"), "not a program").unwrap();
    let [missing, broken] = [workspace.path("missing"), broken].map(|path| path.to_str().unwrap().to_owned());
    for (path, expected) in [(&missing, "no JVM; wanted a folder with bin/java"), (&broken, "no JVM can run")] {
        let output = workspace.whittle(&readers(&["--jdk", path]));
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let temporary = workspace.path("tmp");
    fs::create_dir(&temporary).unwrap();
    if let Some(home) = homes(&jdks()).into_iter().next() {
        let mut command = support::whittle_command(&readers(&["--jdk", &home]));
        assert!(command.env("TMPDIR", &temporary).output().unwrap().status.success());
        let left: Vec<_> = fs::read_dir(&temporary).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
