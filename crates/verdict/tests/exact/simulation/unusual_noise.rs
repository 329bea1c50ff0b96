//! False alarms and power if the noise is skewed, has heavy tails, or drifts.

use super::{NANOS_PER_SECOND, Sequence, Truth, USUAL, is_a_change, verified};
use whittle_testkit::Seeded;
use whittle_verdict::verify::{Design, Order, Run, Word};

/// The noise of a run's logarithm.
#[derive(Debug, Clone, Copy)]
enum Noise {
    /// A log-normal delay: most runs are fast, a few runs are much slower.
    Skewed,
    /// Student's t with these degrees of freedom.
    HeavyTailed(u32),
    /// Normal noise, and a linear drift of 10 % from the first to the last run.
    Drift,
    /// Normal noise, and a random walk: each run starts at the speed of the run before.
    RandomWalk,
}

const SCALE: f64 = 0.03;
const ALL: [Noise; 5] = [Noise::Skewed, Noise::HeavyTailed(2), Noise::HeavyTailed(3), Noise::Drift, Noise::RandomWalk];

impl Noise {
    /// The logarithms of all runs in time order.
    fn draw(self, numbers: &mut Seeded, count: usize) -> Vec<f64> {
        let mut walk = 0.0;
        let one = |order: usize| match self {
            Self::Skewed => SCALE * numbers.normal().exp(),
            Self::HeavyTailed(freedom) => {
                let squares: f64 = (0..freedom).map(|_| numbers.normal().powi(2)).sum();
                SCALE * numbers.normal() / (squares / f64::from(freedom)).sqrt()
            }
            Self::Drift => SCALE * numbers.normal() + 0.1 * order as f64 / (count - 1) as f64,
            Self::RandomWalk => {
                walk += SCALE * numbers.normal();
                walk
            }
        };
        (0..count).map(one).collect()
    }
}

/// Runs with this noise. The candidate's cost is `truth.ratio` of the baseline's cost.
fn draw(truth: Truth, noise: Noise, numbers: &mut Seeded) -> Vec<Run> {
    let mut runs = Truth { noise: 0.0, ..truth }.draw(numbers);
    let logs = noise.draw(numbers, runs.len());
    for (run, log) in runs.iter_mut().zip(logs) {
        let nanos = NANOS_PER_SECOND.ln() + (run.user_cpu_ns as f64 / NANOS_PER_SECOND).ln() + log;
        run.user_cpu_ns = nanos.exp() as u64;
        run.elapsed_ns = run.user_cpu_ns;
    }
    runs
}

fn rate(truth: Truth, noise: Noise, is_wanted: impl Fn(&whittle_verdict::verify::VerificationView) -> bool) -> f64 {
    const COUNT: u32 = 3000;
    let design = Design { order: Order::Interleaved, ..Design::new("a", "b") };
    let mut numbers = Seeded::new(10);
    let hits = (0..COUNT).filter(|_| is_wanted(&verified(&design, &draw(truth, noise, &mut numbers)))).count();
    hits as f64 / f64::from(COUNT)
}

#[test]
fn unusual_noise_has_at_most_5_percent_false_alarms() {
    for noise in ALL {
        for sequence in [Sequence::Turns, Sequence::TurnsWithoutPairs] {
            for runs in [3, 5, 8] {
                let found = rate(Truth { runs, sequence, ..USUAL }, noise, is_a_change);
                let is_paired = sequence == Sequence::Turns;
                println!("false positives, {noise:?}, {runs} runs per side, paired {is_paired}: {found:.4}");
                assert!(found <= 0.05, "{found}: {noise:?}, {runs} runs, paired {is_paired}");
            }
        }
    }
}

/// A change of 20 % is still detected in most verifications.
#[test]
fn large_changes_are_seen_under_unusual_noise() {
    for noise in ALL {
        let seen = rate(Truth { ratio: 0.8, runs: 8, ..USUAL }, noise, |view| view.verdict.word == Word::Improved);
        println!("power for -20 %, {noise:?}, 8 runs per side: {seen:.4}");
        assert!(seen >= 0.6, "{seen}: {noise:?}");
    }
}
