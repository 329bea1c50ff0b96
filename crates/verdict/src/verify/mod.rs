//! Verification: whether the candidate is better, by how much, and with which certainty.
//!
//! Input: runs. Output: a verdict. The caller starts the programs. [`verify`] computes the answer, [`Forecast`]
//! predicts its precision before the first run.
//!
//! ```text
//! runs ──> values per unit of work ──> paired t or Welch's t of logarithms ──> interval, p
//!      ──> Holm over the endpoints, equivalence within the margin ──> words
//! functions of profiled runs ──> trend-moderated t ──> Benjamini and Hochberg ──> functions that changed
//! ```

mod design;
mod doubts;
mod endpoints;
mod evaluate;
mod finding_values;
mod fixed_run_time;
mod forecast;
mod function_runs;
mod functions;
mod markdown;
mod moved;
mod profile_runs;
mod runs;
mod test;
mod text;
mod usable_runs;
mod values;
mod view;
pub(crate) mod words;

pub use design::{
    Design, Expected, ExpectedOf, MetricDirection, Order, PrimaryEndpoint, USUAL_ALPHA_RATIO, USUAL_MARGIN_RATIO,
    VerifiedFinding,
};
pub use forecast::{ASSUMED_NOISE_RATIO, Forecast, PlannedRuns, forecast};
pub use function_runs::{FunctionRun, FunctionRuns};
pub use markdown::markdown;
pub(crate) use moved::package_of;
pub use profile_runs::function_runs;
pub use runs::{FindingCost, PatternCost, PrintedMetric, Run};
pub use view::{
    CallingMethod, Doubt, DoubtKind, EndpointKind, EndpointView, FunctionChange, FunctionsComparison, Measured, Method,
    MovedCost, RatioInterval, RunCounts, RunValue, SideFigures, Verdict, VerificationView, Word,
};
pub use whittle_profile::sides::Better;

use crate::verify::doubts::Seen;
use crate::verify::endpoints::endpoints;
use crate::verify::values::Per;
use whittle_profile::sides::Side;

/// Computes the answer from the runs.
pub fn verify(design: &Design, measured: Measured<'_>) -> VerificationView {
    let runs = measured.runs;
    let per = Per::of(design, runs);
    let endpoints = endpoints(design, runs, &per);
    let (mut views, tested): (Vec<EndpointView>, Vec<_>) = evaluate::evaluate(design, &endpoints).into_iter().unzip();
    views.iter_mut().for_each(|view| view.sentence = view.sentence(design));
    let seen = Seen { design, runs, per: &per, endpoints: &endpoints, tested: &tested };
    let verdict = evaluate::overall(&views);
    let doubts = doubts::doubts(&seen, (&views, verdict), measured.doubts);
    let mut view = VerificationView {
        view: "verification".to_owned(),
        verdict,
        words: verdict.words(),
        sentences: Vec::new(),
        exit_status: if design.order == Order::Sequential { 0 } else { verdict.exit_status() },
        design: design.clone(),
        run_counts: run_counts(runs),
        per: per.name().to_owned(),
        endpoints: views,
        functions: measured.functions.and_then(|functions| functions::functions(design, functions, &per)),
        doubts,
        runs: runs.to_vec(),
    };
    view.sentences = view.sentences();
    view
}

fn run_counts(runs: &[Run]) -> RunCounts {
    let count = |side: Side, is_profiled: bool| {
        runs.iter().filter(|run| run.side == side && run.is_profiled == is_profiled).count()
    };
    RunCounts {
        baseline: count(Side::Baseline, false),
        candidate: count(Side::Candidate, false),
        baseline_profiled: count(Side::Baseline, true),
        candidate_profiled: count(Side::Candidate, true),
    }
}
