//! Comparisons of versions: verdicts, effects, and the compared hosts.

use super::drawn::fleet;
use super::{change, compared, word};
use whittle_verdict::regressions::{
    FleetCosts, FunctionCosts, HostCosts, HostPeriod, LeftOut, Measure, NoPower, Question, RegressionsError,
    RegressionsView, Upgrade, Word, version_change,
};

/// Hosts differ by half, and days by a tenth. The new version costs a fifth more.
const DEARER: &str = "
    host    version  cpu           app.A.f()
    web-1   12       50000,60000   1000,1590
    web-2   12       50000,50000   1500,1980
    web-3   12       40000,50000    900,1480
    web-4   12       50000,40000   1300,1372
    web-5   11       50000,50000   1000,1100
    web-6   11       50000,60000   1600,2112
    web-7   11       40000,50000    900,1240
    web-8   11       50000,50000   1200,1322
";

#[test]
fn a_dearer_version_is_told_with_its_effect() {
    let view = compared(&fleet(DEARER));
    let found = change(&view, "app.A.f()");
    assert_eq!((found.word, view.hosts.upgraded, view.hosts.others), (Word::Regressed, 4, 4));
    let ratio = found.ratio.expect("hosts");
    assert!((ratio - 1.2).abs() < 0.01, "{ratio}");
    assert!(found.low_ratio < Some(ratio) && found.high_ratio > Some(ratio) && found.low_ratio > Some(1.0));
    assert!((found.before.expect("hosts") - 4700.0 / 190_000.0).abs() < 1e-12);
    assert_eq!((view.before, view.after, view.measure), (Some((0, 0)), Some((1, 1)), Measure::Share));
    assert_eq!(
        found.sentence,
        "app.A.f(): regressed, +20 % (99 % interval +4.7 to +37 %), from 2.47 % to 3.21 % of CPU; 4 upgraded hosts compared with 4 other hosts"
    );
}

/// If the cost also changes on the other hosts, the version is not the cause.
#[test]
fn a_day_that_moved_all_hosts_is_no_change() {
    let drawn = DEARER.replace("11  ", "12  ");
    let view = compared(&fleet(&drawn));
    assert_eq!(change(&view, "app.A.f()").no_power, Some(NoPower::FewHosts), "no hosts to compare with");
    let none = DEARER.replace("12  ", "11  ");
    assert_eq!(compared(&fleet(&none)).sentences[0], "Of 1 functions (0 with enough samples): 1 not enough power");
}

#[test]
fn two_hosts_are_too_few() {
    let two: String =
        DEARER.lines().filter(|line| !line.contains("web-3") && !line.contains("web-4")).collect::<Vec<_>>().join("\n");
    let view = compared(&fleet(&two));
    let found = change(&view, "app.A.f()");
    assert_eq!((found.word, found.no_power, found.ratio), (Word::NotEnoughPower, Some(NoPower::FewHosts), None));
    assert_eq!(
        found.sentence,
        "app.A.f(): not enough power, fewer than three upgraded hosts or fewer than three other hosts"
    );
}

#[test]
fn hosts_without_figures_are_left_out_by_name() {
    let more = format!(
        "{DEARER}
        new-1   11       0,50000       0,1000
        old-1   12       50000,0       1000,0
        "
    );
    let view = compared(&fleet(&more));
    assert_eq!((view.hosts.upgraded, view.hosts.others), (4, 4));
    let left_out: Vec<(&str, LeftOut)> = view.left_out.iter().map(|host| (host.host.as_str(), host.why)).collect();
    assert_eq!(left_out, [("new-1", LeftOut::NotSeenBefore), ("old-1", LeftOut::NotSeenAfter)]);
    assert_eq!(
        view.sentences.last().map(String::as_str),
        Some("Left out: new-1 (not seen before), old-1 (not seen after)")
    );
    let same = compared(&fleet(DEARER));
    assert_eq!(view.functions, same.functions);
}

