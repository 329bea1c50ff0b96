//! Warnings that weaken an answer: too few runs, drift, disturbed runs, missing units.

use crate::verify::evaluate::level;
use crate::verify::fixed_run_time::fixed_run_time;
use crate::verify::forecast::runs_for_exact_test;
use crate::verify::test::{NOISE_OF_ONE_RUN, Tested};
use crate::verify::values::{Endpoint, Per, timed};
use crate::verify::words::{count, percent};
use crate::verify::{
    CallingMethod, Design, Doubt, DoubtKind, EndpointKind, EndpointView, Method, Order, Run, Verdict, Word,
};
use whittle_profile::sides::Side;
use whittle_statistics::{LineFit, median};

/// With fewer runs per side, only large changes are detectable.
const FEW_RUNS: usize = 3;
/// A smaller drift does not change a verdict and is not reported.
const SMALLEST_DRIFT: f64 = 0.01;
/// A larger variation causes a warning. With this variation, 5 runs can only detect changes of 20 % or more.
const LARGE_NOISE: f64 = 0.10;
/// An outlier is at least this many spreads away from its side's median (F. R. Hampel, JASA 69, 1974, uses 3.5 for
/// larger sets).
const OUTLIER_SPREADS: f64 = 5.0;
/// The logarithm of an outlier must also differ from the median's by at least this much. If a few runs agree by chance,
/// the spread is too small.
const OUTLIER_LOG: f64 = 0.10;
/// Factor from the median of absolute differences to a standard deviation, for normal values.
const SPREAD_OF_MEDIAN: f64 = 1.4826;
/// With fewer samples per run, the cost is uncertain.
const FEW_SAMPLES: f64 = 100.0;

/// The input of all warnings.
pub(super) struct Seen<'a> {
    pub(super) design: &'a Design,
    pub(super) runs: &'a [Run],
    pub(super) per: &'a Per,
    pub(super) endpoints: &'a [Endpoint],
    pub(super) tested: &'a [Option<Tested>],
}

/// All warnings, including the caller's warnings, the most severe first.
pub(super) fn doubts(seen: &Seen<'_>, answer: (&[EndpointView], Verdict), handed_in: &[Doubt]) -> Vec<Doubt> {
    let mut all = handed_in.to_vec();
    let mut put = |kind: DoubtKind, text: Option<String>| all.extend(text.map(|text| Doubt { kind, text }));
    worse_elsewhere(answer).into_iter().for_each(|text| put(DoubtKind::WorseElsewhere, Some(text)));
    put(DoubtKind::FixedRunTime, fixed_run_time(seen.runs, seen.per));
    put(DoubtKind::Sequential, sequential(seen.design));
    put(DoubtKind::UnitsMissing, units(seen));
    put(DoubtKind::Profiled, profiled(seen.runs));
    let level = level(seen.design, seen.endpoints, seen.tested, true);
    for ((endpoint, tested), view) in seen.endpoints.iter().zip(seen.tested).zip(answer.0) {
        put(DoubtKind::ValueMissing, missing(endpoint));
        if endpoint.is_primary {
            put(DoubtKind::TooFewRuns, too_few(endpoint, *tested));
            put(DoubtKind::Noise, noise(seen.design, endpoint, *tested));
            put(DoubtKind::TestsDisagree, disagreement(view, *tested, level));
            put(DoubtKind::ExactTestTooWeak, too_weak(seen.design, (endpoint, view), *tested, level));
            put(DoubtKind::FewSamples, few_samples(endpoint));
            put(DoubtKind::CallingMethod, calling_method(seen.design, endpoint));
            put(DoubtKind::Drift, drift(endpoint));
            outliers(endpoint).into_iter().for_each(|text| put(DoubtKind::Outlier, Some(text)));
        }
    }
    all.sort_by_key(|doubt| doubt.kind);
    all
}

