//! Whittle's findings in a program, compared with the known fault.

use super::programs::{Place, Program};
use serde_json::Value;

/// Findings of other causes are ignored if they are below this share of the program.
const OTHERS_RATIO: f64 = 0.05;

/// The predicted and the measured saving, both in percent of the same time.
#[derive(Debug, Clone)]
pub(crate) struct Saving {
    /// `cpu` or `elapsed`.
    pub(crate) endpoint: String,
    pub(crate) predicted: f64,
    pub(crate) measured: f64,
    /// True if whittle says "at least".
    pub(crate) is_at_least: bool,
}

impl Saving {
    pub(crate) fn difference(&self) -> f64 {
        self.predicted - self.measured
    }

    pub(crate) fn is_near(&self) -> bool {
        self.difference().abs() <= 10.0
    }
}

/// Right and wrong parts of the findings of one program on one JDK.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    pub(crate) program: Program,
    pub(crate) jdk: u32,
    /// The first finding in the slow program: its cause, and its share of the program.
    pub(crate) first: Option<String>,
    pub(crate) is_cause_first: bool,
    /// The calling line of the finding with the right cause, such as `File.java:5`.
    pub(crate) calling: Option<String>,
    pub(crate) is_calling_right: bool,
    /// The line to edit, such as `File.java:5`, or the reason why whittle did not find this line.
    pub(crate) site: Option<String>,
    pub(crate) is_site_right: bool,
    /// The saving. Missing: whittle did not predict a saving.
    pub(crate) saving: Option<Saving>,
    /// Findings in the fixed program that still have the known cause.
    pub(crate) still_found: Vec<String>,
    /// Other findings above 5 %: version, cause, calling line, share.
    pub(crate) others: Vec<Other>,
}

/// A finding of another cause.
#[derive(Debug, Clone)]
pub(crate) struct Other {
    pub(crate) version: &'static str,
    pub(crate) detector: String,
    pub(crate) place: String,
    pub(crate) percent: f64,
    pub(crate) confidence: String,
}

impl Verdict {
    /// `measured` gives the saving in percent of `cpu` or `elapsed`.
    pub(crate) fn new(program: &Program, jdk: u32, [slow, fixed]: [&Value; 2], measured: impl Fn(&str) -> f64) -> Self {
        let found = findings(slow);
        let is_cause = |finding: &&Value| program.causes.iter().any(|cause| finding["detector"] == cause.as_str());
        let right = found.iter().find(is_cause);
        let others = |version, view| others(program, version, findings(view));
        Self {
            program: program.clone(),
            jdk,
            first: found.first().map(brief),
            is_cause_first: found.first().is_some_and(|finding| is_cause(&finding)),
            calling: right.map(|finding| line(&finding["calling"])),
            is_calling_right: right.is_some_and(|finding| program.calling.has(&finding["calling"])),
            site: right.map(|finding| site(&finding["site"])),
            is_site_right: right.is_some_and(|finding| is_site(&finding["site"], &program.edit)),
            saving: saving(found, is_cause, measured),
            still_found: findings(fixed).iter().filter(is_cause).map(brief).collect(),
            others: others("Slow", slow).into_iter().chain(others("Fixed", fixed)).collect(),
        }
    }
}

fn findings(view: &Value) -> &[Value] {
    view["findings"].as_array().map_or(&[], Vec::as_slice)
}

fn percent(finding: &Value) -> f64 {
    finding["spent"]["program_ratio"].as_f64().unwrap_or(0.0) * 100.0
}

fn brief(finding: &Value) -> String {
    let words = |key: &str| finding[key].as_str().unwrap_or("?").to_owned();
    format!("{} {} {:.0} % at {}", words("confidence"), words("detector"), percent(finding), line(&finding["calling"]))
}

/// `File.java:5`.
fn line(place: &Value) -> String {
    let line = place["line"].as_u64().map_or("?".to_owned(), |line| line.to_string());
    format!("{}:{line}", place["file"].as_str().or(place["function"].as_str()).unwrap_or("?"))
}

fn site(answer: &Value) -> String {
    match answer["state"].as_str() {
        Some("found") => {
            let others = answer["others"].as_array().into_iter().flatten().map(line);
            std::iter::once(line(answer)).chain(others).collect::<Vec<_>>().join(", ")
        }
        Some("not_found") => format!("not found: {}", answer["reason"].as_str().unwrap_or("?")),
        _ => "none".to_owned(),
    }
}

fn is_site(answer: &Value, edit: &Place) -> bool {
    let others = answer["others"].as_array().into_iter().flatten();
    answer["state"] == "found" && std::iter::once(answer).chain(others).any(|place| edit.has(place))
}

/// The fix removes all findings of the cause. Their savings can be added, because each sample is in only one finding.
fn saving(found: &[Value], is_cause: impl Fn(&&Value) -> bool, measured: impl Fn(&str) -> f64) -> Option<Saving> {
    let mut expected = found.iter().filter(is_cause).map(|finding| &finding["expected"]).filter(|it| !it.is_null());
    let first = expected.next()?;
    let endpoint = first["endpoint"].as_str()?.to_owned();
    let more = expected.filter(|it| it["endpoint"] == endpoint.as_str());
    let ratios = std::iter::once(first).chain(more).filter_map(|it| it["ratio"].as_f64());
    Some(Saving {
        predicted: ratios.sum::<f64>().min(1.0) * 100.0,
        measured: measured(&endpoint),
        is_at_least: first["at_least"] == true,
        endpoint,
    })
}

fn others(program: &Program, version: &'static str, found: &[Value]) -> Vec<Other> {
    let is_other = |finding: &&Value| {
        program.causes.iter().all(|cause| finding["detector"] != cause.as_str())
            && percent(finding) >= OTHERS_RATIO * 100.0
    };
    let other = |finding: &Value| Other {
        version,
        detector: finding["detector"].as_str().unwrap_or("?").to_owned(),
        place: line(&finding["calling"]),
        percent: percent(finding),
        confidence: finding["confidence"].as_str().unwrap_or("?").to_owned(),
    };
    found.iter().filter(is_other).map(other).collect()
}
