//! Adding up samples: one sum per metric and observed stack, and per metric and thread.

use crate::filter::Predicate;
use crate::samples::{SampleKind, Samples};
use whittle_model::{MetricDefinition, WeightColumn};

/// Sums of the samples, one element a metric of the manifest.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    /// Per metric, one sum an observed stack.
    pub(crate) by_stack: Vec<Vec<f64>>,
    /// Per metric, one sum a thread.
    pub(crate) by_thread: Vec<Vec<f64>>,
    /// Samples that were added up, one element a thread.
    pub(crate) samples_by_thread: Vec<u64>,
}

impl Weights {
    /// Number of sums.
    pub(crate) fn size(&self) -> usize {
        self.by_stack.iter().chain(&self.by_thread).map(Vec::len).sum()
    }

    /// Number of samples that count.
    pub(crate) fn sample_count(&self) -> u64 {
        self.samples_by_thread.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// Lengths of the vectors of [`Weights`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeightShape {
    /// Number of observed stacks.
    pub(crate) stack_count: usize,
    /// Number of threads.
    pub(crate) thread_count: usize,
}

/// Number of samples that are looked at together: their part of every column fits the fastest cache.
const BLOCK_LENGTH: usize = 2048;

/// Adds up the samples that a predicate keeps; without one, all.
pub(crate) fn compute_weights(
    samples: &Samples,
    metrics: &[MetricDefinition],
    shape: WeightShape,
    predicate: Option<&Predicate>,
) -> Weights {
    let mut sums = Sums::new(samples, metrics, shape);
    let range = predicate.map_or(0..samples.len(), |predicate| predicate.sample_range(samples));
    let mut is_kept = vec![true; BLOCK_LENGTH];
    let mut kept = vec![0; BLOCK_LENGTH];
    for start in range.clone().step_by(BLOCK_LENGTH) {
        let block = start..range.end.min(start + BLOCK_LENGTH);
        if let Some(predicate) = predicate {
            predicate.test(samples, block.clone(), &mut is_kept);
        }
        // Without a branch, which would be guessed wrong for every other sample.
        let mut kept_count = 0;
        for (sample, is_kept) in block.zip(&is_kept) {
            kept[kept_count] = sample;
            kept_count += usize::from(*is_kept);
        }
        kept[..kept_count].iter().for_each(|sample| sums.add(samples, *sample));
    }
    sums.into_weights(metrics)
}

/// What metrics are made of: the sum of a weight column over the samples of one kind.
/// CPU is the sum of two such parts; adding a sample to its part alone is all that a sample costs.
#[derive(Debug, Clone, Copy)]
struct Part {
    kind: SampleKind,
    weight: WeightColumn,
}

/// Sums under construction. All parts of a stack stand together: adding a sample then touches one
/// place in memory that is likely not in the cache.
struct Sums<'a> {
    parts: Vec<Part>,
    /// Per kind of sample, whether its row counts as one observation whatever its count.
    is_one_observation: Vec<bool>,
    /// Per kind of sample, its parts with their weight columns.
    parts_of_kind: Vec<Vec<(usize, &'a [u64])>>,
    by_stack: Vec<f64>,
    by_thread: Vec<f64>,
    samples_by_thread: Vec<u64>,
}

impl<'a> Sums<'a> {
    fn new(samples: &'a Samples, metrics: &[MetricDefinition], shape: WeightShape) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        let mut parts_of_kind = vec![Vec::new(); SampleKind::COUNT];
        // Sums of what does not occur would only take room.
        for kind in SampleKind::all().filter(|kind| samples.has(*kind)) {
            let of_kind: &mut Vec<(usize, &[u64])> = &mut parts_of_kind[kind.index()];
            for weight in [WeightColumn::Count, WeightColumn::DurationNs, WeightColumn::Bytes] {
                let part = Part { kind, weight };
                if metrics.iter().any(|metric| part.counts_for(metric)) {
                    of_kind.push((parts.len(), samples.column(weight)));
                    parts.push(part);
                }
            }
        }
        Self {
            by_stack: vec![0.0; shape.stack_count * parts.len()],
            by_thread: vec![0.0; shape.thread_count * parts.len()],
            samples_by_thread: vec![0; shape.thread_count],
            is_one_observation: SampleKind::all().map(|kind| kind.event.has_amount_in_count()).collect(),
            parts_of_kind,
            parts,
        }
    }

    fn add(&mut self, samples: &Samples, sample: usize) {
        let (stack, thread) = (samples.observed[sample] as usize, samples.thread[sample].row());
        let kind = usize::from(samples.kind[sample]);
        let count = samples.column(WeightColumn::Count)[sample];
        let observations = if self.is_one_observation[kind] { 1 } else { count };
        let samples_of_thread = &mut self.samples_by_thread[thread];
        *samples_of_thread = samples_of_thread.saturating_add(observations);
        for (part, column) in &self.parts_of_kind[kind] {
            let weight = column[sample] as f64;
            self.by_stack[stack * self.parts.len() + part] += weight;
            self.by_thread[thread * self.parts.len() + part] += weight;
        }
    }

    fn into_weights(self, metrics: &[MetricDefinition]) -> Weights {
        let of_metric = |sums: &[f64], metric: &MetricDefinition| -> Vec<f64> {
            let parts: Vec<usize> = (0..self.parts.len()).filter(|part| self.parts[*part].counts_for(metric)).collect();
            let rows = sums.chunks_exact(self.parts.len().max(1));
            // The sum of no numbers at all would be -0.
            rows.map(|row| parts.iter().fold(0.0, |sum, part| sum + row[*part])).collect()
        };
        Weights {
            by_stack: metrics.iter().map(|metric| of_metric(&self.by_stack, metric)).collect(),
            by_thread: metrics.iter().map(|metric| of_metric(&self.by_thread, metric)).collect(),
            samples_by_thread: self.samples_by_thread,
        }
    }
}

impl Part {
    fn counts_for(self, metric: &MetricDefinition) -> bool {
        let is_mode = metric.mode.is_none_or(|wanted| wanted == self.kind.mode);
        let is_reason = metric.reason.is_none_or(|wanted| wanted == self.kind.reason);
        metric.event == self.kind.event && metric.weight == self.weight && is_mode && is_reason
    }
}
