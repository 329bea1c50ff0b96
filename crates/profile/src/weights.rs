//! Adds up samples: one sum per metric and observed stack, and per metric and thread.
//!
//! Sums by thread are computed immediately for all metrics, because they show which metrics have values. Sums by stack
//! are computed when a view needs the metric, to save memory. An experiment has up to 20 metrics, but a view shows only
//! two. With a million stacks, each metric's sums take 8 MB.

use crate::filter::Predicate;
use crate::samples::{SampleKind, Samples};
use crate::sides::{Part, Side, SummedMetrics};
use std::borrow::Cow;
use std::ops::Index;
use std::sync::{Arc, OnceLock};
use whittle_model::{MetricDefinition, WeightColumn};

/// Sums of the samples, one element per metric of the manifest.
#[derive(Debug)]
pub struct Weights {
    /// Per metric, one sum per observed stack.
    pub by_stack: StackSums,
    /// Per metric, one sum per thread.
    pub by_thread: Vec<Vec<f64>>,
    /// Number of samples, one element per thread.
    pub samples_by_thread: Vec<u64>,
}

impl Weights {
    /// Number of sums.
    pub fn size(&self) -> usize {
        let by_stack = self.by_stack.by_metric.iter().filter_map(OnceLock::get);
        by_stack.chain(&self.by_thread).map(Vec::len).sum()
    }

