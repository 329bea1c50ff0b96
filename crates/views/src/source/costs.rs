//! Adds up the cost of rows of code, from the shown stacks.
//!
//! ```text
//! stack, leaf first        row        exclusive  inclusive
//! write, line 12             12       x          x
//! flush, line 40             40                  x
//! write, line 12             12                  (counted already)
//! ```

use whittle_profile::metrics::{Column, Flavour};
use whittle_profile::query::Values;
use whittle_profile::reduction::Reduction;
use whittle_profile::value_shape::ValueShape;
use whittle_profile::weights::Weights;

/// The weights of the selected samples. Samples with the same end of the shown stack are added up.
pub(super) struct EndWeights<'a> {
    pub(super) reduction: &'a Reduction,
    /// The metrics that the columns need.
    metrics: Vec<usize>,
    /// For each metric, one weight per end.
    by_end: Vec<Vec<f64>>,
}

impl<'a> EndWeights<'a> {
    pub(super) fn new(reduction: &'a Reduction, weights: &Weights, metrics: Vec<usize>) -> Self {
        let by_end = metrics.iter().map(|metric| reduction.node_weights(&weights.by_stack[*metric]).by_end);
        Self { reduction, by_end: by_end.collect(), metrics }
    }

    /// Adds up the cost of rows. `row_of` returns the row of a node. Its second argument is the next node towards the
    /// leaf.
    pub(super) fn add_up(&self, mut row_of: impl FnMut(u32, Option<u32>) -> Option<usize>) -> Costs {
        let mut costs = Costs { metrics: self.metrics.clone(), rows: Vec::new() };
        let mut last_end: Vec<usize> = Vec::new();
        for (end, leaf) in self.reduction.node_of_end.iter().enumerate() {
            if self.by_end.iter().all(|weights| weights[end] == 0.0) {
                continue;
            }
            let (mut below, mut node) = (None, *leaf);
            while node != whittle_profile::entity_tree::ROOT {
                if let Some(row) = row_of(node, below) {
                    costs.reserve(row);
                    last_end.resize(costs.rows.len(), usize::MAX);
                    let is_new = std::mem::replace(&mut last_end[row], end) != end;
                    costs.add(row, |metric| self.by_end[metric][end], (below.is_none(), is_new));
                }
                below = Some(node);
                node = self.reduction.tree.parent[node as usize];
            }
        }
        costs
    }
}

/// Exclusive and inclusive sums, one per metric.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sums {
    metrics: Vec<usize>,
    exclusive: Vec<f64>,
    inclusive: Vec<f64>,
}

impl Sums {
    /// The value for a column.
    pub(super) fn of(&self, column: &Column) -> f64 {
        let metric = self.metrics.iter().position(|metric| *metric == column.metric_index);
        let sums = if column.flavour == Flavour::Exclusive { &self.exclusive } else { &self.inclusive };
        metric.and_then(|metric| sums.get(metric)).copied().unwrap_or(0.0)
    }

    /// Whether any cost was added.
    fn is_some(&self) -> bool {
        self.inclusive.iter().any(|sum| *sum != 0.0)
    }

    /// The value by which rows are ranked.
    pub(super) fn first_inclusive(&self) -> f64 {
        self.inclusive.first().copied().unwrap_or(0.0)
    }
}

/// Sums of rows.
#[derive(Debug, Default)]
pub(super) struct Costs {
    metrics: Vec<usize>,
    rows: Vec<Sums>,
}

impl Costs {
    fn reserve(&mut self, row: usize) {
        if row >= self.rows.len() {
            let none = vec![0.0; self.metrics.len()];
            let sums = Sums { metrics: self.metrics.clone(), exclusive: none.clone(), inclusive: none };
            self.rows.resize(row + 1, sums);
        }
    }

    fn add(&mut self, row: usize, weight: impl Fn(usize) -> f64, (is_leaf, is_new): (bool, bool)) {
        let sums = &mut self.rows[row];
        for metric in 0..self.metrics.len() {
            sums.exclusive[metric] += if is_leaf { weight(metric) } else { 0.0 };
            sums.inclusive[metric] += if is_new { weight(metric) } else { 0.0 };
        }
    }

    /// The sums of a row.
    pub(super) fn row(&self, row: usize) -> Sums {
        self.rows.get(row).cloned().unwrap_or_default()
    }

    /// The values of a row. Missing if the row has no cost.
    pub(super) fn values(&self, row: usize, shape: &ValueShape) -> Option<Values> {
        let sums = self.rows.get(row).filter(|sums| sums.is_some())?;
        let values = shape.values(|column| sums.of(column));
        values.numbers.iter().any(|number| *number != 0.0).then_some(values)
    }
}
