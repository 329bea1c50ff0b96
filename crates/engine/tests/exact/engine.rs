//! Requests in JSON: answers and errors.

#![allow(clippy::unwrap_used, reason = "test code")]

use serde_json::{Value, json};
use whittle_engine::{Answer, EngineError, answer};
use whittle_profile::{Fragment, Profile, Query};
use whittle_render::{Format, Style, View, render};
use whittle_testkit::experiment_of_two_threads;
use whittle_views::call_tree::TreeShape;
use whittle_views::source::NoFiles;

const NO_FILES: NoFiles = NoFiles { reason: "not in tests" };

/// An experiment, ready for views.
fn profile() -> Profile {
    let (manifest, tables) = experiment_of_two_threads();
    Profile::load(manifest, tables).expect("a valid drawing")
}

fn asked(profile: &Profile, request: &Value) -> Result<Value, EngineError> {
    match answer(profile, &request.to_string(), &NO_FILES)? {
        Answer::Json(text) => Ok(serde_json::from_str(&text).unwrap()),
        Answer::Binary(_) => panic!("bytes"),
    }
}

fn as_json(view: &impl View) -> Value {
    serde_json::from_str(&render(view, Format::Json, Style::default())).unwrap()
}

#[test]
fn views_answer_what_the_command_line_prints() {
    let profile = profile();
    let query = Query {
        mode: "machine".parse().unwrap(),
        filter: Some("thread = \"main\"".parse().unwrap()),
        metrics: Some("e.cpu,i.cpu%".parse().unwrap()),
        sort: Some("i.cpu".parse().unwrap()),
        limit: Some(3),
        skip: 1,
        ..Query::default()
    };
    let request = |view: &str, more: Value| {
        let mut request = json!({
            "view": view, "mode": "machine", "filter": "thread = \"main\"", "metrics": "e.cpu,i.cpu%", "sort": "i.cpu",
            "limit": 3, "skip": 1, "transforms": [],
        });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let none = || json!({});
    let fragment = Fragment::center("app.A.f()").append("app.B.g()");
    let shape = TreeShape { min_ratio: 0.01, ..TreeShape::default() };
    for (view, more, expected) in [
        ("overview", none(), as_json(&whittle_views::overview::overview(&profile, &query).unwrap())),
        ("functions", none(), as_json(&whittle_views::functions::functions(&profile, &query).unwrap())),
        ("lines", none(), as_json(&whittle_views::lines::lines(&profile, &query).unwrap())),
        ("stacks", none(), as_json(&whittle_views::stacks::stacks(&profile, &query).unwrap())),
        (
            "threads",
            none(),
            as_json(
                &whittle_views::threads::threads(&profile, &query, &whittle_views::threads::ThreadsShape::default())
                    .unwrap(),
            ),
        ),
        ("call-tree", none(), as_json(&whittle_views::call_tree::call_tree(&profile, &query, &shape).unwrap())),
        (
            "callers-callees",
            json!({"fragment": ["app.A.f()", "app.B.g()"]}),
            as_json(&whittle_views::callers_callees::callers_callees(&profile, &query, &fragment).unwrap()),
        ),
        (
            "function",
            json!({"name": "app.A.f()"}),
            as_json(&whittle_views::function::function_details(&profile, &query, "app.A.f()").unwrap()),
        ),
    ] {
        assert_eq!(asked(&profile, &request(view, more)).unwrap(), expected, "{view}");
    }
    let syscalls = asked(&profile, &json!({"view": "syscalls", "by": "call"})).unwrap();
    assert_eq!(
        syscalls,
        as_json(&whittle_views::syscalls::syscalls(&profile, &Query::default(), &"call".parse().unwrap()).unwrap())
    );
}

#[test]
fn windows_of_rows_are_parts_of_the_whole_table() {
    let profile = profile();
    for view in ["functions", "lines", "stacks", "threads"] {
        let rows = |skip: usize, limit: Option<usize>| -> Vec<Value> {
            let answer =
                asked(&profile, &json!({"view": view, "mode": "machine", "skip": skip, "limit": limit})).unwrap();
            assert!(answer["row_count"].as_u64().unwrap() >= 2, "{view}");
            answer["rows"].as_array().unwrap().clone()
        };
        let all = rows(0, None);
        for skip in 0..=all.len() + 1 {
            assert_eq!(rows(skip, Some(2)), all.iter().skip(skip).take(2).cloned().collect::<Vec<_>>(), "{view}");
        }
        assert_eq!(rows(usize::MAX, Some(usize::MAX)), Vec::<Value>::new(), "{view}");
    }
}

#[test]
fn an_experiment_says_what_can_be_asked_of_it() {
    let answer = asked(&profile(), &json!({"view": "experiment"})).unwrap();
    assert_eq!(answer["thread_count"], 2);
    assert_eq!(answer["sample_count"], 4);
    let cpu = json!({
        "name": "cpu", "title": "CPU", "unit": "nanoseconds", "total": 4e9, "shown": "by_default", "is_part": false,
    });
    assert_eq!(answer["metrics"][0], cpu);
    assert_eq!(answer["has_thread_states"], false);
}

#[test]
fn suggestions_are_shown_functions_heaviest_first() {
    let answer = asked(&profile(), &json!({"view": "suggest", "text": "APP.", "limit": 2})).unwrap();
    assert_eq!(
        answer,
        json!({"view": "suggest", "row_count": 3, "rows": [
            {"function": "app.A.f()", "kind": "java", "inclusive_ratio": 0.75},
            {"function": "app.B.g()", "kind": "java", "inclusive_ratio": 0.5},
        ]})
    );
}

#[test]
fn packages_are_those_of_all_functions() {
    let answer = asked(&profile(), &json!({"view": "packages", "filter": "thread = \"no such thread\""})).unwrap();
    assert_eq!(answer, json!({"view": "packages", "names": ["app"]}));
}

#[test]
fn a_view_is_exported_as_text() {
    let profile = profile();
    let query = Query { limit: Some(2), ..Query::default() };
    let view = whittle_views::functions::functions(&profile, &query).unwrap();
    for (name, format) in [("text", Format::Text), ("csv", Format::Csv)] {
        let request = json!({"view": "export-text", "format": name, "of": {"view": "functions", "limit": 2}});
        assert_eq!(asked(&profile, &request).unwrap()["text"], render(&view, format, Style::default()));
    }
}

#[test]
fn what_cannot_be_answered_says_why_and_where() {
    let profile = profile();
    for (request, kind, part, position) in [
        (json!([]), "request", "expected a JSON object", None),
        (json!({"view": "pie"}), "request", "there is no view \"pie\"", None),
        (json!({"view": "functions", "colour": 1}), "request", "unknown field `colour`", None),
        (json!({"view": "functions", "limit": -1}), "request", "invalid value", None),
        (json!({"view": "call-tree", "fragment": []}), "request", "unknown field `fragment`", None),
        (json!({"view": "functions", "filter": "thread = and"}), "filter", "expected the thread's name", Some(9)),
        (json!({"view": "functions", "filter": "stack has \"x\""}), "filter", "no function \"x\"", Some(10)),
        (json!({"view": "functions", "transforms": ["merge ="]}), "transform", "expected a function", Some(6)),
        (json!({"view": "functions", "metrics": "e.gold"}), "metric", "no metric \"gold\"", None),
        (json!({"view": "function", "name": "x"}), "function", "no function \"x\"", None),
        (json!({"view": "function", "name": "__write"}), "hidden_function", "shown in expert mode", None),
        (json!({"view": "export-text", "of": {"view": "suggest", "text": ""}}), "request", "cannot be exported", None),
    ] {
        let error = asked(&profile, &request).unwrap_err();
        let json = serde_json::to_value(&error).unwrap();
        assert_eq!(json["error"]["kind"], kind, "{request}");
        assert_eq!(error.position, position, "{request}");
        assert!(error.message.contains(part), "{request}: {}", error.message);
    }
    assert!(answer(&profile, "{", &NO_FILES).unwrap_err().message.starts_with("not a request: EOF"));
    // Any depth of nesting is an error and not a crash.
    let nested = "{\"view\":\"export-text\",\"of\":".repeat(100_000);
    assert!(answer(&profile, &nested, &NO_FILES).is_err());
}
