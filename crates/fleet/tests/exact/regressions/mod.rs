//! Regressions and savings of fleets with known changes, from landed segments to the answer.

mod drawn;
mod oracle;
mod program;
mod saving;

use crate::support::{DAY_S, Landed, TestFleet};
use drawn::{Drawn, PLAIN};
use whittle_experiment::Store;
use whittle_fleet::catalogue::{Catalogue, Level};
use whittle_fleet::compaction::compact;
use whittle_fleet::cost::Price;
use whittle_fleet::fleet::QueryError;
use whittle_fleet::question::{TimeRange, Whose};
use whittle_fleet::regressions::{
    Change, FleetRegressionsView, Periods, RegressionRow, RegressionsQuestion, Role, Watched,
};
use whittle_profile::{Flavour, Query, ViewMode};
use whittle_verdict::regressions::{FleetCosts, Measure, NoPower, Question as Limits, Word};

const HOUR_S: i64 = 3600;

/// A query that compares the newest version of checkout with the version before it, over some hours.
pub(crate) fn asked(hour_count: i64) -> RegressionsQuestion {
    RegressionsQuestion {
        whose: Whose { services: vec!["checkout".to_owned()], ..Whose::default() },
        time: TimeRange { from_s: DAY_S, to_s: DAY_S + hour_count * HOUR_S },
        change: Change::Version { from: None, to: None },
        period_s: None,
        flavour: Flavour::Exclusive,
        mode: ViewMode::User,
        watched: Vec::new(),
        unit: None,
        limits: Limits::default(),
        limit: None,
    }
}

fn answer(fleet: &TestFleet, asked: &RegressionsQuestion) -> Result<FleetRegressionsView, QueryError> {
    fleet.runtime.block_on(fleet.fleet.regressions(&fleet.snapshot, asked, Price::default()))
}

fn costs(fleet: &TestFleet, asked: &RegressionsQuestion) -> FleetCosts {
    fleet.runtime.block_on(fleet.fleet.fleet_costs(&fleet.snapshot, asked)).unwrap()
}

fn row<'a>(view: &'a FleetRegressionsView, name: &str) -> &'a RegressionRow {
    view.rows.iter().find(|row| row.change.name == name).unwrap()
}

/// Functions with a detected change, and their verdicts.
fn named(view: &FleetRegressionsView) -> Vec<(&str, Word)> {
    let is_named = |row: &&RegressionRow| !matches!(row.change.word, Word::Unchanged | Word::NotEnoughPower);
    view.rows.iter().filter(is_named).map(|row| (row.change.name.as_str(), row.change.word)).collect()
}

#[test]
fn a_version_that_changes_nothing_gives_no_alarm() {
    for seed in 0..4 {
        let fleet = Drawn { seed, ..PLAIN }.fleet();
        let view = answer(&fleet, &asked(12)).unwrap();
        assert_eq!(named(&view), [], "seed {seed}");
        assert_eq!((view.host_counts.upgraded, view.host_counts.others, view.host_counts.left_out), (8, 8, 0));
        assert_eq!((view.from_version.as_deref(), view.to_version.as_deref()), (Some("1.4"), Some("1.5")));
        let unknown = RegressionsQuestion { change: Change::UnknownDate, ..asked(12) };
        assert_eq!(named(&answer(&fleet, &unknown).unwrap()), [], "unknown date, seed {seed}");
    }
}

