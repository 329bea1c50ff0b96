//! `whittle verify` with programs of known cost: half the rounds, half the CPU time.
//!
//! Measured values vary by chance, and a 95 % interval misses the true value in 5 % of verifications. So assertions
//! about measured values use wider intervals, with a probability far above 95 %.

use crate::support::{FIXED, SLOW, Workspace, number, signal, stderr, whittle_command};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use whittle_testkit::{any_jdk, workloads_class_path};

/// A program with two arguments: the number of rounds that use CPU time, and the number of documents to print.
const BURN: &str = "#!/bin/sh
i=0; while [ $i -lt $1 ]; do i=$((i+1)); done
echo \"${2:-10} documents\"
echo 'checksum 55'
";

/// Quantiles of Student's t with 4 degrees of freedom: 97.5 %, which intervals of five pairs use, and 99.995 %.
const T_975: f64 = 2.776;
const T_99995: f64 = 13.03;

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    program(&workspace.path("burn"), BURN);
    workspace
}

fn program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn burn(rounds: u32) -> String {
    format!("./burn {rounds}")
}

/// Verifies without profiled runs. Returns the result and the exit status.
fn verified(workspace: &Workspace, sides: [&str; 2], more: &[&str]) -> (Value, Option<i32>) {
    let [baseline, candidate] = sides;
    let words = ["verify", "--baseline", baseline, "--candidate", candidate, "--profiled-runs", "0", "--json"];
    let output = workspace.whittle(&[&words[..], more].concat());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}", stderr(&output))), output.status.code())
}

fn endpoint<'a>(view: &'a Value, kind: &str) -> &'a Value {
    view["endpoints"].as_array().unwrap().iter().find(|endpoint| endpoint["kind"] == kind).unwrap()
}

/// Asserts that the true ratio is in a wide interval. This interval contains the true ratio in 9,999 of 10,000
/// verifications.
fn assert_covers(endpoint: &Value, ratio: f64) {
    let [low, high] = ["low_ratio", "high_ratio"].map(|end| number(&endpoint[end]).ln());
    let (middle, half) = (f64::midpoint(low, high), (high - low) / 2.0 * T_99995 / T_975);
    assert!((ratio.ln() - middle).abs() <= half, "{ratio} is not in {endpoint}");
}

#[test]
fn half_the_rounds_are_half_the_cpu_time_and_an_improvement() {
    let workspace = workspace();
    let metric = ["--metric", "(?<documents_count>[0-9]+) documents"];
    let (slow, fast) = (burn(120_000), burn(60_000));
    let (view, status) = verified(&workspace, [&slow, &fast], &metric);
    let cpu = endpoint(&view, "cpu");
    assert_covers(cpu, 0.5);
    assert!(number(&cpu["ratio"]) < 0.8, "{cpu}");
    assert_eq!((view["verdict"]["word"].as_str(), status), (Some("improved"), Some(0)), "{view:#}");
    assert_eq!((&view["per"], view["runs"].as_array().unwrap().len()), (&Value::from("document"), 10));
    assert!(view["runs"].as_array().unwrap().iter().all(|run| run["units"] == 10.0));

    let (view, status) = verified(&workspace, [&fast, &slow], &metric);
    assert_covers(endpoint(&view, "cpu"), 2.0);
    assert_eq!((view["verdict"]["word"].as_str(), status), (Some("worse"), Some(4)), "{view:#}");
}

#[test]
fn cost_is_of_the_unit_of_work() {
    let workspace = workspace();
    let metric = ["--metric", "(?<documents_count>[0-9]+) documents", "--runs", "5"];
    let (few, many) = (format!("{} 10", burn(60_000)), format!("{} 20", burn(120_000)));
    let (view, _) = verified(&workspace, [&few, &many], &metric);
    assert_covers(endpoint(&view, "cpu"), 1.0);
    let (view, _) = verified(&workspace, [&few, &many], &["--unit-count", "7", "--unit", "page"]);
    assert_covers(endpoint(&view, "cpu"), 2.0);
    assert_eq!(view["per"], "page");
    let doubts = view["doubts"].to_string();
    assert!(doubts.contains("always prints") && doubts.contains("10 documents"), "{doubts}");
}

