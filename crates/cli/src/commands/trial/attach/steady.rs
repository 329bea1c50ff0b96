//! From which turn on the difference between old and new code stays the same.
//!
//! When an agent first changes a class in a JVM, the JVM discards all compiled code of the program. It compiles the code again while it
//! runs, and the code that only one side needs comes later. Until then, the difference between the sides is wrong.

use whittle_statistics::mean_and_variance;
use whittle_verdict::verify::Run;

/// The two halves of the turns may differ by this much in the logarithm of their ratio of costs, which is about 20 %.
const LARGEST_SHIFT_LOG: f64 = 0.2;
/// A larger shift must also be this many times its standard error.
const ERRORS: f64 = 2.0;
/// Fewer pairs do not show a shift.
const FEWEST_PAIRS: usize = 4;
/// The block A B B A.
const BLOCK_PAIRS: usize = 2;

/// The runs without the first blocks, in which the difference was another one. `None`: it was still changing at the end. `runs` has
/// pairs of neighbours.
pub(super) fn steady(runs: &[Run]) -> Option<&[Run]> {
    let ratios: Option<Vec<f64>> = runs.chunks_exact(2).map(log_ratio).collect();
    let Some(ratios) = ratios.filter(|ratios| ratios.len() >= FEWEST_PAIRS) else { return Some(runs) };
    let starts = (0..=ratios.len() - FEWEST_PAIRS).step_by(BLOCK_PAIRS);
    let found = starts.into_iter().find(|start| !has_shift(&ratios[*start..]));
    found.map(|start| &runs[2 * start..])
}

/// The logarithm of the ratio of costs per execution in a pair. `None`: a run has no execution.
fn log_ratio(pair: &[Run]) -> Option<f64> {
    let cost = |run: &Run| run.units.filter(|units| *units > 0.0).map(|units| run.cpu_ns() / units);
    let (first, second) = (cost(pair.first()?)?, cost(pair.get(1)?)?);
    let is_reverse = pair.first()?.side == whittle_profile::Side::Candidate;
    let log = if is_reverse { (first / second).ln() } else { (second / first).ln() };
    log.is_finite().then_some(log)
}

/// Whether the first block differs from the rest, or the first half from the second half.
fn has_shift(ratios: &[f64]) -> bool {
    let (block, rest) = ratios.split_at(BLOCK_PAIRS);
    let (first, second) = ratios.split_at(ratios.len() / 2);
    // A block is too short to show the noise, so its pairs are assumed to have the noise of the rest.
    is_shift((block, rest), (rest, rest)) || is_shift((first, second), (first, second))
}

/// Whether the means differ. `noise`: the values whose variance each mean has.
fn is_shift((one, other): (&[f64], &[f64]), noise: (&[f64], &[f64])) -> bool {
    let known: Option<Vec<(f64, f64)>> = [one, other, noise.0, noise.1].into_iter().map(mean_and_variance).collect();
    let Some([(one_mean, _), (other_mean, _), (_, one_noise), (_, other_noise)]) = known.as_deref() else {
        return false;
    };
    let error = (one_noise / one.len() as f64 + other_noise / other.len() as f64).sqrt();
    let shift = (one_mean - other_mean).abs();
    shift > LARGEST_SHIFT_LOG && shift > ERRORS * error
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_profile::Side;

    /// Runs A B B A with this cost of the old code, and these ratios of the pairs.
    fn runs(ratios: &[f64]) -> Vec<Run> {
        let run = |side: Side, cpu_ns: f64, order: usize| Run {
            side,
            pair: Some((order / 2) as u32),
            order: order as u32,
            is_profiled: false,
            elapsed_ns: 1,
            user_cpu_ns: cpu_ns as u64,
            system_cpu_ns: 0,
            units: Some(10.0),
            metrics: Vec::new(),
            finding: None,
        };
        let pair = |(number, ratio): (usize, &f64)| {
            let old = run(Side::Baseline, 1e6, 2 * number);
            let new = run(Side::Candidate, 1e6 * ratio, 2 * number + 1);
            if number % 2 == 0 { [old, new] } else { [new, old] }
        };
        ratios.iter().enumerate().flat_map(pair).collect()
    }

    #[test]
    fn turns_before_the_difference_is_steady_are_left_out() {
        let left = |ratios: &[f64]| steady(&runs(ratios)).map(|runs| runs.len() / 2);
        assert_eq!(left(&[0.8, 0.81, 0.79, 0.82, 0.8, 0.78]), Some(6));
        assert_eq!(left(&[0.3, 0.31, 0.79, 0.82, 0.8, 0.78, 0.8, 0.8]), Some(6));
        assert_eq!(left(&[0.3, 0.3, 0.3, 0.4, 0.41, 0.6, 0.61, 0.8, 0.82]), None);
        assert_eq!(left(&[0.3, 0.8]), Some(2), "too few to say");
        assert_eq!(left(&[0.5, 1.1, 0.7, 0.9, 0.6, 1.2, 0.8, 0.7]), Some(8), "noise is no shift");
    }

    #[test]
    fn a_turn_without_executions_says_nothing() {
        let mut all = runs(&[0.3, 0.3, 0.8, 0.8]);
        all[0].units = Some(0.0);
        assert_eq!(steady(&all).map(<[Run]>::len), Some(8));
    }
}