#[test]
fn a_dearer_function_on_upgraded_hosts_is_found_and_nothing_else() {
    let factor = |name: &str| if name == "app.Mask.mask(String)" { 1.2 } else { 1.0 };
    let fleet = Drawn { factor, ..PLAIN }.fleet();
    let view = answer(&fleet, &asked(12)).unwrap();
    assert_eq!(named(&view), [("app.Mask.mask(String)", Word::Regressed)]);
    let found = row(&view, "app.Mask.mask(String)");
    let (low, high) = (found.change.low_ratio.unwrap(), found.change.high_ratio.unwrap());
    // The function's share grows by a little less than its cost, because the total grows by 0.6 %.
    assert!(low < 1.2 && 1.2 < high && low > 1.1 && high < 1.3, "{low} to {high}");
    // The first host changes in hour 5, and the last host in hour 7.
    let hours = |span: TimeRange| ((span.from_s - DAY_S) / HOUR_S, (span.to_s - DAY_S) / HOUR_S);
    assert_eq!((view.before.map(hours), view.after.map(hours)), (Some((0, 5)), Some((8, 12))));
    let host = |name: &str| view.hosts.iter().find(|host| host.host == name).unwrap();
    assert_eq!(host("web-01").changed_from_s, Some(DAY_S + 6 * HOUR_S));
    assert_eq!((host("web-01").changed_to_s, host("web-01").role), (Some(DAY_S + 7 * HOUR_S), Role::Upgraded));
    assert_eq!(host("web-08").role, Role::Other);
    // 8 hosts use half a core each. The function uses 3 % of this time and costs a fifth more: 0.024 cores.
    let cost = found.cost_of_change.unwrap();
    assert!((0.018..0.030).contains(&cost.cores), "{cost:?}");
    assert!((cost.cost_per_year - cost.cores * 8760.0 * 0.04).abs() < 1e-9);
    let (least, most) = (found.cost_of_change_low.unwrap().cores, found.cost_of_change_high.unwrap().cores);
    assert!(least < cost.cores && cost.cores < most, "{least} {most}");
    let all = found.cost_on_all.unwrap().cores / cost.cores;
    assert!((1.7..2.3).contains(&all), "twice as many hosts: {all}");
}

#[test]
fn a_function_that_is_watched_is_told_whatever_it_did() {
    let fleet = PLAIN.fleet();
    let watched = vec![
        Watched::Function("app.Mask.mask".to_owned()),
        Watched::Package("app.io".to_owned()),
        Watched::Function("app.Gone.away".to_owned()),
    ];
    let view = answer(&fleet, &RegressionsQuestion { watched, limit: Some(4), ..asked(12) }).unwrap();
    let mut names: Vec<&str> = view.rows.iter().map(|row| row.change.name.as_str()).collect();
    names.sort_unstable();
    let expected = ["app.Mask.mask(String)", "app.io.Reader.read()", "app.io.Writer.flush()", "app.io.Writer.write()"];
    assert_eq!(names, expected);
    assert!(view.rows.iter().all(|row| row.change.is_watched));
    assert_eq!(view.row_count, 26, "24 functions, main without exclusive cost, two for stacks without Java");
    assert!(view.notes.contains(&"function app.Gone.away was not observed".to_owned()), "{:?}", view.notes);
}

/// Many functions that became cheaper do not hide the function that became more expensive.
#[test]
fn a_limit_is_of_each_kind_of_change() {
    let factor = |name: &str| match name {
        "app.Mask.mask(String)" => 1.5,
        name if name.starts_with("app.io.") => 0.5,
        _ => 1.0,
    };
    let fleet = Drawn { factor, ..PLAIN }.fleet();
    let count_of = |limit: usize, word: Word| {
        let view = answer(&fleet, &RegressionsQuestion { limit: Some(limit), ..asked(12) }).unwrap();
        let all = view.counts.iter().find(|count| count.word == word).map_or(0, |count| count.functions);
        (view.rows.iter().filter(|row| row.change.word == word).count(), all)
    };
    let improved = count_of(30, Word::Improved).1;
    assert!(improved >= 2, "{improved}");
    assert_eq!((count_of(1, Word::Improved), count_of(1, Word::Regressed)), ((1, improved), (1, 1)));
    assert_eq!(count_of(1, Word::NotEnoughPower).0 + count_of(1, Word::Unchanged).0, 0);
    let watched = vec![Watched::Function("app.p0.Work.run0".to_owned()), Watched::Package("app.p1".to_owned())];
    let view = answer(&fleet, &RegressionsQuestion { watched, limit: Some(1), ..asked(12) }).unwrap();
    let is_watched = |row: &&RegressionRow| row.change.is_watched;
    let unnamed = view.rows.iter().filter(is_watched).filter(|row| row.change.word != Word::Regressed).count();
    assert!(unnamed >= 1, "watched functions are shown with any limit");
    assert_eq!(count_of(30, Word::Improved).0, improved);
}