#[test]
fn a_program_against_itself_has_the_exit_status_of_its_word() {
    let workspace = workspace();
    let same = burn(60_000);
    let (view, status) = verified(&workspace, [&same, &same], &[]);
    assert_covers(endpoint(&view, "cpu"), 1.0);
    let expected = match view["verdict"]["word"].as_str().unwrap() {
        "inconclusive" => 5,
        "worse" => 4,
        _ => 0,
    };
    assert_eq!(status, Some(expected), "{view:#}");
    assert!(!view["doubts"].to_string().contains("always prints"), "{view:#}");
}

#[test]
fn few_runs_are_inconclusive_which_can_be_accepted() {
    let workspace = workspace();
    // Two pairs have one degree of freedom, so a change of 3 % cannot be detected.
    let more = ["--runs", "2", "--discard", "0"];
    let (a, b) = (burn(60_000), burn(62_000));
    let (view, status) = verified(&workspace, [&a, &b], &more);
    let word = view["verdict"]["word"].as_str().unwrap().to_owned();
    assert_eq!(status, Some(if word == "inconclusive" { 5 } else { number(&view["exit_status"]) as i32 }));
    let (view, status) = verified(&workspace, [&a, &b], &[&more[..], &["--accept", "inconclusive"]].concat());
    if view["verdict"]["word"] == "inconclusive" {
        assert_eq!(status, Some(0));
    }
    let (view, status) = verified(&workspace, [&a, &b], &["--runs", "1", "--discard", "0"]);
    assert_eq!((&view["verdict"]["is_looks_like"], status), (&Value::from(true), Some(0)), "{view:#}");
}

#[test]
fn a_run_that_fails_ends_it_with_its_last_lines() {
    let workspace = workspace();
    program(&workspace.path("broken"), "#!/bin/sh\necho reading >&2\necho 'no such table' >&2\nexit 3\n");
    let words = |candidate| ["verify", "--baseline", "./burn 10", "--candidate", candidate, "--profiled-runs", "0"];
    let output = workspace.whittle(&[&words("./broken")[..], &["-o", "kept"]].concat());
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("the candidate ended with exit status 3") && text.contains("no such table"), "{text}");
    assert!(
        text.contains("1 of 12 runs are finished") && workspace.path("kept/runs/00-baseline-discarded/stdout").exists()
    );
    let output = workspace.whittle(&words("./not-there"));
    assert!(stderr(&output).contains("the candidate cannot be run: ./not-there"), "{}", stderr(&output));
    let output = workspace.whittle(&[&words("./burn 10")[..], &["--metric", "(?<pages_count>[0-9]+) pages"]].concat());
    assert!(stderr(&output).contains("printed no number for the group pages_count"), "{}", stderr(&output));
}

