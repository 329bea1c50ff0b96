//! Simulates many functions with a few changes, and measures false discoveries and the share of changed functions that
//! is found.

use whittle_model::FunctionKind;
use whittle_profile::Side;
use whittle_testkit::Seeded;
use whittle_verdict::verify::{Design, FunctionChange, FunctionRun, FunctionRuns, Measured, verify};

const FUNCTIONS: usize = 150;
const CHANGED: usize = 5;
const RATIO: f64 = 0.8;
const SAMPLES: f64 = 30_000.0;
/// Samples have a Pareto distribution over functions. With this parameter, a fifth of the functions has four fifths of
/// the samples.
const SHAPE: f64 = 1.16;
const HOST_NOISE: f64 = 0.05;
const FUNCTION_NOISE: f64 = 0.05;
const NANOS_A_SAMPLE: f64 = 1e6;

/// Samples per run of each function, the largest first.
fn expected_samples(numbers: &mut Seeded) -> Vec<f64> {
    let mut weights: Vec<f64> = (0..FUNCTIONS).map(|_| numbers.uniform().powf(-1.0 / SHAPE)).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| SAMPLES * weight / sum).collect()
}

/// Returns `count` different random positions below `below`.
fn chosen(numbers: &mut Seeded, below: usize, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..below).collect();
    (0..count.min(below)).map(|_| all.swap_remove((numbers.uniform() * all.len() as f64) as usize)).collect()
}

/// Draws the runs, and the functions that changed. These are taken from the `among` largest functions. 0: no function
/// changed.
fn draw(numbers: &mut Seeded, runs: usize, among: usize) -> (FunctionRuns, Vec<usize>) {
    let expected = expected_samples(numbers);
    let changed = chosen(numbers, among, CHANGED);
    let sides: Vec<Side> = Side::BOTH.into_iter().flat_map(|side| vec![side; runs]).collect();
    let hosts: Vec<f64> = sides.iter().map(|_| (HOST_NOISE * numbers.normal()).exp()).collect();
    let mut functions = Vec::new();
    for (index, expected) in expected.iter().enumerate() {
        let mut count = |run: usize| {
            let is_less = sides[run] == Side::Candidate && changed.contains(&index);
            let noise = hosts[run] * (FUNCTION_NOISE * numbers.normal()).exp();
            numbers.poisson(expected * noise * if is_less { RATIO } else { 1.0 })
        };
        let samples: Vec<f64> = (0..sides.len()).map(&mut count).collect();
        functions.push(FunctionRun {
            name: format!("f{index}"),
            kind: FunctionKind::Native,
            cost_ns: samples.iter().map(|samples| samples * NANOS_A_SAMPLE).collect(),
            samples,
        });
    }
    let count = sides.len();
    (FunctionRuns { sides, units: vec![Some(1000.0); count], cpu_ns: vec![0.0; count], functions }, changed)
}

struct Rates {
    /// Mean share of the named functions that did not change.
    false_discoveries: f64,
    /// Share of the changed functions that is named.
    power: f64,
    /// Share of the comparisons that name any unchanged function.
    any_false: f64,
    /// Mean share of the named functions with an interval that misses the true change.
    missed: f64,
}

fn rates(runs: usize, among: usize, count: u32) -> Rates {
    let design = Design::new("a", "b");
    let mut numbers = Seeded::new(60 + runs as u64);
    let (mut discoveries, mut missed, mut found, mut there, mut any) = (0.0, 0.0, 0, 0, 0);
    for _ in 0..count {
        let (functions, changed) = draw(&mut numbers, runs, among);
        // Units come from the runs: one run on each side is enough here.
        let view = verify(&design, Measured { runs: &known_units(), functions: Some(&functions), doubts: &[] });
        let named = view.functions.expect("functions").changed;
        let is_true = |name: &str| changed.iter().any(|index| name == format!("f{index}"));
        let right = named.iter().filter(|change| is_true(&change.name)).count();
        let misses = |change: &&FunctionChange| {
            let truth = Some(if is_true(&change.name) { RATIO } else { 1.0 });
            change.low_ratio > truth || change.high_ratio < truth
        };
        missed += named.iter().filter(misses).count() as f64 / named.len().max(1) as f64;
        discoveries += (named.len() - right) as f64 / named.len().max(1) as f64;
        any += u32::from(named.len() > right);
        found += right;
        there += changed.len();
    }
    Rates {
        false_discoveries: discoveries / f64::from(count),
        power: found as f64 / there.max(1) as f64,
        any_false: f64::from(any) / f64::from(count),
        missed: missed / f64::from(count),
    }
}

fn known_units() -> Vec<whittle_verdict::verify::Run> {
    let truth = super::Truth { runs: 1, ..super::USUAL };
    truth.draw(&mut Seeded::new(1))
}

/// The five largest functions changed. The power depends on the size of the changed functions.
#[test]
fn few_false_discoveries_and_much_power() {
    for (runs, count, least_power) in [(3, 250, 0.5), (5, 150, 0.8), (10, 50, 0.95)] {
        let rates = rates(runs, CHANGED, count);
        println!(
            "{runs} runs per side: false discoveries {:.4}, power {:.4}, intervals that miss the change {:.4}",
            rates.false_discoveries, rates.power, rates.missed
        );
        assert!(rates.missed <= 0.06, "{} of the intervals miss the change", rates.missed);
        assert!(rates.false_discoveries <= 0.05, "{} false discoveries", rates.false_discoveries);
        assert!(rates.power >= least_power, "power {} with {runs} runs", rates.power);
    }
}

/// Five of the fifteen largest functions changed. These functions have fewer samples, so the power is lower, but the
/// error rate is not higher.
#[test]
fn smaller_functions_are_found_less_often() {
    for (runs, count, least_power) in [(3, 250, 0.4), (5, 150, 0.75)] {
        let rates = rates(runs, 3 * CHANGED, count);
        println!(
            "{runs} runs per side, of the 15 largest: false {:.4}, power {:.4}, intervals that miss the change {:.4}",
            rates.false_discoveries, rates.power, rates.missed
        );
        assert!(rates.missed <= 0.06, "{} of the intervals miss the change", rates.missed);
        assert!(rates.false_discoveries <= 0.05, "{} false discoveries", rates.false_discoveries);
        assert!(rates.power >= least_power, "power {} with {runs} runs", rates.power);
    }
}

#[test]
fn where_nothing_changed_seldom_anything_is_named() {
    for (runs, count) in [(3, 250), (5, 150)] {
        let rates = rates(runs, 0, count);
        println!("{runs} runs per side, nothing changed: any named {:.4}", rates.any_false);
        assert!(rates.any_false <= 0.06, "{}", rates.any_false);
    }
}
