//! The samples that all formats export, sorted by time. Each sample has its weights and its node in the tree of shown
//! stacks.

use std::sync::Arc;
use whittle_model::{MetricDefinition, Table, ThreadTable, WeightColumn};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::query::Query;
use whittle_profile::reduction::{EntityKey, FunctionNames, Place, Reduction};
use whittle_profile::samples::{SampleKind, Samples};

/// Number of samples that are tested together.
const BLOCK_LENGTH: usize = 2048;

/// The samples that a query shows.
pub(crate) struct ShownSamples<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) reduction: Arc<Reduction>,
    /// The metrics to write, at least one.
    pub(crate) metrics: Vec<ShownMetric<'a>>,
    /// Rows of the samples that filter and transforms keep, sorted by time.
    pub(crate) rows: Vec<usize>,
}

/// A metric, and the samples that have a weight in it.
pub(crate) struct ShownMetric<'a> {
    pub(crate) definition: &'a MetricDefinition,
    /// Whether each kind of sample has a weight in the metric.
    counts: Vec<bool>,
}

impl<'a> ShownSamples<'a> {
    /// The samples that `query` keeps. `key` decides whether their stacks contain functions or lines.
    pub(crate) fn new(
        profile: &'a Profile,
        query: &Query,
        (key, metrics): (EntityKey, Vec<&'a MetricDefinition>),
    ) -> Result<Self, AnalysisError> {
        let metrics = metrics.into_iter().map(ShownMetric::new).collect();
        let rows = kept_rows(profile, query)?;
        Ok(Self { profile, reduction: profile.shown(query, key)?, metrics, rows })
    }

    fn samples(&self) -> &'a Samples {
        self.profile.samples()
    }

    /// Time of the sample, in nanoseconds since the experiment's start.
    pub(crate) fn time_ns(&self, row: usize) -> u64 {
        self.samples().time_ns[row]
    }

    /// The sample's thread, as a row of the threads table.
    pub(crate) fn thread(&self, row: usize) -> usize {
        self.samples().thread[row].row()
    }

    /// The sample's node in the tree of shown stacks.
    pub(crate) fn node(&self, row: usize) -> u32 {
        // The rows do not contain samples on stacks that transforms remove.
        self.reduction
            .node_of_stack(self.samples().observed[row] as usize)
            .unwrap_or(whittle_profile::entity_tree::ROOT)
    }

    /// The sample's weight in a metric, in the metric's unit.
    pub(crate) fn weight(&self, row: usize, metric: &ShownMetric<'_>) -> u64 {
        let is_counted = metric.counts[usize::from(self.samples().kind[row])];
        if is_counted { self.samples().column(metric.definition.weight)[row] } else { 0 }
    }

    /// The rows with a weight in the first metric, by thread. Threads are in the order of their table.
    pub(crate) fn weighted_rows_by_thread(&self) -> Vec<(usize, Vec<(usize, u64)>)> {
        let metric = &self.metrics[0];
        let mut by_thread: Vec<Vec<(usize, u64)>> = vec![Vec::new(); self.threads().len()];
        for row in &self.rows {
            let weight = self.weight(*row, metric);
            if weight > 0 {
                by_thread[self.thread(*row)].push((*row, weight));
            }
        }
        by_thread.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()).collect()
    }

    /// The entities on the path of a node, from the leaf to the root. An empty stack gets `<Total>`, because the
    /// formats need at least one frame.
    pub(crate) fn entities_leaf_first(&self, node: u32) -> Vec<u32> {
        let path: Vec<u32> = self.reduction.tree.path_leaf_first(node).collect();
        if path.is_empty() { vec![0] } else { path }
    }

    /// An entity's place in code.
    pub(crate) fn place(&self, entity: u32) -> Place {
        self.reduction.places[entity as usize]
    }

    /// The function of an entity.
    pub(crate) fn function(&self, entity: u32) -> ShownFunction<'a> {
        ShownFunction::new(self.profile.names(), self.place(entity).function)
    }

    pub(crate) fn threads(&self) -> &'a ThreadTable {
        &self.profile.tables().threads
    }

    /// A thread's label: `main (tid 7)`.
    pub(crate) fn thread_label(&self, thread: usize) -> String {
        match (self.threads().name[thread].as_str(), self.threads().thread_id[thread]) {
            ("", None) => "all threads".to_owned(),
            ("", Some(id)) => format!("(tid {id})"),
            (name, None) => name.to_owned(),
            (name, Some(id)) => format!("{name} (tid {id})"),
        }
    }
}

impl<'a> ShownMetric<'a> {
    fn new(definition: &'a MetricDefinition) -> Self {
        let counts = |kind: SampleKind| {
            kind.event == definition.event
                && definition.mode.is_none_or(|mode| mode == kind.mode)
                && definition.reason.is_none_or(|reason| reason == kind.reason)
        };
        Self { definition, counts: SampleKind::all().map(counts).collect() }
    }

    /// True if the weights are times.
    pub(crate) fn is_duration(&self) -> bool {
        self.definition.weight == WeightColumn::DurationNs
    }
}

/// A function with all the data that the formats need.
pub(crate) struct ShownFunction<'a> {
    pub(crate) number: u32,
    pub(crate) name: &'a str,
    pub(crate) internal_name: &'a str,
    pub(crate) kind: whittle_model::FunctionKind,
    /// Source file. Empty if unknown.
    pub(crate) source_file: &'a str,
    pub(crate) first_line: Option<u32>,
    /// Row of the binaries table. 0 if there is no binary.
    pub(crate) binary: usize,
    /// Path of the binary. Empty if the function has no binary.
    pub(crate) binary_path: &'a str,
}

impl<'a> ShownFunction<'a> {
    fn new(names: FunctionNames<'a>, number: u32) -> Self {
        let (name, kind) = (names.display_name(number), names.kind(number));
        let Some(row) = names.row(number) else {
            let nothing = Self {
                number,
                name,
                internal_name: name,
                kind,
                source_file: "",
                first_line: None,
                binary: 0,
                binary_path: "",
            };
            return nothing;
        };
        let functions = &names.tables.functions;
        let binary = functions.binary[row].row();
        Self {
            number,
            name,
            internal_name: &functions.internal_name[row],
            kind,
            source_file: functions.source_file[row].as_deref().unwrap_or_default(),
            first_line: functions.first_line[row],
            binary,
            binary_path: &names.tables.binaries.path[binary],
        }
    }
}

/// Rows of the samples that filter and transforms keep, sorted by time.
fn kept_rows(profile: &Profile, query: &Query) -> Result<Vec<usize>, AnalysisError> {
    let samples = profile.samples();
    let mut rows: Vec<usize> = match profile.selection(query)? {
        None => (0..samples.len()).collect(),
        Some(predicate) => {
            let range = predicate.sample_range(samples);
            let mut is_kept = vec![true; BLOCK_LENGTH];
            let mut rows = Vec::new();
            for start in range.clone().step_by(BLOCK_LENGTH) {
                let block = start..range.end.min(start + BLOCK_LENGTH);
                predicate.test(samples, block.clone(), &mut is_kept);
                rows.extend(block.zip(&is_kept).filter(|(_, is_kept)| **is_kept).map(|(row, _)| row));
            }
            rows
        }
    };
    if !samples.is_in_time_order {
        rows.sort_by_key(|row| samples.time_ns[*row]);
    }
    Ok(rows)
}
