//! Output for people and for programs: aligned text, parseable CSV and JSON, pipes that end early.

use crate::support::{Workspace, number, stderr, whittle_command};
use std::io::Read;
use std::process::{Command, Stdio};

/// A recording from the importer's fixtures, with two threads and many functions.
const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/async-profiler-cpu-jdk25.jfr");
/// An experiment with rows in every table.
const VERSION_2: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../experiment/tests/fixtures/version-2.whittle");
const COLLAPSED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures/async-profiler-cpu-jdk25.collapsed");

fn imported() -> Workspace {
    let workspace = Workspace::new();
    workspace.text(&["import", RECORDING, "-o", "a.whittle"]);
    std::os::unix::fs::symlink(VERSION_2, workspace.path("version-2.whittle")).unwrap();
    workspace
}

/// Every view with the arguments that it needs.
const VIEWS: &[&[&str]] = &[
    &["overview", "a.whittle"],
    &["functions", "a.whittle"],
    &["callers-callees", "a.whittle", "--fragment", "java.lang.Thread.run()"],
    &["call-tree", "a.whittle"],
    &["stacks", "a.whittle"],
    &["lines", "a.whittle"],
    &["threads", "a.whittle"],
    &["syscalls", "version-2.whittle"],
    &["threads", "version-2.whittle"],
    &["overview", "version-2.whittle"],
    &["function", "a.whittle", "java.lang.Thread.run()"],
];

#[test]
fn every_view_has_text_json_and_csv_in_every_mode() {
    let workspace = imported();
    for view in VIEWS {
        for mode in ["user", "expert", "machine"] {
            let with = |format: &[&str]| workspace.text(&[view, &["--mode", mode][..], format].concat());
            let json: serde_json::Value = serde_json::from_str(&with(&["--json"])).unwrap();
            assert_eq!(json["view"].as_str().unwrap(), view[0]);
            assert_eq!(json["mode"], mode);
            let text = with(&[]);
            assert!(text.ends_with('\n') && !text.contains('\x1b'), "{view:?}");
            assert!(text.lines().all(|line| line.trim_end() == line), "blanks at the end of a line: {view:?}\n{text}");
            let csv = with(&["--csv"]);
            let columns = csv.lines().next().unwrap().split(',').count();
            assert!(csv.lines().count() > 1 && columns > 1, "{view:?}\n{csv}");
        }
    }
}

#[test]
fn a_python_csv_reader_and_json_agree() {
    let workspace = imported();
    let csv = workspace.text(&["functions", "a.whittle", "--csv", "--limit", "0", "--metrics", "e.cpu,i.cpu"]);
    let script = "import csv, sys, json; json.dump(list(csv.DictReader(sys.stdin)), sys.stdout)";
    let mut python = Command::new("python3");
    let spawned = python.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut reader) = spawned else { return whittle_testkit::not_run("needs python3") };
    std::io::Write::write_all(&mut reader.stdin.take().unwrap(), csv.as_bytes()).unwrap();
    let mut parsed = String::new();
    reader.stdout.take().unwrap().read_to_string(&mut parsed).unwrap();
    assert!(reader.wait().unwrap().success());
    let from_csv: Vec<serde_json::Value> = serde_json::from_str(&parsed).unwrap();
    let json = workspace.json(&["functions", "a.whittle", "--metrics", "e.cpu,i.cpu"]);
    let from_json = json["rows"].as_array().unwrap();
    assert_eq!(from_csv.len(), from_json.len());
    for (a, b) in from_csv.iter().zip(from_json) {
        assert_eq!(a["function"], b["function"]);
        assert_eq!(a["inclusive_cpu_ns"].as_str().unwrap().parse::<f64>().unwrap(), number(&b["inclusive_cpu_ns"]));
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let workspace = imported();
    let mut whittle = whittle_command(&["functions", "a.whittle", "--limit", "0", "--mode", "machine"]);
    let mut whittle =
        whittle.current_dir(workspace.path("")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(whittle.stdout.take());
    let output = whittle.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
}

#[test]
fn totals_are_equal_in_all_modes() {
    let workspace = imported();
    let total =
        |mode| number(&workspace.json(&["functions", "a.whittle", "--mode", mode])["total"]["inclusive_cpu_ns"]);
    assert!(total("user") > 0.0);
    assert_eq!(total("user"), total("expert"));
    assert_eq!(total("user"), total("machine"));
}

#[test]
fn what_is_asked_wrongly_is_refused_with_a_way_out() {
    let workspace = imported();
    for (arguments, parts) in [
        (&["functions", "a.whittle", "--metrics", "e.bytes_eaten"][..], &["bytes_eaten", "Its metrics: cpu"][..]),
        (&["functions", "a.whittle", "--metrics", "x.cpu"], &["x.cpu"]),
        (&["functions", "a.whittle", "--filter", "thread ~ "], &["filter", "example:"]),
        (&["functions", "a.whittle", "--filter", "colour is red"], &["colour", "example:"]),
        (&["functions", "a.whittle", "--filter", "thread ~ \"(\""], &["filter"]),
        (&["functions", "a.whittle", "--mode", "novice"], &["novice", "user", "expert", "machine"]),
        (&["callers-callees", "a.whittle", "--fragment", "no.such.Method"], &["no.such.Method"]),
        (&["call-tree", "a.whittle", "--root", "no.such.Method"], &["no.such.Method"]),
        (&["syscalls", "version-2.whittle", "--by", "colour"], &["colour", "call, file, caller"]),
        (&["syscalls", "version-2.whittle", "--sort", "e.cpu"], &["e.cpu", "calls, errors, bytes"]),
        (&["syscalls", "version-2.whittle", "--metrics", "cpu"], &["--metrics"]),
    ] {
        let output = workspace.whittle(arguments);
        let text = stderr(&output);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?} gave a table");
        assert!(text.contains("error:"), "{text}");
        for part in parts {
            assert!(text.contains(part), "{arguments:?}: no \"{part}\" in {text}");
        }
    }
}

