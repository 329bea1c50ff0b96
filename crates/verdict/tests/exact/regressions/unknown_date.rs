//! Series with a date of change that only the test knows.

use super::drawn::{NANOS_A_MS, function};
use super::{change, word};
use whittle_verdict::regressions::{
    FleetCosts, HostCosts, HostPeriod, LeftOut, Method, NoPower, Question, RegressionsView, Word, unknown_date,
};

const HOSTS: usize = 5;

/// Costs by function and day, with a little noise. A host has 50 s of CPU time per day. Hosts differ by a tenth.
fn course(days: usize, functions: &[(&str, &dyn Fn(usize) -> f64)]) -> FleetCosts {
    let host = |host: usize| HostCosts {
        host: format!("web-{host}"),
        upgrade: None,
        periods: vec![HostPeriod { cpu_ns: 50_000.0 * NANOS_A_MS, samples: 50_000.0, units: None }; days],
    };
    let cost = |position: usize, cell: usize, of: &dyn Fn(usize) -> f64| {
        let (host, day) = (cell / days, cell % days);
        let disorder = ((day * day * 7 + day * 13 + position * 31) % 17) as f64 / 17.0 - 0.5;
        of(day) * (1.0 + 0.1 * host as f64) * (1.0 + 0.02 * disorder) * NANOS_A_MS
    };
    let functions = functions.iter().enumerate().map(|(position, (name, of))| {
        function(name, (0..HOSTS * days).map(|cell| cost(position, cell, *of)).collect())
    });
    FleetCosts { period_count: days, hosts: (0..HOSTS).map(host).collect(), functions: functions.collect() }
}

fn searched(costs: &FleetCosts) -> RegressionsView {
    unknown_date(costs, &Question::default()).expect("valid costs")
}

#[test]
fn the_day_of_a_change_is_found() {
    let view = searched(&course(40, &[("app.A.f()", &|day| if day < 25 { 2000.0 } else { 2200.0 })]));
    let found = change(&view, "app.A.f()");
    assert_eq!((found.word, view.method, view.hosts.upgraded), (Word::Regressed, Method::ChangePoints, HOSTS));
    assert_eq!(found.steps.iter().map(|step| step.period).collect::<Vec<_>>(), [25]);
    assert!((found.ratio.expect("a change") - 1.1).abs() < 0.01, "{found:?}");
    assert!(found.sentence.ends_with("from 4.78 % to 5.26 % of CPU; since period 25; 5 hosts"), "{}", found.sentence);
}

#[test]
fn a_change_that_was_taken_back_went_away() {
    let bump = |day: usize| if (15..30).contains(&day) { 2300.0 } else { 2000.0 };
    let view = searched(&course(45, &[("app.A.f()", &bump)]));
    let found = change(&view, "app.A.f()");
    assert_eq!(found.word, Word::WentAway);
    assert_eq!(found.steps.iter().map(|step| step.period).collect::<Vec<_>>(), [15, 30]);
}

#[test]
fn cost_that_moved_between_functions_of_a_package_is_no_regression() {
    let view = searched(&course(
        40,
        &[
            ("app.io.A.f()", &|day| if day < 20 { 2000.0 } else { 1500.0 }),
            ("app.io.B.g()", &|day| if day < 20 { 1000.0 } else { 1500.0 }),
            ("app.net.C.h()", &|day| if day < 20 { 1000.0 } else { 1200.0 }),
        ],
    ));
    assert_eq!(
        ["app.io.A.f()", "app.io.B.g()", "app.net.C.h()"].map(|name| word(&view, name)),
        [Word::Moved, Word::Moved, Word::Regressed]
    );
}

#[test]
fn a_constant_course_is_unchanged_and_a_short_one_says_nothing() {
    let quiet = searched(&course(40, &[("app.A.f()", &|_| 2000.0)]));
    assert_eq!(word(&quiet, "app.A.f()"), Word::Unchanged);
    let short = searched(&course(5, &[("app.A.f()", &|_| 2000.0)]));
    assert_eq!(change(&short, "app.A.f()").no_power, Some(NoPower::FewPeriods));
}

/// A host with another level is added at half-time. It moves a plain mean, but causes no alarm.
#[test]
fn hosts_that_come_and_go_are_no_change() {
    let mut costs = course(40, &[("app.A.f()", &|_| 2000.0)]);
    for day in 0..20 {
        costs.hosts[4].periods[day] = HostPeriod::default();
        costs.hosts[0].periods[20 + day] = HostPeriod::default();
    }
    let view = searched(&costs);
    assert!(view.left_out.is_empty());
    assert_eq!(word(&view, "app.A.f()"), Word::Unchanged);
    costs.hosts[4].periods[20] = HostPeriod::default();
    assert_eq!(searched(&costs).left_out[0].why, LeftOut::SeldomSeen);
}

/// A period in which most hosts were missing is left out, and dates still refer to the original periods.
#[test]
fn days_without_hosts_keep_their_numbers() {
    let mut costs = course(40, &[("app.A.f()", &|day| if day < 25 { 2000.0 } else { 2200.0 })]);
    costs.hosts.iter_mut().for_each(|host| host.periods[10] = HostPeriod::default());
    assert_eq!(change(&searched(&costs), "app.A.f()").steps[0].period, 25);
}
