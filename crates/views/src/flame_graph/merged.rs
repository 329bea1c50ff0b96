//! Trees of boxes that merge several nodes of the tree of stacks. A tree shows everything below a function, or all
//! stacks from their leaves outward.
//!
//! The trees are built only as far as they are visited. A box's children are found when the box is first visited. A
//! *place* is a node of the tree of stacks together with a weight. All places are in one long list, and each box has a
//! range of this list. In outward trees, each place moves one frame outward from a box to its child. Therefore, the
//! children's places replace the box's places, and the visited part of the list is sorted by reversed stack.
//!
//! ```text
//! ends of stacks:       main parse | main write | run write | main write flush
//! below <Total>:       [flush: main write flush] [parse: main parse] [write: main write, run write]
//! below `write`, when visited:                                      [main: main write] [run: run write]
//! ```

use crate::flame_graph::values::NodeValues;
use std::ops::Range;
use whittle_profile::entity_tree::{EntityTree, ROOT};
use whittle_profile::order::sort_by_key;
use whittle_render::boxes::{Child, Graph};

/// Number of frame kinds.
const KIND_COUNT: usize = 10;
const NOT_SEEN: u32 = u32::MAX;

/// The direction of a tree of boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// From callers to callees.
    Inward,
    /// From callees to callers.
    Outward,
}

/// The input for the boxes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) tree: &'a EntityTree,
    pub(crate) values: &'a NodeValues,
    /// For each node, its frame kind.
    pub(crate) kinds: &'a [u8],
    /// Number of different functions.
    pub(crate) function_count: usize,
}

/// A node of the tree, and the weight of the node.
#[derive(Debug, Clone, Copy)]
struct Place {
    node: u32,
    weight: f64,
}

#[derive(Debug)]
struct MergedBox {
    function: u32,
    /// The parent. The root is its own parent.
    parent: u32,
    /// The smallest node that was merged when the box was found.
    node: u32,
    kind: u8,
    value: f64,
    /// Exclusive value. In outward trees, this is the weight of the stacks with their outermost frame in this box. The
    /// value is known only after the first visit.
    own: f64,
    places: Range<usize>,
    /// The child boxes. Missing before the first visit.
    children: Option<Range<u32>>,
}

/// The boxes that were found so far. The first box is the root.
#[derive(Debug)]
pub(crate) struct MergedTree {
    way: Way,
    places: Vec<Place>,
    boxes: Vec<MergedBox>,
    /// Whether the ends of stacks are directly below the root. If so, the first step moves no place.
    is_root_outside: bool,
    /// The position of each function among the children under construction.
    position: Vec<u32>,
}

/// Approximate memory of a box, as a number of places.
const PLACES_PER_BOX: usize = 4;
/// Number of positions that fit into the memory of one place.
const POSITIONS_PER_PLACE: usize = 4;

/// A child under construction.
#[derive(Debug, Default)]
struct Group {
    function: u32,
    node: u32,
    count: usize,
    weight: f64,
    by_kind: [f64; KIND_COUNT],
}

impl MergedTree {
    /// A tree of all stacks, from their leaves outward.
    pub(crate) fn of_ends(source: Source<'_>, ends: &[u32]) -> Self {
        let places = ends.iter().map(|node| Place { node: *node, weight: source.values.exclusive(*node) });
        let places: Vec<Place> = places.filter(|place| place.weight > 0.0).collect();
        let root = MergedBox {
            function: source.tree.entity[ROOT as usize],
            parent: 0,
            node: ROOT,
            kind: 0,
            value: source.values.total(source.tree),
            own: 0.0,
            places: 0..places.len(),
            children: None,
        };
        Self::new(Way::Outward, (root, places), (true, source))
    }

    /// A tree of everything below or above the outermost occurrences of a function.
    ///
    /// `adjacent` contains the occurrences directly below the outermost occurrences, for example if overloads call each
    /// other. Adjacent and outermost occurrences are in the same box.
    pub(crate) fn of_function(way: Way, source: Source<'_>, (outermost, adjacent): (&[u32], &[u32])) -> Self {
        let place = |node: &u32| Place { node: *node, weight: source.values.inclusive(source.tree, *node) };
        let mut places: Vec<Place> = outermost.iter().map(place).filter(|place| place.weight > 0.0).collect();
        let group = places.iter().fold(Group::default(), |mut group, place| {
            group.add(*place, source.kinds);
            group
        });
        if way == Way::Inward {
            places.extend(adjacent.iter().map(place).filter(|place| place.weight > 0.0));
            sort_by_key(&mut places, |place| place.node);
        }
        let own = if way == Way::Inward { own_inward(&places, source) } else { 0.0 };
        let root = MergedBox {
            function: outermost.first().map_or(0, |node| source.tree.entity[*node as usize]),
            parent: 0,
            node: outermost.first().copied().unwrap_or(ROOT),
            kind: group.kind(),
            value: group.weight,
            own,
            places: 0..places.len(),
            children: None,
        };
        Self::new(way, (root, places), (false, source))
    }

