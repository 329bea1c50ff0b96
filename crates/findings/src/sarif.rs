//! Findings as SARIF 2.1.0, for services that show results of analyses next to the code.
//!
//! ```text
//! detector ──> rule: title, meaning, fix, page        finding ──> result
//! warning, missing data ──> notification              line to edit ──> location; calling line, others ──> related
//!                                                     from the call to the line to edit ──> code flow
//! ```
//!
//! If there is no line to edit, or if this line is in a library without available files, the location is the calling
//! line. Every result has a file, because services reject results without a file. If the file is unknown, its path is
//! derived from the class.

use crate::detector::Detector;
use crate::view::{CallingPlace, Confidence, Finding, FindingsView, Severity, SiteAnswer};
use crate::words::MEASURED;
use serde_json::{Map, Value, json};
use whittle_bytecode::edit_site::{EditSite, OtherSite};
use whittle_render::markdown_text::list;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The folder of the user's guide.
const PAGES: &str = "https://github.com/whittle/whittle/blob/main/docs/user/";
/// The base to which the paths of found files are relative.
const SOURCE_ROOT: &str = "SRCROOT";
/// The name of the fingerprint, with a version number. If this number is raised, services show all results as new.
const FINGERPRINT: &str = "whittleFinding/v1";

/// The answer as a SARIF log with one run. `find_file` finds a source file from a name such as `com/acme/Log.java`. It
/// returns a path relative to the root of the repository.
pub fn sarif(view: &FindingsView, find_file: &dyn Fn(&str) -> Option<String>) -> String {
    let files = Files(find_file);
    let results: Vec<Value> = view.findings.iter().map(|finding| files.result(finding)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver() },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { SOURCE_ROOT: { "description": { "text": "The root of the repository." } } },
            "invocations": [invocation(view)],
            "results": results,
            "properties": {
                "unionRatio": view.union_ratio,
                "checkedCount": view.checked_count,
                "knownCount": view.known_count(),
                "unknownClasses": view.unknown_classes,
                "result": view.result_in_words(),
                "workThreads": view.work.groups_in_words(),
            },
        }],
    });
    // Texts and finite numbers can always be written as JSON.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn driver() -> Value {
    let rules: Vec<Value> = Detector::all().iter().map(rule).collect();
    json!({
        "name": "whittle",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "informationUri": PAGES.replace("blob/main/docs/user/", "").trim_end_matches('/'),
        "rules": rules,
    })
}

fn rule(detector: &Detector) -> Value {
    let text = &detector.text;
    let help = format!(
        "{}\n\n**Fix.** {}\n\n{}{}",
        text.meaning,
        text.fix,
        list("Check first", &text.check_first),
        list("When not to", &text.when_not)
    );
    json!({
        "id": detector.id,
        "name": pascal_case(&detector.id),
        "shortDescription": { "text": detector.title },
        "fullDescription": { "text": text.meaning },
        "help": { "text": format!("{} {}", text.meaning, text.fix), "markdown": help.trim_end() },
        "helpUri": format!("{PAGES}findings/{}.md", detector.id),
        "properties": {
            "number": detector.number,
            "measure": detector.measure.name(),
            "tags": ["performance"],
        },
    })
}

/// The name in Pascal case: `UnbufferedWrite`.
fn pascal_case(id: &str) -> String {
    id.split('-').map(whittle_render::markdown_text::capitalized).collect()
}

/// Warnings, denied candidates and missing data that a reader of the results must know.
fn invocation(view: &FindingsView) -> Value {
    let doubts = view.quality.iter().map(|doubt| {
        let level = if doubt.severity == Severity::Serious { "warning" } else { "note" };
        notification(doubt.id, level, &doubt.text)
    });
    let missing = view.not_checked.iter().map(|each| {
        notification(
            &format!("not-checked/{}", each.detector),
            "note",
            &format!("{}: needs {}", each.title, each.needs),
        )
    });
    let denied = view.denied.iter();
    let denied = denied.map(|each| notification(&format!("denied/{}", each.detector), "note", &each.words()));
    let notes = view.notes.iter().map(|note| notification("note", "note", note));
    json!({
        "executionSuccessful": true,
        "toolExecutionNotifications": doubts.chain(denied).chain(missing).chain(notes).collect::<Vec<_>>(),
    })
}

