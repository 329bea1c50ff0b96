//! Decides verdicts from tests: a word for each endpoint, then a word for all primary endpoints.

use crate::verify::test::{Tested, test};
use crate::verify::values::{Endpoint, Value};
use crate::verify::view::USUAL_INTERVAL_RATIO;
use crate::verify::{
    CallingMethod, Design, EndpointKind, EndpointView, Method, Order, RatioInterval, RunValue, SideFigures, Verdict,
    VerificationView, Word,
};
use whittle_profile::sides::{Better, Side};
use whittle_statistics::{holm, median};

/// Tests every endpoint. Returns each endpoint's view, still without the sentence, and its test.
pub(super) fn evaluate(design: &Design, endpoints: &[Endpoint]) -> Vec<(EndpointView, Option<Tested>)> {
    let tested: Vec<Option<Tested>> = endpoints.iter().map(|endpoint| test(design, endpoint)).collect();
    let adjusted = adjusted(endpoints, &tested);
    let all = endpoints.iter().zip(tested.clone()).zip(adjusted);
    let view = |((endpoint, tested_one), adjusted_p): ((&Endpoint, Option<Tested>), Option<f64>)| {
        let level = level(design, endpoints, &tested, endpoint.is_primary);
        (view(design, endpoint, tested_one, Corrected { adjusted_p, level }), tested_one)
    };
    all.map(view).collect()
}

/// Holm's correction for one endpoint.
struct Corrected {
    adjusted_p: Option<f64>,
    /// p below this level is always a change. If the other endpoints also changed, a larger p can be enough.
    level: f64,
}

/// The level of an endpoint in the first step of Holm's correction: the error divided by the number of endpoints that are
/// tested together.
pub(super) fn level(design: &Design, endpoints: &[Endpoint], tested: &[Option<Tested>], is_primary: bool) -> f64 {
    let together = endpoints
        .iter()
        .zip(tested)
        .filter(|(endpoint, tested)| tested.is_some() && (endpoint.is_primary || !is_primary));
    design.alpha_ratio / together.count().max(1) as f64
}

/// p after Holm's correction. Primary endpoints are corrected for the number of primary endpoints. Other endpoints were
/// not chosen before the runs, so they are corrected for the number of all endpoints.
fn adjusted(endpoints: &[Endpoint], tested: &[Option<Tested>]) -> Vec<Option<f64>> {
    let all = corrected(tested, |_| true);
    let primary = corrected(tested, |index| endpoints[index].is_primary);
    let choose = |(index, endpoint): (usize, &Endpoint)| if endpoint.is_primary { primary[index] } else { all[index] };
    endpoints.iter().enumerate().map(choose).collect()
}

/// Holm's correction over the chosen endpoints. `None`: not chosen, or not tested.
fn corrected(tested: &[Option<Tested>], is_chosen: impl Fn(usize) -> bool) -> Vec<Option<f64>> {
    let chosen = tested.iter().enumerate().filter(|(index, _)| is_chosen(*index));
    let (indexes, ps): (Vec<usize>, Vec<f64>) =
        chosen.filter_map(|(index, tested)| tested.map(|tested| (index, tested.p))).unzip();
    let mut adjusted = vec![None; tested.len()];
    for (index, p) in indexes.into_iter().zip(holm(&ps)) {
        adjusted[index] = Some(p);
    }
    adjusted
}

fn view(design: &Design, endpoint: &Endpoint, tested: Option<Tested>, corrected: Corrected) -> EndpointView {
    let Corrected { adjusted_p, level } = corrected;
    let ends = tested.map(|tested| tested.interval(USUAL_INTERVAL_RATIO));
    EndpointView {
        kind: endpoint.kind,
        name: endpoint.name.clone(),
        unit: (endpoint.kind != EndpointKind::Metric).then(|| "ns".to_owned()),
        is_primary: endpoint.is_primary,
        better: endpoint.better,
        baseline: figures(endpoint, Side::Baseline),
        candidate: figures(endpoint, Side::Candidate),
        method: tested.map(|tested| tested.method),
        ratio: tested.and_then(|tested| finite(tested.ratio())),
        low_ratio: ends.and_then(|ends| finite(ends.0)),
        high_ratio: ends.and_then(|ends| finite(ends.1)),
        p: tested.and_then(|tested| finite(tested.p)),
        adjusted_p,
        exact_p: tested.and_then(|tested| tested.exact_p),
        smallest_exact_p: tested.filter(|tested| tested.exact_p.is_some()).map(|tested| tested.smallest_exact_p),
        equivalence_p: tested.and_then(|tested| finite(tested.equivalence_p(design.margin_ratio))),
        equivalence_interval: tested.and_then(|tested| equivalence_interval(tested, design.alpha_ratio)),
        noise_ratio: tested.and_then(|tested| tested.noise_ratio).and_then(finite),
        detectable_ratio: tested.and_then(|tested| tested.detectable_ratio(level)),
        missing_count: endpoint.missing_count,
        calling: endpoint.calling,
        verdict: verdict(design, endpoint, tested, adjusted_p),
        sentence: String::new(),
    }
}

