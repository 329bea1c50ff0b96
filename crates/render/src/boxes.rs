//! Selects the visible boxes of a tree of boxes, row by row from the root.
//!
//! ```text
//! row 0  |<Total>                              |      siblings are sorted by name from the parent's left
//! row 1  |main                     |worker |   |      edge; one box joins the siblings that are too narrow;
//! row 2  |parse       |write    |▒|    |x|            the rest on the right is the parent's exclusive value
//! ```
//!
//! Only boxes that are wide enough get children, so the work depends on the number of visible boxes. The code is not
//! recursive, so stacks can have any depth.

use std::ops::Range;
use whittle_profile::order::sort_by;

/// The position of a box that is not in the answer.
pub const NO_BOX: u32 = u32::MAX;

/// The function of a box matches the search.
pub const MATCHES: u8 = 1;
/// The box represents several siblings that are too narrow to draw.
pub const SMALL: u8 = 2;

/// A tree that can be drawn. The graph chooses the numbers of its boxes.
pub trait Graph {
    /// Inclusive value of a box.
    fn value(&self, id: u32) -> f64;
    /// Exclusive value of a box.
    fn own(&self, id: u32) -> f64;
    /// The function's number in the tree.
    fn function(&self, id: u32) -> u32;
    /// The box's node in the answer.
    fn node(&self, id: u32) -> u32;
    /// Number of the frame kind.
    fn kind(&self, id: u32) -> u8;
    /// Adds the children with a value to `into`. This must be called before [`own`](Self::own).
    fn children(&mut self, id: u32, into: &mut Vec<Child>);
}

/// A child box.
#[derive(Debug, Clone, Copy)]
pub struct Child {
    /// The number that the graph chose.
    pub id: u32,
    /// The child's inclusive value. It is stored here, because reading it again later is slow.
    pub value: f64,
}

/// The drawn part of the graph, and its size.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Width of the narrowest box, as a share of the whole width.
    pub min_ratio: f64,
    /// The requested rows.
    pub rows: Range<u32>,
}

/// Boxes, sorted by row and then from left to right. All vectors have one element per box.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Boxes {
    /// The node of the box. For a joined box, this is the parent's node.
    pub node: Vec<u32>,
    /// Number of the function. For a joined box, this is the function of its largest part.
    pub function: Vec<u32>,
    /// Number of rows below the shown root. The root is in row 0.
    pub row: Vec<u32>,
    /// Position of the parent among the boxes, or 4294967295 if the parent is not in the answer.
    pub parent: Vec<u32>,
    /// Left edge as a share of the whole width, 0 to 1.
    pub x: Vec<f32>,
    /// Width as a share of the whole width, 0 to 1.
    pub width: Vec<f32>,
    /// Inclusive value.
    pub value: Vec<f64>,
    /// Exclusive value. For a joined box, this is the number of boxes that it represents.
    pub own: Vec<f64>,
    /// Frame kind: 0 pseudo, 1 jit, 2 interpreted, 3 c1, 4 inlined, 5 jvm, 6 native, 7 kernel, 8 stub, 9 truncated.
    pub kind: Vec<u8>,
    /// Bit mask: 1 if the box matches the search, 2 if it is a joined box.
    pub flags: Vec<u8>,
}

impl Boxes {
    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// True if there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.node.is_empty()
    }
}

/// A match of the search without another match above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Number of the box in the answer.
    pub node: u32,
    /// Row of the box. The root is in row 0.
    pub row: u32,
    /// The function's number in the tree.
    pub function: u32,
    /// Inclusive value of the box.
    pub value: f64,
}

/// The drawn boxes.
#[derive(Debug, Default)]
pub struct Drawn {
    /// The visible boxes.
    pub boxes: Boxes,
    /// Number of rows that contain a box.
    pub row_count: u32,
    /// Outermost matches among all drawn boxes, including boxes in rows that were not requested.
    pub matches: Vec<Match>,
}

/// Draws everything below `root`. `names` returns a function's name. `is_match` returns whether the search finds the
/// function.
pub fn draw<'n>(
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
    /// The box. For a joined box, this is the largest of the small boxes.
    id: u32,
    /// Inclusive value. For a joined box, this is the sum of its boxes.
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

    /// The position of the box that was added last, or [`NO_BOX`] if its row was not requested.
    fn newest(&self) -> u32 {
        if self.frame.rows.contains(&self.row()) { self.drawn.boxes.len() as u32 - 1 } else { NO_BOX }
    }

    /// Adds a box to the answer. Returns true if this box or a box above it matches the search.
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

    /// Removes the children that are too narrow from `children`. Returns the largest removed child with the total value
    /// of all removed children, and their number.
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

/// Sorts siblings by name. Siblings with the same name are sorted by number.
fn sort_by_name<'n>(children: &mut [Child], graph: &impl Graph, name: &impl Fn(u32) -> &'n str) {
    sort_by(children, |a, b| {
        let [a_name, b_name] = [a, b].map(|child| name(graph.function(child.id)));
        a_name.cmp(b_name).then(a.id.cmp(&b.id))
    });
}

/// Places the children of a box in the row below. The joined box of the small children is at the right end.
fn place_below(above: &Placed, children: &[Child], small: Option<(Child, Small)>, below: &mut Vec<Placed>) {
    let mut x = above.x;
    for Child { id, value } in children.iter().copied() {
        below.push(Placed { id, value, x, small: None, ..*above });
        x += value;
    }
    below.extend(small.map(|(Child { id, value }, small)| Placed { id, value, x, small: Some(small), ..*above }));
}
