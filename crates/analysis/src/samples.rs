//! The samples, prepared for adding up: each points at an *observed stack*, a stack together with
//! the group of threads in which it was seen.
//!
//! Only some rows of the stack table are ever the stack of a sample (200 thousand of 4.1 million in
//! the benchmark); numbering those alone keeps the sums that a pass over the samples writes to in
//! the processor's cache. Ordinary threads and threads of the JVM are kept apart because stacks
//! without Java frames are named differently for the two.

use crate::filter::Predicate;
use whittle_model::{
    CpuMode, EventKind, MetricDefinition, SampleTable, StackIndex, ThreadIndex, ThreadTable, WeightColumn,
};

/// The samples by column; the columns are those of the samples table.
#[derive(Debug)]
pub(crate) struct Samples {
    /// Index into [`ObservedStacks`].
    pub(crate) observed: Vec<u32>,
    pub(crate) thread: Vec<ThreadIndex>,
    pub(crate) time_ns: Vec<u64>,
    pub(crate) event: Vec<EventKind>,
    pub(crate) mode: Vec<CpuMode>,
    count: Vec<u64>,
    duration_ns: Vec<u64>,
    bytes: Vec<u64>,
}

/// The stacks that samples point at, in the order of the stack table.
#[derive(Debug, Default)]
pub(crate) struct ObservedStacks {
    /// Row of stacks.
    pub(crate) stack: Vec<StackIndex>,
    /// True if seen in threads of the JVM; such a stack has its own entry.
    pub(crate) is_jvm_thread: Vec<bool>,
}

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

impl Samples {
    /// Takes the samples table apart. `stack_count` is the number of rows of stacks.
    pub(crate) fn new(table: SampleTable, threads: &ThreadTable, stack_count: usize) -> (Self, ObservedStacks) {
        let is_jvm: Vec<bool> = threads.class.iter().map(|class| class.is_jvm()).collect();
        // Bit 0: seen in an ordinary thread, bit 1: in one of the JVM. Bytes, so that the whole
        // stack table's stay near the processor.
        let mut seen_in = vec![0_u8; stack_count];
        for (stack, thread) in table.stack.iter().zip(&table.thread) {
            seen_in[stack.row()] |= 1 << u8::from(is_jvm[thread.row()]);
        }
        let mut observed = ObservedStacks::default();
        let mut first_number = vec![0_u32; stack_count];
        for (stack, seen_in) in seen_in.iter().enumerate().filter(|(_, seen_in)| **seen_in > 0) {
            first_number[stack] = observed.stack.len() as u32;
            for is_jvm_thread in [false, true].into_iter().filter(|is_jvm| seen_in & (1 << u8::from(*is_jvm)) != 0) {
                observed.stack.push(StackIndex::from_row(stack));
                observed.is_jvm_thread.push(is_jvm_thread);
            }
        }
        let number = |(stack, thread): (StackIndex, &ThreadIndex)| {
            let is_second = seen_in[stack.row()] == 0b11 && is_jvm[thread.row()];
            first_number[stack.row()] + u32::from(is_second)
        };
        let numbers = table.stack.into_iter().zip(&table.thread).map(number).collect();
        let samples = Self {
            observed: numbers,
            thread: table.thread,
            time_ns: table.time_ns,
            event: table.event,
            mode: table.mode,
            count: table.count,
            duration_ns: table.duration_ns,
            bytes: table.bytes,
        };
        (samples, observed)
    }

    /// Number of samples.
    pub(crate) fn len(&self) -> usize {
        self.observed.len()
    }

    fn column(&self, weight: WeightColumn) -> &[u64] {
        match weight {
            WeightColumn::Count => &self.count,
            WeightColumn::DurationNs => &self.duration_ns,
            WeightColumn::Bytes => &self.bytes,
        }
    }
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
    let mut sums = Sums {
        metric_count: metrics.len(),
        by_stack: vec![0.0; shape.stack_count * metrics.len()],
        by_thread: vec![0.0; shape.thread_count * metrics.len()],
        samples_by_thread: vec![0; shape.thread_count],
    };
    let columns: Vec<&[u64]> = metrics.iter().map(|metric| samples.column(metric.weight)).collect();
    let metrics_of_kind = metrics_by_event_and_mode(metrics);
    let mut is_kept = vec![true; BLOCK_LENGTH];
    let mut kept: Vec<usize> = Vec::with_capacity(BLOCK_LENGTH);
    for start in (0..samples.len()).step_by(BLOCK_LENGTH) {
        let block = start..samples.len().min(start + BLOCK_LENGTH);
        kept.clear();
        match predicate {
            None => kept.extend(block),
            Some(predicate) => {
                predicate.test(samples, block.clone(), &mut is_kept);
                kept.extend(block.zip(&is_kept).filter(|(_, is_kept)| **is_kept).map(|(sample, _)| sample));
            }
        }
        for sample in &kept {
            let metrics = &metrics_of_kind[kind_index(samples.event[*sample], samples.mode[*sample])];
            sums.add(samples, *sample, metrics.iter().map(|metric| (*metric, columns[*metric][*sample] as f64)));
        }
    }
    sums.into_weights()
}

/// Sums under construction. All metrics of a stack stand together: adding a sample then touches
/// one place in memory that is likely not in the cache, not one a metric.
struct Sums {
    metric_count: usize,
    by_stack: Vec<f64>,
    by_thread: Vec<f64>,
    samples_by_thread: Vec<u64>,
}

impl Sums {
    fn add(&mut self, samples: &Samples, sample: usize, weights: impl Iterator<Item = (usize, f64)>) {
        let (stack, thread) = (samples.observed[sample] as usize, samples.thread[sample].row());
        self.samples_by_thread[thread] += 1;
        let by_stack = &mut self.by_stack[stack * self.metric_count..][..self.metric_count];
        let by_thread = &mut self.by_thread[thread * self.metric_count..][..self.metric_count];
        for (metric, weight) in weights {
            by_stack[metric] += weight;
            by_thread[metric] += weight;
        }
    }

    fn into_weights(self) -> Weights {
        let count = self.metric_count;
        let split = |sums: &[f64]| -> Vec<Vec<f64>> {
            (0..count).map(|metric| sums.iter().skip(metric).step_by(count).copied().collect()).collect()
        };
        Weights {
            by_stack: split(&self.by_stack),
            by_thread: split(&self.by_thread),
            samples_by_thread: self.samples_by_thread,
        }
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

/// Position of an event and a mode in a table of all their combinations.
pub(crate) fn kind_index(event: EventKind, mode: CpuMode) -> usize {
    event as usize * CpuMode::ALL.len() + mode as usize
}

/// Per combination of event and mode, the metrics that its samples count for.
fn metrics_by_event_and_mode(metrics: &[MetricDefinition]) -> Vec<Vec<usize>> {
    let kinds = EventKind::ALL.iter().flat_map(|event| CpuMode::ALL.iter().map(move |mode| (*event, *mode)));
    let counts_for = |metric: &MetricDefinition, event, mode| {
        metric.event == event && metric.mode.is_none_or(|wanted| wanted == mode)
    };
    kinds
        .map(|(event, mode)| (0..metrics.len()).filter(|index| counts_for(&metrics[*index], event, mode)).collect())
        .collect()
}

impl ObservedStacks {
    /// Number of observed stacks.
    pub(crate) fn len(&self) -> usize {
        self.stack.len()
    }
}