    /// Number of selected samples.
    pub fn sample_count(&self) -> u64 {
        self.samples_by_thread.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// Lengths of the vectors of [`Weights`].
#[derive(Debug, Clone, Copy)]
pub struct WeightShape {
    /// Number of observed stacks.
    pub stack_count: usize,
    /// Number of threads.
    pub thread_count: usize,
}

/// Maximum number of cached sums by stack, over all metrics. A sum takes 8 bytes.
const ALL_KEPT: usize = if cfg!(target_arch = "wasm32") { 2_000_000 } else { 32_000_000 };

/// Sums by observed stack, `sums[metric]`. They are computed when they are first needed.
#[derive(Debug)]
pub struct StackSums {
    samples: Arc<Samples>,
    metrics: Arc<SummedMetrics>,
    predicate: Option<Predicate>,
    stack_count: usize,
    by_metric: Vec<OnceLock<Vec<f64>>>,
}

impl Index<usize> for StackSums {
    type Output = [f64];

    fn index(&self, metric: usize) -> &[f64] {
        self.by_metric[metric].get_or_init(|| self.computed(&[metric]).remove(0))
    }
}

impl StackSums {
    /// Computes the sums of several metrics together, which is faster than separately.
    pub fn prepare(&self, metrics: &[usize]) {
        let missing: Vec<usize> =
            metrics.iter().copied().filter(|metric| self.by_metric[*metric].get().is_none()).collect();
        if missing.is_empty() {
            return;
        }
        for (metric, sums) in missing.iter().zip(self.computed(&missing)) {
            // Another thread may have computed the same sums in the meantime.
            self.by_metric[*metric].get_or_init(|| sums);
        }
    }

    /// The sums of a metric, for a view that needs many metrics. They are cached only if the sums of all metrics are
    /// within the limit.
    pub fn one_of_many(&self, metric: usize) -> Cow<'_, [f64]> {
        if self.stack_count.saturating_mul(self.by_metric.len()) <= ALL_KEPT {
            self.prepare(&(0..self.by_metric.len()).collect::<Vec<_>>());
        }
        match self.by_metric[metric].get() {
            Some(sums) => Cow::Borrowed(sums),
            None => Cow::Owned(self.computed(&[metric]).remove(0)),
        }
    }

    /// The sums of several metrics, in one pass over the samples.
    fn computed(&self, metrics: &[usize]) -> Vec<Vec<f64>> {
        let samples = &*self.samples;
        let stack = |sample: usize| samples.observed[sample] as usize;
        sums_by_place((samples, self.predicate.as_ref()), (&self.metrics, metrics), (self.stack_count, stack))
    }
}

/// The sums of several metrics over the samples that a predicate keeps, in one pass. Each metric has one sum per place.
/// `places` contains the number of places, and the place of each sample.
pub fn sums_by_place(
    selected: (&Samples, Option<&Predicate>),
    (metrics, wanted): (&SummedMetrics, &[usize]),
    places: (usize, impl Fn(usize) -> usize),
) -> Vec<Vec<f64>> {
    let sources: Vec<_> = wanted.iter().map(|metric| metrics.source(*metric)).collect();
    let mut added: Vec<usize> = sources.iter().map(|source| source.metric).collect();
    added.dedup();
    let sums = added_up(selected, (metrics, &added), places);
    if metrics.scales.is_none() {
        return sums;
    }
    let part = |metric: usize, part: Part| {
        let first = added.iter().position(|one| *one == metric).unwrap_or(0) * Side::BOTH.len();
        metrics.part_of_sums(part, [&sums[first], &sums[first + 1]])
    };
    sources.iter().map(|source| part(source.metric, source.part.unwrap_or(Part::Both))).collect()
}

/// Adds up the samples for several metrics. In a comparison, each metric has two sums, one for each side.
fn added_up(
    (samples, predicate): (&Samples, Option<&Predicate>),
    (metrics, wanted): (&SummedMetrics, &[usize]),
    (place_count, place): (usize, impl Fn(usize) -> usize),
) -> Vec<Vec<f64>> {
    let sides = metrics.sides();
    // For each kind of sample, the metrics that include this kind: their positions and weights.
    let counted: Vec<Vec<(usize, &[u64])>> = SampleKind::all()
        .map(|kind| {
            let of_kind = wanted.iter().map(|metric| &metrics.definitions[*metric]).enumerate();
            let of_kind = of_kind.filter(|(_, metric)| samples.has(kind) && counts_for(kind, metric));
            let position = |metric: usize| metric * sides + kind.side as usize;
            of_kind.map(|(metric, definition)| (position(metric), samples.column(definition.weight))).collect()
        })
        .collect();
    // All sums of a place are adjacent. So adding a sample accesses only one part of the memory, which is probably not
    // in the cache.
    let width = wanted.len() * sides;
    let mut sums = vec![0.0; place_count * width];
    for_each_kept(samples, predicate, |sample| {
        for (position, column) in &counted[usize::from(samples.kind[sample])] {
            sums[place(sample) * width + position] += column[sample] as f64;
        }
    });
    if width == 1 {
        return vec![sums];
    }
    (0..width).map(|position| sums.iter().copied().skip(position).step_by(width).collect()).collect()
}

/// True if a metric includes samples of this kind.
pub fn counts_for(kind: SampleKind, metric: &MetricDefinition) -> bool {
    let is_mode = metric.mode.is_none_or(|wanted| wanted == kind.mode);
    let is_reason = metric.reason.is_none_or(|wanted| wanted == kind.reason);
    metric.event == kind.event && is_mode && is_reason
}

/// Number of samples in a block. The block's part of every column fits into the fastest cache.
const BLOCK_LENGTH: usize = 2048;

/// Calls `add` for every sample that a predicate keeps. If there is no predicate, calls `add` for all samples.
pub fn for_each_kept(samples: &Samples, predicate: Option<&Predicate>, mut add: impl FnMut(usize)) {
    let Some(predicate) = predicate else {
        return (0..samples.len()).for_each(add);
    };
    let range = predicate.sample_range(samples);
    let mut is_kept = vec![true; BLOCK_LENGTH];
    let mut kept = vec![0; BLOCK_LENGTH];
    for start in range.clone().step_by(BLOCK_LENGTH) {
        let block = start..range.end.min(start + BLOCK_LENGTH);
        predicate.test(samples, block.clone(), &mut is_kept);
        // This loop has no branch, because the processor would mispredict the branch for every second sample.
        let mut kept_count = 0;
        for (sample, is_kept) in block.zip(&is_kept) {
            kept[kept_count] = sample;
            kept_count += usize::from(*is_kept);
        }
        kept[..kept_count].iter().for_each(|sample| add(*sample));
    }
}

/// Adds up the samples that a predicate keeps. If there is no predicate, adds up all samples.
pub fn compute_weights(
    samples: &Arc<Samples>,
    metrics: &Arc<SummedMetrics>,
    shape: WeightShape,
    predicate: Option<Predicate>,
) -> Weights {
    let definitions = &metrics.definitions;
    let mut sums = ThreadSums::new(samples, definitions, shape.thread_count);
    for_each_kept(samples, predicate.as_ref(), |sample| sums.add(samples, sample));
    let (by_thread, samples_by_thread) = sums.finish(metrics);
    let by_stack = StackSums {
        samples: samples.clone(),
        metrics: metrics.clone(),
        predicate,
        stack_count: shape.stack_count,
        by_metric: definitions.iter().map(|_| OnceLock::new()).collect(),
    };
    Weights { by_stack, by_thread, samples_by_thread }
}

/// A part of metrics: a weight column's sum over the samples of one kind. For example, CPU is the sum of two parts.
/// Each sample is added only to parts of its kind.
#[derive(Debug, Clone, Copy)]
struct Summand {
    kind: SampleKind,
    weight: WeightColumn,
}

impl Summand {
    fn counts_for(self, metric: &MetricDefinition) -> bool {
        metric.weight == self.weight && counts_for(self.kind, metric)
    }
}

/// Unfinished sums by thread.
struct ThreadSums<'a> {
    parts: Vec<Summand>,
    /// Per kind of sample, true if a row is one observation, regardless of its column `count`.
    is_one_observation: Vec<bool>,
    /// Per kind of sample, its parts with their weight columns.
    parts_of_kind: Vec<Vec<(usize, &'a [u64])>>,
    by_thread: Vec<f64>,
    samples_by_thread: Vec<u64>,
}

impl<'a> ThreadSums<'a> {
    fn new(samples: &'a Samples, metrics: &[MetricDefinition], thread_count: usize) -> Self {
        let mut parts: Vec<Summand> = Vec::new();
        let mut parts_of_kind = vec![Vec::new(); SampleKind::COUNT];
        // Sums of kinds that do not occur would waste memory.
        for kind in SampleKind::all().filter(|kind| samples.has(*kind)) {
            let of_kind: &mut Vec<(usize, &[u64])> = &mut parts_of_kind[kind.index()];
            for weight in [WeightColumn::Count, WeightColumn::DurationNs, WeightColumn::Bytes] {
                let part = Summand { kind, weight };
                if metrics.iter().any(|metric| part.counts_for(metric)) {
                    of_kind.push((parts.len(), samples.column(weight)));
                    parts.push(part);
                }
            }
        }
        Self {
            by_thread: vec![0.0; thread_count * parts.len()],
            samples_by_thread: vec![0; thread_count],
            is_one_observation: SampleKind::all().map(|kind| kind.event.has_amount_in_count()).collect(),
            parts_of_kind,
            parts,
        }
    }

