//! Decides verdicts from tests: a word for each endpoint, then a word for all primary endpoints.

use crate::verify::test::{Tested, test};
use crate::verify::values::{Endpoint, Value};
use crate::verify::{
    Design, EndpointKind, EndpointView, Method, Order, RunValue, SideFigures, Verdict, VerificationView, Word,
};
use whittle_profile::sides::{Better, Side};
use whittle_statistics::{holm, median};

/// Tests every endpoint. Returns each endpoint's view, still without the sentence, and its test.
pub(super) fn evaluate(design: &Design, endpoints: &[Endpoint]) -> Vec<(EndpointView, Option<Tested>)> {
    let tested: Vec<Option<Tested>> = endpoints.iter().map(|endpoint| test(design, endpoint)).collect();
    let adjusted = adjusted(endpoints, &tested);
    let all = endpoints.iter().zip(tested).zip(adjusted);
    all.map(|((endpoint, tested), adjusted)| (view(design, endpoint, tested, adjusted), tested)).collect()
}

/// p of the primary endpoints after Holm's correction. `None` for other endpoints.
fn adjusted(endpoints: &[Endpoint], tested: &[Option<Tested>]) -> Vec<Option<f64>> {
    let is_in = |index: &usize| endpoints[*index].is_primary && tested[*index].is_some();
    let primary: Vec<usize> = (0..endpoints.len()).filter(is_in).collect();
    let ps: Vec<f64> = primary.iter().filter_map(|index| tested[*index].map(|tested| tested.p)).collect();
    let mut adjusted = vec![None; endpoints.len()];
    for (index, p) in primary.into_iter().zip(holm(&ps)) {
        adjusted[index] = Some(p);
    }
    adjusted
}

fn view(design: &Design, endpoint: &Endpoint, tested: Option<Tested>, adjusted_p: Option<f64>) -> EndpointView {
    let ratios = tested.map(|tested| tested.ratios());
    EndpointView {
        kind: endpoint.kind,
        name: endpoint.name.clone(),
        unit: (endpoint.kind != EndpointKind::Metric).then(|| "ns".to_owned()),
        is_primary: endpoint.is_primary,
        better: endpoint.better,
        baseline: figures(endpoint, Side::Baseline),
        candidate: figures(endpoint, Side::Candidate),
        method: tested.map(|tested| tested.method),
        ratio: ratios.and_then(|ratios| finite(ratios.0)),
        low_ratio: ratios.and_then(|ratios| finite(ratios.1)),
        high_ratio: ratios.and_then(|ratios| finite(ratios.2)),
        p: tested.and_then(|tested| finite(tested.p)),
        adjusted_p,
        exact_p: tested.and_then(|tested| tested.exact_p),
        equivalence_p: tested.and_then(|tested| finite(tested.equivalence_p(design.margin_ratio))),
        noise_ratio: tested.and_then(|tested| tested.noise_ratio).and_then(finite),
        detectable_ratio: tested.and_then(|tested| tested.detectable_ratio),
        verdict: verdict(design, endpoint, tested, adjusted_p),
        sentence: String::new(),
    }
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
    let word = if endpoint.kind == EndpointKind::Metric && endpoint.missing_count > 0 {
        // Zero or missing values have no logarithm, and an answer from the remaining runs would be misleading.
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

/// The verdict on the primary endpoints: improved if one endpoint improved and no endpoint is worse. A verified result
/// takes precedence over a "looks like" result. The finding is a part of the first endpoint. If this endpoint shows no
/// relevant change, the finding's cost moved or is too small to matter.
pub(super) fn overall(endpoints: &[EndpointView]) -> Verdict {
    let primary = || endpoints.iter().filter(|endpoint| endpoint.is_primary).map(|endpoint| endpoint.verdict);
    let none = Verdict { word: Word::Inconclusive, is_looks_like: false };
    let first = primary().next().unwrap_or(none);
    if first == (Verdict { word: Word::NoRelevantChange, is_looks_like: false }) {
        return first;
    }
    for is_looks_like in [false, true] {
        for word in [Word::Worse, Word::Improved, Word::Changed] {
            let wanted = Verdict { word, is_looks_like };
            if primary().any(|verdict| verdict == wanted) {
                return wanted;
            }
        }
    }
    first
}

impl VerificationView {
    /// The primary endpoints.
    pub fn primary(&self) -> impl Iterator<Item = &EndpointView> {
        self.endpoints.iter().filter(|endpoint| endpoint.is_primary)
    }
}
