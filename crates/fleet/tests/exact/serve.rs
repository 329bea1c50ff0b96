//! Tests the requests of the fleet's page: services with all query settings, a search for functions, and opening a
//! selection.

use crate::support::{DAY_S, Landed, TestFleet};
use serde_json::{Value, json};
use std::sync::Arc;
use whittle_fleet::cost::Price;
use whittle_fleet::serve::FleetRoutes;
use whittle_server::{Experiments, OtherError, OtherRequest, OtherRoutes};

const DAY: &str = "since=2026-10-05&until=2026-10-06";

/// Every fifth of the 120 samples of a segment is a wait.
const CPU_SAMPLES: u64 = 96;

fn fleet() -> TestFleet {
    let segment = |service, host, version, start_s| Landed::new(service, host, version, DAY_S + start_s);
    let mut other_zone = segment("checkout", "host-1", "1.1", 7200);
    other_zone.manifest.labels.insert("zone".to_owned(), "c".to_owned());
    TestFleet::of(vec![
        segment("checkout", "host-0", "1.0", 600),
        segment("checkout", "host-1", "1.0", 660),
        other_zone,
        segment("search", "host-2", "7", 720),
    ])
}

fn routes(fleet: &TestFleet) -> (FleetRoutes, Arc<Experiments>) {
    let experiments = Arc::new(Experiments::default());
    let runtime = fleet.runtime.handle().clone();
    (FleetRoutes::new(Arc::clone(&fleet.fleet), Arc::clone(&experiments), (runtime, Price::default())), experiments)
}

fn get(routes: &FleetRoutes, path: &str, query: &str) -> Result<Value, OtherError> {
    let answer = routes.answer(OtherRequest { is_post: false, path, query, body: b"" })?;
    Ok(serde_json::from_str(&answer).unwrap())
}

#[test]
fn services_tell_what_can_be_chosen_and_when_anything_was_observed() {
    let fleet = fleet();
    let (routes, _) = routes(&fleet);
    let mut answer = get(&routes, "services", DAY).unwrap();
    answer["rows"].as_array_mut().unwrap().sort_by_key(|row| row["service"].to_string());
    let [checkout, search] = [&answer["rows"][0], &answer["rows"][1]];
    let names = |row: &Value| json!([row["service"], row["versions"], row["hosts"], row["regions"], row["labels"]]);
    let north = json!(["north"]);
    let expected = json!(["checkout", ["1.0", "1.1"], ["host-0", "host-1"], north, ["zone=a_b", "zone=c"]]);
    assert_eq!(names(checkout), expected);
    assert_eq!(names(search), json!(["search", ["7"], ["host-2"], north, ["zone=a_b"]]));
    assert_eq!([checkout, search].map(|row| row["sample_count"].as_u64().unwrap()), [3 * CPU_SAMPLES, CPU_SAMPLES]);

    let of_zone = get(&routes, "services", &format!("{DAY}&label=zone%3Dc")).unwrap();
    assert_eq!(of_zone["rows"].as_array().unwrap().len(), 1);
    assert_eq!(of_zone["rows"][0]["versions"], json!(["1.1"]));
    assert_eq!(of_zone["rows"][0]["sample_count"], CPU_SAMPLES);

    // For a time range without segments, the page still shows which time range has data.
    let before = get(&routes, "services", "since=2026-09-01&until=2026-09-02&service=search").unwrap();
    assert_eq!(before["rows"], json!([]));
    let observed = ["observed_from_s", "observed_to_s"].map(|name| before[name].as_i64().unwrap());
    assert!((DAY_S + 720..DAY_S + 725).contains(&observed[0]), "{observed:?}");
    assert!((DAY_S + 745..DAY_S + 750).contains(&observed[1]), "{observed:?}");
    let unknown = get(&routes, "services", &format!("{DAY}&service=nobody")).unwrap();
    assert_eq!(unknown["observed_to_s"], Value::Null);
}

#[test]
fn functions_are_found_by_a_part_of_their_name() {
    let fleet = fleet();
    let (routes, _) = routes(&fleet);
    let names = |answer: &Value| -> Vec<String> {
        answer["rows"].as_array().unwrap().iter().map(|row| row["function"].as_str().unwrap().to_owned()).collect()
    };
    let top = |words: &str| get(&routes, "top", &format!("{DAY}&mode=machine&limit=0{words}")).unwrap();
    let (all, found) = (top(""), top("&search=WORK_"));
    let expected: Vec<String> = names(&all).into_iter().filter(|name| name.contains("work_")).collect();
    assert!(expected.len() > 2 && expected.len() < names(&all).len());
    assert_eq!(names(&found), expected);
    assert_eq!(found["row_count"], expected.len());
    assert_eq!(found["cpu_ns"], all["cpu_ns"], "shares still refer to the total");
    let first = get(&routes, "top", &format!("{DAY}&mode=machine&limit=2&search=work_")).unwrap();
    assert_eq!((names(&first), &first["row_count"]), (expected[..2].to_vec(), &json!(expected.len())));
    assert_eq!(names(&top("&search=no+such")), Vec::<String>::new());
}

#[test]
fn a_choice_opens_once() {
    let fleet = fleet();
    let (routes, _experiments) = routes(&fleet);
    let open = |body: Value| -> Result<Value, OtherError> {
        let body = body.to_string();
        let request = OtherRequest { is_post: true, path: "open", query: "", body: body.as_bytes() };
        Ok(serde_json::from_str(&routes.answer(request)?).unwrap())
    };
    let day = json!({"service": ["checkout"], "since": "2026-10-05", "until": "2026-10-06", "by": ["host"]});
    let choice = |version: &str| {
        let mut choice = day.clone();
        choice["version"] = json!([version]);
        choice
    };
    let first = open(choice("1.0")).unwrap();
    assert_eq!((&first["experiment"], &first["whose"]), (&json!(0), &json!("checkout 1.0")));
    let mut both = choice("1.1");
    both["baseline"] = json!({"version": ["1.0"]});
    assert_eq!(open(both).unwrap()["experiment"], 1);
    assert_eq!(open(choice("1.0")).unwrap()["experiment"], 0);
    let refused = open(choice("9")).unwrap_err();
    assert!(matches!(&refused, OtherError::NotFound(text) if text.contains("no observations of")), "{refused:?}");
    assert!(matches!(open(json!({"colour": "red"})), Err(OtherError::BadRequest(_))));
}
