//! Simulates runs with known true values, and measures error rates and power of verifications.
//!
//! The procedures were chosen to meet these limits. The numbers are drawn from fixed seeds, so the results never
//! change. `cargo test -p whittle-verdict --test exact simulation -- --nocapture` prints all rates.

#![allow(clippy::print_stdout, reason = "the rates are the result")]

mod functions;
mod unusual_noise;

use whittle_profile::Side;
use whittle_testkit::Seeded;
use whittle_verdict::verify::{
    Design, FindingCost, Measured, Order, PatternCost, PlannedRuns, PrintedMetric, Run, VerificationView,
    VerifiedFinding, Word, forecast, verify,
};

const NANOS_PER_SECOND: f64 = 1e9;

/// The model of simulated runs.
#[derive(Clone, Copy)]
struct Truth {
    /// Candidate ÷ baseline.
    ratio: f64,
    /// Standard deviation of the logarithm of a run.
    noise: f64,
    /// The machine slows down by this share from the first run to the last.
    drift: f64,
    /// Runs per side.
    runs: usize,
    sequence: Sequence,
}

#[derive(Clone, Copy, PartialEq)]
enum Sequence {
    /// A B B A A B …, with pairs.
    Turns,
    /// A B B A A B …, without pair numbers.
    TurnsWithoutPairs,
    /// A A A B B B.
    OneAfterTheOther,
}

const USUAL: Truth = Truth { ratio: 1.0, noise: 0.05, drift: 0.0, runs: 5, sequence: Sequence::Turns };

impl Truth {
    fn side(&self, order: usize) -> Side {
        let is_candidate = match self.sequence {
            Sequence::OneAfterTheOther => order >= self.runs,
            _ => (order % 2 == 1) == (order / 2).is_multiple_of(2),
        };
        if is_candidate { Side::Candidate } else { Side::Baseline }
    }

    fn draw(&self, numbers: &mut Seeded) -> Vec<Run> {
        let count = 2 * self.runs;
        let run = |order: usize| {
            let side = self.side(order);
            let cost = if side == Side::Candidate { self.ratio } else { 1.0 };
            let drifted = 1.0 + self.drift * order as f64 / (count - 1) as f64;
            let nanos = (NANOS_PER_SECOND * cost * drifted * (self.noise * numbers.normal()).exp()) as u64;
            Run {
                side,
                pair: (self.sequence == Sequence::Turns).then_some((order / 2) as u32),
                order: order as u32,
                is_profiled: false,
                elapsed_ns: nanos,
                user_cpu_ns: nanos,
                system_cpu_ns: 0,
                units: Some(1000.0),
                metrics: Vec::new(),
                finding: None,
            }
        };
        (0..count).map(run).collect()
    }
}

fn verified(design: &Design, runs: &[Run]) -> VerificationView {
    verify(design, Measured { runs, functions: None, doubts: &[] })
}

/// The share of verifications that match.
fn rate(truth: Truth, count: u32, is_wanted: impl Fn(&VerificationView) -> bool) -> f64 {
    let design = Design::new("a", "b");
    let mut numbers = Seeded::new(6);
    let hits = (0..count).filter(|_| is_wanted(&verified(&design, &truth.draw(&mut numbers)))).count();
    hits as f64 / f64::from(count)
}

fn is_a_change(view: &VerificationView) -> bool {
    matches!(view.verdict.word, Word::Improved | Word::Worse)
}

#[test]
fn the_same_program_is_called_changed_in_at_most_6_percent() {
    for sequence in [Sequence::Turns, Sequence::TurnsWithoutPairs] {
        for noise in [0.01, 0.05, 0.15] {
            for runs in [2, 3, 5, 10] {
                let found =
                    rate(Truth { noise, runs, sequence, ..USUAL }, if runs == 10 { 1000 } else { 3000 }, is_a_change);
                let is_paired = sequence == Sequence::Turns;
                println!("false positives, noise {noise}, {runs} runs per side, paired {is_paired}: {found:.4}");
                assert!(found <= 0.06, "{found} at noise {noise}, {runs} runs");
            }
        }
    }
}

/// With two primary endpoints, Holm's correction limits the probability of any false alarm. The finding's samples have
/// a Poisson distribution.
#[test]
fn two_primary_endpoints_have_no_more_false_alarms_than_one() {
    let finding = VerifiedFinding { detector: "d".to_owned(), title: "t".to_owned(), calling: None, expected: None };
    let design = Design { finding: Some(finding), ..Design::new("a", "b") };
    let mut numbers = Seeded::new(7);
    let count = 3000;
    let mut found = 0;
    for _ in 0..count {
        let mut runs = USUAL.draw(&mut numbers);
        for mut run in USUAL.draw(&mut numbers) {
            let expected = 400.0 * (0.05 * numbers.normal()).exp();
            let samples = numbers.poisson(expected);
            run.is_profiled = true;
            let others = numbers.poisson(400.0);
            let pattern = Some(PatternCost { cpu_ns: (samples + others) * 1e6, samples: samples + others });
            run.finding = Some(FindingCost { cpu_ns: samples * 1e6, samples, has_calling: true, pattern });
            runs.push(run);
        }
        found += u32::from(is_a_change(&verified(&design, &runs)));
    }
    let rate = f64::from(found) / f64::from(count);
    println!("false positives with a finding: {rate:.4}");
    assert!(rate <= 0.06, "{rate}");
}

