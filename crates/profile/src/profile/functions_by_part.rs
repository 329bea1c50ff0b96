//! The cost of functions in each part of the samples. A part is a run of a comparison, or an hour on a machine of a
//! fleet. All parts are computed in one pass over the samples.

use crate::error::AnalysisError;
use crate::metrics::{ColumnKind, Flavour};
use crate::profile::Profile;
use crate::query::Query;
use crate::reduction::{EntityKey, Reduction};
use crate::samples::SampleKind;
use crate::weights::{counts_for, for_each_kept};
use whittle_model::{EventKind, FunctionKind, ThreadIndex, WeightColumn};

/// One function and its cost in all parts.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionParts {
    /// The function's displayed name.
    pub name: String,
    /// The kind of the function's code.
    pub kind: FunctionKind,
    /// CPU time by part, in nanoseconds; 0 for parts without samples.
    pub cost_ns: Vec<f64>,
    /// Number of samples by part.
    pub samples: Vec<f64>,
}

/// Values of one function in one part, in the metric's unit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FunctionShare {
    /// Exclusive value.
    pub exclusive: f64,
    /// Inclusive value, counted once per sample.
    pub inclusive: f64,
    /// Total over all functions.
    pub total: f64,
}

/// How samples are divided into parts.
pub struct Parts<'a> {
    /// Number of parts.
    pub count: usize,
    /// Returns a sample's part. The arguments are the sample's thread, and its time in nanoseconds since the
    /// experiment's start. Missing if the sample is left out.
    pub of: &'a dyn Fn(ThreadIndex, u64) -> Option<usize>,
}

impl Profile {
    /// CPU time and samples of each function in each part. The values are inclusive for [`Flavour::Inclusive`],
    /// otherwise exclusive. A sample is counted once per function. Functions without a sample in any part are left out.
    ///
    /// # Errors
    /// The filter contains an unknown name.
    pub fn functions_by_part(
        &self,
        query: &Query,
        flavour: Flavour,
        parts: &Parts<'_>,
    ) -> Result<Vec<FunctionParts>, AnalysisError> {
        let predicate = self.selection(query)?;
        let reduction = self.shown(query, EntityKey::Function)?;
        let charged = Charged::new(&reduction, flavour);
        let (samples, width) = (self.samples(), reduction.places.len() * parts.count);
        let (duration_ns, count) = (samples.column(WeightColumn::DurationNs), samples.column(WeightColumn::Count));
        let is_cpu: Vec<bool> = SampleKind::all().map(|kind| kind.event == EventKind::Cpu).collect();
        let (mut cost_ns, mut counts) = (vec![0.0; width], vec![0.0; width]);
        for_each_kept(samples, predicate.as_ref(), |sample| {
            let part = (parts.of)(samples.thread[sample], samples.time_ns[sample]);
            if let Some(part) = part.filter(|_| is_cpu[usize::from(samples.kind[sample])]) {
                for entity in charged.of(samples.observed[sample]) {
                    let position = *entity as usize * parts.count + part;
                    cost_ns[position] += duration_ns[sample] as f64;
                    counts[position] += count[sample] as f64;
                }
            }
        });
        let names = self.names();
        let functions = reduction.places.iter().enumerate().filter_map(|(entity, place)| {
            let range = entity * parts.count..(entity + 1) * parts.count;
            let samples = &counts[range.clone()];
            samples.iter().any(|count| *count > 0.0).then(|| FunctionParts {
                name: names.display_name(place.function).to_owned(),
                kind: names.kind(place.function),
                cost_ns: cost_ns[range].to_vec(),
                samples: samples.to_vec(),
            })
        });
        Ok(functions.collect())
    }

    /// A metric of the function `name` in each part. Mode, filter and transforms of the query apply.
    ///
    /// # Errors
    /// The function is unknown or hidden, the metric is unknown, or the filter contains an unknown name.
    pub fn function_by_part(
        &self,
        query: &Query,
        (name, metric): (&str, &str),
        parts: &Parts<'_>,
    ) -> Result<Vec<FunctionShare>, AnalysisError> {
        let group = self.shown_group(name, query)?;
        let query = Query { metrics: Some(format!("i.{metric}").parse()?), ..query.clone() };
        let weights = self.weights(&query)?;
        let columns = self.columns(ColumnKind::Table, &query, &weights)?;
        let metric = &self.manifest().metrics[columns.shown[0].metric_index];
        let is_counted: Vec<bool> = SampleKind::all().map(|kind| counts_for(kind, metric)).collect();
        let reduction = self.shown(&query, EntityKey::Function)?;
        let is_asked = |entity: &u32| group.functions.contains(&reduction.places[*entity as usize].function);
        let [is_own, is_in] = [Flavour::Exclusive, Flavour::Inclusive].map(|flavour| {
            let charged = Charged::new(&reduction, flavour);
            let stacks = 0..reduction.end_of_stack.len() as u32;
            stacks.map(|observed| charged.of(observed).iter().any(is_asked)).collect::<Vec<bool>>()
        });
        let samples = self.samples();
        let column = samples.column(metric.weight);
        let mut shares = vec![FunctionShare::default(); parts.count];
        for_each_kept(samples, self.selection(&query)?.as_ref(), |sample| {
            let part = (parts.of)(samples.thread[sample], samples.time_ns[sample]);
            if let Some(part) = part.filter(|_| is_counted[usize::from(samples.kind[sample])]) {
                let (stack, value) = (samples.observed[sample] as usize, column[sample] as f64);
                let share = &mut shares[part];
                share.total += value;
                share.exclusive += if is_own[stack] { value } else { 0.0 };
                share.inclusive += if is_in[stack] { value } else { 0.0 };
            }
        });
        Ok(shares)
    }
}

/// For each stack, the entities to which its samples are added.
struct Charged {
    /// Per observed stack, the start of its entities. There is one additional element at the end.
    starts: Vec<usize>,
    entities: Vec<u32>,
}

impl Charged {
    fn new(reduction: &Reduction, flavour: Flavour) -> Self {
        let tree = &reduction.tree;
        let mut charged = Self { starts: vec![0], entities: Vec::new() };
        for observed in 0..reduction.end_of_stack.len() {
            match (reduction.node_of_stack(observed), flavour) {
                (None, _) => {}
                (Some(node), Flavour::Inclusive) => {
                    let nodes = std::iter::successors(Some(node), |node| Some(tree.parent[*node as usize]));
                    let nodes = nodes.take(tree.depth[node as usize] as usize);
                    let first = nodes.filter(|node| tree.is_first()[*node as usize]);
                    charged.entities.extend(first.map(|node| tree.entity[node as usize]));
                }
                (Some(node), _) => charged.entities.push(tree.entity[node as usize]),
            }
            charged.starts.push(charged.entities.len());
        }
        charged
    }

    fn of(&self, observed: u32) -> &[u32] {
        let observed = observed as usize;
        &self.entities[self.starts[observed]..self.starts[observed + 1]]
    }
}
