//! A prefix tree of entities (functions or lines) in arrays, numbered depth first.
//!
//! ```text
//! node  parent  depth  end  entity   first   path
//!    0       0      0    4  <Total>  yes
//!    1       0      1    4  fib      yes     fib
//!    2       1      2    3  fib      no      fib fib
//!    3       1      2    4  add      yes     fib add
//! ```
//!
//! `end` is one past the last node of the subtree, so the first child of `i` is `i + 1` and the
//! next sibling of a child `c` is `c's end`. `first` says that the entity does not occur further up
//! on the path: adding up only such nodes counts each sample once however deep the recursion.

use rustc_hash::FxHashMap;

/// The root's number.
pub(crate) const ROOT: u32 = 0;

/// The tree. All vectors have one element a node.
#[derive(Debug, Default)]
pub(crate) struct EntityTree {
    /// Parent; smaller than the own number. The root is its own parent.
    pub(crate) parent: Vec<u32>,
    /// Number of nodes between the root and this one, itself included.
    pub(crate) depth: Vec<u32>,
    /// One past the last node of the subtree.
    pub(crate) end: Vec<u32>,
    /// What the node stands for.
    pub(crate) entity: Vec<u32>,
    /// True if no ancestor stands for the same entity.
    pub(crate) is_first: Vec<bool>,
}

impl EntityTree {
    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.parent.len()
    }

    /// The children of a node in depth-first order.
    pub(crate) fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end[node as usize];
        let first = Some(node + 1).filter(|child| *child < end);
        std::iter::successors(first, move |child| Some(self.end[*child as usize]).filter(|next| *next < end))
    }

    /// The entities from a node up to the root, the root left out.
    pub(crate) fn path_leaf_first(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(node).filter(|node| *node != ROOT);
        let nodes = std::iter::successors(first, |node| Some(self.parent[*node as usize]).filter(|up| *up != ROOT));
        nodes.map(|node| self.entity[node as usize])
    }
}

/// A tree that grows by looking up children.
#[derive(Debug)]
pub(crate) struct EntityTreeBuilder {
    parent: Vec<u32>,
    entity: Vec<u32>,
    children: FxHashMap<(u32, u32), u32>,
}

impl EntityTreeBuilder {
    /// A tree with only its root.
    pub(crate) fn new(root_entity: u32) -> Self {
        Self { parent: vec![ROOT], entity: vec![root_entity], children: FxHashMap::default() }
    }

    /// The child of `node` that stands for `entity`, added if it is new.
    pub(crate) fn child(&mut self, node: u32, entity: u32) -> u32 {
        let next = self.parent.len() as u32;
        let child = *self.children.entry((node, entity)).or_insert(next);
        if child == next {
            self.parent.push(node);
            self.entity.push(entity);
        }
        child
    }

    /// The parent of a node.
    pub(crate) fn parent(&self, node: u32) -> u32 {
        self.parent[node as usize]
    }

    /// What a node stands for.
    pub(crate) fn entity(&self, node: u32) -> u32 {
        self.entity[node as usize]
    }

    /// The finished tree, and for each node of this builder its number there.
    pub(crate) fn finish(self) -> (EntityTree, Vec<u32>) {
        drop(self.children);
        let new_numbers = depth_first_numbers(&self.parent);
        let count = self.parent.len();
        let mut tree = EntityTree { parent: vec![0; count], entity: vec![0; count], ..EntityTree::default() };
        for (old, new) in new_numbers.iter().enumerate() {
            tree.parent[*new as usize] = new_numbers[self.parent[old] as usize];
            tree.entity[*new as usize] = self.entity[old];
        }
        tree.depth = vec![0; count];
        for node in 1..count {
            tree.depth[node] = tree.depth[tree.parent[node] as usize] + 1;
        }
        tree.end = (1..=count as u32).collect();
        for node in (1..count).rev() {
            let parent = tree.parent[node] as usize;
            tree.end[parent] = tree.end[parent].max(tree.end[node]);
        }
        tree.is_first = first_occurrences(&tree);
        (tree, new_numbers)
    }
}

/// Numbers the nodes depth first, children in their old order.
fn depth_first_numbers(parent: &[u32]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let count = parent.len();
    let (mut first_child, mut next_sibling) = (vec![NONE; count], vec![NONE; count]);
    for node in (1..count).rev() {
        let up = parent[node] as usize;
        next_sibling[node] = std::mem::replace(&mut first_child[up], node as u32);
    }
    let mut numbers = vec![0; count];
    let mut node = ROOT;
    for number in 1..count as u32 {
        node = match first_child[node as usize] {
            NONE => {
                while next_sibling[node as usize] == NONE {
                    node = parent[node as usize];
                }
                next_sibling[node as usize]
            }
            child => child,
        };
        numbers[node as usize] = number;
    }
    numbers
}

fn first_occurrences(tree: &EntityTree) -> Vec<bool> {
    let entity_count = tree.entity.iter().max().map_or(0, |largest| *largest as usize + 1);
    let mut on_path = vec![0_u32; entity_count];
    let mut path: Vec<u32> = Vec::new();
    let mut is_first = Vec::with_capacity(tree.len());
    for (entity, depth) in tree.entity.iter().zip(&tree.depth) {
        for left in path.drain(*depth as usize..) {
            on_path[left as usize] -= 1;
        }
        is_first.push(on_path[*entity as usize] == 0);
        on_path[*entity as usize] += 1;
        path.push(*entity);
    }
    is_first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_numbered_depth_first_and_repeated_entities_are_marked() {
        let (fib, add) = (1, 2);
        let mut builder = EntityTreeBuilder::new(0);
        let outer = builder.child(ROOT, fib);
        let other = builder.child(ROOT, add);
        let inner = builder.child(outer, fib);
        assert_eq!(builder.child(outer, fib), inner);
        let (tree, numbers) = builder.finish();
        assert_eq!(numbers[other as usize], 3);
        assert_eq!(tree.entity, [0, fib, fib, add]);
        assert_eq!(tree.depth, [0, 1, 2, 1]);
        assert_eq!(tree.end, [4, 3, 3, 4]);
        assert_eq!(tree.is_first, [true, true, false, true]);
        assert_eq!(tree.children(ROOT).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(tree.path_leaf_first(2).collect::<Vec<_>>(), [fib, fib]);
    }
}