fn notification(id: &str, level: &str, text: &str) -> Value {
    json!({ "descriptor": { "id": id }, "level": level, "message": { "text": text } })
}

/// Finds source files.
struct Files<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Files<'_> {
    fn result(&self, finding: &Finding) -> Value {
        let site = finding.site.found();
        let calling = self.location(&Place::calling(&finding.calling));
        let place_of_site = site.map(Place::site);
        // A service cannot show a library's line if the library is not in the repository.
        let is_shown = |place: &Place| finding.calling.library.is_none() || (self.0)(&place.path).is_some();
        let primary = place_of_site.as_ref().filter(|place| is_shown(place)).map(|place| self.location(place));
        let mut result = json!({
            "ruleId": finding.detector,
            "level": level(finding.confidence),
            "message": { "text": message(finding) },
            "locations": [primary.unwrap_or_else(|| calling.clone())],
            "relatedLocations": self.related(finding),
            "partialFingerprints": { FINGERPRINT: fingerprint(finding) },
            "properties": properties(finding),
        });
        if let Some(index) = Detector::all().iter().position(|detector| detector.id == finding.detector) {
            result["ruleIndex"] = json!(index);
        }
        if let (Some(site), Some(place)) = (site, &place_of_site) {
            result["codeFlows"] = json!([self.code_flow(finding, site, (&calling, place))]);
        }
        result
    }

    /// The calling line, the library's line, other lines to edit and uses of the field, each with a number and a
    /// description.
    fn related(&self, finding: &Finding) -> Vec<Value> {
        let calling = &finding.calling;
        let mut places = vec![(Place::calling(calling), format!("the call: {}", calling.words()))];
        if let Some(library) = &calling.library {
            let place = Place::function(&library.function, library.file.as_deref(), library.line);
            places.push((place, format!("in the library: {}", library.words())));
        }
        if let SiteAnswer::Found(site) = &finding.site {
            places.push((Place::site(site), format!("the edit: {}", site.words())));
            places.extend(
                site.others.iter().map(|other| (Place::other(other), format!("or edit here: {}", other.words()))),
            );
            let uses = site.field.iter().flat_map(|field| &field.uses);
            places.extend(uses.map(|each| (Place::other(each), format!("uses the field: {}", each.words()))));
        }
        let related = places.into_iter().enumerate().map(|(index, (place, text))| {
            let mut location = self.location(&place);
            location["id"] = json!(index + 1);
            location["message"] = json!({ "text": text });
            location
        });
        related.collect()
    }

    /// The steps from the call to the line to edit.
    fn code_flow(&self, finding: &Finding, site: &EditSite, (calling, place): (&Value, &Place)) -> Value {
        let with_text = |mut location: Value, text: String| {
            location["message"] = json!({ "text": text });
            json!({ "location": location })
        };
        let first = with_text(calling.clone(), format!("calls {}", finding.anchor));
        let steps = site.steps.iter().map(|step| with_text(self.location(place), step.clone()));
        let last = with_text(self.location(place), format!("edit: {}", site.what));
        let locations: Vec<Value> = [first].into_iter().chain(steps).chain([last]).collect();
        json!({ "threadFlows": [{ "locations": locations }] })
    }

    fn location(&self, place: &Place) -> Value {
        let artifact = match (self.0)(&place.path) {
            Some(path) => json!({ "uri": uri(&path), "uriBaseId": SOURCE_ROOT }),
            None => json!({ "uri": uri(&place.path) }),
        };
        let mut physical = json!({ "artifactLocation": artifact });
        // Lines count from 1; 0 means code without a line.
        if let Some(line) = place.line.filter(|line| *line > 0) {
            physical["region"] = json!({ "startLine": line });
        }
        json!({
            "physicalLocation": physical,
            "logicalLocations": [{ "fullyQualifiedName": place.function, "kind": "function" }],
        })
    }
}

/// A place in a source file.
struct Place {
    /// The function as displayed.
    function: String,
    /// The file relative to the root of sources: `com/acme/Log.java`.
    path: String,
    line: Option<u32>,
}

impl Place {
    fn calling(calling: &CallingPlace) -> Self {
        Self::function(&calling.function, calling.file.as_deref(), calling.line)
    }