/// The interval that is within the margin exactly if the test of equivalence proves "no relevant change".
fn equivalence_interval(tested: Tested, alpha_ratio: f64) -> Option<RatioInterval> {
    let confidence_ratio = 1.0 - 2.0 * alpha_ratio;
    let (low, high) = tested.interval(confidence_ratio);
    Some(RatioInterval { confidence_ratio, low_ratio: finite(low)?, high_ratio: finite(high)? })
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

/// One side's mean, median and values. The mean is geometric, because verdicts use ratios. If a value is 0, the mean is
/// arithmetic.
fn figures(endpoint: &Endpoint, side: Side) -> SideFigures {
    let values: Vec<&Value> = endpoint.of(side).collect();
    let raw: Vec<f64> = values.iter().map(|value| value.value).collect();
    let count = raw.len() as f64;
    let geometric = (raw.iter().map(|value| value.ln()).sum::<f64>() / count).exp();
    let mean = if raw.contains(&0.0) { raw.iter().sum::<f64>() / count } else { geometric };
    let values = values.iter().map(|value| RunValue { run: value.run, value: value.value }).collect();
    SideFigures { mean: finite(mean), median: median(&raw), values }
}

fn verdict(design: &Design, endpoint: &Endpoint, tested: Option<Tested>, adjusted_p: Option<f64>) -> Verdict {
    let Some(tested) = tested else { return Verdict { word: Word::Inconclusive, is_looks_like: false } };
    let is_looks_like = design.order == Order::Sequential || tested.method == Method::OneRunEach;
    let word = if endpoint.kind.needs_all_runs() && endpoint.missing_count > 0 {
        // An answer from the remaining runs would mislead: zero has no logarithm, and a program can print its units of
        // work only in fast runs.
        Word::Inconclusive
    } else if endpoint.calling == Some(CallingMethod::Gone) {
        // The cost of a method with another name is unknown.
        Word::Inconclusive
    } else if tested.equivalence_p(design.margin_ratio) < design.alpha_ratio {
        Word::NoRelevantChange
    } else if adjusted_p.unwrap_or(tested.p) < design.alpha_ratio {
        direction(endpoint.better, tested.difference.value < 0.0)
    } else {
        Word::Inconclusive
    };
    Verdict { word, is_looks_like }
}

fn direction(better: Better, is_smaller: bool) -> Word {
    match better {
        Better::Unknown => Word::Changed,
        Better::Smaller if is_smaller => Word::Improved,
        Better::Larger if !is_smaller => Word::Improved,
        _ => Word::Worse,
    }
}

/// The verdict on the program. A verified result takes precedence over a "looks like" result. This also applies to a
/// verified result without a change, because "looks like" has exit status 0 and would hide an inconclusive program.
///
/// The first primary endpoint is about the whole program. Only this endpoint can show that the program improved. The
/// finding's cost is a part of the program, so a smaller cost alone is not an improvement: the cost can move to other
/// code, and the finding's method can get another name. A larger cost of the finding is worse. If the program's endpoint
/// shows no relevant change, any endpoint that is worse decides.
pub(super) fn overall(endpoints: &[EndpointView]) -> Verdict {
    let primary = || endpoints.iter().filter(|endpoint| endpoint.is_primary);
    let program =
        primary().next().map_or(Verdict { word: Word::Inconclusive, is_looks_like: false }, |first| first.verdict);
    let is_equal = program.word == Word::NoRelevantChange;
    let worse = |is_looks_like| {
        let worse = Verdict { word: Word::Worse, is_looks_like };
        let is_found = |endpoint: &EndpointView| (endpoint.is_primary || is_equal) && endpoint.verdict == worse;
        endpoints.iter().any(is_found).then_some(worse)
    };
    let may_be_worse = || worse(true).filter(|_| program.is_looks_like);
    worse(false).or_else(may_be_worse).unwrap_or(program)
}

impl VerificationView {
    /// The endpoint with the verdict on the program. `None`: there are no endpoints.
    pub(super) fn deciding(&self) -> Option<&EndpointView> {
        let others = self.endpoints.iter().filter(|endpoint| !endpoint.is_primary);
        self.primary().chain(others).find(|endpoint| endpoint.verdict == self.verdict)
    }

    /// The primary endpoints.
    pub fn primary(&self) -> impl Iterator<Item = &EndpointView> {
        self.endpoints.iter().filter(|endpoint| endpoint.is_primary)
    }
}
