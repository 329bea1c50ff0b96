//! Findings of both sides of drawn comparisons.

use crate::computed::{Stack, cpu, drawing, with_others};
use serde_json::{Value, json};
use std::sync::Arc;
use whittle_findings::COMPARED;
use whittle_model::{Manifest, Tables};
use whittle_profile::compare::{Rename, Run, compare};
use whittle_profile::sides::Per;
use whittle_profile::{Profile, Query, SingleRuns};
use whittle_render::{Format, Style};
use whittle_testkit::experiment_from_text;
use whittle_views::definition::{Answered, Asking, ViewError};
use whittle_views::source::NoFiles;

/// The experiments of a comparison, in memory.
#[derive(Debug)]
struct Drawn {
    runs: Vec<(Manifest, Tables)>,
    renames: Vec<Rename>,
}

impl SingleRuns for Drawn {
    fn load(&self, run: usize) -> Result<Profile, String> {
        let (manifest, tables) = self.runs[run].clone();
        Profile::load(manifest, tables).map_err(|error| error.to_string())
    }

    fn renamed(&self, name: &str) -> String {
        self.renames.iter().fold(name.to_owned(), |name, rename| rename.renamed(&name))
    }
}

fn compared(baseline: &[Stack<'_>], candidate: &[Stack<'_>], renames: &[&str]) -> Profile {
    let runs: Vec<(Manifest, Tables)> =
        [baseline, candidate].map(|stacks| experiment_from_text(&drawing(&with_others(stacks)))).into();
    let renames: Vec<Rename> = renames.iter().map(|text| text.parse().expect("a renaming")).collect();
    let run = |(manifest, tables): &(Manifest, Tables)| {
        vec![Run { name: "a".to_owned(), manifest: manifest.clone(), tables: tables.clone() }]
    };
    let profile = compare(run(&runs[0]), run(&runs[1]), (Some(Per::Run), &renames)).expect("compares");
    profile.with_single_runs(Arc::new(Drawn { runs, renames }))
}

fn answered(profile: &Profile, view: usize, keys: Value) -> Result<Answered, ViewError> {
    let Value::Object(keys) = keys else { panic!("{keys} is no object") };
    let code = NoFiles { reason: "no files here" };
    (COMPARED[view].answer)(&Asking { profile, query: &Query::default(), code: &code }, keys)
}

fn rendered(profile: &Profile, view: usize, keys: Value, format: Format) -> String {
    match answered(profile, view, keys) {
        Ok(Answered::View(view)) => view.render(format, Style::default()),
        _ => panic!("{} has no answer", COMPARED[view].name),
    }
}

fn json_of(profile: &Profile, view: usize, keys: Value) -> Value {
    serde_json::from_str(&rendered(profile, view, keys, Format::Json)).expect("JSON")
}

/// Seven samples of a hot path in this class.
fn shop<'a>(class: &'a [&'a str; 3]) -> Vec<Stack<'a>> {
    vec![cpu(7, class), cpu(2, class)]
}

const OLD: [&str; 3] = ["app.Main.main:1", "app.old.Shop.list:31", "java/util/TreeMap.subMap"];
const NEW: [&str; 3] = ["app.Main.main:1", "app.shop.Shop.list:38", "java/util/TreeMap.subMap"];

#[test]
fn a_finding_that_went_away_is_in_the_sentence_and_in_the_list() {
    let profile = compared(&shop(&OLD), &[], &[]);
    let answer = json_of(&profile, 1, json!({}));
    let sentence = answer["sentence"].as_str().expect("a sentence");
    assert!(
        sentence.starts_with("In this pair of runs: the finding \"") && sentence.contains("Shop.list went away"),
        "{sentence}"
    );
    assert_eq!(answer["gone"][0]["function"], "app.old.Shop.list");
    assert_eq!(
        (&answer["gone"][0]["baseline"], &answer["gone"][0]["candidate"]),
        (&json!({"runs_count": 1, "ratio": 0.45}), &Value::Null)
    );
    assert_eq!([&answer["new"], &answer["same"], &answer["uncertain"]], [&json!([]); 3]);
    // The other way round, the finding is new.
    let back = json_of(&compared(&[], &shop(&OLD), &[]), 1, json!({}));
    assert_eq!((&back["gone"], &back["new"][0]["function"]), (&json!([]), &json!("app.old.Shop.list")));
}

#[test]
fn a_finding_stays_the_same_in_renamed_code_and_on_another_line() {
    let without = json_of(&compared(&shop(&OLD), &shop(&NEW), &[]), 1, json!({}));
    assert_eq!([&without["gone"], &without["new"]].map(|list| list.as_array().map(Vec::len)), [Some(1); 2]);
    let renamed = json_of(&compared(&shop(&OLD), &shop(&NEW), &["app.old=app.shop"]), 1, json!({}));
    assert_eq!([&renamed["gone"], &renamed["new"]], [&json!([]); 2]);
    assert_eq!(
        (&renamed["same"][0]["function"], &renamed["same"][0]["reason"]),
        (&json!("app.shop.Shop.list"), &Value::Null)
    );
}

#[test]
fn the_overview_has_the_findings_if_they_are_requested() {
    let profile = compared(&shop(&OLD), &[], &[]);
    assert_eq!(json_of(&profile, 0, json!({}))["findings"], Value::Null);
    let answer = json_of(&profile, 0, json!({ "findings": true }));
    assert_eq!(answer["findings"], json_of(&profile, 1, json!({})));
    assert_eq!(answer["view"], "overview");
    let text = rendered(&profile, 0, json!({ "findings": true }), Format::Text);
    let line = |start: &str| {
        text.lines().position(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no {start}: {text}"))
    };
    assert!(line("In this pair of runs: ") < line("Findings of both sides"), "{text}");
    assert!(line("Findings of both sides") < line("Functions that changed most"), "{text}");
    assert!(line("gone") > line("Findings of both sides"), "{text}");
    let csv = rendered(&profile, 1, json!({}), Format::Csv);
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("change,baseline_ratio,candidate_ratio,measure,detector,function,place,title"));
    assert!(lines.any(|line| line.starts_with("gone,0.45,,cpu,hot-path,app.old.Shop.list,")), "{csv}");
}

#[test]
fn without_the_runs_the_findings_are_unknown() {
    let (manifest, tables) = experiment_from_text(&drawing(&with_others(&shop(&OLD))));
    let run = || vec![Run { name: "a".to_owned(), manifest: manifest.clone(), tables: tables.clone() }];
    let profile = compare(run(), run(), (Some(Per::Run), &[])).expect("compares");
    assert!(matches!(answered(&profile, 1, json!({})), Err(ViewError::Missing(_))));
}
