//! `whittle compare` on small programs written as text: both sides, changes, and functions that are gone or new, in
//! every view.

use crate::support::{Workspace, number, stderr};
use serde_json::Value;
use std::path::Path;

/// An experiment with rows in every table: 3 samples of 10 ms in 2 s, 6 system calls.
const VERSION_2: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../experiment/tests/fixtures/version-2.whittle");

/// Stacks of both programs, with their samples.
const BEFORE: &str = "main;App.run;App.parse 6\nmain;App.run;App.write 4\nmain;App.old 2\n";
const AFTER: &str = "main;App.run;App.parse 1\nmain;App.run;App.parseFast 5\nmain;App.run;App.write 8\n";

/// `before.whittle` and `after.whittle`, imported from collapsed stacks.
fn imported(before: &str, after: &str) -> Workspace {
    let workspace = Workspace::new();
    for (name, stacks) in [("before", before), ("after", after)] {
        let file = format!("{name}.collapsed");
        std::fs::write(workspace.path(&file), stacks).unwrap();
        workspace.text(&["import", &file, "-o", &format!("{name}.whittle")]);
    }
    workspace
}

/// Makes copies of an experiment of 2 s. Each copy has another number of documents, which are the units of work.
fn with_documents(copies: &[(&str, f64)]) -> Workspace {
    let workspace = Workspace::new();
    for (name, documents) in copies {
        let folder = workspace.path(name);
        copy(Path::new(VERSION_2), &folder);
        let mut manifest = workspace.manifest(name);
        manifest["duration_ns"] = 2_000_000_000_u64.into();
        manifest["units_of_work"] =
            serde_json::json!([{ "name": "documents", "amount": documents, "source": "the test" }]);
        std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    }
    workspace
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() { copy(&entry.path(), &target) } else { drop(std::fs::copy(entry.path(), target)) }
    }
}

/// The words of the first line that ends with `ending`.
fn words_of<'a>(text: &'a str, ending: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.ends_with(ending)).unwrap_or_else(|| panic!("no {ending}: {text}"));
    line.split_whitespace().collect()
}

fn compare(workspace: &Workspace, view: &[&str]) -> String {
    workspace.text(&[&["compare", "before.whittle", "after.whittle"], view].concat())
}

/// The row of a view that has `name` in its field `key`.
fn row<'a>(view: &'a Value, key: &str, name: &str) -> &'a Value {
    view["rows"].as_array().unwrap().iter().find(|row| row[key] == name).unwrap()
}

#[test]
fn changed_gone_and_new_functions() {
    let workspace = imported(BEFORE, AFTER);
    for view in [&["functions", "--metrics", "e.cpu_samples"][..], &["call-tree"], &["stacks"]] {
        let text = compare(&workspace, view);
        assert!(text.contains("Baseline before.whittle, candidate after.whittle"), "{text}");
        assert!(text.contains("per run; single runs"), "{text}");
        let shown = |name: &str| words_of(&text, name)[..4].join(" ");
        assert_eq!(shown("<Total>"), "12.000 14.000 +2.000 ×1.17");
        assert_eq!(shown("App.parse"), "6.000 1.000 -5.000 ×0.17");
        assert_eq!(shown("App.parseFast"), "0.000 5.000 +5.000 new");
        assert_eq!(shown("App.write"), "4.000 8.000 +4.000 ×2.00");
        assert_eq!(shown("App.old"), "2.000 0.000 -2.000 gone");
    }
    let around = compare(&workspace, &["callers-callees", "--fragment", "App.run"]);
    assert_eq!(words_of(&around, "<Total>")[..4], ["10.000", "14.000", "+4.000", "×1.40"]);
    assert_eq!(words_of(&around, "App.parseFast")[..4], ["0.000", "5.000", "+5.000", "new"]);
    let details = compare(&workspace, &["function", "App.run"]);
    assert_eq!(words_of(&details, "inclusive CPU samples")[..4], ["10.000", "14.000", "+4.000", "×1.40"]);
    let lines = compare(&workspace, &["lines"]);
    assert_eq!(words_of(&lines, "App.old, line unknown")[..4], ["2.000", "0.000", "-2.000", "gone"]);
}

#[test]
fn cost_that_moved_is_not_a_saving() {
    let workspace = imported(BEFORE, &BEFORE.replace("App.parse", "App.parseFast"));
    let overview = compare(&workspace, &[]);
    let moved = "  6.000 CPU samples from App.parse to App.parseFast, under App.run";
    assert!(overview.lines().any(|line| line == moved), "{overview}");
    assert!(!compare(&imported(BEFORE, AFTER), &[]).contains("Cost that moved"));
}

