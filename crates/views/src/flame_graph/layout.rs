//! From a tree of boxes to the boxes that can be seen, row by row from the root.
//!
//! ```text
//! row 0  |<Total>                              |      siblings stand by name from their parent's left edge,
//! row 1  |main                     |worker |   |      then one box for all that are too narrow to draw;
//! row 2  |parse       |write    |▒|    |x|            what is left on the right is the parent's own
//! ```
//!
//! Only boxes that are wide enough are looked into, so the cost follows what is on the screen, and no step is
//! recursive: stacks may be as deep as they like.

use crate::order::sort_by;
use std::ops::Range;

/// Where a box is not in the answer.
pub(crate) const NO_BOX: u32 = u32::MAX;

/// The function of a box matches the search.
pub(crate) const MATCHES: u8 = 1;
/// The box stands for several siblings that are too narrow to draw.
pub(crate) const SMALL: u8 = 2;

/// A tree that can be drawn. Boxes have numbers of the graph's own choice.
pub(crate) trait Graph {
    /// Inclusive value.
    fn value(&self, id: u32) -> f64;
    /// What of the value no child has.
    fn own(&self, id: u32) -> f64;
    /// The function, numbered as the tree numbers what its nodes stand for.
    fn function(&self, id: u32) -> u32;
    /// The number by which a caller knows the box.
    fn node(&self, id: u32) -> u32;
    /// Code of the frame kind.
    fn kind(&self, id: u32) -> u8;
    /// Adds the children with a value to `into`. Asked before the box's own value is.
    fn children(&mut self, id: u32, into: &mut Vec<Child>);
}

/// A box below another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Child {
    pub(crate) id: u32,
    /// Its inclusive value: known when it was found, and far away in memory later.
    pub(crate) value: f64,
}

/// What part of the graph is drawn, and how large.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Narrowest box, as share of the width.
    pub(crate) min_ratio: f64,
    /// The rows wanted.
    pub(crate) rows: Range<u32>,
}

/// Boxes, sorted by row and then from left to right; all vectors have one element a box.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Boxes {
    /// The node that the box stands for; of a small box its parent.
    pub node: Vec<u32>,
    /// Number of the function; of a small box that of its largest part.
    pub function: Vec<u32>,
    /// Rows below the root that is shown, which is in row 0.
    pub row: Vec<u32>,
    /// Position of the parent among the boxes; 4294967295 if it is not among them.
    pub parent: Vec<u32>,
    /// Left edge as share of the width, 0 to 1.
    pub x: Vec<f32>,
    /// Width as share of the width, 0 to 1.
    pub width: Vec<f32>,
    /// Inclusive value.
    pub value: Vec<f64>,
    /// Exclusive value; of a small box the number of boxes that it stands for.
    pub own: Vec<f64>,
    /// Frame kind: 0 pseudo, 1 jit, 2 interpreted, 3 c1, 4 inlined, 5 jvm, 6 native, 7 kernel, 8 stub, 9 truncated.
    pub kind: Vec<u8>,
    /// Bits: 1 matches the search, 2 small.
    pub flags: Vec<u8>,
}

impl Boxes {
    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.node.is_empty()
    }
}

/// A match of the search that has no match above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Match {
    pub(crate) node: u32,
    pub(crate) row: u32,
    pub(crate) function: u32,
    pub(crate) value: f64,
}

/// What was drawn.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    pub(crate) boxes: Boxes,
    /// Number of rows that hold a box.
    pub(crate) row_count: u32,
    /// Outermost matches among all drawn boxes, wanted rows or not.
    pub(crate) matches: Vec<Match>,
}

/// Draws what lies below `root`. `names` gives a function's name, `is_match` says whether the search finds it.
pub(crate) fn draw<'n>(
    graph: &mut impl Graph,
    root: u32,
    frame: &Frame,
    search: (impl Fn(u32) -> &'n str, impl Fn(u32) -> bool),
) -> Drawn {
    let total = graph.value(root);
    let mut drawing = Drawing { frame, scale: 1.0 / total, smallest: total * frame.min_ratio, drawn: Drawn::default() };
    if total <= 0.0 {
        return drawing.drawn;
    }
    let (name, is_match) = search;
    let whole = Placed { id: root, value: total, x: 0.0, parent: NO_BOX, small: None, is_below_match: false };
    let (mut row, mut below, mut children) = (vec![whole], Vec::new(), Vec::new());
    while !row.is_empty() {
        for placed in &row {
            children.clear();
            if placed.small.is_none() {
                graph.children(placed.id, &mut children);
            }
            let is_below_match = drawing.add(graph, placed, &is_match);
            if !children.is_empty() {
                let above = Placed { is_below_match, parent: drawing.newest(), ..*placed };
                let small = drawing.take_small(graph, &above, &mut children);
                sort_by_name(&mut children, graph, &name);
                place_below(&above, &children, small, &mut below);
            }
        }
        drawing.drawn.row_count += 1;
        row.clear();
        std::mem::swap(&mut row, &mut below);
    }
    drawing.drawn
}

