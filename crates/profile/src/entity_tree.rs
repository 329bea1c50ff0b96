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
//! `end` is one past the last node of the subtree. So the first child of `i` is `i + 1`, and the next sibling of a
//! child `c` is the `end` of `c`. `first` is "yes" if the entity does not occur further up on the path. A sum over only
//! these nodes counts each sample once, even with deep recursion.

use std::sync::OnceLock;

/// The root's number.
pub const ROOT: u32 = 0;

/// The tree. All vectors have one element per node.
#[derive(Debug, Default)]
pub struct EntityTree {
    /// The parent's number, which is smaller than the node's number. The root is its own parent.
    pub parent: Vec<u32>,
    /// Number of nodes on the path to this node, without the root.
    pub depth: Vec<u32>,
    /// One past the last node of the subtree.
    pub end: Vec<u32>,
    /// The entity of the node.
    pub entity: Vec<u32>,
    /// The values of [`EntityTree::is_first`], computed when they are first needed.
    is_first: OnceLock<Vec<bool>>,
}

impl EntityTree {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Per node, true if no ancestor has the same entity.
    pub fn is_first(&self) -> &[bool] {
        self.is_first.get_or_init(|| first_occurrences(self, |entity| entity))
    }

    /// The children of a node in depth-first order.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end[node as usize];
        let first = Some(node + 1).filter(|child| *child < end);
        std::iter::successors(first, move |child| Some(self.end[*child as usize]).filter(|next| *next < end))
    }

    /// The entities from a node up to the root, without the root.
    pub fn path_leaf_first(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(node).filter(|node| *node != ROOT);
        let nodes = std::iter::successors(first, |node| Some(self.parent[*node as usize]).filter(|up| *up != ROOT));
        nodes.map(|node| self.entity[node as usize])
    }
}

/// An unfinished tree. Siblings can have the same entity. Parents come before their children.
///
/// Equal siblings are merged at the end, all at once. So whittle needs no table of children by name, which would be
/// several times larger than the tree.
#[derive(Debug)]
pub struct RawTree {
    parent: Vec<u32>,
    entity: Vec<u32>,
}

/// Used if there is no node.
const NONE: u32 = u32::MAX;

impl RawTree {
    /// A tree with only its root.
    pub fn new(root_entity: u32, capacity: usize) -> Self {
        let mut tree = Self { parent: Vec::with_capacity(capacity), entity: Vec::with_capacity(capacity) };
        tree.parent.push(ROOT);
        tree.entity.push(root_entity);
        tree
    }

    /// Adds a child to a node and returns the child.
    pub fn add(&mut self, parent: u32, entity: u32) -> u32 {
        self.parent.push(parent);
        self.entity.push(entity);
        self.parent.len() as u32 - 1
    }

    /// The parent of a node.
    pub fn parent(&self, node: u32) -> u32 {
        self.parent[node as usize]
    }

    /// The entity of a node.
    pub fn entity(&self, node: u32) -> u32 {
        self.entity[node as usize]
    }

    /// Finishes the tree. The result contains only the paths to the nodes in `ends`. The node numbers in `ends` are
    /// replaced with numbers of the new tree.
    pub fn finish(self, ends: &mut [u32]) -> EntityTree {
        let Linked { first_child, next_sibling, needed_count } = self.linked(ends);
        let Self { parent, entity } = self;
        drop(parent);
        let tree = EntityTree {
            parent: Vec::with_capacity(needed_count),
            depth: Vec::with_capacity(needed_count),
            entity: Vec::with_capacity(needed_count),
            ..EntityTree::default()
        };
        let mut merging = Merging { entity, numbers: first_child, link: next_sibling, tree };
        merging.merge();
        let Merging { numbers, tree, entity, link } = merging;
        drop((entity, link));
        ends.iter_mut().for_each(|end| *end = numbers[*end as usize]);
        drop(numbers);
        tree.with_ends_of_subtrees()
    }

    /// Links each node on a path to `ends` to its children.
    fn linked(&self, ends: &[u32]) -> Linked {
        let count = self.parent.len();
        let mut is_needed = vec![false; count];
        is_needed[ROOT as usize] = true;
        ends.iter().for_each(|end| is_needed[*end as usize] = true);
        let mut linked = Linked { first_child: vec![NONE; count], next_sibling: vec![NONE; count], needed_count: 1 };
        for node in (1..count).rev() {
            if is_needed[node] {
                let up = self.parent[node] as usize;
                is_needed[up] = true;
                linked.next_sibling[node] = std::mem::replace(&mut linked.first_child[up], node as u32);
                linked.needed_count += 1;
            }
        }
        linked
    }
}

impl EntityTree {
    /// Computes `end` from the parents.
    fn with_ends_of_subtrees(mut self) -> Self {
        self.end = (1..=self.len() as u32).collect();
        for node in (1..self.len()).rev() {
            let parent = self.parent[node] as usize;
            self.end[parent] = self.end[parent].max(self.end[node]);
        }
        self
    }
}

