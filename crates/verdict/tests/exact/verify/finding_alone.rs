//! The finding's cost alone never shows that the program improved.

use crate::verify::drawn::{design, finding, profiled, runs, verified, with_metric};
use proptest::prelude::*;
use whittle_verdict::verify::{Design, Order, PrimaryEndpoint, Run, Word};

const RATE: &str = "requests_per_second";

/// The run's costs in milliseconds or samples, for both sides. Few and many runs, little and much noise.
fn sides(least: f64, most: f64) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (1..8_usize, 0.0..0.3_f64).prop_flat_map(move |(count, noise)| {
        let side = (least..most, prop::collection::vec(-noise..=noise, count))
            .prop_map(|(middle, noise)| noise.into_iter().map(|log| middle * log.exp()).collect());
        (side.clone(), side)
    })
}

fn any_design() -> impl Strategy<Value = Design> {
    let endpoint = prop::sample::select(vec![
        PrimaryEndpoint::Cpu,
        PrimaryEndpoint::Elapsed,
        PrimaryEndpoint::Metric(RATE.to_owned()),
    ]);
    let order = prop::sample::select(vec![Order::Interleaved, Order::Sequential]);
    (endpoint, order).prop_map(|(endpoint, order)| Design { endpoint, order, ..design() })
}

/// The same runs, with the cost of a finding in the profiled runs.
fn with_finding(of_program: &[Run], costs: &(Vec<f64>, Vec<f64>)) -> Vec<Run> {
    [of_program, &profiled(&costs.0, &costs.1)].concat()
}

fn without_finding(runs: &[Run]) -> Vec<Run> {
    runs.iter().map(|run| Run { finding: None, ..run.clone() }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// If the verdict is improved, then the program's endpoint is better, and it is also better without the finding.
    #[test]
    fn no_cost_of_a_finding_makes_a_program_improved(
        design in any_design(),
        ms in sides(90.0, 110.0),
        costs in sides(0.0, 1e5),
        rates in prop::collection::vec(90.0..110.0_f64, 14),
    ) {
        let program = with_metric(runs(&ms.0, &ms.1), RATE, &rates);
        let all = with_finding(&program, &costs);
        let view = verified(&Design { finding: Some(finding()), ..design.clone() }, &all);
        if view.verdict.word == Word::Improved {
            let first = &view.endpoints[0];
            prop_assert_eq!(first.verdict, view.verdict);
            prop_assert!(first.ratio.is_some_and(|ratio| (ratio < 1.0) == (first.name != RATE)), "{:?}", first);
            let alone = verified(&design, &without_finding(&all));
            prop_assert_eq!(alone.verdict, view.verdict);
        }
    }

    /// The same program: every run has the same cost. The finding's cost is anything.
    #[test]
    fn an_equal_program_is_never_improved(design in any_design(), costs in sides(0.0, 1e5), count in 1..8_usize) {
        let program = with_metric(runs(&vec![100.0; count], &vec![100.0; count]), RATE, &vec![50.0; 2 * count]);
        let all = with_finding(&program, &costs);
        let view = verified(&Design { finding: Some(finding()), ..design }, &all);
        prop_assert_ne!(view.verdict.word, Word::Improved);
    }
}
