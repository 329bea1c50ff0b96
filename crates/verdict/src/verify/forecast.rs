//! What a number of runs can see, said before the first of them, and again with the noise of the first ones.

use super::design::{Design, Order};
use super::runs::Run;
use super::test::test;
use super::values::{Per, endpoints};
use super::words::{percent, runs_a_side};
use crate::stats::Plan;
use serde::{Deserialize, Serialize};

/// Noise from run to run that is assumed before anything was measured: a machine with little else to do.
pub const ASSUMED_NOISE_RATIO: f64 = 0.03;
/// A change that one may want to see.
const WANTED_RATIO: f64 = 0.05;

/// What a number of runs can see.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Runs a side.
    pub runs: usize,
    /// Standard deviation from run to run that this is for.
    pub noise_ratio: f64,
    /// Whether that was measured, in the runs so far.
    pub is_measured: bool,
    /// The smallest change that is seen with 80 % probability. Missing: fewer than two runs a side.
    pub detectable_ratio: Option<f64>,
    /// A smaller change that one may want to see.
    pub wanted_ratio: f64,
    /// Runs a side that would see it. Missing: more than 1000.
    pub runs_needed: Option<usize>,
}

/// What can be seen by this many runs a side: before anything ran with an assumed noise, later with what was measured so far.
pub fn forecast(design: &Design, runs: usize, so_far: &[Run]) -> Forecast {
    let measured = measured_noise(design, so_far);
    let noise_ratio = measured.unwrap_or(ASSUMED_NOISE_RATIO);
    let plan = Plan {
        noise_ratio,
        samples: f64::INFINITY,
        runs,
        is_paired: design.order == Order::Interleaved && runs >= super::test::FEWEST_PAIRS,
        alpha_ratio: design.alpha_ratio,
    };
    let paired = Plan { is_paired: design.order == Order::Interleaved, ..plan };
    Forecast {
        runs,
        noise_ratio,
        is_measured: measured.is_some(),
        detectable_ratio: plan.detectable_ratio(),
        wanted_ratio: WANTED_RATIO,
        runs_needed: paired.runs_for(WANTED_RATIO),
    }
}

/// Noise of the first primary endpoint. Missing: fewer than two runs of a side.
fn measured_noise(design: &Design, runs: &[Run]) -> Option<f64> {
    let endpoints = endpoints(design, runs, &Per::of(design, runs));
    let primary = endpoints.iter().find(|endpoint| endpoint.is_primary)?;
    test(design, primary)?.noise_ratio.filter(|noise| noise.is_finite())
}

impl Forecast {
    /// In one or two sentences.
    pub fn words(&self) -> String {
        let source = if self.is_measured { "as measured so far" } else { "assumed" };
        let noise = format!("{} from run to run ({source})", percent(self.noise_ratio));
        let runs = runs_a_side(self.runs);
        let sees = match self.detectable_ratio {
            Some(ratio) => format!("{runs} can see changes from about {} on, at {noise}", percent(ratio)),
            None => format!("{runs} cannot show a change; two are the least, at {noise}"),
        };
        let wanted = percent(self.wanted_ratio);
        match (self.detectable_ratio, self.runs_needed) {
            (Some(ratio), _) if ratio <= self.wanted_ratio => sees,
            (_, Some(needed)) => format!("{sees}; {wanted} would need {needed} runs a side"),
            (_, None) => format!("{sees}; {wanted} would need more than 1000 runs a side"),
        }
    }
}