    fn new(way: Way, (root, places): (MergedBox, Vec<Place>), (is_root_outside, source): (bool, Source<'_>)) -> Self {
        let position = vec![NOT_SEEN; source.function_count];
        Self { way, places, boxes: vec![root], is_root_outside, position }
    }

    /// The child boxes of a box. The first call finds them.
    pub(crate) fn children_of(&mut self, id: u32, source: Source<'_>) -> Range<u32> {
        if let Some(known) = self.boxes[id as usize].children.clone() {
            return known;
        }
        let children = match self.way {
            Way::Outward => self.look_outward(id, source),
            Way::Inward => self.look_inward(id, source),
        };
        self.boxes[id as usize].children = Some(children.clone());
        children
    }

    /// The child with this function.
    pub(crate) fn child_called(&mut self, id: u32, function: u32, source: Source<'_>) -> Option<u32> {
        self.children_of(id, source).find(|child| self.boxes[*child as usize].function == function)
    }

    /// The functions on the path from the root to a box, each with its box's node. The root is left out.
    pub(crate) fn path(&self, id: u32) -> Vec<(u32, u32)> {
        let up = |id: &u32| Some(self.boxes[*id as usize].parent).filter(|_| *id != 0);
        let boxes = std::iter::successors(Some(id), up).filter(|id| *id != 0);
        let mut path: Vec<(u32, u32)> =
            boxes.map(|id| (self.boxes[id as usize].node, self.boxes[id as usize].function)).collect();
        path.reverse();
        path
    }

    /// The root's node and function.
    pub(crate) fn root(&self) -> (u32, u32) {
        (self.boxes[0].node, self.boxes[0].function)
    }

    /// The memory of the tree, as a number of places.
    pub(crate) fn size(&self) -> usize {
        self.places.len() + PLACES_PER_BOX * self.boxes.len() + self.position.len() / POSITIONS_PER_PLACE
    }

    /// A box's inclusive value.
    pub(crate) fn value(&self, id: u32) -> f64 {
        self.boxes[id as usize].value
    }

    /// True if the tree leads from callees to callers.
    pub(crate) fn leads_outward(&self) -> bool {
        self.way == Way::Outward
    }

    /// The part of a box's value that the search finds. If `is_whole` is true for the box's function, this is the whole
    /// value. Otherwise, in an inward tree, `found_inward` returns the part for a node and all nodes below it. In an
    /// outward tree, `is_found_outward` tests a node and all nodes above it.
    pub(crate) fn found_in(&self, id: u32, source: Source<'_>, find: &Find<'_>) -> f64 {
        let (mut sum, mut next) = (0.0, vec![id]);
        while let Some(id) = next.pop() {
            let merged = &self.boxes[id as usize];
            let places = &self.places[merged.places.clone()];
            if (find.is_whole)(merged.function) {
                sum += merged.value;
            } else if self.way == Way::Inward {
                sum += found_inward(places, source, find);
            } else if let Some(children) = &merged.children {
                next.extend(children.clone());
            } else {
                sum += places
                    .iter()
                    .filter(|place| (find.is_found_outward)(place.node))
                    .map(|place| place.weight)
                    .sum::<f64>();
            }
        }
        sum
    }

    fn look_outward(&mut self, id: u32, source: Source<'_>) -> Range<u32> {
        let is_first_step = self.is_root_outside && id == 0;
        let range = self.boxes[id as usize].places.clone();
        let mut moved = self.places[range.clone()].to_vec();
        if !is_first_step {
            moved.iter_mut().for_each(|place| place.node = source.tree.parent[place.node as usize]);
        }
        // The sum of an empty list would be -0.
        let ending = moved.iter().filter(|place| place.node == ROOT).map(|place| place.weight);
        self.boxes[id as usize].own = ending.fold(0.0, |sum, weight| sum + weight);
        moved.retain(|place| place.node != ROOT);
        self.add_children(id, &moved, (range.end - moved.len(), source))
    }

    fn look_inward(&mut self, id: u32, source: Source<'_>) -> Range<u32> {
        let own = self.places[self.boxes[id as usize].places.clone()].to_vec();
        // Only the root can have a node below another node.
        let is_own = |node: &u32| id == 0 && own.binary_search_by_key(node, |place| place.node).is_ok();
        let children = own.iter().flat_map(|place| source.tree.children(place.node)).filter(|child| !is_own(child));
        let found = children.map(|node| Place { node, weight: source.values.inclusive(source.tree, node) });
        let mut found: Vec<Place> = found.filter(|place| place.weight > 0.0).collect();
        if id == 0 {
            // Only the root can have a place below another place, so its children must be sorted.
            sort_by_key(&mut found, |place| place.node);
        }
        let first = self.places.len();
        self.places.resize(first + found.len(), Place { node: ROOT, weight: 0.0 });
        let children = self.add_children(id, &found, (first, source));
        for child in &mut self.boxes[children.start as usize..] {
            child.own = own_inward(&self.places[child.places.clone()], source);
        }
        children
    }

    /// Adds a box for each function in `found`, and groups the places of each box. The first place is stored at
    /// `first`.
    fn add_children(&mut self, parent: u32, found: &[Place], (first, source): (usize, Source<'_>)) -> Range<u32> {
        let mut groups: Vec<Group> = Vec::new();
        for place in found {
            let function = source.tree.entity[place.node as usize];
            let position = &mut self.position[function as usize];
            if *position == NOT_SEEN {
                *position = groups.len() as u32;
                groups.push(Group { function, node: place.node, ..Group::default() });
            }
            groups[*position as usize].add(*place, source.kinds);
        }
        let first_box = self.boxes.len() as u32;
        let mut next = Vec::with_capacity(groups.len());
        let mut start = first;
        for group in &groups {
            next.push(start);
            self.boxes.push(group.as_box(parent, start));
            start += group.count;
        }
        for place in found {
            let group = self.position[source.tree.entity[place.node as usize] as usize] as usize;
            self.places[next[group]] = *place;
            next[group] += 1;
        }
        groups.iter().for_each(|group| self.position[group.function as usize] = NOT_SEEN);
        first_box..self.boxes.len() as u32
    }
}

impl Group {
    fn add(&mut self, place: Place, kinds: &[u8]) {
        self.node = self.node.min(place.node);
        self.count += 1;
        self.weight += place.weight;
        self.by_kind[usize::from(kinds[place.node as usize]).min(KIND_COUNT - 1)] += place.weight;
    }

    /// The frame kind with the most weight.
    fn kind(&self) -> u8 {
        let heaviest = (0..KIND_COUNT).max_by(|a, b| self.by_kind[*a].total_cmp(&self.by_kind[*b]).then(b.cmp(a)));
        heaviest.unwrap_or(0) as u8
    }

    fn as_box(&self, parent: u32, start: usize) -> MergedBox {
        MergedBox {
            function: self.function,
            parent,
            node: self.node,
            kind: self.kind(),
            value: self.weight,
            own: 0.0,
            places: start..start + self.count,
            children: None,
        }
    }
}

/// The results of a search in merged boxes.
pub(crate) struct Find<'a> {
    /// Whether the search finds a function.
    pub(crate) is_whole: &'a dyn Fn(u32) -> bool,
    /// The weight that the search finds at a node and below it.
    pub(crate) found_inward: &'a dyn Fn(u32) -> f64,
    /// Whether the search finds a node or a node above it.
    pub(crate) is_found_outward: &'a dyn Fn(u32) -> bool,
}

/// The weight that the search finds at these places and below them. `places` is sorted by node. A place below another
/// place is skipped, because the upper place includes it.
fn found_inward(places: &[Place], source: Source<'_>, find: &Find<'_>) -> f64 {
    let (mut sum, mut end) = (0.0, 0);
    for place in places.iter() {
        if place.node >= end {
            end = source.tree.end[place.node as usize];
            sum += (find.found_inward)(place.node);
        }
    }
    sum
}

fn own_inward(places: &[Place], source: Source<'_>) -> f64 {
    places.iter().fold(0.0, |sum, place| sum + source.values.exclusive(place.node))
}

/// Boxes to draw.
pub(crate) struct MergedBoxes<'a> {
    pub(crate) merged: &'a mut MergedTree,
    pub(crate) source: Source<'a>,
}

impl Graph for MergedBoxes<'_> {
    fn value(&self, id: u32) -> f64 {
        self.merged.boxes[id as usize].value
    }

    /// In outward trees, the value is known only after the first visit of the box.
    fn own(&self, id: u32) -> f64 {
        self.merged.boxes[id as usize].own
    }

    fn function(&self, id: u32) -> u32 {
        self.merged.boxes[id as usize].function
    }

    fn node(&self, id: u32) -> u32 {
        match self.merged.way {
            Way::Inward => self.merged.boxes[id as usize].node,
            Way::Outward => id,
        }
    }

    fn kind(&self, id: u32) -> u8 {
        self.merged.boxes[id as usize].kind
    }

    fn children(&mut self, id: u32, into: &mut Vec<Child>) {
        let children = self.merged.children_of(id, self.source);
        into.extend(children.map(|id| Child { id, value: self.merged.value(id) }));
    }
}
