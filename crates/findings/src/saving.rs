//! Shares, intervals and predictions.

use crate::detector::{Detector, Endpoint, GainModel, Measure};
use crate::saving_ranges::range_of;
use crate::sums::{Amounts, Sums, Totals, weighted_blocks};
use crate::view::{ExpectedSaving, Spent};
use crate::work::{WorkThreads, in_words, thread_class};
use whittle_model::{Metric, ThreadClass};
use whittle_profile::Profile;
use whittle_statistics::weighted_share;

/// A thread group belongs to a finding only if it has at least this share of the finding.
const LIVES_IN: f64 = 0.05;

/// A candidate's share of its thread groups' total, in the given measure. `None`: there are no samples of the measure.
///
/// `all_blocks` contains the blocks of all work threads, by thread group.
pub(crate) fn spent(
    measure: Measure,
    work: &WorkThreads,
    sums: &Sums,
    (all_blocks, amounts): (&[Amounts], &Amounts),
) -> Option<Spent> {
    let (own, all) = (amounts.measure(measure), sums.all.measure(measure));
    let value: f64 = own.iter().sum();
    if value <= 0.0 {
        return None;
    }
    let groups = groups(&own);
    let (of, total) = (sum_of(&all, &groups), all.iter().sum::<f64>());
    let ratio = (value / of).min(1.0);
    let blocks_of_groups = groups.iter().map(|group| &all_blocks[*group]);
    let blocks = weighted_blocks((amounts, measure), (blocks_of_groups, measure));
    let (low_ratio, high_ratio) = weighted_share(&blocks);
    let hits = amounts.measure_blocks(measure);
    let program_ratio = (value / total).min(1.0);
    let names: Vec<&str> = groups.iter().map(|group| work.names[*group].as_str()).collect();
    Some(Spent {
        measure,
        ratio,
        low_ratio,
        high_ratio,
        of: format!(
            "{} of {}{}",
            base_words(measure),
            in_words(&names),
            if work.has_warm_up { " after the warm-up" } else { "" }
        ),
        value,
        samples_count: hits.iter().sum::<f64>() as u64,
        program_ratio,
        work_ratio: if measure == Measure::Elapsed { work_ratio(&own, &all, &sums.all.cpu_ns) } else { program_ratio },
    })
}

/// The share of each group of threads, weighted by the groups' CPU time.
fn work_ratio(own: &[f64], all: &[f64], cpu_ns: &[f64]) -> f64 {
    let cpu: f64 = cpu_ns.iter().sum();
    let of_groups = own.iter().zip(all).zip(cpu_ns).filter(|((_, all), _)| **all > 0.0);
    let weighted: f64 = of_groups.map(|((own, all), cpu)| (own / all).min(1.0) * cpu).sum();
    if cpu > 0.0 { weighted / cpu } else { 0.0 }
}

/// A candidate's share of the total over all work threads, in the given measure. `None`: there are no samples of the
/// measure.
pub(crate) fn program_ratio(measure: Measure, sums: &Sums, totals: &Totals) -> Option<f64> {
    let (value, all) = (totals.measure(measure), sums.total.measure(measure));
    (value > 0.0 && all > 0.0).then(|| (value / all).min(1.0))
}

fn base_words(measure: Measure) -> &'static str {
    match measure {
        Measure::Cpu => "CPU time",
        Measure::Elapsed => "elapsed time (executing and blocked)",
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
    /// CPU time of the calling method that a change of its algorithm concerns.
    pub(crate) changeable_ns: f64,
    /// Whether the model `method` is allowed.
    pub(crate) is_method: bool,
}

/// The expected saving of a fix, as a range. `None`: the data for the range is missing.
///
/// Measured: the share of the calls or of the method, with its interval. Assumed: how much of it remains
/// ([`Gain`](crate::Gain)), and that the program differs from the model as much as the measured programs do
/// ([`SavingRanges`](crate::SavingRanges)).
pub(crate) fn expected(detector: &Detector, costs: &Costs<'_>) -> Option<ExpectedSaving> {
    let gain = &detector.gain;
    // A pattern of elapsed time can be reported as CPU time.
    let endpoint = if costs.spent.measure == detector.measure { gain.endpoint } else { Endpoint::Cpu };
    let model = match gain.model {
        GainModel::Method if !costs.is_method => GainModel::Call,
        model => model,
    };
    let [share, program_share] = match model {
        GainModel::Collector => [collector_share(costs)?; 2],
        GainModel::Method => costs.shares(endpoint, costs.changeable_ns),
        GainModel::None | GainModel::Call => costs.shares(endpoint, costs.totals.measure(endpoint_measure(endpoint))),
    };
    let modelled = share * (1.0 - gain.remains);
    // The interval of the finding's share, for the share that the model uses.
    let interval = [costs.spent.low_ratio, costs.spent.high_ratio].map(|end| modelled * end / costs.spent.ratio);
    let [low, high] = range_of(&detector.id, modelled, interval);
    let low_ratio = if model == GainModel::None { 0.0 } else { low };
    // Work threads that the finding does not concern keep their cost.
    let part = if share > 0.0 { program_share / share } else { 0.0 };
    Some(ExpectedSaving {
        modelled_ratio: modelled,
        low_ratio,
        high_ratio: high,
        endpoint,
        model,
        program_low_ratio: low_ratio * part,
        program_high_ratio: high * part,
    })
}

fn endpoint_measure(endpoint: Endpoint) -> Measure {
    match endpoint {
        Endpoint::Cpu => Measure::Cpu,
        Endpoint::Elapsed => Measure::Elapsed,
    }
}

impl Costs<'_> {
    /// The share of the finding's threads and of all work threads in the time of an endpoint.
    fn shares(&self, endpoint: Endpoint, nanos: f64) -> [f64; 2] {
        let all = self.sums.all.measure(endpoint_measure(endpoint));
        let groups = groups(&self.amounts.measure(self.spent.measure));
        [sum_of(&all, &groups), all.iter().sum()].map(|whole| if whole > 0.0 { (nanos / whole).min(1.0) } else { 0.0 })
    }
}

/// The part of the CPU time of work threads and the collector that the collector spends for the finding's bytes.
fn collector_share(costs: &Costs<'_>) -> Option<f64> {
    let gc = gc_ratio(costs.profile)?;
    let allocated = (costs.totals.alloc_bytes / costs.sums.total.alloc_bytes.max(1.0)).min(1.0);
    Some(gc / (1.0 + gc) * allocated)
}