/// At noon the traffic is twice as high, and in some functions three times as high. This happens on all hosts, so the
/// version is not the cause.
#[test]
fn traffic_that_changes_with_the_upgrade_is_no_alarm() {
    let traffic = |hour: usize, name: &str| match name {
        _ if hour < 6 => 1.0,
        "app.Mask.mask(String)" | "app.p3.Work.run3()" => 3.0,
        _ => 2.0,
    };
    for has_units in [false, true] {
        let fleet = Drawn { traffic, has_units, ..PLAIN }.fleet();
        let view = answer(&fleet, &asked(12)).unwrap();
        assert_eq!(view.measure, if has_units { Measure::PerUnit } else { Measure::Share });
        assert_eq!(named(&view), [], "{has_units}");
    }
}

/// Only units of work show a change that all functions share.
#[test]
fn a_version_that_is_dearer_all_over_is_seen_by_units_of_work() {
    let fleet = Drawn { factor: |_| 1.2, has_units: true, ..PLAIN }.fleet();
    let view = answer(&fleet, &asked(12)).unwrap();
    assert_eq!((view.measure, view.unit.as_deref()), (Measure::PerUnit, Some("orders")));
    assert_eq!(named(&view).iter().filter(|(_, word)| *word == Word::Regressed).count(), 24, "{:?}", named(&view));
    let shares =
        RegressionsQuestion { limits: Limits { measure: Some(Measure::Share), ..Limits::default() }, ..asked(12) };
    let in_shares = answer(&fleet, &shares).unwrap();
    assert!(named(&in_shares).iter().all(|(name, _)| name.starts_with('<')), "{:?}", named(&in_shares));
}

#[test]
fn cost_that_moves_within_a_package_is_said_to() {
    let factor = |name: &str| match name {
        "app.io.Reader.read()" => 0.6,              // 2 % less
        "app.io.Writer.write()" => 1.0 + 1.0 / 3.0, // 2 % more
        _ => 1.0,
    };
    let view = answer(&Drawn { factor, ..PLAIN }.fleet(), &asked(12)).unwrap();
    let mut found = named(&view);
    found.sort_unstable_by_key(|(name, _)| *name);
    assert_eq!(found, [("app.io.Reader.read()", Word::Moved), ("app.io.Writer.write()", Word::Moved)]);
    let moved = row(&view, "app.io.Writer.write()").change.moved.clone().unwrap();
    assert_eq!((moved.domain.as_str(), moved.with), ("app.io", vec!["app.io.Reader.read()".to_owned()]));
}

#[test]
fn two_hosts_are_too_few_and_that_is_the_answer() {
    let upgraded_at = |host: usize| (host == 0).then_some(6);
    let factor = |name: &str| if name == "app.Mask.mask(String)" { 3.0 } else { 1.0 };
    let view = answer(&Drawn { host_count: 2, upgraded_at, factor, ..PLAIN }.fleet(), &asked(12)).unwrap();
    assert_eq!(named(&view), []);
    assert!(view.rows.iter().all(|row| row.change.no_power == Some(NoPower::FewHosts)));
    assert!(view.sentences[0].ends_with("not enough power"), "{:?}", view.sentences);
}

/// All hosts change at once, so there are no other hosts for comparison. Whittle still finds the date of the change.
#[test]
fn a_change_at_an_unknown_date_is_found_with_its_date() {
    let factor = |name: &str| if name == "app.Mask.mask(String)" { 1.3 } else { 1.0 };
    let fleet = Drawn { hour_count: 24, factor, upgraded_at: |_| Some(14), ..PLAIN }.fleet();
    let unknown = RegressionsQuestion { change: Change::UnknownDate, ..asked(24) };
    let view = answer(&fleet, &unknown).unwrap();
    assert_eq!(named(&view), [("app.Mask.mask(String)", Word::Regressed)]);
    let found = row(&view, "app.Mask.mask(String)");
    let hours: Vec<i64> = found.steps.iter().map(|step| (step.from_s - DAY_S) / HOUR_S).collect();
    assert!(matches!(hours.as_slice(), [14 | 15]), "{hours:?}");
    assert!(found.change.low_ratio.unwrap() < 1.3 && found.change.high_ratio.unwrap() > 1.25, "{:?}", found.change);
    let since = format!("since 2026-10-05 {}:00", hours[0]);
    assert!(found.change.sentence.contains(&since), "{}", found.change.sentence);
    let versions = answer(&fleet, &asked(24)).unwrap();
    assert_eq!(versions.host_counts.others, 0);
    assert_eq!(named(&versions), [], "no hosts for comparison");
}