/// A host with data on one of three days is left out, because its days differ from the days of the other hosts.
#[test]
fn a_host_that_was_seldom_seen_is_left_out() {
    let mut costs = fleet(
        "
        host    version  cpu         app.A.f()
        web-1   111222   50000       1000
        web-2   111222   50000       1010
        web-3   111222   50000       1020
        web-4   111222   50000       1030
        web-5   111111   50000       1000
        web-6   111111   50000       1010
        web-7   111111   50000       1020
        ",
    );
    costs.hosts[0].periods[1] = HostPeriod::default();
    assert!(compared(&costs).left_out.is_empty(), "two days of three are enough");
    costs.hosts[0].periods[2] = HostPeriod::default();
    assert_eq!(compared(&costs).left_out[0].why, LeftOut::SeldomSeen);
}

/// Hosts change version one after the other. The periods in between are left out.
#[test]
fn the_time_of_the_rollout_is_left_out() {
    let costs = fleet(
        "
        host    version  cpu     app.A.f()
        web-1   1*2222   50000   1000,9000,1200,1200,1200,1200
        web-2   11*222   50000   1000,1000,9000,1200,1200,1200
        web-3   111222   50000   1000,1000,1000,1200,1200,1200
        web-4   111111   50000   1000
        web-5   111111   50000   1000
        web-6   111111   50000   1000
        ",
    );
    let view = compared(&costs);
    assert_eq!((view.before, view.after), (Some((0, 0)), Some((3, 5))));
    assert!((change(&view, "app.A.f()").ratio.expect("hosts") - 1.2).abs() < 1e-12);
}

/// Ten hosts. A host has 50 s of CPU time in each period. Upgraded hosts have `after_ms` after the change. `cost` gives
/// the function's part of this time.
fn ten_hosts(after_ms: f64, cost: impl Fn(bool, usize, usize) -> f64) -> FleetCosts {
    let mut costs = FleetCosts { period_count: 2, ..FleetCosts::default() };
    let mut cost_ns = Vec::new();
    for host in 0..10 {
        let is_upgraded = host < 5;
        let period = |period: usize| {
            let ms = if is_upgraded && period == 1 { after_ms } else { 50_000.0 };
            HostPeriod { cpu_ns: ms * 1e6, samples: ms, units: None }
        };
        costs.hosts.push(HostCosts {
            host: format!("web-{host}"),
            upgrade: is_upgraded.then_some(Upgrade { from: 1, to: 1 }),
            periods: (0..2).map(period).collect(),
        });
        cost_ns.extend((0..2).map(|period| cost(is_upgraded, host, period) * 1e6));
    }
    costs.functions.push(FunctionCosts { name: "f".to_owned(), domain: None, cost_ns });
    costs
}

/// A function without samples before and with hundreds of samples after has an answer, although zero has no logarithm.
#[test]
fn new_functions_and_those_that_are_gone_are_told() {
    let new = |is_upgraded: bool, host: usize, period: usize| {
        if is_upgraded && period == 1 { 300.0 + host as f64 } else { 0.0 }
    };
    let view = compared(&ten_hosts(50_000.0, new));
    let found = change(&view, "f");
    assert_eq!((found.word, found.before), (Word::Regressed, Some(0.0)));
    assert!(found.ratio > Some(100.0), "{found:?}");
    let gone =
        compared(&ten_hosts(50_000.0, |is_upgraded, host, period| 300.0 - new(is_upgraded, host, period).min(300.0)));
    assert_eq!((word(&gone, "f"), change(&gone, "f").after), (Word::Improved, Some(0.0)));
}

/// A few hosts never show the function, and the new version runs ten times as long. If half a sample were added on each
/// host, the function's cost would seem to fall to a tenth.
#[test]
fn a_missing_function_does_not_fall_because_a_host_did_more() {
    let costs = ten_hosts(500_000.0, |is_upgraded, host, period| {
        let share = if host % 5 < 3 { 0.0 } else { 0.0004 };
        share * if is_upgraded && period == 1 { 500_000.0 } else { 50_000.0 }
    });
    let view = compared(&costs);
    let found = change(&view, "f");
    assert!((found.ratio.expect("hosts") - 1.0).abs() < 1e-9, "{found:?}");
    assert!(!found.word.is_change());
}

