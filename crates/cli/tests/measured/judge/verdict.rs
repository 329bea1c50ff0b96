//! Whittle's findings in a program, compared with the known fault.

use super::programs::{Place, Program};
use serde_json::Value;

/// Findings of other causes are ignored if they are below this share of the program.
const OTHERS_RATIO: f64 = 0.05;

/// The predicted range and the measured saving, in percent of the same time.
#[derive(Debug, Clone)]
pub(crate) struct Saving {
    /// `cpu` or `elapsed`.
    pub(crate) endpoint: String,
    /// The saving according to the model alone.
    pub(crate) modelled: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The finding's own share.
    pub(crate) share: f64,
    pub(crate) measured: f64,
    /// False if nothing is promised: the range begins at zero.
    pub(crate) is_modelled: bool,
}

/// One minus the coverage that the ranges promise.
const MISSED_RATIO: f64 = 0.1;

impl Saving {
    pub(crate) fn is_covered(&self) -> bool {
        (self.low..=self.high).contains(&self.measured)
    }

    /// The interval score of the range (Gneiting and Raftery 2007, equation 43). Smaller is better.
    pub(crate) fn score(&self) -> f64 {
        score(self.low, self.high, self.measured)
    }

    /// The interval score of the range from zero to the finding's share.
    pub(crate) fn score_of_share(&self) -> f64 {
        score(0.0, self.share, self.measured)
    }
}

fn score(low: f64, high: f64, value: f64) -> f64 {
    high - low + 2.0 / MISSED_RATIO * ((low - value).max(0.0) + (value - high).max(0.0))
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
    /// The saving. Missing: whittle named no range.
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
        // A hot path is a place and no cause, so a hot path at another line is another one.
        let is_same = |finding: &Value| !program.is_hot_path() || program.calling.has(&finding["calling"]);
        let others = |version, view| others(program, version, findings(view));
        Self {
            program: program.clone(),
            jdk,
            first: found.first().map(brief),
            is_cause_first: found.first().is_some_and(|finding| is_cause(&finding)),
            calling: right.map(|finding| line(&finding["calling"])),
            is_calling_right: right.is_some_and(|finding| {
                program.calling.has(&finding["calling"])
                    && program.called.as_ref().is_none_or(|called| is_called(finding, called))
            }),
            site: right.map(|finding| site(&finding["site"])),
            is_site_right: right.is_some_and(|finding| is_site(&finding["site"], &program.edit)),
            saving: saving(found, is_cause, measured),
            still_found: findings(fixed).iter().filter(is_cause).filter(|it| is_same(it)).map(brief).collect(),
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

/// Whether a hot path calls this function: `java.text.Collator.compare`. Overriding methods of other classes have the
/// same name.
fn is_called(finding: &Value, called: &str) -> bool {
    let name = |function: &str| {
        let before = function.split('(').next().unwrap_or_default();
        before.rsplit('.').next().unwrap_or_default().to_owned()
    };
    finding["anchor"].as_str().is_some_and(|anchor| name(anchor) == name(called))
}

/// The fix removes all findings of the cause. Their savings can be added, because each sample is in only one finding.
fn saving(found: &[Value], is_cause: impl Fn(&&Value) -> bool, measured: impl Fn(&str) -> f64) -> Option<Saving> {
    let of_cause: Vec<&Value> =
        found.iter().filter(is_cause).filter(|finding| !finding["expected"].is_null()).collect();
    let endpoint = of_cause.first()?["expected"]["endpoint"].as_str()?.to_owned();
    let sum = |of: &str, key: &str| {
        let same = of_cause.iter().filter(|finding| finding["expected"]["endpoint"] == endpoint.as_str());
        same.filter_map(|finding| finding[of][key].as_f64()).sum::<f64>().min(1.0) * 100.0
    };
    Some(Saving {
        modelled: sum("expected", "modelled_ratio"),
        low: sum("expected", "low_ratio"),
        high: sum("expected", "high_ratio"),
        share: sum("spent", "ratio"),
        measured: measured(&endpoint),
        is_modelled: of_cause[0]["expected"]["model"] != "none",
        endpoint,
    })
}

fn others(program: &Program, version: &'static str, found: &[Value]) -> Vec<Other> {
    let is_other = |finding: &&Value| {
        program.causes.iter().all(|cause| finding["detector"] != cause.as_str())
            // A hot path names no cause.
            && finding["detector"] != "hot-path"
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