    fn add(&mut self, samples: &Samples, sample: usize) {
        let (thread, kind) = (samples.thread[sample].row(), usize::from(samples.kind[sample]));
        let count = samples.column(WeightColumn::Count)[sample];
        let observations = if self.is_one_observation[kind] { 1 } else { count };
        let samples_of_thread = &mut self.samples_by_thread[thread];
        *samples_of_thread = samples_of_thread.saturating_add(observations);
        for (part, column) in &self.parts_of_kind[kind] {
            self.by_thread[thread * self.parts.len() + part] += column[sample] as f64;
        }
    }

    fn finish(self, metrics: &SummedMetrics) -> (Vec<Vec<f64>>, Vec<u64>) {
        let mut by_thread: Vec<Vec<f64>> =
            (0..metrics.definitions.len()).map(|metric| self.metric(metrics, metric)).collect();
        // Without parts there are no rows, but each thread still has a sum: zero.
        by_thread.iter_mut().for_each(|sums| sums.resize(self.samples_by_thread.len(), 0.0));
        (by_thread, self.samples_by_thread)
    }

    /// The sums of a metric by thread.
    fn metric(&self, metrics: &SummedMetrics, metric: usize) -> Vec<f64> {
        let definition = &metrics.definitions[metric];
        let sums = |is_counted: &dyn Fn(&Summand) -> bool| -> Vec<f64> {
            let counts = |part: &usize| self.parts[*part].counts_for(definition) && is_counted(&self.parts[*part]);
            let parts: Vec<usize> = (0..self.parts.len()).filter(counts).collect();
            let rows = self.by_thread.chunks_exact(self.parts.len().max(1));
            // A plain sum of an empty list would be -0.
            rows.map(|row| parts.iter().fold(0.0, |sum, part| sum + row[*part])).collect()
        };
        match metrics.source(metric).part {
            None => sums(&|_| true),
            Some(part) => {
                let of_side = |side: Side| sums(&move |part| part.kind.side == side);
                let (baseline, candidate) = (of_side(Side::Baseline), of_side(Side::Candidate));
                metrics.part_of_sums(part, [&baseline, &candidate])
            }
        }
    }
}
