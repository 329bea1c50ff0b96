//! The whole tree from the root down. Its nodes are the boxes, without merging.

use crate::flame_graph::values::NodeValues;
use whittle_profile::entity_tree::EntityTree;
use whittle_render::boxes::{Child, Graph};

/// The tree of stacks as boxes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WholeTree<'a> {
    pub(crate) tree: &'a EntityTree,
    pub(crate) values: &'a NodeValues,
    /// For each node, its frame kind.
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

    /// The running sum at the end of a child is also the running sum at the start of the next child. Therefore, each
    /// child needs only one new sum.
    fn children(&mut self, id: u32, into: &mut Vec<Child>) {
        let end = self.tree.end[id as usize];
        let (mut child, mut before) = (id + 1, self.values.before(id + 1));
        while child < end {
            let next = self.tree.end[child as usize];
            let behind = self.values.before(next);
            if behind > before {
                into.push(Child { id: child, value: behind - before });
            }
            (child, before) = (next, behind);
        }
    }
}