/// The answer explains why three hosts are left out. One host returned to the old version, one ran only the new
/// version, and one ran neither version.
#[test]
fn hosts_that_do_not_count_say_why() {
    let mut segments = Drawn { host_count: 8, upgraded_at: |host| (host < 4).then_some(6), ..PLAIN }.segments();
    let mut add = |host: &str, versions: [&str; 12]| {
        for (hour, version) in versions.into_iter().enumerate() {
            segments.push(Landed::new("checkout", host, version, DAY_S + hour as i64 * HOUR_S + 100));
        }
    };
    let (old, new) = ("1.4", "1.5");
    add("back", [old, old, old, new, new, new, old, old, old, old, old, old]);
    add("fresh", [new; 12]);
    add("other", ["1.3"; 12]);
    let view = answer(&TestFleet::of(segments), &asked(12)).unwrap();
    let left_out: Vec<(&str, Option<&str>)> = view
        .hosts
        .iter()
        .filter(|host| host.role == Role::LeftOut)
        .map(|host| (host.host.as_str(), host.why.as_deref()))
        .collect();
    assert_eq!(left_out, [("back", Some("returned to 1.4")), ("fresh", Some("ran 1.5 all the time"))]);
    assert_eq!(view.versions, ["1.3", "1.4", "1.5"]);
    assert!(view.notes.contains(&"Hosts that ran neither 1.4 nor 1.5: 1".to_owned()), "{:?}", view.notes);
}

#[test]
fn what_cannot_be_compared_is_refused_with_what_there_is() {
    let fleet = Drawn { host_count: 3, upgraded_at: |_| None, ..PLAIN }.fleet();
    let refused =
        |change: Change| answer(&fleet, &RegressionsQuestion { change, ..asked(12) }).unwrap_err().to_string();
    let version = |from: Option<&str>, to: Option<&str>| Change::Version {
        from: from.map(str::to_owned),
        to: to.map(str::to_owned),
    };
    let unknown = refused(version(Some("1.4"), Some("1.6")));
    assert!(unknown.contains("\"1.6\" was not observed") && unknown.contains("there are 0.9, 1.4"), "{unknown}");
    let lonely = [refused(version(Some("1.4"), None)), refused(version(None, Some("0.9")))];
    assert!(
        lonely[0].contains("no version appeared after \"1.4\"") && lonely[0].contains("--to-version"),
        "{lonely:?}"
    );
    assert!(
        lonely[1].contains("no version appeared before \"0.9\"") && lonely[1].contains("--from-version"),
        "{lonely:?}"
    );
    let short = RegressionsQuestion { period_s: Some(86_400), ..asked(12) };
    assert!(answer(&fleet, &short).unwrap_err().to_string().contains("no whole period"));
    let limits = Limits { alpha_ratio: 2.0, ..Limits::default() };
    let wrong = answer(&fleet, &RegressionsQuestion { change: version(Some("0.9"), None), limits, ..asked(12) });
    assert!(matches!(wrong, Err(QueryError::Regressions(_))), "{wrong:?}");
}