/// Warns about endpoints that are worse although the verdict on the program is another word.
fn worse_elsewhere((endpoints, verdict): (&[EndpointView], Verdict)) -> Vec<String> {
    let Some(first) = endpoints.first().filter(|_| verdict.word != Word::Worse) else { return Vec::new() };
    let worse = endpoints.iter().filter(|endpoint| endpoint.verdict.word == Word::Worse);
    let text = |endpoint: &EndpointView| {
        let (change, words) = (endpoint.change_in_words().unwrap_or_default(), endpoint.verdict.words());
        format!("{}: {words}, {change}; the verdict is only about another endpoint: {}", endpoint.name, first.name)
    };
    worse.map(text).collect()
}

fn sequential(design: &Design) -> Option<String> {
    (design.order == Order::Sequential).then(|| {
        "all runs of one side were before the runs of the other side, so a change of the machine looks like a \
         change of the program"
            .to_owned()
    })
}

fn units(seen: &Seen<'_>) -> Option<String> {
    let unknown = seen.runs.iter().filter(|run| Per::Unit(String::new()).divisor(run.units).is_none()).count();
    match seen.per {
        Per::Run if unknown == seen.runs.len() => Some(
            "units of work are unknown, so costs are per run, and a run that does less work looks better \
                (--metric or --unit-count)"
                .to_owned(),
        ),
        Per::Run => Some(format!("units of work are missing in {}, so costs are per run", count(unknown, "run"))),
        Per::Unit(_) if unknown > 0 => {
            Some(format!("{} without units of work {} left out", count(unknown, "run"), was(unknown)))
        }
        Per::Unit(_) => None,
    }
}

fn profiled(runs: &[Run]) -> Option<String> {
    let timed = timed(runs);
    (!timed.is_empty() && timed.iter().all(|run| runs[*run].is_profiled))
        .then(|| "all runs were profiled, so times include the profiler's overhead".to_owned())
}

fn missing(endpoint: &Endpoint) -> Option<String> {
    let (name, missing) = (&endpoint.name, endpoint.missing_count);
    if endpoint.values.is_empty() && (endpoint.is_primary || missing > 0) {
        return Some(format!("{name}: no run has a value above 0"));
    }
    (missing > 0)
        .then(|| format!("{name}: {} without a value above 0 {} left out", count(missing, "run"), was(missing)))
}

fn too_few(endpoint: &Endpoint, tested: Option<Tested>) -> Option<String> {
    let fewest = Side::BOTH.iter().map(|side| endpoint.of(*side).count()).min().unwrap_or_default();
    let name = &endpoint.name;
    match tested.map(|tested| tested.method) {
        None => Some(format!("{name}: one side has no run")),
        Some(Method::OneRunEach) => Some(format!(
            "{name}: a single run does not show the noise between runs, so {} is assumed",
            percent(NOISE_OF_ONE_RUN)
        )),
        Some(_) if fewest < FEW_RUNS => Some(format!("{name}: {fewest} runs per side detect only large changes")),
        Some(_) => None,
    }
}

/// Warns if the noise hides a change. A change larger than the noise needs no warning.
fn noise(design: &Design, endpoint: &Endpoint, tested: Option<Tested>) -> Option<String> {
    let tested = tested.filter(|tested| tested.p >= design.alpha_ratio)?;
    let noise = tested.noise_ratio.filter(|noise| *noise > LARGE_NOISE)?;
    Some(format!("{}: the runs of a side vary by {} (standard deviation)", endpoint.name, percent(noise)))
}

/// Warns if the exact test could confirm the change, but does not.
fn disagreement(endpoint: &EndpointView, tested: Option<Tested>, level: f64) -> Option<String> {
    let tested = tested.filter(|tested| endpoint.verdict.is_a_change() && tested.smallest_exact_p <= level)?;
    let exact_p = tested.exact_p.filter(|p| *p > level)?;
    Some(format!(
        "{}: the change may be due to chance if the variation is not normal (exact test, {})",
        endpoint.name,
        percent(exact_p)
    ))
}

