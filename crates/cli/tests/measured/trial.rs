//! `whittle try` on a program that writes single bytes. Some tests replace the agent by a script that writes the agent's
//! reports, so that the answer to each kind of report is exact.

use crate::support::{Workspace, stderr};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use whittle_testkit::{Jdk, any_jdk, jdks};

/// Writes bytes into a file, one by one. The last word decides whether the program looks at the file before it is closed.
const JOURNAL: &str = "
import java.io.*;

public class Journal {
    private final OutputStream out;

    Journal(File file) throws IOException {
        out = new FileOutputStream(file);
    }

    void put(int value) throws IOException {
        out.write(value);
    }

    public static void main(String[] words) throws Exception {
        File file = new File(words[0]);
        Journal journal = new Journal(file);
        int count = Integer.parseInt(words[1]);
        int sum = 0;
        for (int i = 0; i < count; i++) {
            journal.put(i);
            sum += i & 255;
        }
        if (words[2].equals(\"look\")) {
            System.out.println(file.length() + \" bytes\");
        }
        journal.out.close();
        System.out.println(\"sum \" + sum);
    }
}
";

/// A program that behaves like a JVM with the agent: it writes a report, and is faster if the plan has places. Words: the
/// report of the candidate, the rounds of the baseline, the rounds of the candidate, the last line of the candidate.
const FAKE: &str = r#"#!/bin/sh
plan=${JAVA_TOOL_OPTIONS##*=try:}
report=$(sed -n 's/^report	//p' "$plan").$$
rounds=$2 last='sum 55'
if grep -q '^place' "$plan"; then
    rounds=$3 last=$4
    printf "$1" > "$report"
else
    echo ready > "$report"
fi
i=0; while [ $i -lt $rounds ]; do i=$((i+1)); done
echo "$last"
"#;

const CHANGED: &str = r"ready\nchanged\t1\tJournal\t10\t20\nruns\t1\t7\n";

/// Number of single bytes in the collected run: some seconds of system calls.
const COLLECTED: &str = "3000000";

fn java(jdk: &Jdk) -> String {
    jdk.java().to_str().unwrap().to_owned()
}

/// A workspace with the compiled program, and the experiment `slow.whittle` of it.
fn workspace(jdk: &Jdk) -> Workspace {
    let workspace = Workspace::new();
    fs::write(workspace.path("Journal.java"), JOURNAL).unwrap();
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    let compiled = javac.args(["-g", "-d", "classes", "Journal.java"]).current_dir(workspace.path("")).status();
    assert!(compiled.unwrap().success());
    let program = [&java(jdk), "-cp", "classes", "Journal", "out", COLLECTED, "write"].map(str::to_owned);
    let words = ["collect", "-o", "slow.whittle", "--quiet", "--"].map(str::to_owned);
    let words: Vec<String> = words.into_iter().chain(program).collect();
    workspace.text(&words.iter().map(String::as_str).collect::<Vec<_>>());
    program_file(&workspace.path("fake"), FAKE);
    workspace
}

fn program_file(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn tried(workspace: &Workspace, options: &[&str], command: &[&str]) -> (Output, Value) {
    let words = [&["try", "slow.whittle", "unbuffered-write", "--json"], options, &["--"], command].concat();
    let output = workspace.whittle(&words);
    let view = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output, view)
}

/// Tries with the script as the program.
fn faked(workspace: &Workspace, report: &str, [baseline, candidate, last]: [&str; 3]) -> (Option<i32>, Value) {
    let (output, view) =
        tried(workspace, &["--runs", "3", "--discard", "0"], &["./fake", report, baseline, candidate, last]);
    (output.status.code(), if view.is_null() { Value::from(stderr(&output)) } else { view })
}

#[test]
fn each_report_of_the_agent_has_its_answer() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = workspace(&jdk);
    let rounds = ["120000", "30000", "sum 55"];

    let (status, view) = faked(&workspace, CHANGED, rounds);
    assert_eq!((status, &view["result"]), (Some(0), &Value::from("improved")), "{view:#}");
    assert_eq!((&view["trial"]["remedy"], &view["runs_of_places"]["1"]), (&"buffer-output".into(), &7.0.into()));
    assert!(view["output"].as_str().unwrap().starts_with("the program printed the same"), "{view:#}");
    let place = view["trial"]["places"][0]["words"].as_str().unwrap();
    assert_eq!(place, "FileOutputStream in Journal.<init> (Journal.java:8)");

    let found = workspace.text(&["findings", "slow.whittle"]);
    assert!(found.contains("Tried:") && found.contains("improved, −"), "{found}");
    let found: Value = serde_json::from_str(&workspace.text(&["findings", "slow.whittle", "--json"])).unwrap();
    assert_eq!(found["findings"][0]["tried"]["result"], "improved");

    let (status, view) = faked(&workspace, CHANGED, ["30000", "120000", "sum 55"]);
    assert_eq!((status, &view["result"]), (Some(4), &Value::from("worse")), "{view:#}");

    let without = |report: &str, result: &str, words: &str| {
        let (status, view) = faked(&workspace, report, ["10", "10", "sum 55"]);
        assert_eq!((status, &view["result"]), (Some(5), &Value::from(result)), "{view:#}");
        assert!(view["words"].as_str().unwrap().contains(words) && view["verification"].is_null(), "{view:#}");
    };
    without(r"ready\nchanged\t1\tJournal\t10\t20\n", "not_exercised", "did not execute the place");
    without(r"ready\nrefused\t1\tJournal\tthe class differs\n", "not_tried", "not tried: the class differs");
    without(r"ready\nfailed\tno memory\n", "not_tried", "the agent failed: no memory");
    without("", "not_tried", "JAVA_TOOL_OPTIONS");

    let (status, view) = faked(&workspace, CHANGED, ["10", "10", "sum 56"]);
    assert_eq!((status, &view["result"]), (Some(6), &Value::from("different_results")), "{view:#}");
    assert!(view["words"].as_str().unwrap().contains("\"sum 55\" became \"sum 56\""), "{view:#}");

    let large = r"ready\nchanged\t1\tJournal\t300\t330\nruns\t1\t7\nnote\t1\tseen twice\n";
    let (_, view) = faked(&workspace, large, ["10", "10", "sum 55"]);
    let notes = view["notes"].to_string();
    assert!(notes.contains("grows from 300 to 330 bytes") && notes.contains("seen twice"), "{notes}");
}

#[test]
fn wrong_words_are_refused_before_anything_runs() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = workspace(&jdk);
    let refused = |words: &[&str], expected: &str| {
        let output = workspace.whittle(&[&["try", "slow.whittle"], words].concat());
        assert!(!output.status.success() && stderr(&output).contains(expected), "{}", stderr(&output));
    };
    refused(&["99", "--", "./fake"], "no finding is 99: 1 unbuffered-write");
    refused(&["lock-contention", "--", "./fake"], "no finding is lock-contention");
    refused(&["1"], "add --yes");
    refused(&["1", "--runs", "1", "--", "./fake"], "--runs");
    let manifest = workspace.path("slow.whittle/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"write\"", "\"--password=<redacted>\"")).unwrap();
    refused(&["1", "--yes"], "redacted values");
}

#[test]
fn the_time_that_is_set_leaves_an_answer_from_the_finished_pairs() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = workspace(&jdk);
    let fake = ["./fake", CHANGED, "60000", "60000", "sum 55"];
    let (output, view) = tried(&workspace, &["--runs", "1000", "--for", "5s"], &fake);
    let counts = &view["verification"]["run_counts"];
    assert!(counts["baseline"].as_u64().unwrap() >= 2 && counts["baseline"] == counts["candidate"], "{view:#}");
    assert!(stderr(&output).contains("the answer is from"), "{}", stderr(&output));
    let (output, _) = tried(&workspace, &["--for", "1ms"], &fake);
    assert!(stderr(&output).contains("an answer needs 2 pairs"), "{}", stderr(&output));
}

