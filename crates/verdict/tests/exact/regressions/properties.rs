//! Properties of the answers for random fleets.

use super::compared;
use proptest::prelude::*;
use whittle_verdict::regressions::{
    FleetCosts, FunctionCosts, HostCosts, HostPeriod, Question, RegressionsView, Upgrade, Word, unknown_date,
};

const PERIODS: usize = 2;

/// Fleets of 6 to 10 hosts in two windows. Cells can be empty, and hosts can be missing.
fn fleets(periods: usize) -> impl Strategy<Value = FleetCosts> {
    let function =
        move |hosts: usize| prop::collection::vec(prop_oneof![1 => Just(0_u32), 9 => 1_u32..400], hosts * periods);
    let fleet = move |hosts: usize| {
        let whole = prop::collection::vec(prop_oneof![1 => Just(0_u32), 40 => 5_000_u32..20_000], hosts * periods);
        (whole, prop::collection::vec(function(hosts), 1..14))
    };
    (6_usize..10).prop_flat_map(fleet).prop_map(move |(whole, functions)| {
        let hosts = whole.chunks(periods).enumerate().map(|(host, whole)| HostCosts {
            host: format!("host-{host}"),
            upgrade: (host % 2 == 0).then_some(Upgrade { from: periods / 2, to: periods / 2 }),
            periods: whole
                .iter()
                .map(|samples| HostPeriod {
                    cpu_ns: f64::from(*samples) * 1e7,
                    samples: f64::from(*samples),
                    units: None,
                })
                .collect(),
        });
        let function = |(position, samples): (usize, Vec<u32>)| FunctionCosts {
            name: format!("f{position}"),
            domain: (position % 3 > 0).then(|| format!("domain{}", position % 3)),
            cost_ns: samples.iter().map(|samples| f64::from(*samples) * 1e7).collect(),
        };
        FleetCosts {
            period_count: periods,
            hosts: hosts.collect(),
            functions: functions.into_iter().enumerate().map(function).collect(),
        }
    })
}

/// The same hosts in another order and with other names.
fn relabelled(costs: &FleetCosts) -> FleetCosts {
    let mut other = costs.clone();
    other.hosts.reverse();
    other.hosts.iter_mut().enumerate().for_each(|(position, host)| host.host = format!("renamed-{position}"));
    for function in &mut other.functions {
        function.cost_ns = function.cost_ns.chunks(costs.period_count).rev().flatten().copied().collect();
    }
    other
}

fn scaled(costs: &FleetCosts, by: f64) -> FleetCosts {
    let mut other = costs.clone();
    other.hosts.iter_mut().flat_map(|host| &mut host.periods).for_each(|period| period.cpu_ns *= by);
    other.functions.iter_mut().flat_map(|function| &mut function.cost_ns).for_each(|cost| *cost *= by);
    other
}

/// The same fleet with time running backwards.
fn swapped(costs: &FleetCosts) -> FleetCosts {
    let mut other = costs.clone();
    other.hosts.iter_mut().for_each(|host| host.periods.reverse());
    other
        .functions
        .iter_mut()
        .flat_map(|function| function.cost_ns.chunks_mut(costs.period_count))
        .for_each(<[f64]>::reverse);
    other
}

/// Verdicts, effects and p by function name. Numbers can differ by rounding.
fn assert_same(found: &RegressionsView, expected: &RegressionsView, sign: f64) -> Result<(), TestCaseError> {
    for expected in &expected.functions {
        let found = super::change(found, &expected.name);
        let word = match expected.word {
            Word::Regressed if sign < 0.0 => Word::Improved,
            Word::Improved if sign < 0.0 => Word::Regressed,
            word => word,
        };
        prop_assert_eq!(found.word, word, "{:?} {:?}", found, expected);
        let logs = |it: &whittle_verdict::regressions::FunctionChange, sign: f64| {
            [it.ratio, it.low_ratio, it.high_ratio].map(|ratio| ratio.map_or(0.0, |ratio| sign * ratio.ln()))
        };
        let (mut ends, found_ends) = (logs(expected, sign), logs(found, 1.0));
        if sign < 0.0 {
            ends.swap(1, 2);
        }
        for (a, b) in found_ends.into_iter().zip(ends) {
            prop_assert!((a - b).abs() < 1e-7 * (1.0 + b.abs()), "{:?} {:?}", found, expected);
        }
        let ps = [found.p, expected.p].map(|p| p.unwrap_or(1.0));
        prop_assert!((ps[0] - ps[1]).abs() < 1e-7, "{:?} {:?}", found, expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn names_and_order_of_hosts_do_not_matter(costs in fleets(PERIODS)) {
        assert_same(&compared(&relabelled(&costs)), &compared(&costs), 1.0)?;
    }

    #[test]
    fn the_length_of_a_sample_does_not_matter(costs in fleets(PERIODS), by in 0.01..100.0_f64) {
        assert_same(&compared(&scaled(&costs, by)), &compared(&costs), 1.0)?;
    }

    #[test]
    fn backwards_a_regression_is_an_improvement(costs in fleets(PERIODS)) {
        assert_same(&compared(&swapped(&costs)), &compared(&costs), -1.0)?;
    }

    #[test]
    fn courses_do_not_depend_on_names_or_the_length_of_a_sample(costs in fleets(14), by in 0.01..100.0_f64) {
        let searched = |costs: &FleetCosts| unknown_date(costs, &Question::default()).expect("valid costs");
        let expected = searched(&costs);
        assert_same(&searched(&relabelled(&costs)), &expected, 1.0)?;
        assert_same(&searched(&scaled(&costs, by)), &expected, 1.0)?;
    }

    /// Values are finite, and every named change has a small p.
    #[test]
    fn answers_are_numbers(costs in fleets(6)) {
        for view in [compared(&costs), unknown_date(&costs, &Question::default()).expect("valid costs")] {
            let text = serde_json::to_string(&view).expect("JSON");
            prop_assert!(!text.contains("NaN"));
            for change in &view.functions {
                let all = [change.ratio, change.low_ratio, change.high_ratio, change.before, change.after, change.p, change.detectable_ratio];
                prop_assert!(all.iter().flatten().all(|it| it.is_finite() && *it >= 0.0), "{:?}", change);
                prop_assert!(!change.word.is_change() || change.adjusted_p <= Some(0.01), "{:?}", change);
                prop_assert_eq!(change.no_power.is_some(), change.word == Word::NotEnoughPower);
            }
        }
    }
}
