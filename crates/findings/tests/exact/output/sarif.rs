//! SARIF, checked against the schema of the standard and the requirements of services.

use crate::output::drawn::{found, own_code, silent};
use serde_json::Value;
use whittle_findings::{Detector, FindingsView, SiteAnswer, sarif};

/// The schema of the standard. Its licence is next to it.
const SCHEMA: &str = include_str!("../../fixtures/sarif-schema-2.1.0.json");

/// The log, with the files of `app` below `src/main/java`.
pub(crate) fn log(view: &FindingsView) -> Value {
    let text = sarif(view, &|path| path.starts_with("app/").then(|| format!("src/main/java/{path}")));
    serde_json::from_str(&text).expect("JSON")
}

fn assert_valid(log: &Value) {
    let schema: Value = serde_json::from_str(SCHEMA).expect("a schema");
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
    let problems: Vec<String> =
        validator.iter_errors(log).map(|problem| format!("{}: {problem}", problem.instance_path())).collect();
    assert_eq!(problems, Vec::<String>::new());
}

#[test]
fn the_log_is_valid() {
    assert_valid(&log(&found()));
    assert_valid(&log(&silent()));
}

/// The schema check detects errors.
#[test]
fn the_schema_refuses_what_is_no_log() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("a schema");
    let mut log = log(&found());
    log["runs"][0]["results"][0]["level"] = "bad".into();
    assert!(!jsonschema::is_valid(&schema, &log));
}

#[test]
fn hostile_names_stay_valid() {
    let mut view = found();
    view.findings[0].calling.function = "a b.\u{1b}<x>\"%.f()".to_owned();
    view.findings[0].calling.file = Some("../Ü b#?.java".to_owned());
    view.findings[0].calling.line = Some(0);
    view.findings[0].filter = "\u{0}".to_owned();
    assert_valid(&log(&view));
}

#[test]
fn every_detector_is_a_rule_with_help() {
    let log = log(&silent());
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").clone();
    assert_eq!(rules.len(), Detector::all().len());
    for (rule, detector) in rules.iter().zip(Detector::all()) {
        assert_eq!(rule["id"], detector.id);
        assert!(rule["help"]["markdown"].as_str().is_some_and(|help| help.contains("**Fix.**")), "{rule}");
        assert!(rule["helpUri"].as_str().is_some_and(|uri| uri.ends_with(&format!("findings/{}.md", detector.id))));
    }
}

#[test]
fn confidence_is_the_level() {
    let log = log(&found());
    let results = log["runs"][0]["results"].as_array().expect("results");
    let levels: Vec<&str> = results.iter().filter_map(|result| result["level"].as_str()).collect();
    assert_eq!(levels, ["error", "warning", "note"]);
}

#[test]
fn the_edit_site_is_the_location() {
    let result = log(&found())["runs"][0]["results"][0].clone();
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/main/java/app/Main.java");
    assert_eq!(place["region"]["startLine"], 4);
    let related: Vec<&Value> = result["relatedLocations"].as_array().expect("related").iter().collect();
    let lines: Vec<_> = related.iter().map(|each| each["physicalLocation"]["region"]["startLine"].as_u64()).collect();
    assert_eq!(lines, [Some(5), Some(4), Some(9), Some(6)]);
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
    assert_eq!(steps.len(), 4);
    assert_eq!(steps[0]["location"]["physicalLocation"]["region"]["startLine"], 5);
    assert_eq!(steps[3]["location"]["physicalLocation"]["region"]["startLine"], 4);
}

/// A service cannot show a line of a library, so the program's line that calls the library is marked.
#[test]
fn a_finding_in_a_library_marks_the_own_line() {
    let mut view = found();
    let in_library = |site: &mut SiteAnswer| {
        let SiteAnswer::Found(mut found) = own_code().site else { return };
        found.class = "org/logs/Log".to_owned();
        *site = SiteAnswer::Found(found);
    };
    in_library(&mut view.findings[1].site);
    let log = log(&view);
    let place = &log["runs"][0]["results"][1]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/main/java/app/Main.java");
    assert_eq!(place["region"]["startLine"], 21);
    assert_valid(&log);
}

/// Values and lines change from run to run. The result stays the same.
#[test]
fn fingerprints_do_not_depend_on_figures_or_lines() {
    let fingerprint = |view: &FindingsView, index: usize| {
        log(view)["runs"][0]["results"][index]["partialFingerprints"]["whittleFinding/v1"].clone()
    };
    let (view, mut moved) = (found(), found());
    moved.findings[0].spent.ratio = 0.5;
    moved.findings[0].rank = 3;
    moved.findings[0].calling.line = Some(6);
    if let SiteAnswer::Found(site) = &mut moved.findings[0].site {
        site.line = Some(5);
    }
    assert_eq!(fingerprint(&view, 0), fingerprint(&moved, 0));
    assert_ne!(fingerprint(&view, 0), fingerprint(&view, 1));
}

#[test]
fn doubts_and_missing_data_are_notifications() {
    let log = log(&found());
    let notifications = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().expect("some");
    let ids: Vec<&str> = notifications.iter().filter_map(|each| each["descriptor"]["id"].as_str()).collect();
    let missing = ["not-checked/gc-pressure", "not-checked/boxing", "not-checked/lock-contention"];
    assert_eq!(ids, [&["closure", "few_samples", "denied/unbuffered-read"][..], &missing, &["note"]].concat());
    assert_eq!(notifications[0]["level"], "warning");
}
