//! The change that a number of runs can detect. It is computed before the first run, and again with the noise of the
//! first runs.

use crate::verify::endpoints::endpoints;
use crate::verify::test::test;
use crate::verify::values::Per;
use crate::verify::words::{percent, runs_a_side};
use crate::verify::{Design, Order, Run};
use serde::{Deserialize, Serialize};
use whittle_statistics::{Plan, smallest_permutation_p, smallest_sign_flip_p};

/// Assumed noise from run to run before the first measurement: a machine with little other load.
pub const ASSUMED_NOISE_RATIO: f64 = 0.03;
/// A change that a user may want to detect.
const WANTED_RATIO: f64 = 0.05;
/// With more runs, the exact test has too many ways.
const MOST_EXACT_RUNS: usize = 15;

/// The change that a number of runs can detect.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Runs per side.
    pub runs: usize,
    /// Standard deviation between runs. The forecast is based on this value.
    pub noise_ratio: f64,
    /// Whether the noise was measured in the runs so far.
    pub is_measured: bool,
    /// The smallest change that is detected with 80 % probability. `None`: fewer than two runs per side.
    pub detectable_ratio: Option<f64>,
    /// A change that the user may want to detect, if it is smaller than the detectable change.
    pub wanted_ratio: f64,
    /// Runs per side that are needed to detect `wanted_ratio`. `None`: more than 1000.
    pub runs_needed: Option<usize>,
    /// Runs per side that the exact test needs to confirm a change. `None`: the runs are enough.
    pub exact_runs_needed: Option<usize>,
}

/// The plan of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRuns {
    /// Timed runs per side.
    pub runs: usize,
    /// Number of primary endpoints. Holm's correction over them makes the smallest detectable change larger.
    pub primary_count: usize,
}

/// The runs per side that the exact test needs for a p of at most `level`. `None`: too many for an exact test.
pub(super) fn runs_for_exact_test(is_paired: bool, level: f64) -> Option<usize> {
    let smallest =
        |runs: usize| if is_paired { smallest_sign_flip_p(runs) } else { smallest_permutation_p(runs, runs) };
    (1..=MOST_EXACT_RUNS).find(|runs| smallest(*runs) <= level)
}

/// The forecast for this many runs per side: first with an assumed noise, later with the noise measured so far.
pub fn forecast(design: &Design, planned: PlannedRuns, so_far: &[Run]) -> Forecast {
    let runs = planned.runs;
    let level = design.alpha_ratio / planned.primary_count.max(1) as f64;
    let measured = measured_noise(design, so_far);
    let noise_ratio = measured.unwrap_or(ASSUMED_NOISE_RATIO);
    let plan = Plan {
        noise_ratio,
        samples: f64::INFINITY,
        runs,
        is_paired: design.order == Order::Interleaved && runs >= crate::verify::test::FEWEST_PAIRS,
        alpha_ratio: level,
    };
    // Two pairs are too few for the paired test, but more runs of this design are pairs.
    let paired = Plan { is_paired: design.order == Order::Interleaved, ..plan };
    let exact_runs = runs_for_exact_test(paired.is_paired, level);
    Forecast {
        runs,
        noise_ratio,
        is_measured: measured.is_some(),
        detectable_ratio: plan.detectable_ratio(),
        wanted_ratio: WANTED_RATIO,
        runs_needed: paired.runs_for(WANTED_RATIO),
        exact_runs_needed: exact_runs.filter(|needed| *needed > runs && plan.detectable_ratio().is_some()),
    }
}

/// Noise of the first primary endpoint. `None`: fewer than two runs on a side.
fn measured_noise(design: &Design, runs: &[Run]) -> Option<f64> {
    let endpoints = endpoints(design, runs, &Per::of(design, runs));
    let primary = endpoints.iter().find(|endpoint| endpoint.is_primary)?;
    test(design, primary)?.noise_ratio.filter(|noise| noise.is_finite())
}

impl Forecast {
    /// The forecast in one or two sentences.
    pub fn words(&self) -> String {
        let exact = self
            .exact_runs_needed
            .map(|needed| format!("; a verdict without the assumption of normal noise needs {needed} runs per side"));
        self.detectable_in_words() + &exact.unwrap_or_default()
    }

    fn detectable_in_words(&self) -> String {
        let source = if self.is_measured { "as measured so far" } else { "assumed" };
        let noise = format!("{} noise between runs ({source})", percent(self.noise_ratio));
        let runs = runs_a_side(self.runs);
        let sees = match self.detectable_ratio {
            Some(ratio) => format!("{runs} detect changes of about {} or more, with {noise}", percent(ratio)),
            None => format!("{runs} cannot show a change; at least two runs per side are needed"),
        };
        let wanted = percent(self.wanted_ratio);
        match (self.detectable_ratio, self.runs_needed) {
            (Some(ratio), _) if ratio <= self.wanted_ratio => sees,
            (_, Some(needed)) => format!("{sees}; a change of {wanted} needs {needed} runs per side"),
            (_, None) => format!("{sees}; a change of {wanted} needs more than 1000 runs per side"),
        }
    }
}