#[test]
fn wrong_words_are_refused_before_anything_runs() {
    let workspace = workspace();
    let refused = |more: &[&str], expected: &str| {
        let output = workspace.whittle(&[&["verify"], more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(stderr(&output).contains(expected), "{more:?}: {}", stderr(&output));
    };
    let sides = ["--baseline", "./burn 1", "--candidate", "./burn 1"];
    refused(&["--candidate", "./burn 1"], "--baseline");
    refused(&["--baseline", "./burn", "1", "--candidate", "./burn 1"], "write the command as one word");
    refused(&["--baseline", "./burn 'x", "--candidate", "./burn 1"], "quotation mark");
    refused(&["--baseline", "none.whittle", "--candidate", "./burn 1"], "the experiment does not exist");
    refused(&[&sides[..], &["--endpoint", "rate"]].concat(), "wanted cpu, elapsed");
    refused(&[&sides[..], &["--endpoint", "rate", "--metric", "(?<rate>.)"]].concat(), "the better direction");
    refused(&[&sides[..], &["--margin", "2"]].concat(), "wanted percent");
    refused(&["--against", "none.whittle", "--candidate", "./burn 1"], "the experiment does not exist");
}

#[test]
fn results_are_kept_as_json_and_markdown_and_added_to_the_summary() {
    let workspace = workspace();
    let sides = ["--baseline", "./burn 2000", "--candidate", "./burn 1000"];
    let more =
        ["--runs", "2", "--profiled-runs", "0", "-o", "kept", "--summary", "summary.md", "--accept", "inconclusive"];
    fs::write(workspace.path("summary.md"), "# Build\n\n").unwrap();
    let output = workspace.whittle(&[&["verify"], &sides[..], &more[..]].concat());
    assert!([Some(0), Some(4)].contains(&output.status.code()), "{}", stderr(&output));
    let read = |name: &str| fs::read_to_string(workspace.path(name)).unwrap();
    let view: Value = serde_json::from_str(&read("kept/verification.json")).unwrap();
    assert_eq!(
        (&view["view"], &view["design"]["baseline"]),
        (&Value::from("verification"), &Value::from("./burn 2000"))
    );
    assert!(read("kept/verification.md").starts_with("## Verification"));
    assert!(read("summary.md").starts_with("# Build\n\n## Verification"));
    assert!(read("kept/runs/02-baseline/stdout").contains("checksum 55"));
    assert!(stderr(&output).contains("2 runs per side detect") && stderr(&output).contains("whittle view kept"));
    let output = workspace.whittle(&[&["verify"], &sides[..], &["-o", "kept"]].concat());
    assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
}

#[test]
fn an_interrupt_leaves_what_there_is() {
    let workspace = workspace();
    let words = ["verify", "--baseline", "sleep 1", "--candidate", "sleep 1", "--profiled-runs", "0", "-o", "kept"];
    let mut command = whittle_command(&words);
    let child = command.current_dir(workspace.path("")).stderr(Stdio::piped()).spawn().unwrap();
    let second = workspace.path("kept/runs/01-candidate-discarded/stdout");
    while !second.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&child.id().to_string(), "TERM");
    let output = child.wait_with_output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("stopped by a signal") && text.contains("1 of 12 runs are finished"), "{text}");
}

#[test]
fn a_java_program_is_profiled_and_its_finding_verified() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let command = |class: &str| format!("{} -cp {} {class} --seconds 2", jdk.java().display(), workloads_class_path());
    let (slow, fixed) = (command(SLOW), command(FIXED));
    let metric = "rate (?<documents_per_second>[0-9.,]+) documents/s";
    let sides = ["verify", "--baseline", &slow, "--candidate", &fixed, "--metric", metric];
    let more = ["--endpoint", "documents_per_second", "--runs", "2", "--profiled-runs", "2", "--json", "-o", "kept"];
    let output = workspace.whittle(&[&sides[..], &more[..]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let view: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let rate = endpoint(&view, "metric");
    assert!(rate["is_primary"] == true && number(&rate["ratio"]) > 1.5, "{rate:#}");
    assert_eq!(view["design"]["finding"]["detector"], "unbuffered-write", "{view:#}");
    let finding = endpoint(&view, "finding");
    assert!(number(&finding["baseline"]["median"]) > 1e8, "{finding:#}");
    assert!(number(&finding["candidate"]["median"]) < 1e7, "{finding:#}");
    let functions = &view["functions"];
    assert!(functions["tested_count"].is_u64() && !functions["other"].is_null(), "{functions:#}");
    let experiments = fs::read_dir(workspace.path("kept/runs")).unwrap().flatten();
    let experiments: Vec<String> = experiments
        .map(|entry| entry.path().to_str().unwrap().to_owned())
        .filter(|path| path.ends_with("-profiled.whittle"))
        .collect();
    assert_eq!(experiments.len(), 4, "{experiments:?}");

    // Verifies these experiments as two sets. The runs were interleaved, A B B A.
    let of = |side: &str| experiments.iter().map(String::as_str).filter(|path| path.contains(side)).collect::<Vec<_>>();
    let words = [
        &["verify", "--json", "--accept", "inconclusive", "--baseline"],
        &of("baseline")[..],
        &["--candidate"],
        &of("candidate")[..],
    ];
    let output = workspace.whittle(&words.concat());
    let sets: Value = serde_json::from_str(&String::from_utf8_lossy(&output.stdout))
        .unwrap_or_else(|_| panic!("{}", stderr(&output)));
    assert_eq!(sets["design"]["order"], "interleaved");
    assert!(sets["doubts"].to_string().contains("chosen in a measured baseline run"), "{sets:#}");
    let output = workspace.whittle(&[&words.concat()[..], &["--metric", metric]].concat());
    assert!(stderr(&output).contains("experiments are not run again"), "{}", stderr(&output));
    let output = workspace.whittle(&[&words.concat()[..], &["-o", "kept", "--force"]].concat());
    assert!(stderr(&output).contains("is an input and is in kept"), "{}", stderr(&output));
    // Each side has one experiment. The runs were made one after the other.
    let one = ["verify", "--json", "--baseline", of("baseline")[0], "--candidate", of("candidate")[0]];
    let output = workspace.whittle(&one);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("the runs were not interleaved"), "{}", stderr(&output));
}

