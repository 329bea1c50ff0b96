//! Attributed values: what each caller and callee of a fragment accounts for.
//!
//! One pass over the tree, depth first. A stack's weight goes to the frame before and the frame
//! after the *deepest* occurrence of the fragment in it:
//!
//! ```text
//! fragment: fib          main > fib > fib > fib         caller fib,   fragment's own
//!                        main > fib > fib > add         caller fib,   callee add
//!                        main > add                     no occurrence
//! ```
//!
//! A function that stands for several (all overloads of a name) also matches several adjacent
//! frames at once, so that the caller shown is the one outside the group.

use crate::entity_tree::EntityTree;
use crate::function_name::FunctionGroup;
use crate::reduction::NodeWeights;

/// A fragment as entities of a tree of functions.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Per entity, a bit for each element of the fragment that it matches.
    mask: Vec<u64>,
    /// Per element, true if adjacent frames that match it count as one.
    is_merged: Vec<bool>,
}

/// Values of one metric around a fragment.
#[derive(Debug, Clone)]
pub(crate) struct Attribution {
    /// Per entity, what it accounts for as caller.
    pub(crate) callers: Vec<f64>,
    /// Per entity, what it accounts for as callee.
    pub(crate) callees: Vec<f64>,
    /// Samples in which the fragment ends the stack.
    pub(crate) own: f64,
    /// Samples in which the fragment occurs: callees and own, and callers unless it starts at the root.
    pub(crate) inclusive: f64,
}

/// No match, or no occurrence.
const NONE: u32 = u32::MAX;
/// The fragment starts at the root, which has no caller; as a callee: the fragment ends the stack.
const NOBODY: u32 = u32::MAX - 1;

/// The deepest occurrence of a fragment on a path.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    /// Entity, [`NOBODY`], or [`NONE`] without an occurrence.
    caller: u32,
    /// Entity, or [`NOBODY`].
    callee: u32,
}

/// What is known about the path to the node that is being visited, by level.
#[derive(Debug, Default)]
struct Memory {
    /// The caller of a match of the fragment's first elements that ends exactly at the level; one a
    /// level and element.
    matches: Vec<u32>,
    /// The deepest occurrence down to the level.
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
    /// The pattern of functions, outermost first, at most 64.
    pub(crate) fn new(groups: &[FunctionGroup], entity_count: usize) -> Self {
        let mut mask = vec![0; entity_count];
        for (element, group) in groups.iter().enumerate() {
            for function in &group.functions {
                mask[*function as usize] |= 1_u64 << element;
            }
        }
        Self { mask, is_merged: groups.iter().map(FunctionGroup::is_merged).collect() }
    }

    /// The attribution of each metric, given the weights of the tree's nodes.
    pub(crate) fn attribute(&self, tree: &EntityTree, weights: &[NodeWeights<'_>]) -> Vec<Attribution> {
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

    /// Per node, whether the fragment occurs on its path.
    pub(crate) fn occurrences(&self, tree: &EntityTree) -> Vec<bool> {
        let mut occurs = vec![false; tree.len()];
        self.visit(tree, |node, _| occurs[node as usize] = true);
        occurs
    }

    /// Calls `found` for every node on whose path the fragment occurs. Only what is below a match
    /// of the fragment's first element is looked at.
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
    /// What is known about the path to a node depends on its parent only, and depth first the
    /// parent is the last visited node one level up: one entry a level is all the memory needed.
    fn visit_below(
        &self,
        tree: &EntityTree,
        root: usize,
        (memory, found): (&mut Memory, &mut impl FnMut(u32, Occurrence)),
    ) {
        let length = self.is_merged.len();
        let nobody = Occurrence { caller: NONE, callee: NOBODY };
        for node in root..tree.end[root] as usize {
            // Level 0 stands for everything above the subtree's root.
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

    /// The matches that end at a frame, from those that end at the frame above it.
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
