//! How far a correct measurement can be from the truth.
//!
//! A bound of a measuring test has one of four kinds. The name at the assertion shows the kind:
//!
//! | kind | at the assertion | the value comes from |
//! |---|---|---|
//! | tolerance of a measurement | `tolerance::…(…)`, a function | number of samples, sampling period and resolution of the clocks in this run |
//! | goal of whittle | `goals::GOAL_…` | the page that states the goal |
//! | property of a workload | computed in the test | the output of the program, or how the program is made |
//! | bound between two hypotheses | `hypotheses::…` | the values that the two hypotheses predict |
//!
//! One run of all measuring tests makes about 250 comparisons of samples with a known value. A correct comparison fails
//! with the probability [`FALSE_FAILURE`]. So by chance one of 40 runs has a failed comparison. `cargo xtask test`
//! repeats a failed test, and a second failure of the same comparison has again this probability. So by chance fewer
//! than one of 100 000 runs fails.

use std::time::Duration;

/// Number of comparisons of samples with a known value in one run of all measuring tests, rounded up.
const COMPARISONS: f64 = 250.0;
/// Probability that a comparison of a correct measurement fails, on both sides together.
const FALSE_FAILURE: f64 = 1e-4;
/// The quantile of the normal distribution for [`FALSE_FAILURE`]: `1 - FALSE_FAILURE / 2` of all values are below it.
const Z: f64 = 3.891;

/// Sums of the same numbers in another order differ by this ratio at most: the rounding of 64-bit numbers, many times.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The profiler in a JVM begins a new part of its recording after this time.
const RECORDING_PART_NS: f64 = 5e9;
/// For how long the profiler provides no stacks when it begins a new part and must wait for a CPU. Measured with
/// `ManyRunnable`, 16 busy threads on 2 CPUs.
const NEW_PART_NS: f64 = 1e8;

/// CPU time of a thread that ends, after the kernel has added its time to the clock of its process: the last switch to
/// another thread. Measured with `threads_short` and the count of a control group, on a busy machine: 2 to 3.4 µs. Three
/// times the mean is allowed, because whittle's own programs also execute at this switch.
const LAST_SWITCH_NS: f64 = 9e3;

/// How far a share in `samples` independent samples can be from the true share `expected`. Both are ratios from 0 to 1.
///
/// The formula is the quantile of the binomial distribution by Cornish and Fisher, in numbers of samples:
/// `z √(n p (1 - p)) + (z² - 1) |1 - 2 p| / 6 + 1`. The second summand is the skew, and the last one is one period of the
/// sampling clock, because a count of samples is a whole number.
pub(crate) fn share(expected: f64, samples: f64) -> f64 {
    assert!((0.0..=1.0).contains(&expected) && samples >= 1.0, "a share of {expected} in {samples} samples");
    let spread = Z * (samples * expected * (1.0 - expected)).sqrt();
    let skew = (Z * Z - 1.0) * (1.0 - 2.0 * expected).abs() / 6.0;
    (spread + skew + 1.0) / samples
}

/// The same for the CPU time of a thread, as a ratio of its true time `expected_ns`. The thread has a share of the
/// `all_ns` that `samples` samples represent.
pub(crate) fn time_of_share(expected_ns: f64, all_ns: f64, samples: f64) -> f64 {
    let part = (expected_ns / all_ns).min(1.0);
    share(part, samples) / part
}

/// How far a share in `samples` samples can be from the true share by chance, without the period of the clock. A share of
/// 1 cannot differ.
pub(crate) fn spread(share: f64, samples: f64) -> f64 {
    if samples > 0.0 { Z * (share * (1.0 - share) / samples).sqrt() } else { 0.0 }
}

/// The same as [`share`] if the expected share is itself an estimate from `ticks` ticks of another clock. Independent errors add up
/// as squares.
pub(crate) fn share_against_ticks(expected: f64, samples: f64, ticks: f64) -> f64 {
    share(expected, samples).hypot(share(expected, ticks))
}

