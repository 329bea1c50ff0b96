//! Compares whittle's answers with the known cost of the workloads. The input is JSON. An error shows the difference.

use crate::Result;
use crate::fix::Fix;
use serde_json::Value;
use std::ops::RangeInclusive;

const PATTERN: &str = "unbuffered-write";

/// The stream makes 85 % of the one-byte writes, and a library makes the other writes. The range is wider, because
/// samples are random.
const STREAM_RATIO: RangeInclusive<f64> = 0.75..=0.95;

/// Share of the CPU time per document that remains after the fix: about 0.2. The range is wide because the JVM's own
/// work is included.
const LEFT_RATIO: RangeInclusive<f64> = 0.08..=0.45;

/// Share of the CPU time per document that remains with the change, in runs of two seconds: 0.2 to 0.35. The start of the
/// JVM is a larger part of short runs.
const LEFT_OF_SHORT_RATIO: RangeInclusive<f64> = 0.08..=0.6;

/// Checks that the first finding is about the stream, names the line that the fix changes, and has the expected share.
pub(crate) fn findings(view: &Value, fix: &Fix) -> Result {
    let findings = view["findings"].as_array().ok_or("the findings are not a list")?;
    let first = findings.first().ok_or("whittle found nothing in the slow program")?;
    expect("the first finding's pattern", &first["detector"], &Value::from(PATTERN))?;
    expect("the file to edit", &first["site"]["file"], &Value::from(&*fix.file))?;
    expect("the line to edit", &first["site"]["line"], &Value::from(fix.line))?;
    expect("the text of that line", &first["site"]["text"], &Value::from(&*fix.before))?;
    let spent = |finding: &Value| finding["spent"]["ratio"].as_f64().unwrap_or_default();
    let all: f64 = findings.iter().filter(|finding| finding["detector"] == PATTERN).map(spent).sum();
    expect_within("the stream's share of all unbuffered writes", spent(first) / all, &STREAM_RATIO)
}

/// Checks that the trial made the change, and that the effect has the expected size if the runs prove one.
pub(crate) fn trial(view: &Value) -> Result {
    expect("the tried pattern", &view["detector"], &Value::from(PATTERN))?;
    if view["result"] == "inconclusive" {
        return Ok(());
    }
    expect("the result of the trial", &view["result"], &Value::from("improved"))?;
    let ratio = view["verification"]["endpoints"][0]["ratio"].as_f64().unwrap_or(f64::NAN);
    expect_within("CPU time per document, tried by slow,", ratio, &LEFT_OF_SHORT_RATIO)
}

/// Checks that the fix is an improvement of the expected size.
pub(crate) fn verification(view: &Value) -> Result {
    expect("the verdict", &view["verdict"]["word"], &Value::from("improved"))?;
    expect("the unit of work", &view["per"], &Value::from("document"))?;
    let endpoints = view["endpoints"].as_array().ok_or("the endpoints are not a list")?;
    let cpu = endpoints.iter().find(|endpoint| endpoint["kind"] == "cpu").ok_or("no endpoint is CPU time")?;
    let ratio = cpu["ratio"].as_f64().unwrap_or(f64::NAN);
    expect_within("CPU time per document, fixed by slow,", ratio, &LEFT_RATIO)
}

/// Checks that both sides have a number of documents, and that the fixed program needs less CPU time per document.
pub(crate) fn comparison(view: &Value) -> Result {
    let comparison = &view["comparison"];
    expect("the unit of work", &comparison["per"]["unit"], &Value::from("documents"))?;
    let cost = |side: &str| {
        let number = |key: &str| comparison[side][key].as_f64().unwrap_or(f64::NAN);
        number("cpu_ns") / number("units")
    };
    expect_within("CPU time per document, fixed by slow,", cost("candidate") / cost("baseline"), &LEFT_RATIO)
}

fn expect(what: &str, found: &Value, known: &Value) -> Result {
    if found == known { Ok(()) } else { Err(format!("{what} is {found}, but it must be {known}")) }
}

fn expect_within(what: &str, found: f64, known: &RangeInclusive<f64>) -> Result {
    if known.contains(&found) {
        return Ok(());
    }
    Err(format!("{what} is {found:.2}, but it must be within {:.2} and {:.2}", known.start(), known.end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fix() -> Fix {
        Fix { file: "A.java".to_owned(), line: 30, before: "out = x;".to_owned(), after: "out = y;".to_owned() }
    }

    fn finding(line: u64, ratio: f64) -> Value {
        let site = json!({ "file": "A.java", "line": line, "text": "out = x;" });
        json!({ "detector": PATTERN, "site": site, "spent": { "ratio": ratio } })
    }

    #[test]
    fn the_finding_must_name_the_line_and_have_its_share() {
        let check = |list: &[Value]| findings(&json!({ "findings": list }), &fix());
        assert_eq!(check(&[finding(30, 0.8), finding(63, 0.15)]), Ok(()));
        assert!(check(&[finding(63, 0.15), finding(30, 0.8)]).is_err_and(|error| error.contains("line to edit is 63")));
        assert!(check(&[finding(30, 0.5), finding(63, 0.5)]).is_err_and(|error| error.contains("is 0.50")));
        assert!(check(&[]).is_err());
    }

    #[test]
    fn a_trial_may_prove_nothing_but_must_be_made() {
        let view = |result: &str, ratio: f64| {
            let verification = json!({ "endpoints": [{ "ratio": ratio }] });
            json!({ "detector": PATTERN, "result": result, "verification": verification })
        };
        assert_eq!(trial(&view("improved", 0.3)), Ok(()));
        assert_eq!(trial(&view("inconclusive", 0.9)), Ok(()));
        assert!(trial(&view("improved", 0.9)).is_err());
        assert!(trial(&view("not_tried", 0.3)).is_err_and(|error| error.contains("not_tried")));
        assert!(trial(&json!({})).is_err());
    }

    #[test]
    fn the_verdict_must_be_an_improvement_of_known_size() {
        let view = |word: &str, ratio: f64| {
            let endpoints = json!([{ "kind": "elapsed", "ratio": 0.9 }, { "kind": "cpu", "ratio": ratio }]);
            json!({ "verdict": { "word": word }, "per": "document", "endpoints": endpoints })
        };
        assert_eq!(verification(&view("improved", 0.2)), Ok(()));
        assert!(verification(&view("inconclusive", 0.2)).is_err());
        assert!(verification(&view("improved", 0.9)).is_err());
        assert!(verification(&json!({})).is_err());
    }

    #[test]
    fn the_comparison_must_be_per_document() {
        let side = |cpu_ns: f64, units: f64| json!({ "cpu_ns": cpu_ns, "units": units });
        let view = |unit: &str, candidate: Value| json!({ "comparison": { "per": { "unit": unit }, "baseline": side(100.0, 10.0), "candidate": candidate } });
        assert_eq!(comparison(&view("documents", side(100.0, 50.0))), Ok(()));
        assert!(comparison(&view("second", side(100.0, 50.0))).is_err());
        assert!(comparison(&view("documents", side(100.0, 10.0))).is_err());
        assert!(comparison(&view("documents", json!({}))).is_err());
    }
}