#[test]
fn a_function_with_few_samples_says_what_could_have_been_seen() {
    let view = compared(&ten_hosts(50_000.0, |_, host, _| (host % 3) as f64));
    let found = change(&view, "f");
    assert_eq!((found.word, found.no_power, view.tested_count), (Word::NotEnoughPower, Some(NoPower::FewSamples), 0));
    assert!(found.detectable_ratio > Some(0.5), "{found:?}");
    assert!(found.sentence.contains("too few samples: can only detect"), "{}", found.sentence);
}

#[test]
fn a_quiet_function_is_unchanged_and_a_noisy_one_is_not_said_to_be() {
    let quiet = compared(&ten_hosts(50_000.0, |_, host, period| 20_000.0 + (10 * host + 7 * period) as f64));
    assert_eq!(word(&quiet, "f"), Word::Unchanged);
    assert!(change(&quiet, "f").sentence.ends_with("within ±5 %"), "{}", change(&quiet, "f").sentence);
    let noisy = compared(&ten_hosts(50_000.0, |_, host, period| 2000.0 + 150.0 * ((3 * host + 5 * period) % 7) as f64));
    let found = change(&noisy, "f");
    assert_eq!((found.word, found.no_power), (Word::NotEnoughPower, Some(NoPower::Noise)));
    assert!(found.sentence.contains("can only detect ≥ +"), "{}", found.sentence);
}

/// If the number of requests is known, more work does not make a version more expensive, and a higher total cost is
/// detected.
#[test]
fn costs_are_per_unit_where_units_are_known() {
    let drawn = "
        host    version  cpu           app.A.f()     units
        web-1   12       50000,62000   1000,1240     100
        web-2   12       50000,64000   1100,1408     100
        web-3   12       50000,63000   1200,1512     100
        web-4   11       50000,50000   1000,1000     100
        web-5   11       50000,52000   1100,1144     100
        web-6   11       50000,51000   1200,1224     100
    ";
    let view = compared(&fleet(drawn));
    assert_eq!(view.measure, Measure::PerUnit);
    let found = change(&view, "app.A.f()");
    assert_eq!(found.word, Word::Regressed, "{found:?}");
    assert!(found.sentence.contains("from 11.0 ms to 13.9 ms per unit of work"), "{}", found.sentence);
    let share = Question { measure: Some(Measure::Share), ..Question::default() };
    let shares = version_change(&fleet(drawn), &share).expect("valid costs");
    assert!((change(&shares, "app.A.f()").ratio.expect("hosts") - 1.0).abs() < 1e-9, "shares do not see it");
    let half = drawn.replace("1240     100", "1240     0").replace("1000,1000     100", "1000,1000     0");
    assert_eq!(compared(&fleet(&half)).measure, Measure::Share, "two hosts are too few");
}

const MOVED: &str = "
    host    version  cpu     app.io.A.f()  app.io.B.g()  app.io.C.h()  app.net.D.k()
    web-1   12       50000   1000,600      1000,1400     500,500       700,900
    web-2   12       50000   1100,665      1000,1420     500,505       700,905
    web-3   12       50000   1000,603      1100,1510     500,500       700,890
    web-4   12       50000   1200,740      1000,1440     500,502       700,910
    web-5   11       50000   1000,1004     1000,1000     500,501       700,705
    web-6   11       50000   1100,1100     1100,1090     500,500       700,700
    web-7   11       50000   1000,999      1200,1205     500,495       700,695
    web-8   11       50000   1200,1205     1000,1004     500,500       700,700
";