/// Warns if the exact test cannot confirm any change with so few runs.
fn too_weak(
    design: &Design,
    (endpoint, view): (&Endpoint, &EndpointView),
    tested: Option<Tested>,
    level: f64,
) -> Option<String> {
    let tested = tested.filter(|tested| view.verdict.is_a_change() && !tested.can_be_confirmed(level))?;
    // Two pairs are too few for the paired test, but more runs of this design are pairs.
    let is_paired = design.order == Order::Interleaved && !endpoint.pairs().is_empty();
    let needed = runs_for_exact_test(is_paired, level)?;
    let runs = if endpoint.kind == EndpointKind::Finding { "profiled runs" } else { "runs" };
    Some(format!(
        "{}: the verdict assumes normal noise. The exact test without this assumption needs at least {needed} {runs} per \
         side (p: at most {}; possible with these runs: at least {})",
        endpoint.name,
        percent(level),
        percent(tested.smallest_exact_p)
    ))
}

/// Warns if the finding's calling method lost its cost without a fix, or if this cannot be excluded.
fn calling_method(design: &Design, endpoint: &Endpoint) -> Option<String> {
    let calling = design.finding.as_ref()?.calling.as_deref().unwrap_or("the calling method of the finding");
    match endpoint.calling? {
        CallingMethod::Present => None,
        CallingMethod::Moved => Some(format!(
            "the finding's cost moved between {calling} and other callers, for example because the change renamed, moved, \
             split or inlined a method: the endpoint contains the cost of the pattern below any caller"
        )),
        CallingMethod::Gone => Some(format!(
            "no stack of the candidate has {calling}, the calling method of the finding, and no other caller has the cost of \
             the pattern. If the change renamed the method or functions of the pattern, add --rename OLD=NEW"
        )),
    }
}

fn few_samples(endpoint: &Endpoint) -> Option<String> {
    let samples: Vec<f64> = endpoint.of(Side::Baseline).filter_map(|value| value.samples).collect();
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    (endpoint.kind == EndpointKind::Finding && mean < FEW_SAMPLES).then(|| {
        format!(
            "the finding has only {mean:.0} samples per baseline run: collect for longer, or with a shorter interval"
        )
    })
}

/// Warns about a significant trend over time within both sides.
fn drift(endpoint: &Endpoint) -> Option<String> {
    let mean = |side: Side, of: fn(&crate::verify::values::Value) -> f64| {
        endpoint.of(side).map(of).sum::<f64>() / endpoint.of(side).count() as f64
    };
    let point = |value: &crate::verify::values::Value| {
        let (order, log) = (mean(value.side, |it| f64::from(it.order)), mean(value.side, |it| it.log));
        (f64::from(value.order) - order, value.log - log)
    };
    let fit = LineFit::new(&endpoint.values.iter().map(point).collect::<Vec<_>>())?;
    let orders = || endpoint.values.iter().map(|value| value.order);
    let span = f64::from(orders().max()? - orders().min()?);
    let (whole, is_known) = ((fit.slope * span).exp() - 1.0, fit.slope.abs() > fit.slope_error);
    (is_known && whole.abs() > SMALLEST_DRIFT).then(|| {
        let direction = if whole > 0.0 { "rose" } else { "fell" };
        format!(
            "{}: {direction} by {} from the first to the last run on both sides; only interleaved runs remove this effect",
            endpoint.name,
            percent(whole.abs())
        )
    })
}

fn outliers(endpoint: &Endpoint) -> Vec<String> {
    let mut all = Vec::new();
    for side in Side::BOTH {
        let logs = endpoint.logs(side);
        let Some(middle) = median(&logs).filter(|_| logs.len() > FEW_RUNS) else { continue };
        let distances: Vec<f64> = logs.iter().map(|log| (log - middle).abs()).collect();
        let spread = SPREAD_OF_MEDIAN * median(&distances).unwrap_or_default();
        let limit = (OUTLIER_SPREADS * spread).max(OUTLIER_LOG);
        let far = endpoint.of(side).zip(distances).filter(|(_, distance)| *distance > limit);
        all.extend(far.map(|(value, _)| {
            let times = (value.log - middle).exp();
            let (name, side) = (&endpoint.name, side.name());
            format!("{name}: run {} ({side}) is {times:.2} times the median of its side", value.run + 1)
        }));
    }
    all
}

fn was(number: usize) -> &'static str {
    if number == 1 { "was" } else { "were" }
}