/// The least ratio that a correct measurement finds in `samples` independent samples, if the true ratio is `goal`.
pub(crate) fn least(goal: f64, samples: f64) -> f64 {
    goal - share(goal, samples)
}

/// The least closure of a JVM that is collected for `duration_ns`, if the true closure is `goal`. The profiler in the JVM
/// provides no stacks while it begins a new part of its recording.
pub(crate) fn least_closure(goal: f64, samples: f64, duration_ns: f64) -> f64 {
    least(goal, samples) - (duration_ns / RECORDING_PART_NS).floor() * NEW_PART_NS / duration_ns
}

/// How many of `kinds` kinds of events are in none of `samples` samples, at most. Each kind has at least half of an equal
/// share.
///
/// A kind with the share `1 / (2 kinds)` is in no sample with the probability `e^(-samples / (2 kinds))`. The number of
/// such kinds has a Poisson distribution. The result is exceeded with the probability [`FALSE_FAILURE`].
pub(crate) fn unseen(kinds: usize, samples: f64) -> usize {
    let mean = kinds as f64 * (-samples / (2.0 * kinds as f64)).exp();
    let (mut probability, mut sum, mut count) = ((-mean).exp(), (-mean).exp(), 0);
    while sum < 1.0 - FALSE_FAILURE {
        count += 1;
        probability *= mean / count as f64;
        sum += probability;
    }
    count
}

/// How far the sampled CPU time of a thread with its own sampling clock can be from its true time, as a ratio. Such a
/// clock keeps its phase while the thread does not execute, so the error of sampling is one period. `gaps` is the ratio
/// of time that has no samples, a goal of whittle.
pub(crate) fn time(expected_ns: f64, period_ns: f64, gaps: f64) -> f64 {
    period_ns / expected_ns + gaps
}

/// How far the sampled time of a phase that occurs `phases` times can be from its true time `expected_ns`, as a ratio.
///
/// A phase of a length of `l` periods has `⌊l⌋` or `⌊l⌋ + 1` samples. The variance of this number is at most 1/4, and the
/// lengths of phases are independent of the sampling clock. So the quantile is `z √phases / 2` periods, and one more
/// period because a count of samples is a whole number.
pub(crate) fn time_of_phases(expected_ns: f64, period_ns: f64, phases: f64) -> f64 {
    (Z * phases.sqrt() / 2.0 + 1.0) * period_ns / expected_ns
}

/// How far the sampled CPU time of one process can be from its true time, as a ratio, if ticks represent all observed
/// processes. A tick's weight is the time of all processes on its CPU since the previous tick. So the weights are
/// distributed exponentially around the period, and the variance of a sum of `n` weights is `2 n` periods squared.
pub(crate) fn time_of_shared_ticks(expected_ns: f64, period_ns: f64) -> f64 {
    Z * (2.0 * period_ns / expected_ns).sqrt()
}

/// How far two readings of the same CPU time can differ, as a ratio of `expected_ns`. At the start and at the end, one
/// reading can be older than the other by the clock's resolution. For the scheduler, this is one tick (CONFIG_HZ).
pub(crate) fn readings(expected_ns: f64, resolution_ns: f64) -> f64 {
    2.0 * resolution_ns / expected_ns
}

/// How far two readings of the same CPU time can differ, as a ratio of `expected_ns`, if both count from the start of the
/// thread. A thread ends, or a reading is updated, within one `resolution_ns` after its last reading.
pub(crate) fn last_reading(expected_ns: f64, resolution_ns: f64) -> f64 {
    resolution_ns / expected_ns
}

/// How much more CPU time the scheduler can count for a process than the clock of the process, as a ratio of `all_ns`, if
/// `threads` threads of the process have ended.
pub(crate) fn ends_of_threads(all_ns: f64, threads: f64) -> f64 {
    threads * LAST_SWITCH_NS / all_ns
}