#[test]
fn a_kept_program_is_run_again_unless_it_was_damaged() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let (java, app) = (jdk.java(), workspace.path("app"));
    let java = java.to_str().unwrap();
    let class_path = workloads_class_path();
    let jar = Path::new(class_path.split(':').next().unwrap());
    copy_folder(&jar.with_file_name("lib"), &app.join("lib"));
    fs::copy(jar, app.join("app.jar")).unwrap();
    let program = [java, "-cp", "app/app.jar:app/lib/*", FIXED, "--seconds", "1"];
    let units = ["--unit-count", "3", "--unit", "rounds"];
    let collect = [&["collect", "-o", "base.whittle", "--keep-artefact"], &units[..], &["--"], &program[..]].concat();
    let output = workspace.whittle(&collect);
    assert!(output.status.success() && stderr(&output).contains("kept artefact"), "{}", stderr(&output));
    let unit = &workspace.manifest("base.whittle")["units_of_work"][0];
    assert_eq!(
        (&unit["name"], number(&unit["amount"]), &unit["source"]),
        (&"rounds".into(), 3.0, &"given on the command line".into())
    );
    // The experiment can be used as before, even after the original files were moved.
    fs::rename(&app, workspace.path("newer")).unwrap();
    workspace.text(&["functions", "base.whittle"]);
    let candidate = format!("{java} -cp newer/app.jar:newer/lib/* {FIXED} --seconds 1");
    let against = [
        "verify",
        "--against",
        "base.whittle",
        "--candidate",
        &candidate,
        "--json",
        "--profiled-runs",
        "0",
        "--runs",
        "2",
    ];
    let output = workspace.whittle(&against);
    let view: Value = serde_json::from_str(&String::from_utf8_lossy(&output.stdout))
        .unwrap_or_else(|_| panic!("{}", stderr(&output)));
    assert_eq!(view["design"]["order"], "interleaved", "{}", stderr(&output));

    let kept = workspace.path("base.whittle/artefact/files").join(app.strip_prefix("/").unwrap());
    fs::write(kept.join("app.jar"), "another").unwrap();
    let output = workspace.whittle(&against);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("is damaged and is not run"), "{}", stderr(&output));

    // Without the artefact, the candidate is compared with the earlier measurement.
    fs::remove_dir_all(workspace.path("base.whittle/artefact")).unwrap();
    let against = [
        "verify",
        "--against",
        "base.whittle",
        "--candidate",
        &candidate,
        "--discard",
        "0",
        "--profiled-runs",
        "1",
        "--json",
    ];
    let output = workspace.whittle(&against);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("has no kept artefact") && stderr(&output).contains("the runs were not interleaved"),
        "{}",
        stderr(&output)
    );
    // `--force` also replaces an experiment with an artefact.
    assert!(workspace.whittle(&[&["collect", "-f"], &collect[1..]].concat()).status.code() != Some(2));
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