/// The change is made in a real JVM, from the finding to the verdict.
#[test]
fn a_buffer_around_a_stream_of_single_bytes_is_an_improvement() {
    for jdk in jdks() {
        let workspace = workspace(&jdk);
        let program = [&java(&jdk), "-cp", "classes", "Journal", "out", "1000000", "write"].map(str::to_owned);
        let program: Vec<&str> = program.iter().map(String::as_str).collect();
        let (output, view) = tried(&workspace, &["--runs", "3"], &program);
        let text = format!("JDK {}: {}\n{view:#}", jdk.version, stderr(&output));
        assert_eq!((output.status.code(), &view["result"]), (Some(0), &Value::from("improved")), "{text}");
        assert_eq!((&view["classes_count"], &view["runs_of_places"]["1"]), (&1.into(), &1.0.into()), "{text}");
        assert!(view["output"].as_str().unwrap().contains("printed the same on both sides"), "{text}");
        assert_eq!(view["files"], "1 written file is the same on both sides", "{text}");
    }
}

/// The program looks at its file before it is closed. With a buffer, the last bytes are not in the file.
#[test]
fn a_remedy_that_changes_what_the_program_prints_has_no_verdict() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = workspace(&jdk);
    let program = [&java(&jdk), "-cp", "classes", "Journal", "out", "100000", "look"].map(str::to_owned);
    let program: Vec<&str> = program.iter().map(String::as_str).collect();
    let (output, view) = tried(&workspace, &["--runs", "2", "--discard", "0"], &program);
    assert_eq!(output.status.code(), Some(6), "{}\n{view:#}", stderr(&output));
    assert!(view["words"].as_str().unwrap().contains("\"100000 bytes\" became \"98304 bytes\""), "{view:#}");
}
