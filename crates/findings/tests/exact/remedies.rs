//! The remedies' file, and the detectors that name its remedies.

use std::collections::BTreeSet;
use std::path::Path;
use whittle_findings::{Detector, Remedy, RemedyPromise, Trials, Tried, TriedResult};

#[test]
fn detectors_name_all_remedies_and_no_others() {
    let known: BTreeSet<&str> = Remedy::all().iter().map(|remedy| remedy.id.as_str()).collect();
    let named: BTreeSet<&str> = Detector::all().iter().flat_map(|it| &it.remedies).map(String::as_str).collect();
    assert_eq!(known, named);
    assert_eq!(known.len(), Remedy::all().len(), "an id is used twice");
}

/// The value of a text in quotation marks, or of a constant.
fn java_text<'t>(source: &'t str, name: &'t str) -> &'t str {
    let of_constant = || source.split(&format!(" {name} = \"")).nth(1);
    let value = name.strip_prefix('"').or_else(of_constant);
    value.and_then(|value| value.split('"').next()).unwrap_or(name)
}

/// The agent in the JVM has the code of the remedies.
#[test]
fn the_agent_has_all_remedies_and_no_others() {
    let path = "../../java/agent/src/main/java/whittle/agent/trial/Remedies.java";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let names = text.split("BY_NAME.put(").skip(1).filter_map(|rest| rest.split(',').next());
    let of_agent: BTreeSet<&str> = names.map(|name| java_text(&text, name)).collect();
    let known: BTreeSet<&str> = Remedy::all().iter().map(|remedy| remedy.id.as_str()).collect();
    assert_eq!(of_agent, known);
}

#[test]
fn a_detector_has_remedies_or_says_why_not() {
    for detector in Detector::all() {
        // A cause that is unknown has a remedy only at some calls.
        let is_without = detector.remedies.is_empty() || detector.unknown_cause;
        assert_eq!(is_without, detector.no_remedy.is_some(), "{}", detector.id);
        assert!(detector.no_remedy.iter().all(|reason| reason.starts_with("the ") && !reason.ends_with('.')));
    }
}

#[test]
fn remedies_say_what_they_do_and_what_they_change() {
    for remedy in Remedy::all() {
        assert!(!remedy.title.is_empty() && !remedy.condition.is_empty(), "{}", remedy.id);
        assert!(!remedy.fits.is_empty(), "{}", remedy.id);
        let is_known =
            |fits: &String| ["new ", "call ", "method ", "concatenate "].iter().any(|start| fits.starts_with(start));
        assert!(remedy.fits.iter().all(is_known), "{}", remedy.id);
        let is_kept = remedy.promise == RemedyPromise::Kept;
        assert_eq!(is_kept && remedy.source.is_empty(), remedy.no_source.is_some(), "{}", remedy.id);
        assert!(remedy.source.is_empty() || remedy.promise == RemedyPromise::Kept, "{}", remedy.id);
        assert!(remedy.why_not_attached().is_none_or(|reason| !reason.ends_with('.')), "{}", remedy.id);
    }
    let buffer = Remedy::of_id("buffer-output").unwrap();
    assert!(buffer.fits("new java/io/FileOutputStream") && !buffer.fits("new java/io/RandomAccessFile"));
    assert_eq!(Remedy::of_id("rarer-force").unwrap().promise, RemedyPromise::Bound);
    assert_eq!(Remedy::of_id("compile-once").unwrap().why_not_attached(), None);
    assert_eq!(
        Remedy::of_id("rarer-force").unwrap().why_not_attached(),
        Some("the service could lose records in a crash")
    );
}

#[test]
fn the_last_result_of_a_finding_is_kept() {
    let tried = |words: &str| Tried {
        detector: "unbuffered-write".to_owned(),
        function: "app.Main.run()".to_owned(),
        remedy: "buffer-output".to_owned(),
        promise: RemedyPromise::Kept,
        result: TriedResult::Improved,
        ratio: Some(0.19),
        low_ratio: Some(0.17),
        high_ratio: Some(0.21),
        runs_count: 5,
        words: words.to_owned(),
        notes: vec!["the place is in a library".to_owned()],
    };
    let mut trials = Trials::default();
    trials.add(tried("first"));
    trials.add(tried("second"));
    let text = trials.text();
    assert!(text.contains("second") && !text.contains("first"), "{text}");
    assert_eq!(Trials::parse(&text), Some(trials));
    assert_eq!(Trials::parse("{}"), None);
    assert_eq!(Trials::parse(&text.replace("\"version\": 1", "\"version\": 2")), None);
}
