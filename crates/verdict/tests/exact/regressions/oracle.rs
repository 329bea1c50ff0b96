//! Compares answers with the results of other programs. The folder fixtures/fleet contains these results, and the
//! script that computed them.

use super::change;
use serde_json::Value;
use whittle_statistics::{Difference, most_different_split};
use whittle_verdict::regressions::{
    FleetCosts, FunctionCosts, HostCosts, HostPeriod, Measure, Question, Upgrade, version_change,
};

const FLEET: &str = include_str!("../../fixtures/fleet/fleet.json");
const SAMPLE_NS: f64 = 1e7;

fn cases(part: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(FLEET).expect("JSON");
    let cases = all[part].as_array().expect("cases").clone();
    assert!(!cases.is_empty());
    cases
}

fn number(case: &Value, name: &str) -> f64 {
    case[name].as_f64().unwrap_or_else(|| panic!("{name} in {case}"))
}

fn rows(case: &Value, name: &str) -> Vec<Vec<f64>> {
    let row = |row: &Value| row.as_array().expect("a row").iter().filter_map(Value::as_f64).collect();
    case[name].as_array().map(|rows| rows.iter().map(row).collect()).unwrap_or_default()
}

fn fleet(case: &Value) -> FleetCosts {
    let (samples, function, units) = (rows(case, "samples"), rows(case, "function"), rows(case, "units"));
    let at = number(case, "change") as usize;
    let host = |host: usize| HostCosts {
        host: format!("host-{host}"),
        upgrade: (host < number(case, "upgraded") as usize).then_some(Upgrade { from: at, to: at }),
        periods: (0..samples[host].len())
            .map(|period| HostPeriod {
                cpu_ns: samples[host][period] * SAMPLE_NS,
                samples: samples[host][period],
                units: units.get(host).map(|units| units[period]),
            })
            .collect(),
    };
    let cost_ns = function.iter().flatten().map(|samples| samples * SAMPLE_NS).collect();
    FleetCosts {
        period_count: number(case, "period_count") as usize,
        hosts: (0..samples.len()).map(host).collect(),
        functions: vec![FunctionCosts { name: "f".to_owned(), domain: None, cost_ns }],
    }
}

fn assert_same(found: f64, expected: f64, what: &str) {
    let near = 1e-8 * expected.abs() + 1e-12;
    assert!((found - expected).abs() <= near, "{what}: {found} against {expected}");
}

#[test]
fn differences_in_differences_are_scipys() {
    let mut kinds = Vec::new();
    for case in cases("versions") {
        let view = version_change(&fleet(&case), &Question::default()).expect("valid costs");
        let found = change(&view, "f");
        assert_eq!(view.measure == Measure::PerUnit, !case["units"].is_null());
        assert_same(found.ratio.expect("hosts").ln(), number(&case, "log_ratio"), "effect");
        assert_same(found.low_ratio.expect("hosts").ln(), number(&case, "low"), "low");
        assert_same(found.high_ratio.expect("hosts").ln(), number(&case, "high"), "high");
        if let Some(p) = found.p {
            assert_same(p, number(&case, "p"), "p");
        }
        kinds.push((case["has_empty_cells"].as_bool(), case["is_sampling_error"].as_bool(), found.p.is_some()));
    }
    assert!(kinds.contains(&(Some(true), Some(true), true)) && kinds.contains(&(Some(false), Some(false), true)));
}

#[test]
fn the_most_different_split_is_otavas() {
    for case in cases("splits") {
        let values: Vec<f64> = case["values"].as_array().expect("values").iter().filter_map(Value::as_f64).collect();
        let split = most_different_split(&values, 1).expect("values");
        assert_eq!(split.position, number(&case, "position") as usize);
        assert_same(split.dissimilarity, number(&case, "dissimilarity"), "Q");
        let (left, right) = values.split_at(split.position);
        let p = Difference::pooled(left, right).expect("values").p();
        assert_same(p, number(&case, "pooled_p"), "p");
    }
}
