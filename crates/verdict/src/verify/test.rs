//! The test of one endpoint: paired t, Welch's t, or one run per side with an assumed noise.

use crate::verify::values::{Endpoint, Value};
use crate::verify::{Design, Method, Order};
use whittle_profile::sides::Side;
use whittle_statistics::{
    Difference, detectable_ratio, mean_and_variance, permutation_p, sign_flip_p, smallest_permutation_p,
    smallest_sign_flip_p,
};

/// With fewer pairs, pairing loses more degrees of freedom than it gains.
pub(super) const FEWEST_PAIRS: usize = 3;
/// Assumed noise between runs if a side has only one run. The value was measured on virtual machines, and is usually
/// too large.
pub(super) const NOISE_OF_ONE_RUN: f64 = 0.05;
/// With this many degrees of freedom, Student's t is practically the normal distribution.
const NORMAL: f64 = 1e6;

/// The result of a test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tested {
    pub(super) method: Method,
    /// Difference of logarithms.
    pub(super) difference: Difference,
    pub(super) p: f64,
    /// p of the exact test. `None`: too few or too many runs.
    pub(super) exact_p: Option<f64>,
    /// The smallest p that the exact test can give with these runs.
    pub(super) smallest_exact_p: f64,
    /// Standard deviation of a run's logarithm. `None`: one run per side.
    pub(super) noise_ratio: Option<f64>,
}

/// Tests an endpoint. `None`: a side has no value.
pub(super) fn test(design: &Design, endpoint: &Endpoint) -> Option<Tested> {
    let pairs = endpoint.pairs();
    let paired = if design.order == Order::Interleaved && pairs.len() >= FEWEST_PAIRS { paired(&pairs) } else { None };
    let mut tested = paired.or_else(|| unpaired(endpoint)).or_else(|| one_run(endpoint))?;
    tested.p = tested.difference.p();
    Some(tested)
}

fn paired(pairs: &[(Value, Value)]) -> Option<Tested> {
    let differences: Vec<f64> = pairs.iter().map(|(baseline, candidate)| candidate.log - baseline.log).collect();
    let sampling: f64 = pairs.iter().map(|(a, b)| a.sampling_variance + b.sampling_variance).sum();
    let count = pairs.len() as f64;
    let noise_ratio = mean_and_variance(&differences).map(|(_, variance)| (variance / 2.0).sqrt());
    let difference = Difference::paired(&differences)?.with_least_error(sampling.sqrt() / count);
    Some(Tested {
        noise_ratio,
        exact_p: sign_flip_p(&differences),
        smallest_exact_p: smallest_sign_flip_p(pairs.len()),
        ..Tested::new(Method::PairedT, difference)
    })
}

fn unpaired(endpoint: &Endpoint) -> Option<Tested> {
    let (a, b) = (endpoint.logs(Side::Baseline), endpoint.logs(Side::Candidate));
    let difference = Difference::welch(&a, &b)?.with_least_error(sampling_error(endpoint));
    let (freedom_a, freedom_b) = (a.len() as f64 - 1.0, b.len() as f64 - 1.0);
    let (variance_a, variance_b) = (mean_and_variance(&a)?.1, mean_and_variance(&b)?.1);
    let pooled = (variance_a * freedom_a + variance_b * freedom_b) / (freedom_a + freedom_b);
    Some(Tested {
        noise_ratio: Some(pooled.sqrt()),
        exact_p: permutation_p(&a, &b),
        smallest_exact_p: smallest_permutation_p(a.len(), b.len()),
        ..Tested::new(Method::WelchT, difference)
    })
}

/// The test for a side with a single run. The noise is assumed.
fn one_run(endpoint: &Endpoint) -> Option<Tested> {
    let (a, b) = (endpoint.logs(Side::Baseline), endpoint.logs(Side::Candidate));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let variance = NOISE_OF_ONE_RUN.powi(2) * (1.0 / a.len() as f64 + 1.0 / b.len() as f64);
    let standard_error = (variance + sampling_error(endpoint).powi(2)).sqrt();
    let difference = Difference { value: mean(&b) - mean(&a), standard_error, freedom: NORMAL };
    if !(difference.value.is_finite() && standard_error.is_finite()) {
        return None;
    }
    Some(Tested::new(Method::OneRunEach, difference))
}

/// The standard error of the difference of means if sampling were the only noise.
fn sampling_error(endpoint: &Endpoint) -> f64 {
    let of = |side: Side| {
        let variances: Vec<f64> = endpoint.of(side).map(|value| value.sampling_variance).collect();
        variances.iter().sum::<f64>() / (variances.len() as f64).powi(2)
    };
    (of(Side::Baseline) + of(Side::Candidate)).sqrt()
}

impl Tested {
    fn new(method: Method, difference: Difference) -> Self {
        Self { method, difference, p: 1.0, exact_p: None, smallest_exact_p: 1.0, noise_ratio: None }
    }

    /// Candidate ÷ baseline.
    pub(super) fn ratio(&self) -> f64 {
        self.difference.value.exp()
    }

    /// The ends of the ratio's interval with this confidence.
    pub(super) fn interval(&self, confidence_ratio: f64) -> (f64, f64) {
        let (low, high) = self.difference.interval(confidence_ratio);
        (low.exp(), high.exp())
    }

    /// The smallest change that is detected at this level with 80 % probability.
    pub(super) fn detectable_ratio(&self, level: f64) -> Option<f64> {
        detectable_ratio(self.difference.standard_error, self.difference.freedom, level)
    }

    /// Whether the exact test can confirm a change at this level. If the runs are too many for this test, they need no
    /// confirmation.
    pub(super) fn can_be_confirmed(&self, level: f64) -> bool {
        self.exact_p.is_none() || self.smallest_exact_p <= level
    }

    /// Probability that a measured change is this close to zero if the true change is outside the margin.
    pub(super) fn equivalence_p(&self, margin_ratio: f64) -> f64 {
        self.difference.equivalence_p((1.0 - margin_ratio).ln(), (1.0 + margin_ratio).ln())
    }
}
