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
    let workspace = compiled(jdk, "Journal", JOURNAL);
    collect(&workspace, &[&java(jdk), "-cp", "classes", "Journal", "out", COLLECTED, "write"]);
    workspace
}

/// A workspace with a compiled program, and the script that behaves like a JVM with the agent.
fn compiled(jdk: &Jdk, class: &str, source: &str) -> Workspace {
    let workspace = Workspace::new();
    fs::write(workspace.path(&format!("{class}.java")), source).unwrap();
    compile(jdk, &workspace, class);
    program_file(&workspace.path("fake"), FAKE);
    workspace
}

fn compile(jdk: &Jdk, workspace: &Workspace, class: &str) {
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    let source = format!("{class}.java");
    let compiled = javac.args(["-g", "-d", "classes", &source]).current_dir(workspace.path("")).status();
    assert!(compiled.unwrap().success());
}

fn collect(workspace: &Workspace, program: &[&str]) {
    workspace.text(&[&["collect", "-o", "slow.whittle", "--quiet", "--"], program].concat());
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

/// A program with two findings that can be tried.
const NOTES: &str = "
import java.io.*;
import java.util.regex.Pattern;

public class Notes {
    private final OutputStream out;

    Notes(File file) throws IOException {
        out = new FileOutputStream(file);
    }

    void put(int value) throws IOException {
        out.write(value);
    }

    static boolean isWord(String text) {
        return Pattern.compile(\"[a-z]+(-[a-z]+)*\").matcher(text).matches();
    }

    public static void main(String[] words) throws Exception {
        Notes notes = new Notes(new File(words[0]));
        long end = System.nanoTime() + 3_000_000_000L;
        int count = 0;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) {
                notes.put(i);
                count += isWord(\"a-word-\" + i) ? 1 : 0;
            }
        }
        notes.out.close();
        System.out.println(count);
    }
}
";

#[test]
fn all_findings_are_tried_alone_and_then_together() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = compiled(&jdk, "Notes", NOTES);
    collect(&workspace, &[&java(&jdk), "-cp", "classes", "Notes", "out"]);
    let fake = ["./fake", CHANGED, "60000", "20000", "sum 55"];
    let options = ["try", "slow.whittle", "--all", "--runs", "2", "--discard", "0", "-o", "tried", "--json", "--"];
    let output = workspace.whittle(&[&options[..], &fake].concat());
    let view: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    assert_eq!(view["view"], "trials", "{view:#}");
    let tried = view["findings"].as_array().unwrap().iter().filter(|row| !row["answer"]["tried"].is_null());
    let tried: Vec<&str> = tried.map(|row| row["detector"].as_str().unwrap()).collect();
    assert!(["unbuffered-write", "regex-compile-per-call"].iter().all(|id| tried.contains(id)), "{view:#}");
    assert_eq!(view["together"]["detectors"], Value::from(tried.clone()), "{view:#}");
    assert!(view["together"]["verification"].is_object(), "{view:#}");
    // The script reports only the first place.
    assert!(view["together"]["notes"].to_string().contains("was not executed"), "{view:#}");
    for file in ["trials.json", "trials.md", "trials/1/trial.json", "trials/together/runs"] {
        assert!(workspace.path("tried").join(file).exists(), "{file}");
    }
    let found = workspace.text(&["findings", "slow.whittle"]);
    assert_eq!(found.matches("Tried:").count(), tried.len(), "{found}");
    assert!(found.contains("Tried together:") && found.contains("note: "), "{found}");
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
    refused(&["1", "-p", "1"], "cannot be switched on and off in a running program, because a stream would keep bytes");
    refused(&["1", "--runs", "1", "--", "./fake"], "--runs");
    refused(&["1", "--all", "--", "./fake"], "cannot be used with");
    refused(&["--", "./fake"], "required");
    refused(&["1", "--write", "--", "./fake"], "--patch");
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
        let options = ["--runs", "3", "--patch", "--write", "--source-path", "."];
        let (output, view) = tried(&workspace, &options, &program);
        let text = format!("JDK {}: {}\n{view:#}", jdk.version, stderr(&output));
        assert_eq!((output.status.code(), &view["result"]), (Some(0), &Value::from("improved")), "{text}");
        assert_eq!((&view["classes_count"], &view["runs_of_places"]["1"]), (&1.into(), &1.0.into()), "{text}");
        assert!(view["output"].as_str().unwrap().contains("printed the same on both sides"), "{text}");
        assert_eq!(view["files"], "1 written file is the same on both sides", "{text}");
        the_patch_is_what_was_tried(&jdk, &workspace, &view);
    }
}

/// The patch is in the source. The changed program creates the buffer that was tried, and does the same.
fn the_patch_is_what_was_tried(jdk: &Jdk, workspace: &Workspace, view: &Value) {
    assert_eq!(view["patch"]["is_written"], true, "{view:#}");
    let diff = view["patch"]["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+        out = new BufferedOutputStream(new FileOutputStream(file));"), "{diff}");
    let source = fs::read_to_string(workspace.path("Journal.java")).unwrap();
    assert_eq!(
        source,
        JOURNAL.replace("new FileOutputStream(file)", "new BufferedOutputStream(new FileOutputStream(file))")
    );
    let before = fs::read(workspace.path("out")).unwrap();
    compile(jdk, workspace, "Journal");
    let mut program = Command::new(jdk.java());
    program.args(["-cp", "classes", "Journal", "out", "1000000", "write"]).current_dir(workspace.path(""));
    assert!(program.output().unwrap().status.success());
    assert!(fs::read(workspace.path("out")).unwrap() == before, "the changed program writes the same file");
    let class = fs::read(workspace.path("classes/Journal.class")).unwrap();
    let name = b"java/io/BufferedOutputStream";
    assert!(class.windows(name.len()).any(|bytes| bytes == name));
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
