//! Computes the value of every drawn box on each side of a comparison.
//!
//! Boxes are made from the mean of both sides. This module then follows each stack into the existing boxes. For each of
//! its functions, the stack enters the child box with this function. If there is no such child box, the stack enters
//! the box that joins the narrow children.

use crate::flame_graph::values::NodeValues;
use crate::flame_graph::{Boxes, Direction};
use rustc_hash::FxHashMap;
use whittle_profile::entity_tree::{EntityTree, ROOT};
use whittle_render::boxes::{NO_BOX, SMALL};

/// Values of the baseline and of the candidate.
pub(crate) type SideValues = [Vec<f64>; 2];

/// The stacks and boxes of one pass.
pub(crate) struct Followed<'a> {
    pub(crate) tree: &'a EntityTree,
    /// Inclusive and exclusive values of each side.
    pub(crate) sides: [&'a NodeValues; 2],
    /// The node of each end of stacks.
    pub(crate) ends: &'a [u32],
    pub(crate) direction: Direction,
    /// The functions at the graph's root. Empty if the root is `<Total>`.
    pub(crate) root: &'a [u32],
    /// The functions on the path from below the graph's root to the zoomed box.
    pub(crate) zoom: &'a [u32],
}

/// The position up to which a stack has been followed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Spot {
    /// The stack is not in the picture.
    Outside,
    /// The stack has matched this many functions on the path to the zoomed box.
    Zoom(usize),
    /// The stack is in this box.
    Box(u32),
}

/// Finds boxes by parent and function.
struct Picture<'a> {
    zoom: &'a [u32],
    /// The box for each parent and function.
    children: FxHashMap<(u32, u32), u32>,
    /// The box that joins the narrow children of each parent.
    small: FxHashMap<u32, u32>,
    values: SideValues,
}

impl<'a> Picture<'a> {
    fn new(boxes: &Boxes, zoom: &'a [u32]) -> Self {
        let (mut children, mut small) = (FxHashMap::default(), FxHashMap::default());
        for position in (0..boxes.len()).filter(|position| boxes.parent[*position] != NO_BOX) {
            let (parent, number) = (boxes.parent[position], position as u32);
            if boxes.flags[position] & SMALL != 0 {
                small.insert(parent, number);
            } else {
                children.insert((parent, boxes.function[position]), number);
            }
        }
        Self { zoom, children, small, values: [vec![0.0; boxes.len()], vec![0.0; boxes.len()]] }
    }

    /// Adds the values of a stack to the box that it enters.
    fn enter(&mut self, position: u32, amounts: [f64; 2]) {
        for (values, amount) in self.values.iter_mut().zip(amounts) {
            values[position as usize] += amount;
        }
    }

    /// The position at which every stack starts.
    fn start(&mut self, amounts: [f64; 2]) -> Spot {
        self.at_zoom(0, amounts)
    }

    fn at_zoom(&mut self, passed: usize, amounts: [f64; 2]) -> Spot {
        if passed < self.zoom.len() {
            return Spot::Zoom(passed);
        }
        self.enter(0, amounts);
        Spot::Box(0)
    }

    /// Follows a stack one function further.
    fn step(&mut self, spot: Spot, function: u32, amounts: [f64; 2]) -> Spot {
        match spot {
            Spot::Zoom(passed) if self.zoom[passed] == function => self.at_zoom(passed + 1, amounts),
            Spot::Outside | Spot::Zoom(_) => Spot::Outside,
            Spot::Box(above) => {
                if let Some(child) = self.children.get(&(above, function)).copied() {
                    self.enter(child, amounts);
                    return Spot::Box(child);
                }
                if let Some(small) = self.small.get(&above).copied() {
                    self.enter(small, amounts);
                }
                Spot::Outside
            }
        }
    }
}

impl Followed<'_> {
    /// The values of every box on each side. The boxes must include the first row.
    pub(crate) fn values(&self, boxes: &Boxes) -> SideValues {
        let mut picture = Picture::new(boxes, self.zoom);
        if !boxes.is_empty() {
            match self.direction {
                Direction::Callees => self.inward(&mut picture),
                Direction::Callers => self.outward(&mut picture),
            }
        }
        picture.values
    }

    fn inclusive(&self, node: u32) -> [f64; 2] {
        self.sides.map(|side| side.inclusive(self.tree, node))
    }

    fn is_root(&self, node: u32) -> bool {
        if self.root.is_empty() { node == ROOT } else { self.root.contains(&self.tree.entity[node as usize]) }
    }

    /// From callers to callees, node by node. A node starts at the position that its parent reached.
    fn inward(&self, picture: &mut Picture<'_>) {
        let count = self.tree.len();
        let mut spots = vec![Spot::Outside; count];
        let mut is_at_root = vec![false; count];
        let mut next_start = 0;
        for node in 0..count as u32 {
            let (index, parent) = (node as usize, self.tree.parent[node as usize] as usize);
            let is_root = self.is_root(node);
            if is_root && index >= next_start {
                // Occurrences below this occurrence are part of it.
                next_start = self.tree.end[index] as usize;
                is_at_root[index] = true;
                spots[index] = picture.start(self.inclusive(node));
            } else if is_root && self.root.len() > 1 && is_at_root[parent] {
                is_at_root[index] = true;
                spots[index] = spots[parent];
            } else if spots[parent] != Spot::Outside && index != ROOT as usize {
                spots[index] = picture.step(spots[parent], self.tree.entity[index], self.inclusive(node));
            }
        }
    }

    /// From callees to callers, stack by stack.
    fn outward(&self, picture: &mut Picture<'_>) {
        if self.root.is_empty() {
            for node in self.ends {
                let own = self.sides.map(|side| side.exclusive(*node));
                let start = picture.start(own);
                self.follow_outward(picture, (*node, start), own);
            }
            return;
        }
        let mut node = 0;
        while node < self.tree.len() as u32 {
            if self.is_root(node) {
                let amounts = self.inclusive(node);
                let start = picture.start(amounts);
                self.follow_outward(picture, (self.tree.parent[node as usize], start), amounts);
                node = self.tree.end[node as usize];
            } else {
                node += 1;
            }
        }
    }

    fn follow_outward(&self, picture: &mut Picture<'_>, (mut node, mut spot): (u32, Spot), amounts: [f64; 2]) {
        while node != ROOT && spot != Spot::Outside {
            spot = picture.step(spot, self.tree.entity[node as usize], amounts);
            node = self.tree.parent[node as usize];
        }
    }
}
