//! Compares the answers of the program with the answers over HTTP.

use super::drawn::{Drawn, PLAIN};
use crate::support::{DAY_S, TestFleet};
use std::process::Command;
use std::sync::Arc;
use whittle_fleet::cost::Price;
use whittle_fleet::serve::FleetRoutes;
use whittle_server::{Experiments, OtherError, OtherRequest, OtherRoutes};

fn fleet() -> TestFleet {
    let factor = |name: &str| if name == "app.Mask.mask(String)" { 1.2 } else { 1.0 };
    Drawn { factor, ..PLAIN }.fleet()
}

/// The output of the program.
fn printed(fleet: &TestFleet, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whittle-fleet"));
    command.arg(arguments[0]).arg("--store").arg(fleet.directory.path()).args(["--service", "checkout"]);
    let output = command.args(&arguments[1..]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_program_and_the_address_give_the_same() {
    let fleet = fleet();
    let experiments = Arc::new(Experiments::default());
    let runtime = fleet.runtime.handle().clone();
    let routes = FleetRoutes::new(Arc::clone(&fleet.fleet), experiments, (runtime, Price::default()));
    let get = |path: &str, query: &str| {
        let answer = routes.answer(OtherRequest { is_post: false, path, query, body: &[] });
        answer.map(|json| serde_json::from_str::<serde_json::Value>(&json).unwrap())
    };
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let found = get("regressions", "service=checkout&since=2026-10-05&until=2026-10-05T12:00&limit=30").unwrap();
    let time = ["--since", "2026-10-05", "--until", "2026-10-05T12:00"];
    let same = printed(&fleet, &[&["regressions", "--json"], &time[..]].concat());
    assert_eq!(json(&same), found);
    assert_eq!((&found["view"], &found["rows"][0]["word"]), (&"regressions".into(), &"regressed".into()));
    assert_eq!((&found["from_s"], found["rows"].as_array().unwrap().len()), (&DAY_S.into(), 26));

    let query = "service=checkout&baseline_until=2026-10-05T05:00&baseline_since=2026-10-05&since=2026-10-05T08:00&until=2026-10-05T12:00";
    let saved = get("saving", query).unwrap();
    let time = ["--baseline-since", "2026-10-05", "--baseline-until", "2026-10-05T05:00"];
    let after = ["--since", "2026-10-05T08:00", "--until", "2026-10-05T12:00"];
    let same = printed(&fleet, &[&["saving", "--json"], &time[..], &after].concat());
    assert_eq!(json(&same), saved);

    let missing = get("regressions", "service=checkout&from_version=7&since=2026-10-05&until=2026-10-05T12:00");
    assert!(matches!(missing, Err(OtherError::NotFound(_))), "{missing:?}");
    let wrong = get("regressions", "service=checkout&since=2026-10-05&until=2026-10-05T12:00&alpha=3");
    assert!(matches!(wrong, Err(OtherError::BadRequest(_))), "{wrong:?}");
}

#[test]
fn text_is_for_people() {
    let fleet = fleet();
    let time = ["--since", "2026-10-05", "--until", "2026-10-05T12:00", "--limit", "8"];
    let text = printed(&fleet, &[&["regressions"], &time[..]].concat());
    assert!(text.starts_with("Regressions of checkout, 1.4 → 1.5: 2026-10-05 00:00:00 to 2026-10-05 12:00:00 UTC"));
    for expected in [
        "1 regressed",
        "8 hosts upgraded from 2026-10-05 05:00 to 2026-10-05 08:00; 8 hosts not upgraded",
        "Regressed (1)",
        "app.Mask.mask(String)",
        "7 of 25, the highest cost first; set --limit to see more",
    ] {
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let csv = printed(&fleet, &[&["regressions", "--csv"], &time[..]].concat());
    assert!(csv.starts_with("word,function,package,") && csv.contains("regressed,app.Mask.mask(String),app,"), "{csv}");
}