/// The largest part of a program's time `all_ns` in which it reads its clock between phases. The program measured
/// `phases_ns` in its phases. Each phase begins and ends inside a reading. At least half of a reading per round is outside
/// of all phases, so one reading per round is at most twice the time outside.
pub(crate) fn clock_reads(all_ns: f64, phases_ns: f64) -> f64 {
    2.0 * (all_ns - phases_ns) / all_ns
}

/// How far a mean size per object can be from the true size, as a ratio. One sample represents `sample_bytes`, and its
/// number of objects is rounded to a whole number, so it is wrong by half an object at most.
pub(crate) fn whole_objects(object_bytes: f64, sample_bytes: f64) -> f64 {
    0.5 * object_bytes / sample_bytes
}

/// Largest relative error of a sum of weights. Each sample was taken with a probability in proportion to 1 / weight, independently of the
/// others, so the variance of the sum is at most the sum of the squares.
pub(crate) fn weights(weights: &[f64]) -> f64 {
    let squares = weights.iter().map(|weight| weight * weight).sum::<f64>();
    Z * squares.sqrt() / weights.iter().sum::<f64>()
}

/// How far the sampled time of waits of `wait_ns` each can be from their true time, as a ratio.
///
/// A wait is sampled by an amount: up to 4 ms by its length, and each doubling of the length adds 4 ms. The weight of a
/// sample is the distances that end inside the amount, so it is wrong by one distance at most. Distances are drawn from
/// 0.5 to 1.5 times `mean_distance_ns`.
pub(crate) fn time_of_waits(wait_ns: f64, mean_distance_ns: f64) -> f64 {
    const PROPORTIONAL_NS: f64 = 4e6;
    let doublings = (wait_ns / PROPORTIONAL_NS).log2().floor();
    assert!(doublings >= 0.0, "a wait of {wait_ns} ns");
    1.5 * mean_distance_ns / (PROPORTIONAL_NS * (1.0 + doublings))
}