#[test]
fn a_filter_takes_away_exactly_what_it_says() {
    let workspace = imported();
    let total = |filter: &[&str]| {
        let arguments = [&["functions", "a.whittle", "--metrics", "cpu"], filter].concat();
        number(&workspace.json(&arguments)["total"]["inclusive_cpu_ns"])
    };
    let all = total(&[]);
    let java = total(&["--filter", "stack has \"java.lang.Thread.run()\""]);
    let other = total(&["--filter", "not stack has \"java.lang.Thread.run()\""]);
    assert!(java > 0.0 && java <= all);
    assert_eq!(java + other, all);
    assert_eq!(total(&["--filter", "mode is system"]) + total(&["--filter", "mode is user"]), all);
}

#[test]
fn collapsed_stacks_give_the_same_exclusive_counts_as_the_file_has() {
    let workspace = Workspace::new();
    workspace.text(&["import", COLLAPSED, "-o", "c.whittle"]);
    let lines = std::fs::read_to_string(COLLAPSED).unwrap();
    let sum: u64 = lines.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum();
    let overview = workspace.json(&["overview", "c.whittle"]);
    assert_eq!(overview["samples_count"].as_u64().unwrap(), sum);
}

#[test]
fn totals_do_not_depend_on_the_limit() {
    let workspace = imported();
    let total = |text: String| text.lines().find(|line| line.ends_with("<Total>")).unwrap().to_owned();
    for view in ["functions", "lines", "threads", "stacks"] {
        let all = total(workspace.text(&[view, "a.whittle", "--limit", "0"]));
        assert_eq!(total(workspace.text(&[view, "a.whittle", "--limit", "1"])), all, "{view}");
    }
}

#[test]
fn the_call_tree_keeps_the_heaviest_branch_whatever_it_is_sorted_by() {
    let workspace = Workspace::new();
    std::fs::write(workspace.path("c.txt"), "R.r 1\nR.r;A.a;H.hot 98\nR.r;B.b 1\n").unwrap();
    workspace.text(&["import", "c.txt", "-o", "c.whittle"]);
    for sort in ["e.cpu_samples", "i.cpu_samples", "name"] {
        let tree = workspace.text(&["call-tree", "c.whittle", "--sort", sort, "--min-percent", "50"]);
        assert!(tree.contains("H.hot") && !tree.contains("B.b"), "{sort}\n{tree}");
    }
}

#[test]
fn names_from_a_program_do_not_steer_the_terminal_and_long_filters_are_pointed_into() {
    let workspace = Workspace::new();
    std::fs::write(workspace.path("c.txt"), "A.x\u{1b}[2Jy 1\n").unwrap();
    workspace.text(&["import", "c.txt", "-o", "c.whittle"]);
    let text = workspace.text(&["functions", "c.whittle"]);
    assert!(text.contains("A.x\\u{1b}[2Jy") && !text.contains('\x1b'), "{text}");
    let filter = format!("thread = \"{}\" x", "a".repeat(70_000));
    let error = stderr(&workspace.whittle(&["functions", "c.whittle", "--filter", &filter]));
    assert!(error.contains("the filter is wrong at character") && error.contains('^'), "{}", &error[..200]);
}

#[test]
fn the_licences_of_everything_in_whittle_are_printed() {
    let workspace = Workspace::new();
    for word in ["licences", "licenses"] {
        let text = workspace.text(&[word]);
        for part in ["whittle authors", "async-profiler", "solid-js", "Apache License", "Permission is hereby granted"]
        {
            assert!(text.contains(part), "{part}");
        }
    }
}