/// The costs are equal to the costs that a loop over the segments' samples computes. They are equal for each table,
/// before and after compaction.
#[test]
fn costs_are_those_of_the_segments() {
    let drawn =
        Drawn { has_units: true, hour_count: 6, host_count: 5, upgraded_at: |host| (host < 3).then_some(3), ..PLAIN };
    let mut fleet = drawn.fleet();
    let rounds = ["as taken in", "compacted"];
    for round in rounds {
        // The last time range begins in the middle of an hour's segments.
        for (period_s, from_s, count) in [(HOUR_S, 0, 6), (2 * HOUR_S, 0, 3), (1800, 0, 12), (1800, 1800, 11)] {
            let periods = Periods { width_s: period_s, from_s: DAY_S + from_s, count };
            for flavour in [Flavour::Exclusive, Flavour::Inclusive] {
                let time = TimeRange { from_s: DAY_S + from_s, to_s: DAY_S + 6 * HOUR_S };
                let change = Change::Version { from: Some("1.4".to_owned()), to: Some("1.5".to_owned()) };
                let asked = RegressionsQuestion { time, change, period_s: Some(period_s), flavour, ..asked(6) };
                let found = costs(&fleet, &asked);
                let (functions, whole) = oracle::of_fleet(&found);
                let expected = oracle::costs(&fleet.segments, periods, ["1.4", "1.5"], flavour == Flavour::Inclusive);
                assert_eq!(functions, expected.0, "{round}, {flavour:?} by {period_s} s");
                assert_eq!(whole, expected.1, "{round}, by {period_s} s");
                let changed: Vec<Option<usize>> =
                    found.hosts.iter().map(|host| host.upgrade.map(|it| it.from)).collect();
                let at = Some(((3 * HOUR_S - from_s) / period_s) as usize);
                // If periods last half an hour, versions change between two periods.
                assert_eq!(
                    changed,
                    [at.map(|at| at + usize::from(period_s == 1800)); 3]
                        .into_iter()
                        .chain([None; 2])
                        .collect::<Vec<_>>()
                );
            }
        }
        let store = std::sync::Arc::new(Store::open(fleet.directory.path().to_str().unwrap()).unwrap());
        fleet.runtime.block_on(compact(&Catalogue::new(store), DAY_S + 10 * 86_400)).unwrap();
        fleet.snapshot = fleet.runtime.block_on(fleet.fleet.snapshot()).unwrap();
        assert!(fleet.snapshot.files.iter().all(|file| file.level == Level::Day));
    }
}

/// Random stacks with hidden code, missing frames and names that each host numbers differently. The costs are equal to
/// the costs in views of the same segments after merging.
#[test]
fn costs_of_any_stacks_are_those_of_the_merged_segments() {
    let mut segments = Vec::new();
    for hour in 0..3 {
        for host in 0..3 {
            for part in [5, 1800, 3569] {
                segments.push(Landed::new("checkout", &format!("host-{host}"), "1.0", DAY_S + hour * HOUR_S + part));
            }
        }
    }
    let fleet = TestFleet::of(segments);
    for mode in ViewMode::ALL {
        for flavour in [Flavour::Exclusive, Flavour::Inclusive] {
            let asked =
                RegressionsQuestion { change: Change::UnknownDate, period_s: Some(HOUR_S), mode, flavour, ..asked(3) };
            let found = costs(&fleet, &asked);
            for (position, host) in found.hosts.iter().enumerate() {
                for period in 0..3 {
                    let window = (DAY_S + period as i64 * HOUR_S, DAY_S + (period as i64 + 1) * HOUR_S);
                    let merged = fleet.merged(|segment| segment.host == host.host, window);
                    let metrics = if flavour == Flavour::Inclusive { "i.cpu" } else { "e.cpu" };
                    let query = Query { mode, metrics: Some(metrics.parse().unwrap()), ..Query::default() };
                    let mut expected: Vec<(String, f64)> = Vec::new();
                    for row in whittle_views::functions::functions(&merged, &query).unwrap().rows {
                        match expected.iter_mut().find(|known| known.0 == row.function) {
                            Some(known) => known.1 += row.values.numbers[0],
                            None => expected.push((row.function, row.values.numbers[0])),
                        }
                    }
                    expected.sort_by(|a, b| a.0.cmp(&b.0));
                    let cost = |function: &whittle_verdict::regressions::FunctionCosts| {
                        (function.name.clone(), function.cost_ns[position * 3 + period])
                    };
                    let mut own: Vec<(String, f64)> = found.functions.iter().map(cost).collect();
                    own.retain(|(name, cost)| *cost > 0.0 && name != "<Total>");
                    assert_eq!(own, expected, "{mode} {flavour:?} {} {period}", host.host);
                }
            }
        }
    }
}