    fn site(site: &EditSite) -> Self {
        Self::function(&site.function(), site.file.as_deref(), site.line)
    }

    fn other(other: &OtherSite) -> Self {
        Self::function(&other.function, other.file.as_deref(), other.line)
    }

    fn function(function: &str, file: Option<&str>, line: Option<u32>) -> Self {
        Self { function: function.to_owned(), path: source_path(function, file), line }
    }
}

/// The source file of a displayed function: `com.acme.Log$Line.add(int)` is in `com/acme/Log.java` unless `file` names
/// another file. The path is relative to the root of sources.
fn source_path(function: &str, file: Option<&str>) -> String {
    let name = function.split('(').next().unwrap_or_default();
    let class = name.rsplit_once('.').map_or(name, |(class, _)| class);
    let (package, class) = class.rsplit_once('.').unwrap_or(("", class));
    let outer = class.split('$').next().filter(|outer| !outer.is_empty()).unwrap_or("Unknown");
    let file = file.map_or_else(|| format!("{outer}.java"), str::to_owned);
    if package.is_empty() { file } else { format!("{}/{file}", package.replace('.', "/")) }
}

/// A path as a relative URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b'$' => uri.push(byte.into()),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn level(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "error",
        Confidence::Likely => "warning",
        Confidence::Possible => "note",
    }
}

fn message(finding: &Finding) -> String {
    format!(
        "{} ({}). Spent here: {}. Expected saving: {}. Measured saving: {MEASURED}. Called from {}. Edit: {}. {}",
        finding.title,
        finding.confidence.name(),
        finding.spent.words(),
        finding.saving_in_words(),
        finding.calling.words(),
        finding.site.words(),
        finding.fix
    )
}

/// The fingerprint of a finding's cause and method. It does not depend on a run's values and lines.
fn fingerprint(finding: &Finding) -> String {
    let site = finding.site.found().map(EditSite::function).unwrap_or_default();
    let parts = [finding.detector.as_str(), &finding.calling.function, &site];
    format!("{:016x}", fnv1a(parts.join("\n").as_bytes()))
}

/// FNV-1a with 64 bits. This hash must never change, so no library's hash function is used.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn properties(finding: &Finding) -> Value {
    let spent = &finding.spent;
    let mut properties = Map::new();
    let mut put = |name: &str, value: Value| properties.insert(name.to_owned(), value);
    put("rank", json!(finding.rank));
    put("confidence", json!(finding.confidence.name()));
    put("criteria", json!(finding.criteria_in_words()));
    put("spentMeasure", json!(spent.measure.name()));
    put("spentRatio", json!(spent.ratio));
    put("spentLowRatio", json!(spent.low_ratio));
    put("spentHighRatio", json!(spent.high_ratio));
    put("spentOf", json!(spent.of));
    put("spentProgramRatio", json!(spent.program_ratio));
    if let Some(expected) = &finding.expected {
        put("expectedLowRatio", json!(expected.low_ratio));
        put("expectedHighRatio", json!(expected.high_ratio));
        put("expectedEndpoint", json!(expected.endpoint.name()));
        put("expectedProgramLowRatio", json!(expected.program_low_ratio));
        put("expectedProgramHighRatio", json!(expected.program_high_ratio));
    }
    put("savingNote", json!(finding.saving_note));
    put("anchor", json!(finding.anchor));
    put("evidence", json!(finding.evidence.iter().map(|evidence| &evidence.text).collect::<Vec<_>>()));
    put("checkFirst", json!(finding.check_first));
    put("filter", json!(finding.filter));
    Value::Object(properties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_follow_from_classes() {
        assert_eq!(source_path("com.acme.Log$Line.add(int)", None), "com/acme/Log.java");
        assert_eq!(source_path("com.acme.Log.add(java.lang.String)", Some("Logs.kt")), "com/acme/Logs.kt");
        assert_eq!(source_path("Main.main()", None), "Main.java");
        assert_eq!(source_path("start", None), "start.java");
        assert_eq!(source_path("$Proxy1.x()", None), "Unknown.java");
        assert_eq!(uri("a b/Ü.java"), "a%20b/%C3%9C.java");
    }

    /// The test compares with published values, because a service shows a result as new if its fingerprint changed.
    #[test]
    fn fingerprints_stay() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