/// The nodes of an unfinished tree that are on the path to an end.
struct Linked {
    /// Per node, the first child that is needed.
    first_child: Vec<u32>,
    /// Per node, the next sibling that is needed.
    next_sibling: Vec<u32>,
    /// The number of needed nodes.
    needed_count: usize,
}

/// Merges equal siblings depth first, so that nodes are created in the order of their numbers.
struct Merging {
    entity: Vec<u32>,
    /// Per old node: its first child until the node is visited, afterwards its new number.
    numbers: Vec<u32>,
    /// Per old node: its next sibling until the parent is visited, afterwards the next node to merge with.
    link: Vec<u32>,
    tree: EntityTree,
}

/// A number with a child's entity in its upper half and the child in its lower half. Sorting these numbers sorts by
/// entity, then by child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ByEntity(u64);

impl ByEntity {
    fn new(entity: u32, child: u32) -> Self {
        Self(u64::from(entity) << 32 | u64::from(child))
    }

    fn entity(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn child(self) -> u32 {
        self.0 as u32
    }
}

impl Merging {
    fn merge(&mut self) {
        let mut children: Vec<ByEntity> = Vec::new();
        // Each entry contains the first of several merged nodes, and their parent's new number.
        let mut waiting: Vec<(u32, u32)> = vec![(ROOT, ROOT)];
        while let Some((first, parent)) = waiting.pop() {
            let number = self.add(first, parent);
            self.visit(first, number, &mut children);
            match children.as_slice() {
                [] => {}
                [only] => waiting.push((only.child(), number)),
                _ => self.merge_siblings(&mut children, |first| waiting.push((first, number))),
            }
            children.clear();
        }
    }

    /// Links equal siblings. Passes the first sibling of each group to `found`, starting with the last group.
    fn merge_siblings(&mut self, children: &mut [ByEntity], mut found: impl FnMut(u32)) {
        if !children.is_sorted() {
            children.sort_unstable();
        }
        let mut next: Option<ByEntity> = None;
        for child in children.iter().rev() {
            match next {
                Some(next) if next.entity() == child.entity() => self.link[child.child() as usize] = next.child(),
                Some(next) => found(next.child()),
                None => {}
            }
            next = Some(*child);
        }
        next.into_iter().for_each(|first| found(first.child()));
    }

    fn add(&mut self, first: u32, parent: u32) -> u32 {
        let number = self.tree.len() as u32;
        let depth = if number == ROOT { 0 } else { self.tree.depth[parent as usize] + 1 };
        self.tree.parent.push(parent);
        self.tree.depth.push(depth);
        self.tree.entity.push(self.entity[first as usize]);
        number
    }

    /// Gives the merged nodes their number, and collects their children.
    fn visit(&mut self, first: u32, number: u32, children: &mut Vec<ByEntity>) {
        let mut node = first;
        while node != NONE {
            let mut child = std::mem::replace(&mut self.numbers[node as usize], number);
            while child != NONE {
                children.push(ByEntity::new(self.entity[child as usize], child));
                child = std::mem::replace(&mut self.link[child as usize], NONE);
            }
            node = self.link[node as usize];
        }
    }
}

/// Per node, true if no ancestor has the same identity. `identity` is the identity of an entity.
pub fn first_occurrences(tree: &EntityTree, identity: impl Fn(u32) -> u32) -> Vec<bool> {
    let largest = tree.entity.iter().map(|entity| identity(*entity)).max();
    let mut on_path = vec![0_u32; largest.map_or(0, |largest| largest as usize + 1)];
    let mut path: Vec<u32> = Vec::new();
    let mut is_first = Vec::with_capacity(tree.len());
    for (entity, depth) in tree.entity.iter().zip(&tree.depth) {
        for left in path.drain(*depth as usize..) {
            on_path[left as usize] -= 1;
        }
        let entity = identity(*entity);
        is_first.push(on_path[entity as usize] == 0);
        on_path[entity as usize] += 1;
        path.push(entity);
    }
    is_first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_numbered_depth_first_and_repeated_entities_are_marked() {
        let (fib, add) = (1, 2);
        let mut raw = RawTree::new(0, 0);
        let outer = raw.add(ROOT, fib);
        let other = raw.add(ROOT, add);
        let inner = raw.add(outer, fib);
        let again = raw.add(ROOT, fib);
        let below = raw.add(again, fib);
        raw.add(other, fib);
        let mut ends = [other, inner, below, ROOT];
        let tree = raw.finish(&mut ends);
        assert_eq!(ends, [3, 2, 2, ROOT]);
        assert_eq!(tree.entity, [0, fib, fib, add]);
        assert_eq!(tree.depth, [0, 1, 2, 1]);
        assert_eq!(tree.end, [4, 3, 3, 4]);
        assert_eq!(tree.is_first(), [true, true, false, true]);
        assert_eq!(tree.children(ROOT).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(tree.path_leaf_first(2).collect::<Vec<_>>(), [fib, fib]);
    }
}
