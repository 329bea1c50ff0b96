//! `whittle findings`: its output formats, errors and exit statuses. The recording has a known fault: the method
//! `Workload.write` writes single bytes on a separate thread.

use crate::support::{Workspace, stderr};
use serde_json::Value;

const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/async-profiler-cpu-jdk25.jfr");
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/Workload.java");

/// A workspace with a repository: the program's source and `a.whittle`.
fn repository() -> Workspace {
    let workspace = Workspace::new();
    workspace.text(&["import", RECORDING, "-o", "a.whittle"]);
    std::fs::create_dir_all(workspace.path("app/src/main/java")).unwrap();
    std::fs::copy(SOURCE, workspace.path("app/src/main/java/Workload.java")).unwrap();
    workspace
}

fn findings(workspace: &Workspace, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = workspace.whittle(&[&["findings", "a.whittle"], arguments].concat());
    (output.status.code(), String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output))
}

#[test]
fn the_cause_is_told_in_every_language() {
    let workspace = repository();
    let (status, text, _) = findings(&workspace, &["--source-path", "app/src/main/java"]);
    assert_eq!(status, Some(0));
    assert!(text.contains("Unbuffered write (unbuffered-write)") && text.contains("Workload.write()"), "{text}");

    let json: Value = serde_json::from_str(&findings(&workspace, &["--json"]).1).unwrap();
    assert_eq!(json["findings"][0]["detector"], "unbuffered-write");
    let (_, csv, _) = findings(&workspace, &["--csv"]);
    assert!(csv.contains("\r\n1,unbuffered-write,Unbuffered write,likely,cpu,0.9"), "{csv}");
    let (_, markdown, _) = findings(&workspace, &["--markdown"]);
    assert!(
        markdown.starts_with("## Findings\n") && markdown.contains("### 1. Unbuffered write (likely)"),
        "{markdown}"
    );
}

/// A finding's filter selects the finding's samples.
#[test]
fn the_filter_of_a_finding_is_understood() {
    let workspace = repository();
    let json: Value = serde_json::from_str(&findings(&workspace, &["--json"]).1).unwrap();
    let finding = &json["findings"][0];
    let functions = workspace.json(&["functions", "a.whittle", "--filter", finding["filter"].as_str().unwrap()]);
    let sum = |value: &Value| value["total"]["exclusive_cpu_ns"].as_f64().unwrap();
    assert_eq!(sum(&functions), finding["spent"]["value"].as_f64().unwrap());
}

#[test]
fn results_lie_in_the_repository() {
    let workspace = repository();
    let log: Value = serde_json::from_str(&findings(&workspace, &["--sarif"]).1).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"unbuffered-write".into(), &"warning".into()));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "app/src/main/java/Workload.java");
    assert_eq!(place["region"]["startLine"], 46);
}

#[test]
fn the_exit_status_says_whether_the_limit_is_met() {
    let workspace = repository();
    for (limits, expected) in [
        (&["likely:5%"][..], 3),
        (&["possible:0%"], 3),
        (&["likely:90%"], 0),
        (&["certain:50%"], 0),
        (&["certain:50%", "likely:5%"], 3),
    ] {
        let arguments: Vec<&str> = limits.iter().flat_map(|limit| ["--fail-on", limit]).chain(["--json"]).collect();
        let (status, json, note) = findings(&workspace, &arguments);
        assert_eq!(status, Some(expected), "{limits:?}: {note}");
        // The findings are printed in both cases.
        assert!(serde_json::from_str::<Value>(&json).is_ok(), "{json}");
        assert_eq!(note.contains("finding 1 meets --fail-on: Unbuffered write, likely, 2"), expected == 3, "{note}");
    }
}

#[test]
fn a_report_is_of_a_finding_that_there_is() {
    let workspace = repository();
    let (status, report, note) = findings(&workspace, &["--report", "1"]);
    assert_eq!(status, Some(0));
    assert!(report.starts_with("# Unbuffered write in `Workload.write()`\n"), "{report}");
    assert!(
        note.contains("this report is for colleagues; it contains the name of the function Workload.write()"),
        "{note}"
    );
    assert!(!report.contains("/tmp") && !report.contains("/home"), "{report}");
    let (status, report, note) = findings(&workspace, &["--report", "7"]);
    assert_eq!((status, report.as_str()), (Some(1), ""));
    assert!(note.contains("no finding has the number 7: findings have the numbers 1 to 3"), "{note}");
}

#[test]
fn wrong_command_lines_are_refused_with_a_reason() {
    let workspace = repository();
    for (arguments, reason) in [
        (&["--fail-on", "likely:5"][..], "needs its sign"),
        (&["--fail-on", "sure:5%"], "must be certain, likely or possible"),
        (&["--json", "--sarif"], "cannot be used with"),
        (&["--own", "com/acme"], "wanted a package with dots"),
        (&["--report", "first"], "invalid"),
        (&["--filter", "thread ="], "thread ="),
    ] {
        let (status, _, problem) = findings(&workspace, arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {problem}");
        assert!(problem.contains(reason), "{arguments:?}: {problem}");
    }
}

/// Findings and exit status depend only on the filtered samples. The thread has only a hot path, which is no cause.
#[test]
fn other_threads_have_no_such_finding() {
    let workspace = repository();
    let (status, text, _) = findings(&workspace, &["--filter", "thread = \"cruncher\"", "--fail-on", "likely:0%"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("Only samples with thread = \"cruncher\""), "{text}");
    assert!(text.contains("1 possible") && text.contains("(hot-path)") && !text.contains("2 possible"), "{text}");
}
