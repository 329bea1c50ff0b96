//! Computes attributed values: each caller's and each callee's part of a fragment's inclusive value.
//!
//! The tree is visited once, depth first. A stack's weight is added to two frames: the frame before and the frame after
//! the fragment's *deepest* occurrence.
//!
//! ```text
//! fragment: fib          main > fib > fib > fib         caller fib,   fragment's own
//!                        main > fib > fib > add         caller fib,   callee add
//!                        main > add                     no occurrence
//! ```
//!
//! A function group (all overloads of a name) also matches several adjacent frames at once. So the caller is never in
//! the group.

use crate::entity_tree::EntityTree;
use crate::function_name::FunctionGroup;
use crate::reduction::NodeWeights;

/// A fragment that was prepared for the entities of a function tree.
#[derive(Debug)]
pub struct Pattern {
    /// Per entity, one bit for each fragment element that the entity matches.
    mask: Vec<u64>,
    /// Per element, true if adjacent matching frames count as one frame.
    is_merged: Vec<bool>,
}

/// Values of one metric around a fragment.
#[derive(Debug, Clone)]
pub struct Attribution {
    /// Per entity, its attributed value as caller.
    pub callers: Vec<f64>,
    /// Per entity, its attributed value as callee.
    pub callees: Vec<f64>,
    /// The exclusive value: the weight of the samples with a stack that ends with the fragment.
    pub own: f64,
    /// Weight of the samples that contain the fragment. It equals the sum of `callees` and `own`. Unless the fragment
    /// starts at the root, it also equals the sum of `callers`.
    pub inclusive: f64,
}

/// Used instead of an entity if there is no match or no occurrence.
const NONE: u32 = u32::MAX;
/// Used instead of a caller if the fragment starts at the root, and instead of a callee if the stack ends with the
/// fragment.
const NOBODY: u32 = u32::MAX - 1;

/// The deepest occurrence of a fragment on a path.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    /// An entity, [`NOBODY`], or [`NONE`] if there is no occurrence.
    caller: u32,
    /// An entity, or [`NOBODY`].
    callee: u32,
}

/// State of the path to the visited node, by level.
#[derive(Debug, Default)]
struct Memory {
    /// Matches of the fragment's first elements, by the level at which they end. There is one entry per level and
    /// element. It contains the match's caller.
    matches: Vec<u32>,
    /// Per level, the deepest occurrence on the path down to this level.
    occurrences: Vec<Occurrence>,
}

impl Memory {
    fn grow(&mut self, levels: usize, length: usize) {
        if self.occurrences.len() < levels {
            self.matches.resize(levels * length, NONE);
            self.occurrences.resize(levels, Occurrence { caller: NONE, callee: NOBODY });
        }
    }
}

impl Pattern {
    /// Prepares a fragment. `groups` contains its functions, outermost first, at most 64.
    pub fn new(groups: &[FunctionGroup], entity_count: usize) -> Self {
        let mut mask = vec![0; entity_count];
        for (element, group) in groups.iter().enumerate() {
            for function in &group.functions {
                mask[*function as usize] |= 1_u64 << element;
            }
        }
        Self { mask, is_merged: groups.iter().map(FunctionGroup::is_merged).collect() }
    }

    /// Computes each metric's attribution from the weights of the tree's nodes.
    pub fn attribute(&self, tree: &EntityTree, weights: &[NodeWeights<'_>]) -> Vec<Attribution> {
        let entity_count = self.mask.len();
        let empty = Attribution {
            callers: vec![0.0; entity_count],
            callees: vec![0.0; entity_count],
            own: 0.0,
            inclusive: 0.0,
        };
        let mut attributions = vec![empty; weights.len()];
        self.visit(tree, |node, occurrence| {
            for (attribution, weights) in attributions.iter_mut().zip(weights) {
                let weight = weights.exclusive(node);
                if weight != 0.0 {
                    attribution.add(occurrence, weight);
                }
            }
        });
        attributions
    }

    /// Per node, true if the fragment occurs on its path.
    pub fn occurrences(&self, tree: &EntityTree) -> Vec<bool> {
        let mut occurs = vec![false; tree.len()];
        self.visit(tree, |node, _| occurs[node as usize] = true);
        occurs
    }

    /// Calls `found` for every node with the fragment on its path. Only subtrees below a match of the fragment's first
    /// element are visited.
    fn visit(&self, tree: &EntityTree, mut found: impl FnMut(u32, Occurrence)) {
        let mut memory = Memory::default();
        let mut node = 0;
        while node < tree.len() {
            if self.mask[tree.entity[node] as usize] & 1 == 0 {
                node += 1;
            } else {
                self.visit_below(tree, node, (&mut memory, &mut found));
                node = tree.end[node] as usize;
            }
        }
    }

    /// Visits one subtree.
    ///
    /// The state of a path depends only on its parent. In depth-first order, the parent is the last visited node one
    /// level up. So one entry per level is enough.
    fn visit_below(
        &self,
        tree: &EntityTree,
        root: usize,
        (memory, found): (&mut Memory, &mut impl FnMut(u32, Occurrence)),
    ) {
        let length = self.is_merged.len();
        let nobody = Occurrence { caller: NONE, callee: NOBODY };
        for node in root..tree.end[root] as usize {
            // Level 0 represents everything above the subtree's root.
            let level = (tree.depth[node] - tree.depth[root]) as usize + 1;
            memory.grow(level + 1, length);
            let entity = tree.entity[node];
            let (above, here) = memory.matches.split_at_mut(level * length);
            let (above, here) = (&above[(level - 1) * length..], &mut here[..length]);
            let caller = if node == 0 { NOBODY } else { tree.entity[tree.parent[node] as usize] };
            self.step(entity, (above, here), caller);
            let inherited = match above[length - 1] {
                NONE if level == 1 => nobody,
                NONE => memory.occurrences[level - 1],
                caller => Occurrence { caller, callee: entity },
            };
            let complete = here[length - 1];
            let occurrence = if complete == NONE { inherited } else { Occurrence { caller: complete, callee: NOBODY } };
            memory.occurrences[level] = occurrence;
            if occurrence.caller != NONE {
                found(node as u32, occurrence);
            }
        }
    }

    /// Computes the matches that end at a frame from the matches that end at the frame above.
    fn step(&self, entity: u32, (above, here): (&[u32], &mut [u32]), caller: u32) {
        let mask = self.mask[entity as usize];
        if mask == 0 {
            here.fill(NONE);
            return;
        }
        for (element, slot) in here.iter_mut().enumerate() {
            let continued = if self.is_merged[element] { above.get(element).copied().unwrap_or(NONE) } else { NONE };
            let started = if element == 0 { caller } else { above.get(element - 1).copied().unwrap_or(NONE) };
            *slot = match mask >> element & 1 {
                0 => NONE,
                _ if continued != NONE => continued,
                _ => started,
            };
        }
    }
}

impl Attribution {
    fn add(&mut self, occurrence: Occurrence, weight: f64) {
        self.inclusive += weight;
        if occurrence.caller != NOBODY {
            self.callers[occurrence.caller as usize] += weight;
        }
        match occurrence.callee {
            NOBODY => self.own += weight,
            callee => self.callees[callee as usize] += weight,
        }
    }
}