#[test]
fn cost_that_moved_within_a_package_is_no_regression() {
    let view = compared(&fleet(MOVED));
    assert_eq!(
        ["app.io.A.f()", "app.io.B.g()", "app.net.D.k()"].map(|name| word(&view, name)),
        [Word::Moved, Word::Moved, Word::Regressed]
    );
    let moved = change(&view, "app.io.B.g()").moved.as_ref().expect("moved");
    assert_eq!((moved.domain.as_str(), moved.with.as_slice()), ("app.io", &["app.io.A.f()".to_owned()][..]));
    assert!(moved.low_ratio < 1.0 && moved.high_ratio > 1.0);
    assert_eq!(view.functions[0].name, "app.net.D.k()", "changes come first");
    let sentence = &change(&view, "app.io.B.g()").sentence;
    assert!(
        sentence.contains("cost moved within app.io with app.io.A.f(); the domain's total changed by"),
        "{sentence}"
    );
}

#[test]
fn a_change_that_is_gone_by_the_end_went_away() {
    let of = |upgraded: &str, other: &str| {
        let host = |host: usize| {
            let (version, costs) = if host < 4 { ("11112222", upgraded) } else { ("11111111", other) };
            let costs: Vec<String> = costs
                .split(',')
                .enumerate()
                .map(|(period, cost)| {
                    (cost.parse::<usize>().expect("number") + (host * 5 + period * 3) % 11).to_string()
                })
                .collect();
            format!("web-{host} {version} 50000 {}", costs.join(","))
        };
        let lines: Vec<String> = (0..8).map(host).collect();
        compared(&fleet(&format!("host version cpu app.A.f()\n{}", lines.join("\n"))))
    };
    let none = "1000,1000,1000,1000,1000,1000,1000,1000";
    let stays = of("1000,1000,1000,1000,1200,1200,1200,1200", none);
    assert_eq!(word(&stays, "app.A.f()"), Word::Regressed);
    let gone = of("1000,1000,1000,1000,1200,1200,1200,1000", none);
    assert_eq!(word(&gone, "app.A.f()"), Word::WentAway);
    let half_gone = of("1000,1000,1000,1000,1200,1200,1200,1130", none);
    assert_eq!(word(&half_gone, "app.A.f()"), Word::Regressed);
}

#[test]
fn an_answer_is_the_same_after_json() {
    let view = compared(&fleet(MOVED));
    let text = serde_json::to_string(&view).expect("JSON");
    assert!(text.contains(r#""word":"regressed""#) && text.contains(r#""method":"difference_in_differences""#));
    assert_eq!(serde_json::from_str::<RegressionsView>(&text).expect("the same").sentences, view.sentences);
}

#[test]
fn figures_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut FleetCosts)| {
        let mut costs = fleet(DEARER);
        change(&mut costs);
        version_change(&costs, &Question::default()).expect_err("refused").to_string()
    };
    assert_eq!(
        refused(|costs| costs.functions[0].cost_ns.truncate(15)),
        "function app.A.f() has 15 values instead of 16: one value for each host and period is needed"
    );
    assert_eq!(
        refused(|costs| costs.functions[0].cost_ns[3] = -1.0),
        "function app.A.f() has a value that is negative, infinite or not a number: -1"
    );
    assert_eq!(
        refused(|costs| costs.hosts[1].periods[0].samples = f64::NAN),
        "host web-2 has a value that is negative, infinite or not a number: NaN"
    );
    assert_eq!(
        refused(|costs| costs.hosts[1].host = "web-1".to_owned()),
        "host web-1 occurs twice; add up the values of both entries first"
    );
    assert_eq!(
        refused(|costs| costs.hosts[0].upgrade = Some(Upgrade { from: 1, to: 3 })),
        "host web-1: the version change from period 1 to 3 is not valid with 2 periods"
    );
    let question = Question { alpha_ratio: 1.0, ..Question::default() };
    assert!(matches!(version_change(&fleet(DEARER), &question), Err(RegressionsError::Ratio { value: 1.0, .. })));
}

#[test]
fn nothing_gives_an_empty_answer() {
    let view = compared(&FleetCosts::default());
    assert!(view.functions.is_empty());
    assert_eq!((view.before, view.after), (None, None));
}