/// How much of a wait of `expected_ns` can be missing because the host of the machine took `stolen` from all CPUs
/// together. This time cannot be divided into executing, waiting and waking. More than a quarter is never allowed: with a
/// quarter, the right reason of the wait still has three quarters, and all other reasons have less.
pub(crate) fn taken_by_host_ns(expected_ns: f64, stolen: Duration) -> f64 {
    (0.25 * expected_ns).min(stolen.as_nanos() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probabilities of 0 to `n` hits in `n` tries.
    fn binomial(n: usize, p: f64) -> Vec<f64> {
        let mut log = n as f64 * (1.0 - p).ln();
        let mut probabilities = vec![log.exp()];
        for hits in 1..=n {
            log += ((n - hits + 1) as f64 / hits as f64).ln() + (p / (1.0 - p)).ln();
            probabilities.push(log.exp());
        }
        probabilities
    }

    fn outside(n: usize, p: f64, tolerance: f64) -> f64 {
        let is_outside = |hits: usize| (hits as f64 / n as f64 - p).abs() > tolerance;
        binomial(n, p)
            .iter()
            .enumerate()
            .filter(|(hits, _)| is_outside(*hits))
            .map(|(_, probability)| probability)
            .sum()
    }

    const TRUTHS: [f64; 7] = [0.002, 0.01, 0.05, 0.3, 0.5, 0.9, 0.998];
    const COUNTS: [usize; 5] = [20, 100, 400, 2000, 10_000];

    #[test]
    fn a_correct_share_fails_as_rarely_as_stated() {
        for p in TRUTHS {
            for n in COUNTS {
                let probability = outside(n, p, share(p, n as f64));
                assert!(probability <= FALSE_FAILURE, "{p} of {n}: {probability:e}");
            }
        }
    }

    #[test]
    fn the_tolerance_is_not_wider_than_two_samples_more_than_needed() {
        for p in TRUTHS {
            for n in COUNTS.into_iter().filter(|n| *n as f64 * p * (1.0 - p) > 10.0) {
                let narrower = 0.8 * share(p, n as f64) - 2.0 / n as f64;
                let probability = outside(n, p, narrower);
                assert!(probability > FALSE_FAILURE, "{p} of {n}: {probability:e}");
            }
        }
    }

    #[test]
    fn the_quantile_belongs_to_the_probability() {
        // The tail of the normal distribution, added up in steps of a ten-thousandth.
        let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let tail: f64 = (0..60_000).map(|step| density(Z + (f64::from(step) + 0.5) * 1e-4) * 1e-4).sum();
        assert!((2.0 * tail / FALSE_FAILURE - 1.0).abs() < 0.01, "{tail:e}");
        // A run of all tests repeats a test for 1 in 40 runs, and fails for 1 in 100 000 runs.
        const { assert!(COMPARISONS * FALSE_FAILURE <= 1.0 / 40.0) };
        const { assert!(COMPARISONS * FALSE_FAILURE * FALSE_FAILURE <= 1e-5) };
    }

    #[test]
    fn errors_of_two_clocks_add_up_as_squares_and_time_errs_by_a_period() {
        let one = share(0.3, 500.0);
        assert!((share_against_ticks(0.3, 500.0, 500.0) - one * 2.0_f64.sqrt()).abs() < 1e-12);
        assert!((time(1e9, 1e7, 0.02) - 0.03).abs() < 1e-12);
        assert!((time_of_share(5e8, 1e9, 500.0) - 2.0 * share(0.5, 500.0)).abs() < 1e-12);
    }

    #[test]
    fn a_closure_lacks_the_moments_between_two_parts_of_a_recording() {
        assert_eq!(least_closure(0.99, 400.0, 4e9), least(0.99, 400.0));
        assert!((least(0.99, 1200.0) - least_closure(0.99, 1200.0, 10e9) - 0.02).abs() < 1e-12);
    }

    #[test]
    fn kinds_without_a_sample_become_rare_with_more_samples() {
        // With 64 samples, 12 of 32 kinds have none on average: 32 / e.
        assert_eq!([64.0, 250.0, 2000.0].map(|samples| unseen(32, samples)), [26, 5, 0]);
    }

    #[test]
    fn phases_of_random_lengths_are_found_within_the_tolerance() {
        let (mut random, mut worst) = (whittle_testkit::Seeded::new(1), 0.0_f64);
        for _ in 0..500 {
            let (mut now, mut expected, mut found) = (0.0_f64, 0.0, 0.0);
            for phase in 0..200 {
                let end = now + 1.0 + 2.0 * random.uniform();
                if phase % 2 == 0 {
                    expected += end - now;
                    found += end.floor() - now.floor();
                }
                now = end;
            }
            worst = worst.max((found / expected - 1.0).abs() / time_of_phases(expected, 1.0, 100.0));
        }
        assert!((0.4..1.0).contains(&worst), "{worst}");
    }

    #[test]
    fn waits_err_by_a_distance_and_readings_by_a_tick() {
        // 700 ms are 4 ms, doubled seven times.
        assert!((time_of_waits(700e6, 1e6) - 1.5 / 32.0).abs() < 1e-12);
        assert!((readings(4e9, 4e6) - 2.0 * last_reading(4e9, 4e6)).abs() < 1e-12);
        assert!((last_reading(4e9, 4e6) - 0.001).abs() < 1e-12);
        assert!((ends_of_threads(1e9, 1000.0) - 0.009).abs() < 1e-12);
        assert!((clock_reads(1e9, 0.99e9) - 0.02).abs() < 1e-12);
        assert_eq!(taken_by_host_ns(1e9, Duration::from_secs(1)), 2.5e8);
        assert_eq!(taken_by_host_ns(1e9, Duration::from_millis(1)), 1e6);
    }
}
