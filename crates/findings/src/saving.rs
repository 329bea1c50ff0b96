//! Shares, intervals and predictions.

use crate::detector::{Detector, Endpoint, GainModel, Measure};
use crate::sums::{Amounts, Sums, Totals};
use crate::view::{ExpectedSaving, Spent};
use crate::work::{WorkThreads, in_words, thread_class};
use whittle_model::{Metric, ThreadClass};
use whittle_profile::Profile;
use whittle_statistics::{dispersion, wilson};

/// A thread group belongs to a finding only if it has at least this share of the finding.
const LIVES_IN: f64 = 0.05;

/// A candidate's share of its thread groups' total, in the given measure. `None`: there are no samples of the measure.
///
/// `all_blocks` contains the blocks of all work threads.
pub(crate) fn spent(
    measure: Measure,
    work: &WorkThreads,
    sums: &Sums,
    (all_blocks, amounts): (&Amounts, &Amounts),
) -> Option<Spent> {
    let base = base(measure);
    let (own, all) = (amounts.measure(measure), sums.all.measure(base));
    let value: f64 = own.iter().sum();
    if value <= 0.0 {
        return None;
    }
    let groups = groups(&own);
    let (of, total) = (sum_of(&all, &groups), all.iter().sum::<f64>());
    let ratio = (value / of).min(1.0);
    let (hits, counts) = (amounts.measure_blocks(measure), all_blocks.measure_blocks(base));
    let count: f64 = counts.iter().sum::<f64>() * of / total;
    let (low_ratio, high_ratio) = wilson(ratio * count, count, dispersion(&hits, &counts));
    let names: Vec<&str> = groups.iter().map(|group| work.names[*group].as_str()).collect();
    Some(Spent {
        measure,
        ratio,
        low_ratio,
        high_ratio,
        of: format!("{} of {}", base_words(measure), in_words(&names)),
        value,
        samples_count: hits.iter().sum::<f64>() as u64,
        program_ratio: (value / total).min(1.0),
    })
}

/// A candidate's share of the total over all work threads, in the given measure. `None`: there are no samples of the
/// measure.
pub(crate) fn program_ratio(measure: Measure, sums: &Sums, totals: &Totals) -> Option<f64> {
    let (value, all) = (totals.measure(measure), sums.total.measure(base(measure)));
    (value > 0.0 && all > 0.0).then(|| (value / all).min(1.0))
}

/// Shares of a measure refer to the total of the returned measure.
fn base(measure: Measure) -> Measure {
    if measure == Measure::LockWait { Measure::Elapsed } else { measure }
}

fn base_words(measure: Measure) -> &'static str {
    match measure {
        Measure::Cpu => "CPU time",
        Measure::Elapsed | Measure::LockWait => "elapsed time (executing and blocked)",
        Measure::AllocBytes => "bytes allocated",
    }
}

/// The groups of threads that have a relevant part of a sum.
fn groups(by_group: &[f64]) -> Vec<usize> {
    let all: f64 = by_group.iter().sum();
    (0..by_group.len()).filter(|group| by_group[*group] > 0.0 && by_group[*group] >= LIVES_IN * all).collect()
}

fn sum_of(by_group: &[f64], groups: &[usize]) -> f64 {
    groups.iter().map(|group| by_group[*group]).sum()
}

/// CPU time of the garbage collector's threads divided by the work threads' CPU time, in the whole experiment. `None`:
/// no CPU samples of work threads.
pub(crate) fn gc_ratio(profile: &Profile) -> Option<f64> {
    let cpu = profile.manifest().metric_index(Metric::Cpu)?;
    let by_thread = &profile.all_weights().by_thread[cpu];
    let of = |wanted: fn(ThreadClass) -> bool| {
        let threads = by_thread.iter().enumerate();
        threads
            .filter(|(row, _)| wanted(thread_class(&profile.tables().threads, *row)))
            .map(|(_, cpu)| cpu)
            .sum::<f64>()
    };
    let work = of(|class| matches!(class, ThreadClass::Work | ThreadClass::Unknown));
    (work > 0.0).then(|| of(|class| class == ThreadClass::Gc) / work)
}

/// The input of a prediction.
pub(crate) struct Costs<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) spent: &'a Spent,
    pub(crate) sums: &'a Sums,
    pub(crate) totals: &'a Totals,
    /// The finding's amounts by thread group.
    pub(crate) amounts: &'a Amounts,
    /// Exclusive CPU time of the calling method.
    pub(crate) method_ns: f64,
    /// Whether the model `method` is allowed.
    pub(crate) is_method: bool,
}

/// The expected saving of a fix. `None`: the detector does not predict a saving.
pub(crate) fn expected(detector: &Detector, costs: &Costs<'_>) -> Option<ExpectedSaving> {
    let gain = &detector.gain;
    let model = match gain.model {
        GainModel::None => return None,
        GainModel::Method if !costs.is_method => GainModel::Call,
        model => model,
    };
    let measure = if gain.endpoint == Endpoint::Cpu { Measure::Cpu } else { Measure::Elapsed };
    let all = costs.sums.all.measure(measure);
    let groups = groups(&costs.amounts.measure(costs.spent.measure));
    let of = |nanos: f64| {
        let ratio = |whole: f64| if whole > 0.0 { (nanos / whole).min(1.0) } else { 0.0 };
        (ratio(sum_of(&all, &groups)), ratio(all.iter().sum()))
    };
    if model == GainModel::Collector {
        let all_allocated = costs.sums.total.alloc_bytes.max(1.0);
        let ratio =
            gc_ratio(costs.profile)? * (costs.totals.alloc_bytes / all_allocated).min(1.0) * (1.0 - gain.residual);
        return Some(ExpectedSaving {
            ratio,
            endpoint: gain.endpoint,
            model,
            at_least: gain.at_least,
            program_ratio: ratio,
        });
    }
    let method = of(costs.method_ns);
    let (ratio, program_ratio) = match model {
        GainModel::Method => (method.0 * (1.0 - gain.residual), method.1 * (1.0 - gain.residual)),
        _ => {
            let own = of(costs.totals.measure(measure));
            let saved = |own: f64, method: f64| (own * (1.0 - gain.residual + gain.besides)).min(method.max(own));
            (saved(own.0, method.0), saved(own.1, method.1))
        }
    };
    let at_least = gain.at_least;
    Some(ExpectedSaving { ratio, endpoint: gain.endpoint, model, at_least, program_ratio })
}
