//! One metric's values of a tree, kept from one answer to the next.

use crate::ends_before::EndsBefore;
use crate::entity_tree::{EntityTree, ROOT};
use crate::reduction::Reduction;
use std::sync::Arc;

/// Inclusive and exclusive values of every node, as sums over the ends before it.
#[derive(Debug)]
pub(crate) struct NodeValues {
    ends_before: Arc<EndsBefore>,
    /// Per end, the sum of all weights that end before it; with one element more than ends.
    sum_before: Vec<f64>,
}

impl NodeValues {
    /// The values of a metric, given its weight by observed stack.
    pub(crate) fn new(reduction: &Reduction, by_stack: &[f64]) -> Self {
        // The element beyond takes what was left out, until the sums overwrite it.
        let mut sum_before = vec![0.0; reduction.node_of_end.len() + 1];
        for (end, weight) in reduction.end_of_stack.iter().zip(by_stack) {
            sum_before[*end as usize] += weight;
        }
        let mut sum = 0.0;
        for cell in &mut sum_before {
            let weight = std::mem::replace(cell, sum);
            sum += weight;
        }
        Self { ends_before: reduction.ends_before.clone(), sum_before }
    }

    /// Number of sums.
    pub(crate) fn len(&self) -> usize {
        self.sum_before.len()
    }

    /// The weight of the stacks that end at smaller nodes; one past the last node counts as a node.
    #[inline]
    pub(crate) fn before(&self, node: u32) -> f64 {
        self.sum_before[self.ends_before.at(node) as usize]
    }

    /// The weight of the stacks that end at a node or below it.
    #[inline]
    pub(crate) fn inclusive(&self, tree: &EntityTree, node: u32) -> f64 {
        self.before(tree.end[node as usize]) - self.before(node)
    }

    /// The weight of the stacks that end at a node.
    pub(crate) fn exclusive(&self, node: u32) -> f64 {
        self.before(node + 1) - self.before(node)
    }

    /// The weight of everything.
    pub(crate) fn total(&self, tree: &EntityTree) -> f64 {
        if tree.len() == 0 { 0.0 } else { self.inclusive(tree, ROOT) }
    }
}
