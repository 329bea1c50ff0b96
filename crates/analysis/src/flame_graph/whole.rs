//! The whole tree from the root down: its nodes are the boxes, nothing has to be merged.

use super::layout::Graph;
use super::values::NodeValues;
use crate::entity_tree::EntityTree;

/// The tree of stacks as boxes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WholeTree<'a> {
    pub(crate) tree: &'a EntityTree,
    pub(crate) values: &'a NodeValues,
    /// Per node, its frame kind.
    pub(crate) kinds: &'a [u8],
}

impl Graph for WholeTree<'_> {
    fn value(&self, id: u32) -> f64 {
        self.values.inclusive(self.tree, id)
    }

    fn own(&self, id: u32) -> f64 {
        self.values.exclusive(id)
    }

    fn function(&self, id: u32) -> u32 {
        self.tree.entity[id as usize]
    }

    fn node(&self, id: u32) -> u32 {
        id
    }

    fn kind(&self, id: u32) -> u8 {
        self.kinds[id as usize]
    }

    fn children(&mut self, id: u32, into: &mut Vec<u32>) {
        into.extend(self.tree.children(id).filter(|child| self.value(*child) > 0.0));
    }
}
