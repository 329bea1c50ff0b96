//! How far a correct measurement can be from the truth. All tolerances of the measuring tests come from this module.
//!
//! A tolerance is derived from the number of samples and from the period of the clock. One run of all measuring tests
//! makes about 250 comparisons of samples with a known value. A correct comparison fails with the probability
//! [`FALSE_FAILURE`]. So by chance one of 40 runs has a failed comparison. `cargo xtask test` repeats a failed test, and
//! a second failure of the same comparison has again this probability. So by chance fewer than one of 100 000 runs
//! fails.
//!
//! The constants are about other differences than sampling, and their names say which. Their values are chosen.

/// Number of comparisons of samples with a known value in one run of all measuring tests, rounded up.
const COMPARISONS: f64 = 250.0;
/// Probability that a comparison of a correct measurement fails, on both sides together.
const FALSE_FAILURE: f64 = 1e-4;
/// The quantile of the normal distribution for [`FALSE_FAILURE`]: `1 - FALSE_FAILURE / 2` of all values are below it.
const Z: f64 = 3.891;

/// A program reads its clock between its phases. The read takes this share of the shortest phase at most.
pub(crate) const PHASE_CLOCK_READ: f64 = 0.01;
/// A thread of the JVM uses CPU time before its first and after its last reading of its own clock, and in whittle's
/// signal handler.
pub(crate) const THREAD_OUTSIDE_ITS_CLOCK: f64 = 0.02;
/// Samples that the profiler in the JVM does not write: the start of the JVM, and signals that find the profiler busy.
pub(crate) const PROFILER_GAPS: f64 = 0.06;
/// The same for the 1 ms interval, for which the handler is a larger part of the run, and for stacks of 5000 frames.
pub(crate) const PROFILER_GAPS_OF_DENSE_SAMPLES: f64 = 0.10;
/// The goal of the engine `kernel`: samples explain all CPU time but this ratio.
pub(crate) const CLOSURE_GOAL: f64 = 0.01;
/// A native program calls its clock once per task, and its loader runs before `main`.
pub(crate) const LOADER_AND_CLOCK_CALLS: f64 = 0.03;
/// The scheduler wakes a thread later than the wait ended. The program counts this time as a wait, whittle does not.
pub(crate) const WAKE_UP_DELAY: f64 = 0.02;
/// The goal for the time of a thread that waits for one purpose. The thread also waits a little for others, such as a lock
/// of the thread that ends the wait.
pub(crate) const MEANING: f64 = 0.03;
/// A collection of 2 s attaches and detaches while the program waits. This time is in the experiment's duration only.
pub(crate) const ATTACH_TIME: f64 = 0.05;
/// The same for a single open wait, which is also cut at the first time that whittle reads the thread's state.
pub(crate) const ATTACH_TIME_OF_OPEN_WAIT: f64 = 0.10;

/// The weights of waits are distances between samples. Their sum can differ from the time of two stops by a distance.
pub(crate) const DISTANCE_OF_STOPS: f64 = 0.10;
/// The time of two callers' equal system calls differs by this share at most.
pub(crate) const COST_PER_CALL: f64 = 0.03;
/// Clocks of a process and of its threads are read at different moments.
pub(crate) const TWO_READINGS: f64 = 0.03;
/// In a collection of a few seconds, samples lack this share of the CPU time at most: the time of attaching, and signals
/// that the profiler does not answer.
pub(crate) const GAPS_OF_SHORT_RUNS: f64 = 0.05;
/// The same for a collection of 4 s of a JVM that is at rest when whittle attaches.
pub(crate) const GAPS_OF_ATTACHED_RUNS: f64 = 0.03;
/// Threads of the JVM use this share of a Java program's CPU time at most: the JIT compiler while it starts.
pub(crate) const THREADS_OF_JVM: f64 = 0.20;
/// The JVM makes this share of a Java program's system calls at most.
pub(crate) const CALLS_OF_JVM: f64 = 0.10;
/// One of five signals is not sent on purpose, and the profiler does not answer others: at least and at most this share
/// is missing.
pub(crate) const LOST_ON_PURPOSE: std::ops::Range<f64> = 0.12..0.40;
/// Share of the calls that may have another caller's stack if signals are lost. The goal is none.
pub(crate) const WRONG_CALLER: f64 = 0.01;
/// Unanswered calls have no caller, so callers have at least and at most this share of the program's own count.
pub(crate) const KNOWN_CALLERS: std::ops::Range<f64> = 0.80..1.05;
/// Some calls of a caller write fewer bytes, such as the first and the last one.
pub(crate) const BYTES_PER_CALL: f64 = 0.01;

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

/// How far the sampled CPU time of a thread with its own sampling clock can be from its true time, as a ratio. Such a
/// clock keeps its phase while the thread does not execute, so the error of sampling is one period. `gaps` is the ratio
/// of time that cannot be sampled, one of the constants above.
pub(crate) fn time(expected_ns: f64, period_ns: f64, gaps: f64) -> f64 {
    period_ns / expected_ns + gaps
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
    }
}