/// A box with its place in its row.
#[derive(Debug, Clone, Copy)]
struct Placed {
    /// The box, or the largest of several small ones.
    id: u32,
    /// Inclusive value, of all together where several are small.
    value: f64,
    /// Left edge, in the unit of the values.
    x: f64,
    /// Position of the parent among the boxes of the answer.
    parent: u32,
    small: Option<Small>,
    is_below_match: bool,
}

/// Siblings that are too narrow to draw.
#[derive(Debug, Clone, Copy)]
struct Small {
    count: u32,
    parent_node: u32,
}

struct Drawing<'a> {
    frame: &'a Frame,
    scale: f64,
    smallest: f64,
    drawn: Drawn,
}

impl Drawing<'_> {
    fn row(&self) -> u32 {
        self.drawn.row_count
    }

    /// The box that was added last, if its row is wanted.
    fn newest(&self) -> u32 {
        if self.frame.rows.contains(&self.row()) { self.drawn.boxes.len() as u32 - 1 } else { NO_BOX }
    }

    /// Adds a box to the answer; says whether what lies below it is below a match.
    fn add(&mut self, graph: &impl Graph, placed: &Placed, is_match: &impl Fn(u32) -> bool) -> bool {
        let (id, row, function) = (placed.id, self.row(), graph.function(placed.id));
        let value = placed.value;
        let matches = placed.small.is_none() && is_match(function);
        if matches && !placed.is_below_match {
            self.drawn.matches.push(Match { node: graph.node(id), row, function, value });
        }
        if self.frame.rows.contains(&row) {
            let boxes = &mut self.drawn.boxes;
            boxes.node.push(placed.small.map_or_else(|| graph.node(id), |small| small.parent_node));
            boxes.function.push(function);
            boxes.row.push(row);
            boxes.parent.push(placed.parent);
            boxes.x.push((placed.x * self.scale) as f32);
            boxes.width.push((value * self.scale) as f32);
            boxes.value.push(value);
            boxes.own.push(placed.small.map_or_else(|| graph.own(id), |small| f64::from(small.count)));
            boxes.kind.push(graph.kind(id));
            boxes.flags.push(u8::from(matches) * MATCHES + u8::from(placed.small.is_some()) * SMALL);
        }
        placed.is_below_match || matches
    }

    /// Takes the children that are too narrow out of `children`: the largest of them with the value of all, and what
    /// they are.
    fn take_small(&self, graph: &impl Graph, above: &Placed, children: &mut Vec<Child>) -> Option<(Child, Small)> {
        let (mut largest, mut largest_value, mut sum) = (None, 0.0, 0.0);
        let mut small = Small { count: 0, parent_node: graph.node(above.id) };
        children.retain(|Child { id, value }| {
            if *value >= self.smallest {
                return true;
            }
            small.count += 1;
            sum += value;
            if *value > largest_value {
                (largest, largest_value) = (Some(*id), *value);
            }
            false
        });
        largest.map(|id| (Child { id, value: sum }, small))
    }
}

/// Sorts siblings by name, those of one name by number.
fn sort_by_name<'n>(children: &mut [Child], graph: &impl Graph, name: &impl Fn(u32) -> &'n str) {
    sort_by(children, |a, b| {
        let [a_name, b_name] = [a, b].map(|child| name(graph.function(child.id)));
        a_name.cmp(b_name).then(a.id.cmp(&b.id))
    });
}

/// Gives the children of a box their places in the row below, the small ones joined at the right end.
fn place_below(above: &Placed, children: &[Child], small: Option<(Child, Small)>, below: &mut Vec<Placed>) {
    let mut x = above.x;
    for Child { id, value } in children.iter().copied() {
        below.push(Placed { id, value, x, small: None, ..*above });
        x += value;
    }
    below.extend(small.map(|(Child { id, value }, small)| Placed { id, value, x, small: Some(small), ..*above }));
}