/// Little noise shows that nothing changed on the primary endpoint. Endpoints that are not primary can then be worse.
#[test]
fn many_other_endpoints_have_few_false_alarms() {
    const METRICS: [&str; 4] = ["a_us", "b_us", "c_per_second", "d_us"];
    for noise in [0.002, 0.005, 0.01, 0.02, 0.05] {
        let mut numbers = Seeded::new(9);
        let count = 3000;
        let mut found = 0;
        for _ in 0..count {
            let mut runs = Truth { noise, ..USUAL }.draw(&mut numbers);
            for run in &mut runs {
                run.elapsed_ns = (NANOS_PER_SECOND * (noise * numbers.normal()).exp()) as u64;
                let metric =
                    |name: &&str| PrintedMetric { name: (*name).to_owned(), value: (noise * numbers.normal()).exp() };
                run.metrics = METRICS.iter().map(metric).collect();
            }
            found += u32::from(is_a_change(&verified(&Design::new("a", "b"), &runs)));
        }
        let rate = f64::from(found) / f64::from(count);
        println!("false positives with five other endpoints, noise {noise}: {rate:.4}");
        assert!(rate <= 0.06, "{rate} at noise {noise}");
    }
}

#[test]
fn a_machine_that_gets_slower_fools_sides_one_after_the_other_and_not_turns() {
    let drifting = Truth { noise: 0.02, drift: 0.06, ..USUAL };
    let turns = rate(drifting, 3000, is_a_change);
    let unpaired = rate(Truth { sequence: Sequence::TurnsWithoutPairs, ..drifting }, 3000, is_a_change);
    let sequential = rate(Truth { sequence: Sequence::OneAfterTheOther, ..drifting }, 3000, is_a_change);
    println!(
        "false positives under a drift of 6 %: ABBA paired {turns:.4}, unpaired {unpaired:.4}, AAABBB {sequential:.4}"
    );
    assert!(turns <= 0.06 && unpaired <= 0.06, "{turns} {unpaired}");
    assert!(sequential > 0.3, "the drift does no harm: {sequential}");
}

/// Sequential runs never stop a build, and are never reported as verified.
#[test]
fn sides_one_after_the_other_are_never_more_than_looks_like() {
    let design = Design { order: Order::Sequential, ..Design::new("a", "b") };
    let mut numbers = Seeded::new(8);
    let truth = Truth { drift: 0.06, noise: 0.02, sequence: Sequence::OneAfterTheOther, ..USUAL };
    for _ in 0..500 {
        let view = verified(&design, &truth.draw(&mut numbers));
        assert_eq!(view.exit_status, 0);
        assert!(view.words.starts_with("looks like") || view.words == "inconclusive", "{}", view.words);
    }
}

#[test]
fn intervals_hold_the_true_ratio() {
    for sequence in [Sequence::Turns, Sequence::TurnsWithoutPairs] {
        for runs in [3, 5, 10, 20] {
            let truth = Truth { ratio: 0.8, runs, sequence, ..USUAL };
            let count = if runs > 5 { 1000 } else { 2000 };
            let held = rate(truth, count, |view| {
                let cpu = &view.endpoints[0];
                cpu.low_ratio <= Some(0.8) && cpu.high_ratio >= Some(0.8)
            });
            println!("coverage, {runs} runs per side, paired {}: {held:.4}", sequence == Sequence::Turns);
            assert!((0.93..0.98).contains(&held), "{held} with {runs} runs");
        }
    }
}

#[test]
fn changes_of_the_size_that_is_said_are_seen_with_80_percent() {
    for (runs, noise) in [(3, 0.03), (5, 0.03), (10, 0.03), (5, 0.10)] {
        // A forecast from measured noise. The runs have exactly this noise on average.
        let mut forecast = forecast(&Design::new("a", "b"), PlannedRuns { runs, primary_count: 1 }, &[]);
        if noise != forecast.noise_ratio {
            let scaled = 1.0 - (1.0 - forecast.detectable_ratio.expect("runs")).powf(noise / forecast.noise_ratio);
            forecast.detectable_ratio = Some(scaled);
        }
        let ratio = 1.0 - forecast.detectable_ratio.expect("runs");
        let seen = rate(Truth { ratio, noise, runs, ..USUAL }, 2000, |view| view.verdict.word == Word::Improved);
        println!("power at the detectable change ({ratio:.3}), {runs} runs, noise {noise}: {seen:.4}");
        assert!((0.72..0.90).contains(&seen), "{seen} with {runs} runs");
    }
}

/// "No relevant change" is reported if nothing changed. If the change is as large as the margin, "no relevant change"
/// is reported in at most 5 % of the cases.
#[test]
fn no_relevant_change_is_seldom_said_wrongly() {
    let says_none = |view: &VerificationView| view.verdict.word == Word::NoRelevantChange;
    let right = rate(Truth { noise: 0.005, ..USUAL }, 2000, says_none);
    let wrong = rate(Truth { noise: 0.005, ratio: 0.98, ..USUAL }, 2000, says_none);
    println!("no relevant change: right {right:.4}, wrong {wrong:.4}");
    assert!(right > 0.9 && wrong <= 0.06, "{right} {wrong}");
}
