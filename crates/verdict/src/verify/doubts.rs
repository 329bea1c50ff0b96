//! Warnings that weaken an answer: too few runs, drift, disturbed runs, missing units.

use crate::verify::test::{NOISE_OF_ONE_RUN, Tested};
use crate::verify::values::{Endpoint, Per, timed};
use crate::verify::words::percent;
use crate::verify::{Design, Doubt, DoubtKind, EndpointKind, Method, Order, Run};
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
pub(super) fn doubts(seen: &Seen<'_>, handed_in: &[Doubt]) -> Vec<Doubt> {
    let mut all = handed_in.to_vec();
    let mut put = |kind: DoubtKind, text: Option<String>| all.extend(text.map(|text| Doubt { kind, text }));
    put(DoubtKind::Sequential, sequential(seen.design));
    put(DoubtKind::UnitsMissing, units(seen));
    put(DoubtKind::Profiled, profiled(seen.runs));
    for (endpoint, tested) in seen.endpoints.iter().zip(seen.tested) {
        put(DoubtKind::ValueMissing, missing(endpoint));
        if endpoint.is_primary {
            put(DoubtKind::TooFewRuns, too_few(endpoint, *tested));
            put(DoubtKind::Noise, noise(seen.design, endpoint, *tested));
            put(DoubtKind::TestsDisagree, disagreement(seen.design, endpoint, *tested));
            put(DoubtKind::FewSamples, few_samples(endpoint));
            put(DoubtKind::Drift, drift(endpoint));
            outliers(endpoint).into_iter().for_each(|text| put(DoubtKind::Outlier, Some(text)));
        }
    }
    all.sort_by_key(|doubt| doubt.kind);
    all
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
fn disagreement(design: &Design, endpoint: &Endpoint, tested: Option<Tested>) -> Option<String> {
    let (tested, alpha) = (tested?, design.alpha_ratio);
    let exact_p = tested.exact_p?;
    (tested.p < alpha && exact_p > alpha && tested.smallest_exact_p <= alpha).then(|| {
        format!(
            "{}: the change may be due to chance if the variation is not normal (exact test, {})",
            endpoint.name,
            percent(exact_p)
        )
    })
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

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn was(number: usize) -> &'static str {
    if number == 1 { "was" } else { "were" }
}
