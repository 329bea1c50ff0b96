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

    /// The attribution of each metric, given the exclusive weights of the tree's nodes.
    pub(crate) fn attribute(&self, tree: &EntityTree, weights: &[Vec<f64>]) -> Vec<Attribution> {
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
                let weight = weights[node];
                if weight != 0.0 {
                    attribution.add(occurrence, weight);
                }
            }
        });
        attributions
    }

    /// Calls `found` for every node on whose path the fragment occurs.
    ///
    /// What is known about the path to a node depends on its parent only, and depth first the
    /// parent is the last visited node one level up: one entry a level is all the memory needed.
    fn visit(&self, tree: &EntityTree, mut found: impl FnMut(usize, Occurrence)) {
        let length = self.is_merged.len();
        let levels = tree.depth.iter().max().map_or(0, |deepest| *deepest as usize + 1);
        // The caller of a match of the fragment's first elements that ends exactly at the level;
        // one a level and element. Level 0 is the root.
        let mut matches = vec![NONE; levels * length];
        let mut occurrences = vec![Occurrence { caller: NONE, callee: NOBODY }; levels];
        for node in 0..tree.len() {
            let (level, entity) = (tree.depth[node] as usize, tree.entity[node]);
            let (above, here) = matches.split_at_mut(level * length);
            let above = above.get(above.len().saturating_sub(length)..).unwrap_or_default();
            let here = &mut here[..length];
            let caller = if level == 0 { NOBODY } else { tree.entity[tree.parent[node] as usize] };
            self.step(entity, (above, here), caller);
            let inherited = match (level, above.last()) {
                (0, _) => Occurrence { caller: NONE, callee: NOBODY },
                (_, Some(caller)) if *caller != NONE => Occurrence { caller: *caller, callee: entity },
                _ => occurrences[level - 1],
            };
            let complete = here[length - 1];
            let occurrence = if complete == NONE { inherited } else { Occurrence { caller: complete, callee: NOBODY } };
            occurrences[level] = occurrence;
            if occurrence.caller != NONE {
                found(node, occurrence);
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
