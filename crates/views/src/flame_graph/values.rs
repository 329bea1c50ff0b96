//! One metric's values for all nodes of a tree. They are kept between answers.

use std::sync::Arc;
use whittle_profile::ends_before::EndsBefore;
use whittle_profile::entity_tree::{EntityTree, ROOT};
use whittle_profile::reduction::Reduction;

/// Inclusive and exclusive values of every node, computed from running sums over the ends of stacks.
#[derive(Debug)]
pub(crate) struct NodeValues {
    ends_before: Arc<EndsBefore>,
    /// The total weight of all ends before each end. The last element is the total weight of all ends.
    sum_before: Vec<f64>,
}

impl NodeValues {
    /// The values of a metric. `by_stack` is the weight of each observed stack.
    pub(crate) fn new(reduction: &Reduction, by_stack: &[f64]) -> Self {
        // The weights of left-out stacks are stored in the last element. The sums overwrite this element later.
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

    /// The weight of the stacks that end at nodes with a smaller number. `node` can be the last node plus one.
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

    /// The total weight.
    pub(crate) fn total(&self, tree: &EntityTree) -> f64 {
        if tree.is_empty() { 0.0 } else { self.inclusive(tree, ROOT) }
    }
}