#[test]
fn a_side_and_the_order_can_be_chosen() {
    let workspace = imported(BEFORE, AFTER);
    let only = compare(&workspace, &["functions", "--filter", "side is baseline"]);
    assert_eq!(words_of(&only, "<Total>")[..4], ["12.000", "0.000", "-12.000", "gone"]);
    assert!(!only.contains("App.parseFast"), "{only}");
    let by_candidate = ["functions", "--metrics", "e.cpu_samples", "--sort", "e.cpu_samples:candidate", "--json"];
    let view: Value = serde_json::from_str(&compare(&workspace, &by_candidate)).unwrap();
    assert_eq!(
        (&view["sorted_by"], &view["rows"][0]["function"]),
        (&"exclusive_cpu_samples_candidate".into(), &"App.write".into())
    );
    // The view with `--baseline` prints the same text as `whittle compare`.
    let as_view = ["functions", "after.whittle", "--baseline", "before.whittle", "--limit", "2"];
    assert_eq!(workspace.text(&as_view), compare(&workspace, &["functions", "--limit", "2"]));
    let renamed = compare(&workspace, &["functions", "--rename", "App=Program"]);
    assert_eq!(words_of(&renamed, "Program.write")[..4], ["4.000", "0.000", "-4.000", "gone"]);
    assert_eq!(words_of(&renamed, "App.write")[..4], ["0.000", "8.000", "+8.000", "new"]);
}

#[test]
fn costs_are_per_unit_of_work_and_several_runs_are_a_side() {
    let workspace = with_documents(&[("a1", 10.0), ("a2", 20.0), ("b", 30.0)]);
    let overview = workspace.text(&["compare", "a1", "b"]);
    assert!(overview.contains("Values are per document (baseline 10, candidate 30)"), "{overview}");
    assert_eq!(words_of(&overview, "ms CPU")[..4], ["3.000", "1.000", "-2.000", "×0.33"]);
    assert_eq!(words_of(&overview, "elapsed time per document")[..4], ["200.000", "66.667", "-133.333", "×0.33"]);
    assert_eq!(words_of(&overview, "documents per second")[..4], ["5.000", "15.000", "+10.000", "×3.00"]);
    let sentence = "In this pair of runs: neither side has a finding; CPU per document is 67 % lower.";
    assert!(overview.lines().any(|line| line == sentence), "{overview}");
    let findings = &workspace.json(&["compare", "a1", "b"])["findings"];
    assert_eq!((&findings["sentence"], &findings["gone"]), (&sentence.into(), &serde_json::json!([])));
    // The baseline has 6 samples for 30 documents, the candidate has 3 samples for 30 documents.
    let several = workspace.text(&["compare", "a1,a2", "b", "functions"]);
    assert!(several.contains("Baseline a1, a2 (2 runs), candidate b"), "{several}");
    assert_eq!(words_of(&several, "<Total>")[..4], ["2.000", "1.000", "-1.000", "×0.50"]);
    let per_second = workspace.text(&["compare", "a1,a2", "b", "functions", "--per", "second"]);
    assert!(per_second.contains("Units of work are unknown"), "{per_second}");
    assert_eq!(words_of(&per_second, "<Total>")[..4], ["15.000", "15.000", "0.000", "×1.00"]);
}

#[test]
fn threads_and_system_calls_have_both_sides() {
    let workspace = with_documents(&[("a", 10.0), ("b", 30.0)]);
    let json = |view: &[&str]| workspace.json(&[&["compare", "a", "b"], view].concat());
    let threads = json(&["threads"]);
    let thread = row(&threads, "thread", "main");
    assert_eq!([number(&thread["cpu_baseline"]), number(&thread["cpu_candidate"])], [3e6, 1e6]);
    let calls = json(&["syscalls", "--by", "call"]);
    let write = row(&calls, "call", "write");
    let count = |side: &str| number(&write[side]["calls_count"]);
    assert_eq!([count("baseline"), count("candidate")].map(|count| (count * 1e3).round()), [600.0, 200.0]);
    let text = workspace.text(&["compare", "a", "b", "syscalls", "--by", "call"]);
    assert_eq!(words_of(&text, "write")[..4], ["0.600", "0.200", "-0.400", "×0.33"]);
    assert_eq!(threads["comparison"]["per"]["unit"], "documents");
}

#[test]
fn views_that_cannot_compare_are_reported() {
    let workspace = with_documents(&[("a", 10.0), ("b", 30.0)]);
    let refused = |arguments: &[&str]| {
        let output = workspace.whittle(&[&["compare"], arguments].concat());
        (output.status.code(), stderr(&output))
    };
    let holds = |arguments: &[&str], code: i32, words: &str| {
        let (found, said) = refused(arguments);
        assert!(found == Some(code) && said.contains(words), "{arguments:?}: {found:?} {said}");
    };
    holds(
        &["a", "b", "--per", "pages"],
        1,
        "no values per page for a: the run's number of units is unknown or 0; known units: documents",
    );
    holds(&["a", "b", "timeline"], 2, "compare does not show timeline, but overview, functions, ");
    holds(&["a", "b", "nonsense"], 2, "compare does not show nonsense");
    holds(&["a", "b", "functions", "--metrics", "e.cpu:change"], 2, "baseline, candidate, delta, ratio or both");
    holds(&["a", "b", "--rename", "com.acme"], 2, "Write OLD=NEW");
    holds(&["a", "missing"], 1, "missing does not exist");
    holds(&["a,missing", "b"], 1, "missing does not exist");
    holds(&["a"], 2, "<CANDIDATE>");
}
