//! The samples, prepared for adding up: each points at an *observed stack*, a stack together with
//! the group of threads in which it was seen.
//!
//! Only some rows of the stack table are ever the stack of a sample (200 thousand of 4.1 million in
//! the benchmark); numbering those alone keeps the sums that a pass over the samples writes to in
//! the processor's cache. Ordinary threads and threads of the JVM are kept apart because stacks
//! without Java frames are named differently for the two.

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
        let slot = |stack: StackIndex, thread: ThreadIndex| stack.row() * 2 + usize::from(is_jvm[thread.row()]);
        let mut number_of_slot = vec![0_u32; stack_count * 2];
        for (stack, thread) in table.stack.iter().zip(&table.thread) {
            number_of_slot[slot(*stack, *thread)] = 1;
        }
        let mut observed = ObservedStacks::default();
        for (slot, number) in number_of_slot.iter_mut().enumerate().filter(|(_, number)| **number > 0) {
            *number = observed.stack.len() as u32;
            observed.stack.push(StackIndex::from_row(slot / 2));
            observed.is_jvm_thread.push(slot % 2 == 1);
        }
        let stacks = table.stack.into_iter().zip(&table.thread);
        let numbers = stacks.map(|(stack, thread)| number_of_slot[slot(stack, *thread)]).collect();
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

/// Adds up the samples that `is_kept` (called with the sample's position) lets through.
pub(crate) fn compute_weights(
    samples: &Samples,
    metrics: &[MetricDefinition],
    shape: WeightShape,
    is_kept: impl Fn(usize) -> bool,
) -> Weights {
    let mut weights = Weights {
        by_stack: vec![vec![0.0; shape.stack_count]; metrics.len()],
        by_thread: vec![vec![0.0; shape.thread_count]; metrics.len()],
        samples_by_thread: vec![0; shape.thread_count],
    };
    let columns: Vec<&[u64]> = metrics.iter().map(|metric| samples.column(metric.weight)).collect();
    let metrics_of_kind = metrics_by_event_and_mode(metrics);
    for sample in 0..samples.len() {
        if !is_kept(sample) {
            continue;
        }
        let (stack, thread) = (samples.observed[sample] as usize, samples.thread[sample].row());
        weights.samples_by_thread[thread] += 1;
        for metric in &metrics_of_kind[kind_index(samples.event[sample], samples.mode[sample])] {
            let weight = columns[*metric][sample] as f64;
            weights.by_stack[*metric][stack] += weight;
            weights.by_thread[*metric][thread] += weight;
        }
    }
    weights
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
