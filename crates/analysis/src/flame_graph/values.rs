//! One metric's values of a tree, kept from one answer to the next.

use crate::entity_tree::{EntityTree, ROOT};
use crate::reduction::Reduction;

/// Inclusive and exclusive values of every node, as sums over the ends before it.
#[derive(Debug)]
pub(crate) struct NodeValues {
    /// Per node, the sum of all weights that end at smaller nodes; with one element more than nodes.
    sum_before: Vec<f64>,
}

impl NodeValues {
    /// The values of a metric, given its weight by observed stack.
    pub(crate) fn new(reduction: &Reduction, by_stack: &[f64]) -> Self {
        let mut sum_before = vec![0.0; reduction.tree.len() + 1];
        reduction.each_weight(by_stack, |node, weight| sum_before[node as usize + 1] += weight);
        let mut sum = 0.0;
        for cell in &mut sum_before {
            sum += *cell;
            *cell = sum;
        }
        Self { sum_before }
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.sum_before.len() - 1
    }

    /// The weight of the stacks that end at smaller nodes; one past the last node counts as a node.
    pub(crate) fn before(&self, node: u32) -> f64 {
        self.sum_before[node as usize]
    }

    /// The weight of the stacks that end at a node or below it.
    pub(crate) fn inclusive(&self, tree: &EntityTree, node: u32) -> f64 {
        self.sum_before[tree.end[node as usize] as usize] - self.sum_before[node as usize]
    }

    /// The weight of the stacks that end at a node.
    pub(crate) fn exclusive(&self, node: u32) -> f64 {
        self.sum_before[node as usize + 1] - self.sum_before[node as usize]
    }

    /// The weight of everything.
    pub(crate) fn total(&self, tree: &EntityTree) -> f64 {
        if tree.len() == 0 { 0.0 } else { self.inclusive(tree, ROOT) }
    }
}
